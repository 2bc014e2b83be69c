// Layers of FRI. A codeword is a vector of elements in storage order: row i belongs to
// w^rev(i). A layer has its groups of 2^A neighbours as rows.
//
// Leaf: BLAKE3 of a group's words, at most 48, so one chunk. Fold: the value at beta of the
// polynomial of degree below 2^A through a group, by A folds of pairs; a pair 2m, 2m + 1
// lies at x and -x, and
//
//   folded = ((f(x) + f(-x)) + (f(x) - f(-x)) beta / x) / 2
//
// belongs to x^2, with beta^2 in the next fold. Floor per element: 8 D bytes each way.
#pragma once

#include "blake3.cuh"
#include "element.cuh"

namespace traceloom {

struct LayerLeaves {
  const uint64_t *from;
  uint32_t *digests;
  uint64_t row_words;
  uint64_t num_rows;
};

// The digest of at most 128 words.
TL_DEVICE Chain hashed_words(const uint64_t *words, uint64_t count) {
  const uint64_t num_blocks = (count + 7) / 8;
  Chain chain = initial_chain();
  for (uint64_t block = 0; block < num_blocks; ++block) {
    const uint64_t left = count - 8 * block;
    uint32_t m[16];
    TL_UNROLL
    for (uint32_t i = 0; i < 8; ++i) {
      const uint64_t word = i < left ? words[8 * block + i] : 0;
      m[2 * i] = uint32_t(word);
      m[2 * i + 1] = uint32_t(word >> 32);
    }
    const uint32_t flags = (block == 0 ? CHUNK_START : 0u) |
                           (block + 1 == num_blocks ? CHUNK_END | ROOT : 0u);
    chain = compressed(chain, m, 0, uint32_t(8 * (left < 8 ? left : 8)), flags);
  }
  return chain;
}

TL_DEVICE void write_layer_leaves(const LayerLeaves &a) {
  phase([=](uint32_t thread) {
    const uint64_t row = block_index() * block_threads() + thread;
    if (row < a.num_rows) {
      const Chain digest = hashed_words(a.from + row * a.row_words, a.row_words);
      TL_UNROLL
      for (uint32_t i = 0; i < 8; ++i) {
        a.digests[8 * row + i] = digest.word[i];
      }
    }
  });
}

struct Fold {
  const uint64_t *from;
  uint64_t *to;            // one element per group
  const uint64_t *joined;  // added with its weight, or null
  const uint64_t *roots;   // inverse roots of order 2, 4, 8, ...
  uint64_t num_groups;
  uint64_t half;      // 1/2
  uint64_t beta[3];
  uint64_t weight[3];  // beta^(2^A)
};

template <uint32_t D, uint32_t A>
TL_DEVICE void write_fold(const Fold &a) {
  phase([=](uint32_t thread) {
    const uint64_t group = block_index() * block_threads() + thread;
    if (group >= a.num_groups) {
      return;
    }
    Ext<D> values[1u << A];
    TL_UNROLL
    for (uint32_t i = 0; i < (1u << A); ++i) {
      values[i] = element_at<D>(a.from, (group << A) + i);
    }
    Ext<D> beta = element_at<D>(a.beta, 0);
    TL_UNROLL
    for (uint32_t step = 0; step < A; ++step) {
      const uint32_t pairs = 1u << (A - 1 - step);
      TL_UNROLL
      for (uint32_t pair = 0; pair < pairs; ++pair) {
        const Gl inverse = subgroup_point(a.roots, 2 * (group * pairs + pair));
        const Ext<D> low = values[2 * pair], high = values[2 * pair + 1];
        values[pair] = ((low + high) + (low - high) * beta * inverse) * gl(a.half);
      }
      beta = beta * beta;
    }
    if (a.joined != nullptr) {
      values[0] = values[0] + element_at<D>(a.weight, 0) * element_at<D>(a.joined, group);
    }
    store_element(a.to, group, values[0]);
  });
}

}  // namespace traceloom
