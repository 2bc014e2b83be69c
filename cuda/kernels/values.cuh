// Values of committed polynomials at a point z. The first n rows of a committed column of
// degree below n are its values on the coset 7 H, H of order n, and
//
//   P(z) = (z^n - 7^n) / (n 7^n) * sum_i P(x_i) x_i / (z - x_i)
//        = (z^n - 7^n) / (n 7^n) * (z S - T),
//   S = sum_i P(x_i) / (z - x_i),   T = sum_i P(x_i)
//
// A block sums 8 columns over a chunk of rows; a second launch adds the chunks up. What comes
// out are S and T, D + 1 words per column; the rest is for the host. Floor: 8 bytes and D
// multiplications per cell.
#pragma once

#include "element.cuh"

namespace traceloom {

constexpr uint32_t VALUE_THREADS = 128;
constexpr uint32_t VALUE_COLUMNS = 8;

struct Values {
  const uint64_t *columns;   // first cell of the first column
  const uint64_t *inverses;  // 1 / (z - x_i)
  uint64_t *partial;         // per chunk and column D + 1 words
  uint64_t num_columns;
  uint64_t stride;  // words from column to column
  uint64_t height;  // n
  uint64_t num_chunks;
  uint64_t chunk_rows;
};

// Words that a thread has in shared memory: an odd number, so that threads do not collide.
template <uint32_t D>
TL_DEVICE uint32_t value_stride() {
  return (VALUE_COLUMNS * (D + 1)) | 1;
}

// One thread's share of a block's columns and rows, to its words of shared memory.
template <uint32_t D>
TL_DEVICE void sum_rows(const Values &a, uint64_t column, uint64_t first, uint64_t end,
                        uint64_t *words) {
  Dot sums[VALUE_COLUMNS][D] = {};
  Gl plain[VALUE_COLUMNS] = {};
  for (uint64_t row = first; row < end; row += VALUE_THREADS) {
    const Ext<D> inverse = element_at<D>(a.inverses, row);
    TL_UNROLL
    for (uint32_t i = 0; i < VALUE_COLUMNS; ++i) {
      if (column + i < a.num_columns) {
        const uint64_t cell = a.columns[(column + i) * a.stride + row];
        plain[i] = plain[i] + gl(cell);
        TL_UNROLL
        for (uint32_t k = 0; k < D; ++k) {
          add_product(sums[i][k], gl(cell), inverse.c[k]);
        }
      }
    }
  }
  TL_UNROLL
  for (uint32_t i = 0; i < VALUE_COLUMNS; ++i) {
    TL_UNROLL
    for (uint32_t k = 0; k < D; ++k) {
      words[(D + 1) * i + k] = reduced(sums[i][k]).value;
    }
    words[(D + 1) * i + D] = plain[i].value;
  }
}

template <uint32_t D>
TL_DEVICE void write_values(const Values &a) {
  constexpr uint32_t SUMS = VALUE_COLUMNS * (D + 1);
  constexpr uint32_t PARTS = 4;
  uint64_t *shared = shared_words();
  const uint64_t chunk = block_index() % a.num_chunks;
  const uint64_t column = block_index() / a.num_chunks * VALUE_COLUMNS;
  const uint64_t begin = chunk * a.chunk_rows;
  const uint64_t end = begin + a.chunk_rows < a.height ? begin + a.chunk_rows : a.height;
  phase([=](uint32_t thread) {
    sum_rows<D>(a, column, begin + thread, end, shared + thread * value_stride<D>());
  });
  // Each sum in four parts, which go behind the words of the threads.
  uint64_t *parts = shared + VALUE_THREADS * value_stride<D>();
  phase([=](uint32_t thread) {
    if (thread < PARTS * SUMS) {
      const uint32_t sum = thread % SUMS, part = thread / SUMS;
      Gl total = gl(0);
      for (uint32_t i = 0; i < VALUE_THREADS / PARTS; ++i) {
        const uint32_t of = part * (VALUE_THREADS / PARTS) + i;
        total = total + gl(shared[of * value_stride<D>() + sum]);
      }
      parts[thread] = total.value;
    }
  });
  phase([=](uint32_t thread) {
    const uint64_t of = column + thread / (D + 1);
    if (thread < SUMS && of < a.num_columns) {
      Gl total = gl(0);
      for (uint32_t part = 0; part < PARTS; ++part) {
        total = total + gl(parts[part * SUMS + thread]);
      }
      a.partial[(chunk * a.num_columns + column) * (D + 1) + thread] = total.value;
    }
  });
}

// Sums over chunks.
struct ValueSums {
  const uint64_t *partial;
  uint64_t *to;
  uint64_t num_words;  // of a chunk
  uint64_t num_chunks;
};

TL_DEVICE void write_value_sums(const ValueSums &a) {
  phase([=](uint32_t thread) {
    const uint64_t index = block_index() * block_threads() + thread;
    if (index < a.num_words) {
      Gl total = gl(0);
      for (uint64_t chunk = 0; chunk < a.num_chunks; ++chunk) {
        total = total + gl(a.partial[chunk * a.num_words + index]);
      }
      a.to[index] = total.value;
    }
  });
}

}  // namespace traceloom
