#!/usr/bin/env bash
# Parity of whole proofs with the CPU, sanitizers at the smallest shapes, and figures, on the
# first GPU. Goes on after a step that fails; the last lines say which did.
#
#   run.sh BINARY FOLDER    BINARY: the example prover_backend; FOLDER: compiled kernels
#
#   OUT    folder of the reports (default: out)
#   STEPS  what to run (default: quick parity bench1 bench8 memcheck racecheck)
set -uo pipefail

if [ $# -ne 2 ]; then
    sed -n 's/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
binary=$1 folder=$2
OUT=${OUT:-out} STEPS=${STEPS:-quick parity bench1 bench8 memcheck racecheck}
mkdir -p "$OUT"
results=()

# step NAME SECONDS COMMAND…: its output goes to the terminal and NAME.txt.
step() {
    local name=$1 limit=$2 start=$SECONDS status
    shift 2
    [[ " $STEPS " == *" $name "* ]] || return
    echo "== $name"
    timeout "$limit" "$@" 2>&1 | tee "$OUT/$name.txt" | tail -n 60
    status=${PIPESTATUS[0]}
    results+=("$name: status $status, $((SECONDS - start)) s")
}

sanitized() {
    local tool=$1
    shift
    compute-sanitizer --tool "$tool" --error-exitcode 3 "$@"
}

nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,clocks.max.sm --format=csv
sha256sum "$binary"
step quick 120 "$binary" parity "$folder" quick
step parity 240 "$binary" parity "$folder"
step bench1 120 "$binary" bench "$folder" 1024 cpu
step bench8 240 "$binary" bench "$folder" 8192 cpu
export -f sanitized
step memcheck 240 bash -c 'sanitized memcheck "$@"' sanitized "$binary" parity "$folder" tiny
step racecheck 240 bash -c 'sanitized racecheck "$@"' sanitized "$binary" parity "$folder" tiny
printf '%s\n' "== summary" "${results[@]}" | tee "$OUT/summary.txt"
! printf '%s\n' "${results[@]}" | grep -qv 'status 0,'
