// What queries and grinding need.
//
// Gathering: word (i, c) of the result is base[first_c + (row_i >> shift_c) * scale_c], so
// the rows of a commitment, the groups of a layer and the digests of a path are one launch
// each. Floor: 16 bytes per word.
//
// Grinding: candidates of a window in ascending order of threads; the least that passes is
// kept. One compression each: the message is the state and the candidate, 40 bytes.
//
// Transposition: rows that came from the host become columns. Floor: 16 bytes per cell.
#pragma once

#include "blake3.cuh"

namespace traceloom {

struct GatherColumn {
  uint64_t first, shift, scale;
};

struct Gather {
  const uint64_t *base;
  const uint64_t *rows;
  const GatherColumn *columns;
  uint64_t *to;
  uint64_t num_rows;
  uint64_t num_columns;
};

TL_DEVICE void write_gathered(const Gather &a) {
  phase([=](uint32_t thread) {
    const uint64_t index = block_index() * block_threads() + thread;
    if (index < a.num_rows * a.num_columns) {
      const GatherColumn column = a.columns[index % a.num_columns];
      const uint64_t row = a.rows[index / a.num_columns];
      a.to[index] = a.base[column.first + (row >> column.shift) * column.scale];
    }
  });
}

struct Grind {
  uint64_t *found;  // the least candidate that passes so far
  uint64_t state[4];
  uint64_t first;
  uint64_t count;
  uint64_t mask;  // bits that have to be zero
};

TL_DEVICE void keep_witness(uint64_t *found, uint64_t candidate) {
#if TL_ON_DEVICE
  atomicMin((unsigned long long *)found, (unsigned long long)candidate);
#else
  *found = candidate < *found ? candidate : *found;
#endif
}

TL_DEVICE uint64_t bytes_reversed(uint32_t low, uint32_t high) {
  uint64_t reversed = 0;
  TL_UNROLL
  for (uint32_t i = 0; i < 4; ++i) {
    reversed |= uint64_t((low >> (8 * i)) & 255u) << (8 * (7 - i));
    reversed |= uint64_t((high >> (8 * i)) & 255u) << (8 * (3 - i));
  }
  return reversed;
}

TL_DEVICE void grind(const Grind &a) {
  phase([=](uint32_t thread) {
    const uint64_t index = block_index() * block_threads() + thread;
    if (index >= a.count) {
      return;
    }
    const uint64_t candidate = a.first + index;
    uint32_t m[16] = {};
    TL_UNROLL
    for (uint32_t i = 0; i < 4; ++i) {
      m[2 * i] = uint32_t(a.state[i]);
      m[2 * i + 1] = uint32_t(a.state[i] >> 32);
    }
    m[8] = uint32_t(candidate);
    m[9] = uint32_t(candidate >> 32);
    const Chain digest = compressed(initial_chain(), m, 0, 40, CHUNK_START | CHUNK_END | ROOT);
    if ((bytes_reversed(digest.word[6], digest.word[7]) & a.mask) == 0) {
      keep_witness(a.found, candidate);
    }
  });
}

struct Transposition {
  const uint64_t *from;  // row-major
  uint64_t *to;
  uint64_t width;
  uint64_t height;
};

constexpr uint32_t TILE = 32;

// A block turns a square of 32 by 32 cells, through shared memory.
TL_DEVICE void transpose(const Transposition &a) {
  uint64_t *shared = shared_words();
  const uint64_t across = (a.width + TILE - 1) / TILE;
  const uint64_t column = block_index() % across * TILE, row = block_index() / across * TILE;
  phase([=](uint32_t thread) {
    for (uint32_t i = thread; i < TILE * TILE; i += block_threads()) {
      const uint64_t r = row + i / TILE, c = column + i % TILE;
      if (r < a.height && c < a.width) {
        shared[i / TILE * (TILE + 1) + i % TILE] = a.from[r * a.width + c];
      }
    }
  });
  phase([=](uint32_t thread) {
    for (uint32_t i = thread; i < TILE * TILE; i += block_threads()) {
      const uint64_t r = row + i % TILE, c = column + i / TILE;
      if (r < a.height && c < a.width) {
        a.to[c * a.height + r] = shared[i % TILE * (TILE + 1) + i / TILE];
      }
    }
  });
}

}  // namespace traceloom
