// Values of committed polynomials at a point z. The first n rows of a committed column of
// degree below n are its values on the coset 7 H, H of order n, and
//
//   P(z) = (z^n - 7^n) / (n 7^n) * sum_i P(x_i) x_i / (z - x_i)
//        = (z^n - 7^n) / (n 7^n) * (z S - T),
//   S = sum_i P(x_i) / (z - x_i),   T = sum_i P(x_i)
//
// A block sums 4 columns over a chunk of rows, a thread two rows at a time, so that enough loads
// are on their way; a second launch adds the chunks up. What comes
// out are S and T, D + 1 words per column; the rest is for the host. Floor: 8 bytes and D
// multiplications per cell.
#pragma once

#include "element.cuh"

namespace traceloom {

constexpr uint32_t VALUE_THREADS = 128;
constexpr uint32_t VALUE_COLUMNS = 4, VALUE_ROWS = 2;

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

// One thread's share of a block's columns and rows, to its words of shared memory. What lies
// outside of the matrix counts as 0: a column that there is instead, times 0.
template <uint32_t D>
TL_DEVICE void sum_rows(const Values &a, uint64_t column, uint64_t first, uint64_t end,
                        uint64_t *words) {
  ExtDot<D> sums[VALUE_COLUMNS] = {};
  Dot plain[VALUE_COLUMNS] = {};
  const uint64_t *columns[VALUE_COLUMNS];
  TL_UNROLL
  for (uint32_t i = 0; i < VALUE_COLUMNS; ++i) {
    const uint64_t at = column + i < a.num_columns ? column + i : column;
    columns[i] = a.columns + at * a.stride;
  }
  for (uint64_t row = first; row < end; row += VALUE_ROWS * VALUE_THREADS) {
    uint64_t cells[VALUE_ROWS][VALUE_COLUMNS];
    Ext<D> inverses[VALUE_ROWS];
    TL_UNROLL
    for (uint32_t r = 0; r < VALUE_ROWS; ++r) {
      const bool is_inside = row + r * VALUE_THREADS < end;
      const uint64_t at = is_inside ? row + r * VALUE_THREADS : row;
      const Ext<D> inverse = element_at<D>(a.inverses, at);
      inverses[r] = is_inside ? inverse : ext_zero<D>();
      TL_UNROLL
      for (uint32_t i = 0; i < VALUE_COLUMNS; ++i) {
        const uint64_t cell = columns[i][at];
        cells[r][i] = is_inside ? cell : 0;
      }
    }
    TL_UNROLL
    for (uint32_t r = 0; r < VALUE_ROWS; ++r) {
      TL_UNROLL
      for (uint32_t i = 0; i < VALUE_COLUMNS; ++i) {
        add_to(plain[i], gl(cells[r][i]));
        add_product(sums[i], inverses[r], gl(cells[r][i]));
      }
    }
  }
  TL_UNROLL
  for (uint32_t i = 0; i < VALUE_COLUMNS; ++i) {
    ext_store(words + (D + 1) * i, 1, reduced(sums[i]));
    words[(D + 1) * i + D] = reduced(plain[i]).value;
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
