// Transforms of 2^LOG elements in steps of up to four stages.
//
// The index of an element has a digit per step, the topmost first. Step s transforms over
// digit s inside of blocks of M_s = 2^log_block(LOG, s) elements, in place. Decimation in
// frequency runs steps downwards from natural to bit-reversed order, decimation in time
// upwards from bit-reversed to natural order. Between steps s and s + 1 both multiply the
// element at position p of a block of M_s by
//
//   w^((p mod M_s / R_s) * rev(p div (M_s / R_s))),   w of order M_s (or its inverse)
//
// which a table has in the order of positions: table s begins at table_at(LOG, s).
#pragma once

#include "wide.cuh"

namespace traceloom {

// Steps have three stages each but the first or the first two, which have four (of short
// transforms less), and those of the longest, which all have four.
TL_CONSTEXPR uint32_t num_steps(uint32_t log) {
  return log == 12 ? 3 : log % 3 == 0 || log < 3 ? (log + 2) / 3 : log == 5 ? 2 : log / 3;
}

TL_CONSTEXPR uint32_t log_radix(uint32_t log, uint32_t step) {
  return log < 3                             ? log
         : log == 12                         ? 4
         : log == 5 && step == 0             ? 2
         : log % 3 > step && log != 5        ? 4
                                             : 3;
}

TL_CONSTEXPR uint32_t log_block(uint32_t log, uint32_t step) {
  return step == 0 ? log : log_block(log, step - 1) - log_radix(log, step - 1);
}

TL_CONSTEXPR uint32_t table_at(uint32_t log, uint32_t step) {
  return step == 0 ? 0 : table_at(log, step - 1) + (1u << log_block(log, step - 1));
}

// Where shared memory has element `address`: four bits are spread over the banks, so that
// neither strides nor bit reversal make threads collide. Linear in the bits of an address.
TL_DEVICE uint32_t swizzled(uint32_t address) {
  return address ^ (((address >> 4) ^ (address >> 8) ^ (address >> 12)) & 15u);
}

// A thread's share of one step over 2^(LOG + LOG_C) elements: 2^LOG rows of 2^LOG_C
// elements, of which each column is transformed. `load(base, offset)` gives the element at
// address base + offset as a Wide, `store(base, offset, word)` takes it; `offset` is a
// constant once loops are unrolled, and has no bit of `base`.
template <uint32_t LOG, uint32_t STEP, uint32_t LOG_C, bool INVERSE, bool IN_TIME, class Load,
          class Store>
TL_DEVICE void run_step(uint32_t thread, Load load, Store store) {
  constexpr uint32_t LOG_RADIX = log_radix(LOG, STEP);
  constexpr uint32_t RADIX = 1u << LOG_RADIX;
  constexpr uint32_t LOG_STRIDE = log_block(LOG, STEP) - LOG_RADIX + LOG_C;
  constexpr uint32_t ITEMS = 1u << (LOG + LOG_C - LOG_RADIX);
  for (uint32_t item = thread; item < ITEMS; item += block_threads()) {
    const uint32_t low = item & ((1u << LOG_STRIDE) - 1u);
    const uint32_t base = ((item >> LOG_STRIDE) << (LOG_STRIDE + LOG_RADIX)) | low;
    Wide x[RADIX];
    TL_UNROLL
    for (uint32_t slot = 0; slot < RADIX; ++slot) {
      x[IN_TIME ? reverse_bits(slot, LOG_RADIX) : slot] = load(base, slot << LOG_STRIDE);
    }
    transform<LOG_RADIX, INVERSE>(x);
    TL_UNROLL
    for (uint32_t slot = 0; slot < RADIX; ++slot) {
      store(base, slot << LOG_STRIDE, lazy(x[IN_TIME ? reverse_bits(slot, LOG_RADIX) : slot]));
    }
  }
}

// An element of shared memory.
TL_DEVICE uint64_t &at(uint64_t *words, uint32_t base, uint32_t offset) {
  return words[swizzled(base) ^ swizzled(offset)];
}

// An element of shared memory times its factor in the table of `STEP`.
template <uint32_t LOG, uint32_t STEP, uint32_t LOG_C>
TL_DEVICE Wide turned(uint64_t *words, const uint64_t *tables, uint32_t base, uint32_t offset) {
  constexpr uint32_t MASK = (1u << log_block(LOG, STEP)) - 1u;
  const uint32_t position = ((base + offset) >> LOG_C) & MASK;
  return product(at(words, base, offset), tables[table_at(LOG, STEP) + position]);
}

}  // namespace traceloom
