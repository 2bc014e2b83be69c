#!/bin/sh
# Builds the guests into a folder, by default this one, and writes their digests beside them:
#   sh riscv/guests/build.sh [FOLDER]
# Needs riscv64-unknown-elf-gcc 12.2 (Debian 12: gcc-riscv64-unknown-elf and
# binutils-riscv64-unknown-elf). Another version gives other files, which then need other digests.
set -eu
cd "$(dirname "$0")"
out=${1:-.}
for name in fibonacci sha256 sort calculator; do
  riscv64-unknown-elf-gcc -march=rv64im -mabi=lp64 -mcmodel=medany -msmall-data-limit=0 \
    -mstrict-align -O2 -ffreestanding -fno-builtin -fno-tree-loop-distribute-patterns \
    -Wall -Wextra -Werror -static -nostdlib -nostartfiles -Wl,--build-id=none -Wl,--no-relax \
    -Wl,-z,max-page-size=4096 -o "$out/$name.elf" "$name.c"
  riscv64-unknown-elf-strip --strip-all "$out/$name.elf"
done
cd "$out"
sha256sum fibonacci.elf sha256.elf sort.elf calculator.elf > SHA256SUMS
