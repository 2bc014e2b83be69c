// BLAKE3's compression: 32-bit words, little-endian, as memory has them.
// About 700 instructions per block of 64 bytes: 7 rounds of 8 mixings of 12.
#pragma once

#include "block.cuh"

namespace traceloom {

constexpr uint32_t CHUNK_START = 1, CHUNK_END = 2, PARENT = 4, ROOT = 8;

// A chaining value: eight words.
struct Chain {
  uint32_t word[8];
};

TL_DEVICE Chain initial_chain() {
  return Chain{{0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au, 0x510e527fu, 0x9b05688cu,
                0x1f83d9abu, 0x5be0cd19u}};
}

TL_DEVICE uint32_t rotated(uint32_t word, uint32_t right) {
  return (word >> right) | (word << (32 - right));
}

TL_DEVICE void mix(uint32_t &a, uint32_t &b, uint32_t &c, uint32_t &d, uint32_t x, uint32_t y) {
  a = a + b + x;
  d = rotated(d ^ a, 16);
  c = c + d;
  b = rotated(b ^ c, 12);
  a = a + b + y;
  d = rotated(d ^ a, 8);
  c = c + d;
  b = rotated(b ^ c, 7);
}

TL_DEVICE void mix_round(uint32_t (&v)[16], const uint32_t (&m)[16]) {
  mix(v[0], v[4], v[8], v[12], m[0], m[1]);
  mix(v[1], v[5], v[9], v[13], m[2], m[3]);
  mix(v[2], v[6], v[10], v[14], m[4], m[5]);
  mix(v[3], v[7], v[11], v[15], m[6], m[7]);
  mix(v[0], v[5], v[10], v[15], m[8], m[9]);
  mix(v[1], v[6], v[11], v[12], m[10], m[11]);
  mix(v[2], v[7], v[8], v[13], m[12], m[13]);
  mix(v[3], v[4], v[9], v[14], m[14], m[15]);
}

TL_DEVICE void permute_message(uint32_t (&m)[16]) {
  const uint32_t old[16] = {m[2], m[6],  m[3],  m[10], m[7], m[0],  m[4],  m[13],
                            m[1], m[11], m[12], m[5],  m[9], m[14], m[15], m[8]};
  TL_UNROLL
  for (uint32_t i = 0; i < 16; ++i) {
    m[i] = old[i];
  }
}

// The chaining value after a block of `bytes` bytes, padded with zeros. `m` is used up.
TL_DEVICE Chain compressed(const Chain &chain, uint32_t (&m)[16], uint64_t counter,
                           uint32_t bytes, uint32_t flags) {
  const Chain first = initial_chain();
  uint32_t v[16];
  TL_UNROLL
  for (uint32_t i = 0; i < 8; ++i) {
    v[i] = chain.word[i];
  }
  TL_UNROLL
  for (uint32_t i = 0; i < 4; ++i) {
    v[8 + i] = first.word[i];
  }
  v[12] = uint32_t(counter);
  v[13] = uint32_t(counter >> 32);
  v[14] = bytes;
  v[15] = flags;
  TL_UNROLL
  for (uint32_t round = 0; round < 7; ++round) {
    mix_round(v, m);
    permute_message(m);
  }
  Chain next;
  TL_UNROLL
  for (uint32_t i = 0; i < 8; ++i) {
    next.word[i] = v[i] ^ v[8 + i];
  }
  return next;
}

// The parent of two chaining values; `flags` beside the two that a tree of chunks has, or
// those of a message of 64 bytes.
TL_DEVICE Chain joined(const Chain &left, const Chain &right, uint32_t flags) {
  uint32_t m[16];
  TL_UNROLL
  for (uint32_t i = 0; i < 8; ++i) {
    m[i] = left.word[i];
    m[8 + i] = right.word[i];
  }
  return compressed(initial_chain(), m, 0, 64, flags);
}

}  // namespace traceloom
