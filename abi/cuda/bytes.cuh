// Bytes, and four of them in a word. The host execution tests compare every
// operation on every pair of operands with the byte tables.
#pragma once

#include "platform.cuh"

namespace traceloom {

// Byte `index` of a little-endian word.
TL_DEVICE uint32_t byte_of(uint32_t word, uint32_t index) { return (word >> (8 * index)) & 255u; }

TL_DEVICE uint32_t byte_of_wide(uint64_t word, uint32_t index) {
  return uint32_t(word >> (8 * index)) & 255u;
}

// The word of four bytes.
TL_DEVICE uint32_t pack(uint32_t b0, uint32_t b1, uint32_t b2, uint32_t b3) {
  return b0 | (b1 << 8) | (b2 << 16) | (b3 << 24);
}

// Limb `index` of a word, 16 bits each.
TL_DEVICE uint32_t limb_of(uint32_t word, uint32_t index) { return (word >> (16 * index)) & 65535u; }
TL_DEVICE uint32_t limb_of_wide(uint64_t word, uint32_t index) {
  return uint32_t(word >> (16 * index)) & 65535u;
}

// Four of the bytes 0 to 3 of `low` and 4 to 7 of `high`: nibble i of `selector`
// says which becomes byte i.
TL_DEVICE uint32_t permute(uint32_t low, uint32_t high, uint32_t selector) {
#if TL_ON_DEVICE
  return __byte_perm(low, high, selector);
#else
  const uint64_t bytes = (uint64_t(high) << 32) | low;
  uint32_t word = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    word |= byte_of_wide(bytes, (selector >> (4 * i)) & 7u) << (8 * i);
  }
  return word;
#endif
}

// Operations on bytes; operands are below 256.
TL_DEVICE uint32_t byte_shift_left(uint32_t a) { return (a << 1) & 255u; }
TL_DEVICE uint32_t byte_shift_right(uint32_t a) { return a >> 1; }
TL_DEVICE uint32_t byte_less_than(uint32_t a, uint32_t b) { return a < b ? 1u : 0u; }
TL_DEVICE uint32_t byte_add(uint32_t a, uint32_t b) { return (a + b) & 255u; }
TL_DEVICE uint32_t byte_add_carry(uint32_t a, uint32_t b) { return (a + b) >> 8; }
TL_DEVICE uint32_t byte_sub(uint32_t a, uint32_t b) { return (a - b) & 255u; }
TL_DEVICE uint32_t byte_sub_borrow(uint32_t a, uint32_t b) { return a < b ? 1u : 0u; }
TL_DEVICE uint32_t byte_split_high(uint32_t x, uint32_t shift) { return x >> shift; }
TL_DEVICE uint32_t byte_split_low(uint32_t x, uint32_t shift) {
  return (x << (8 - shift)) & 255u;
}

// The same on four bytes at once. `mask` clears what crosses into a neighbour.
TL_DEVICE uint32_t packed_shift_right(uint32_t x, uint32_t shift) {
  return (x >> shift) & (0x01010101u * (255u >> shift));
}
TL_DEVICE uint32_t packed_shift_left(uint32_t x, uint32_t shift) {
  return (x << shift) & (0x01010101u * ((255u << shift) & 255u));
}

}  // namespace traceloom
