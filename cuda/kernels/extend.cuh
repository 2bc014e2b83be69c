// Low-degree extension of columns: n = 2^h values on the subgroup of order n, in natural
// order, become N = 2^b n values of the same polynomial on the coset 7 K, K of order N, in
// storage order: row i is the value at 7 w_N^rev(i).
//
// Storage order has 2^b parts of n rows; part q is a transform of size n on the coset of
//
//   s_q = 7 w_N^rev_b(q),   row r of it is the value at s_q w_n^rev(r)
//
// so zero padding is neither written nor read. With h <= 12 one launch does all of it. Else
// n = n1 * 2^12, i = 2^12 i1 + i2, k = n1 k2 + k1, j = 2^12 j2 + j1, and three launches
// read and write 15 n words per column at b = 2 (2 + 5 + 8):
//
//   inverse_columns  over i1 to k1
//   extend (here)    factor w_n^(-k1 i2), over i2 to k2; then for each part the factor
//                    s_q^k / n, over k2 to j1
//   forward_columns  factor w_n^(k1 j1), over k1 to j2, stored at rev(j)
//
// Here a block takes one row k1 of one column: up to 4,096 elements, decimated in frequency
// to bit-reversed coefficients, which stay in shared memory and are decimated in time from
// there for each part. 64 KiB of shared memory, 256 threads.
#pragma once

#include "steps.cuh"

