#!/usr/bin/env bash
# Parity of whole proofs with the CPU, sanitizers at the smallest shapes, and figures, on the
# first GPU. Goes on after a step that fails; the last lines say which did.
#
#   run.sh BINARY FOLDER    BINARY: the example prover_backend; FOLDER: compiled kernels
#
#   OUT    folder of the reports (default: out)
#   STEPS  what to run (default: quick memory parity bench1 bench8 sha256 largest
#          energy3 energy23 memcheck racecheck initcheck)
#   PROGRAMS  what sanitizers see the smallest proof of (default: all five)
set -uo pipefail

if [ $# -ne 2 ]; then
    sed -n 's/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
binary=$1 folder=$2
OUT=${OUT:-out} STEPS=${STEPS:-quick memory parity bench1 bench8 sha256 largest energy3 energy23 memcheck racecheck initcheck}
PROGRAMS=${PROGRAMS:-fibonacci div_rem merge_sort blake3 sha256}
mkdir -p "$OUT"
results=()

# step NAME SECONDS COMMAND…: its output goes to the terminal and NAME.txt. TOOL names all steps
# TOOL-PROGRAM.
step() {
    local name=$1 limit=$2 start=$SECONDS status
    shift 2
    [[ " $STEPS " == *" $name "* || " $STEPS " == *" ${name%%-*} "* ]] || return
    echo "== $name"
    timeout "$limit" "$@" 2>&1 | tee "$OUT/$name.txt" | tail -n 60
    status=${PIPESTATUS[0]}
    results+=("$name: status $status, $((SECONDS - start)) s")
}

# energy COMMAND…: runs it and prints the joules that the GPU took meanwhile, those of an idle one
# included, if its driver tells.
energy() {
    python3 - "$@" <<'PYTHON'
import ctypes, subprocess, sys, time
try:
    nvml = ctypes.CDLL("libnvidia-ml.so.1")
    device, energy = ctypes.c_void_p(), ctypes.c_ulonglong()
    found = nvml.nvmlInit_v2() == 0
    found = found and nvml.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(device)) == 0
except OSError:
    found = False
def joules():
    told = found and nvml.nvmlDeviceGetTotalEnergyConsumption(device, ctypes.byref(energy)) == 0
    return energy.value / 1000 if told else None
before, start = joules(), time.monotonic()
status = subprocess.run(sys.argv[1:]).returncode
after, seconds = joules(), time.monotonic() - start
told = "not told" if None in (before, after) else f"{after - before:.1f}"
print(f"energy joules={told} seconds={seconds:.2f}")
sys.exit(status)
PYTHON
}

sanitized() {
    local tool=$1
    shift
    compute-sanitizer --tool "$tool" --error-exitcode 3 "$@"
}

nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,clocks.max.sm --format=csv
sha256sum "$binary"
step quick 120 "$binary" parity "$folder" quick
step memory 240 "$binary" memory "$folder"
step parity 240 "$binary" parity "$folder"
step bench1 120 "$binary" bench "$folder" blake3 1024 5 cpu
step bench8 240 "$binary" bench "$folder" blake3 8192 5 cpu
export -f sanitized energy
step sha256 240 "$binary" bench "$folder" sha256 1024 5 cpu
step largest 240 "$binary" bench "$folder" blake3 32768 1
# What 20 proofs more take is 20 times one proof, its execution on the host included.
step energy3 120 bash -c 'energy "$@"' energy "$binary" bench "$folder" blake3 1024 3
step energy23 120 bash -c 'energy "$@"' energy "$binary" bench "$folder" blake3 1024 23
for tool in memcheck racecheck initcheck; do
    for program in $PROGRAMS; do
        step "$tool-$program" 240 \
            bash -c 'sanitized "$@"' sanitized "$tool" "$binary" parity "$folder" tiny "$program"
    done
done
printf '%s\n' "== summary" "${results[@]}" | tee "$OUT/summary.txt"
! printf '%s\n' "${results[@]}" | grep -qv 'status 0,'
