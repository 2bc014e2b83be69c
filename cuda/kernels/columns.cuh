// Transforms over the high digit of long columns: the first and the last launch of an
// extension of more than 2^12 rows (see extend.cuh for the whole).
//
// A column is 2^LOG rows of 2^12 words. A block transforms a tile of 2^(13 - LOG)
// neighbouring words of every row: 8,192 elements in 64 KiB of shared memory, 256 threads.
// Neighbouring blocks take the same tile of neighbouring columns, so that factors, which
// all columns share, come from the L2.
//
// Floor per element: 16 bytes moved. It is bound by instructions: per element and step of
// three or four stages about 50, of which a fifth are multiplications.
#pragma once

#include "steps.cuh"

namespace traceloom {

constexpr uint32_t LOG_TILE = 13;
constexpr uint32_t LOG_WIDTH = 12;

// Arguments of both kernels: words of eight bytes.
struct Columns {
  const uint64_t *from;
  uint64_t *to;
  const uint64_t *steps;    // tables of the steps, of the direction
  const uint64_t *factors;  // 2^LOG rows of 2^12: applied before (forward only)
  uint64_t num_columns;
  uint64_t from_stride;  // words from column to column
  uint64_t to_stride;
  uint64_t num_cosets;  // parts of a column, each of 2^(LOG + 12) words (forward only)
};

template <uint32_t LOG, uint32_t STEP, bool INVERSE>
TL_DEVICE void inner_steps(uint64_t *words, const uint64_t *tables) {
  // All but the first and the last.
  if constexpr (STEP + 1 < num_steps(LOG)) {
    constexpr uint32_t LOG_C = LOG_TILE - LOG;
    phase([=](uint32_t thread) {
      run_step<LOG, STEP, LOG_C, INVERSE, false>(
          thread,
          [=](uint32_t base, uint32_t offset) {
            return turned<LOG, STEP - 1, LOG_C>(words, tables, base, offset);
          },
          [=](uint32_t base, uint32_t offset, uint64_t word) { at(words, base, offset) = word; });
    });
    inner_steps<LOG, STEP + 1, INVERSE>(words, tables);
  }
}

// Natural order in and out: row i becomes coefficient row k, not yet divided by 2^LOG.
template <uint32_t LOG>
TL_DEVICE void inverse_columns(const Columns &a) {
  constexpr uint32_t LOG_C = LOG_TILE - LOG, LAST = num_steps(LOG) - 1;
  const uint64_t column = block_index() % a.num_columns;
  const uint64_t tile = (block_index() / a.num_columns) << LOG_C;
  const uint64_t *from = a.from + column * a.from_stride + tile;
  uint64_t *to = a.to + column * a.to_stride + tile;
  uint64_t *words = shared_words();
  const uint64_t *tables = a.steps;
  const auto load = [=](uint32_t base, uint32_t offset) {
    const uint32_t address = base + offset, c = address & ((1u << LOG_C) - 1u);
    return wide(from[(uint64_t(address >> LOG_C) << LOG_WIDTH) + c]);
  };
  const auto store = [=](uint32_t base, uint32_t offset, uint64_t word) {
    const uint32_t address = base + offset, c = address & ((1u << LOG_C) - 1u);
    to[(uint64_t(reverse_bits(address >> LOG_C, LOG)) << LOG_WIDTH) + c] = word;
  };
  if constexpr (LAST == 0) {
    phase([=](uint32_t thread) { run_step<LOG, 0, LOG_C, true, false>(thread, load, store); });
  } else {
    phase([=](uint32_t thread) {
      run_step<LOG, 0, LOG_C, true, false>(
          thread, load,
          [=](uint32_t base, uint32_t offset, uint64_t word) { at(words, base, offset) = word; });
    });
    inner_steps<LOG, 1, true>(words, tables);
    phase([=](uint32_t thread) {
      run_step<LOG, LAST, LOG_C, true, false>(
          thread,
          [=](uint32_t base, uint32_t offset) {
            return turned<LOG, LAST - 1, LOG_C>(words, tables, base, offset);
          },
          store);
    });
  }
}

// Row k1 and word j1 of a coset become, at exponent j = 2^12 j2 + j1, word rev(j) of the
// coset: canonical, in storage order. Words of a block leave in 2^LOG neighbours.
template <uint32_t LOG>
TL_DEVICE void forward_columns(const Columns &a) {
  constexpr uint32_t LOG_C = LOG_TILE - LOG, LAST = num_steps(LOG) - 1;
  const uint64_t column = block_index() % a.num_columns;
  const uint64_t rest = block_index() / a.num_columns;
  const uint64_t part = (rest % a.num_cosets) << (LOG + LOG_WIDTH);
  const uint32_t tile = uint32_t(rest / a.num_cosets) << LOG_C;
  const uint64_t *from = a.from + column * a.from_stride + part;
  uint64_t *to = a.to + column * a.to_stride + part;
  uint64_t *words = shared_words();
  const uint64_t *tables = a.steps, *factors = a.factors;
  const auto keep = [=](uint32_t base, uint32_t offset, uint64_t word) {
    at(words, base, offset) = word;
  };
  phase([=](uint32_t thread) {
    run_step<LOG, 0, LOG_C, false, false>(
        thread,
        [=](uint32_t base, uint32_t offset) {
          const uint32_t address = base + offset, c = address & ((1u << LOG_C) - 1u);
          const uint64_t word = (uint64_t(address >> LOG_C) << LOG_WIDTH) + tile + c;
          return product(from[word], factors[word]);
        },
        keep);
  });
  inner_steps<LOG, 1, false>(words, tables);
  if constexpr (LAST > 0) {
    phase([=](uint32_t thread) {
      run_step<LOG, LAST, LOG_C, false, false>(
          thread,
          [=](uint32_t base, uint32_t offset) {
            return turned<LOG, LAST - 1, LOG_C>(words, tables, base, offset);
          },
          keep);
    });
  }
  phase([=](uint32_t thread) {
    for (uint32_t i = thread; i < (1u << LOG_TILE); i += block_threads()) {
      const uint32_t row = i & ((1u << LOG) - 1u), c = i >> LOG;
      const uint64_t run = reverse_bits(tile + c, LOG_WIDTH);
      to[(run << LOG) + row] = canonical(words[swizzled((row << LOG_C) | c)]);
    }
  });
}

}  // namespace traceloom