namespace traceloom {

// Words of eight bytes.
struct Extend {
  const uint64_t *from;
  uint64_t *to;
  const uint64_t *inverse_steps;  // tables of the steps
  const uint64_t *forward_steps;
  const uint64_t *factors;  // n1 rows of 2^12: w_n^(-k1 i2); unused if n1 = 1
  const uint64_t *powers;   // per part, k1 and bit-reversed k2: s_q^k / n
  uint64_t num_columns;
  uint64_t from_stride;  // words from column to column
  uint64_t to_stride;
  uint64_t num_cosets;
  uint64_t num_rows;  // n1
};

// Steps of the inverse transform from `STEP` on.
template <uint32_t LOG, uint32_t STEP>
TL_DEVICE void inverse_steps(uint64_t *words, const uint64_t *tables) {
  if constexpr (STEP < num_steps(LOG)) {
    phase([=](uint32_t thread) {
      run_step<LOG, STEP, 0, true, false>(
          thread,
          [=](uint32_t base, uint32_t offset) {
            return turned<LOG, STEP - 1, 0>(words, tables, base, offset);
          },
          [=](uint32_t base, uint32_t offset, uint64_t word) { at(words, base, offset) = word; });
    });
    inverse_steps<LOG, STEP + 1>(words, tables);
  }
}

// Steps of the forward transform between the lowest and the topmost digit.
template <uint32_t LOG, uint32_t STEP>
TL_DEVICE void forward_steps(uint64_t *words, const uint64_t *tables) {
  if constexpr (STEP > 0 && STEP < num_steps(LOG)) {
    phase([=](uint32_t thread) {
      run_step<LOG, STEP, 0, false, true>(
          thread,
          [=](uint32_t base, uint32_t offset) {
            return turned<LOG, STEP, 0>(words, tables, base, offset);
          },
          [=](uint32_t base, uint32_t offset, uint64_t word) { at(words, base, offset) = word; });
    });
    forward_steps<LOG, STEP - 1>(words, tables);
  }
}

// The coefficients of a row, bit-reversed, in `kept`.
template <uint32_t LOG, bool IS_SPLIT>
TL_DEVICE void interpolate(const uint64_t *from, const uint64_t *factors, uint64_t *kept,
                           const uint64_t *tables) {
  phase([=](uint32_t thread) {
    run_step<LOG, 0, 0, true, false>(
        thread,
        [=](uint32_t base, uint32_t offset) {
          const uint64_t word = from[base + offset];
          return IS_SPLIT ? product(word, factors[base + offset]) : wide(word);
        },
        [=](uint32_t base, uint32_t offset, uint64_t word) { at(kept, base, offset) = word; });
  });
  inverse_steps<LOG, 1>(kept, tables);
}

// The values of a part in natural order: in `words`, or if split at `to`.
template <uint32_t LOG, bool IS_SPLIT>
TL_DEVICE void evaluate(const uint64_t *powers, const uint64_t *tables, uint64_t *kept,
                        uint64_t *words, uint64_t *to) {
  constexpr uint32_t LAST = num_steps(LOG) - 1;
  const auto load = [=](uint32_t base, uint32_t offset) {
    return product(at(kept, base, offset), powers[base + offset]);
  };
  const auto keep = [=](uint32_t base, uint32_t offset, uint64_t word) {
    at(words, base, offset) = word;
  };
  phase([=](uint32_t thread) { run_step<LOG, LAST, 0, false, true>(thread, load, keep); });
  if constexpr (LAST > 0) {
    forward_steps<LOG, LAST - 1>(words, tables);
    phase([=](uint32_t thread) {
      run_step<LOG, 0, 0, false, true>(
          thread,
          [=](uint32_t base, uint32_t offset) {
            return turned<LOG, 0, 0>(words, tables, base, offset);
          },
          [=](uint32_t base, uint32_t offset, uint64_t word) {
            if constexpr (IS_SPLIT) {
              to[base + offset] = word;
            } else {
              at(words, base, offset) = word;
            }
          });
    });
  }
}

// A block's row of a column: 2^LOG values.
template <uint32_t LOG, bool IS_SPLIT>
TL_DEVICE void extend(const Extend &a) {
  const uint64_t column = block_index() % a.num_columns;
  const uint64_t row = block_index() / a.num_columns;
  uint64_t *kept = shared_words();
  uint64_t *words = kept + (1u << LOG);
  const uint64_t at_row = row << LOG;
  interpolate<LOG, IS_SPLIT>(a.from + column * a.from_stride + at_row,
                             IS_SPLIT ? a.factors + at_row : nullptr, kept, a.inverse_steps);
  for (uint64_t part = 0; part < a.num_cosets; ++part) {
    const uint64_t at_part = (part * a.num_rows + row) << LOG;
    uint64_t *to = a.to + column * a.to_stride + at_part;
    evaluate<LOG, IS_SPLIT>(a.powers + at_part, a.forward_steps, kept, words, to);
    if constexpr (!IS_SPLIT) {
      phase([=](uint32_t thread) {
        for (uint32_t i = thread; i < (1u << LOG); i += block_threads()) {
          to[i] = canonical(words[swizzled(reverse_bits(i, LOG))]);
        }
      });
    }
  }
}

// A column of one value: the polynomial is constant.
template <>
TL_DEVICE void extend<0, false>(const Extend &a) {
  const uint64_t *from = a.from + block_index() * a.from_stride;
  uint64_t *to = a.to + block_index() * a.to_stride;
  const uint64_t num_cosets = a.num_cosets;
  phase([=](uint32_t thread) {
    if (thread < num_cosets) {
      to[thread] = from[0];
    }
  });
}

// Factors between launches: word (row, column) is root^(row * column).
struct Factors {
  uint64_t *to;  // num_rows rows of 2^12
  uint64_t num_rows;
  uint64_t root;
};

// Powers of a coset: word (row, column) is scale * shift^(num_rows * rev(column) + row).
struct Powers {
  uint64_t *to;  // num_rows rows of 2^12
  uint64_t num_rows;
  uint64_t shift;
  uint64_t shift_of_row;  // shift^num_rows
  uint64_t scale;
};

TL_DEVICE Gl power(Gl base, uint32_t exponent) {
  Gl result = gl(1u);
  for (; exponent != 0; exponent >>= 1) {
    result = exponent & 1u ? result * base : result;
    base = base * base;
  }
  return result;
}

TL_DEVICE void write_factors(const Factors &a) {
  phase([=](uint32_t thread) {
    const uint64_t index = block_index() * block_threads() + thread;
    const uint32_t row = uint32_t(index >> 12), column = uint32_t(index & 4095u);
    if (row < a.num_rows) {
      a.to[index] = power(gl(a.root), row * column).value;
    }
  });
}

TL_DEVICE void write_powers(const Powers &a) {
  phase([=](uint32_t thread) {
    const uint64_t index = block_index() * block_threads() + thread;
    const uint32_t row = uint32_t(index >> 12), column = uint32_t(index & 4095u);
    if (row < a.num_rows) {
      const Gl of_row = power(gl(a.shift), row) * gl(a.scale);
      a.to[index] = (power(gl(a.shift_of_row), reverse_bits(column, 12)) * of_row).value;
    }
  });
}

}  // namespace traceloom
