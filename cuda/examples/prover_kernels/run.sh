#!/usr/bin/env bash
# Parity, sanitizers at the smallest shapes, and figures of the prover's kernels on the first
# GPU. Goes on after a step that fails; the last lines say which did.
#
#   run.sh BINARY FOLDER    BINARY: the example prover_kernels; FOLDER: compiled kernels
#
#   OUT    folder of the reports (default: out)
#   STEPS  what to run (default: parity memcheck racecheck bench)
set -uo pipefail

if [ $# -ne 2 ]; then
    sed -n 's/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
binary=$1 folder=$2
OUT=${OUT:-out} STEPS=${STEPS:-parity memcheck racecheck bench}
mkdir -p "$OUT"
results=()

# step NAME SECONDS COMMAND…: its output goes to the terminal and NAME.txt.
step() {
    local name=$1 limit=$2 start=$SECONDS status
    shift 2
    [[ " $STEPS " == *" $name "* ]] || return
    echo "== $name"
    timeout "$limit" "$@" 2>&1 | tee "$OUT/$name.txt" | tail -n 100
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
step parity 240 "$binary" parity "$folder"
export -f sanitized
step memcheck 120 bash -c 'sanitized memcheck "$@"' sanitized "$binary" parity "$folder" quick
step racecheck 120 bash -c 'sanitized racecheck "$@"' sanitized "$binary" parity "$folder" quick
step bench 180 "$binary" bench "$folder"
printf '%s\n' "== summary" "${results[@]}" | tee "$OUT/summary.txt"
! printf '%s\n' "${results[@]}" | grep -qv 'status 0,'
