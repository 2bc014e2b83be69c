#!/usr/bin/env bash
# Builds the kit, checks every kernel, runs the sanitizers on part of it, measures.
# Needs a CUDA toolkit and a GPU. Goes on after a step that fails; the last lines
# say which did.
#
#   OUT    folder of the reports (default: out)
#   BUILD  folder of object files (default: build)
#   ARCH   architecture (default: sm_90)
#   BUILD_SECONDS  limit of the build (default: 300)
#   STEPS  what to run (default: build parity sanitize bench)
#   LDFLAGS  for example -L with the folder of the runtime library
set -uo pipefail

cd "$(dirname "$0")" || exit 2
OUT=${OUT:-out} BUILD=${BUILD:-build} ARCH=${ARCH:-sm_90}
STEPS=${STEPS:-build parity sanitize bench}
NVCC=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
PATH=$PATH:$(dirname "$NVCC")
export NVCC ARCH BUILD
mkdir -p "$OUT" "$BUILD"
results=()

# step NAME SECONDS COMMAND…: its output goes to the terminal and NAME.txt.
step() {
    local name=$1 limit=$2 start=$SECONDS status
    shift 2
    echo "== $name"
    timeout "$limit" "$@" 2>&1 | tee "$OUT/$name.txt" | tail -n "${LINES_SHOWN:-60}"
    status=${PIPESTATUS[0]}
    results+=("$name: status $status, $((SECONDS - start)) s")
    return "$status"
}

wanted() { [[ " $STEPS " == *" $1 "* ]]; }

describe() {
    nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.sm,clocks.mem,clocks.max.sm \
        --format=csv
    "$NVCC" --version | tail -n 2
    echo "$(nproc) cores"
    sha256sum jobs.bin kernels.cpp evaluators.bin evaluators.cpp main.cu
}

# Sources by the size of what they compile, the largest first, so that none of the
# slow ones starts last.
sources() {
    local source header
    for source in *.cu *.cpp; do
        header=${source#variants_}
        header=${header%.cu}.cuh
        [ -f "$header" ] || header=$source
        echo "$(wc -c <"$header") $source"
    done | sort -k1,1nr -k2 | cut -d' ' -f2
}

# One object per source.
compile() {
    local start=$SECONDS
    rm -f "$BUILD"/*.o "$BUILD"/*.log
    sources | xargs -P "$(nproc)" -I{} bash -c '
        "$NVCC" -std=c++17 -O3 -arch="$ARCH" -Xptxas -v -x cu -c "{}" -o "$BUILD/{}.o" \
            >"$BUILD/{}.log" 2>&1 || { echo "{} does not compile"; head -n 40 "$BUILD/{}.log"; }'
    # shellcheck disable=SC2086
    "$NVCC" -arch="$ARCH" ${LDFLAGS:-} "$BUILD"/*.o -o "$BUILD/kit" || return 1
    echo "compiled $(sources | wc -l) sources in $((SECONDS - start)) s"
    sha256sum "$BUILD/kit"
}

# Registers, stack, spills, shared memory of every kernel, the heaviest first.
ptxas_table() {
    echo "registers stack spill_stores spill_loads shared kernel"
    cat "$BUILD"/*.log | awk '
        /Compiling entry function/ { split($0, part, "\x27"); kernel = part[2] }
        /bytes stack frame/ {
            for (i = 2; i <= NF; i++) if ($i == "bytes") {
                if ($(i + 1) == "stack") stack = $(i - 1)
                if ($(i + 2) ~ /^stores/) stores = $(i - 1)
                if ($(i + 2) ~ /^loads/) loads = $(i - 1)
            }
        }
        /Used [0-9]+ registers/ {
            shared = 0
            for (i = 2; i <= NF; i++) {
                if ($i ~ /^registers/) registers = $(i - 1)
                if ($i == "smem," || $i == "smem") shared = $(i - 2)
            }
            if (kernel != "") print registers, stack, stores, loads, shared, kernel
            kernel = ""
        }' | sort -k1,1nr -k3,3nr
}

sanitize() {
    local tool
    if ! timeout 60 compute-sanitizer --tool memcheck "$BUILD/kit" probe; then
        echo "the sanitizer does not attach, or the probe fails"
        return 1
    fi
    local status=0
    for tool in memcheck racecheck; do
        echo "-- $tool"
        timeout 60 compute-sanitizer --tool "$tool" --error-exitcode 3 "$BUILD/kit" parity --quick \
            --only narrow --only group --only words --only blake3_compress --only sha256_rounds ||
            status=$?
    done
    return "$status"
}

export -f describe sources compile ptxas_table sanitize
step device 20 bash -c describe
if wanted build; then
    step build "${BUILD_SECONDS:-300}" bash -c compile
    LINES_SHOWN=24 step ptxas 20 bash -c ptxas_table
fi
wanted parity && step parity 60 "$BUILD/kit" parity
wanted sanitize && step sanitize 185 bash -c sanitize
wanted bench && LINES_SHOWN=400 step bench 90 "$BUILD/kit" bench
printf '%s\n' "== summary" "${results[@]}" | tee "$OUT/summary.txt"
! printf '%s\n' "${results[@]}" | grep -qv 'status 0,'
