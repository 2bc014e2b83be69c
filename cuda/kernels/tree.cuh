// Merkle trees over column-major matrices.
//
// Leaf: BLAKE3 of a row's little-endian words, of all matrices of one height, one behind
// the other. A thread takes a row, so that neighbouring threads read neighbouring words.
// Rows over 128 words are several chunks, whose chaining values wait on a stack in local
// memory. Floor per row of W words: 8 W + 32 bytes, about 700 ceil(W / 8) instructions.
//
// Node: BLAKE3(left, right); where matrices have the height of a layer, their leaf is
// joined to it: BLAKE3(BLAKE3(left, right), leaf). A block of 256 threads computes 256
// nodes of a layer and what is above them, up to nine layers, which lie one behind the
// other. Floor per node: 96 bytes, 700 instructions.
#pragma once

#include "blake3.cuh"

namespace traceloom {

constexpr uint64_t BLOCK_WORDS = 8, CHUNK_BLOCKS = 16;
constexpr uint32_t MOST_CHUNKS_LOG = 20;
constexpr uint32_t NODE_THREADS = 256;

struct Matrix {
  uint64_t first;   // word of its first cell, from the base
  uint64_t width;   // columns, at least 1
  uint64_t stride;  // words from column to column
};

struct Leaves {
  const uint64_t *base;
  const Matrix *matrices;  // of one height, in the order of commitment
  uint32_t *digests;
  uint64_t num_words;  // columns of all
  uint64_t height;
};

// The words of a row, one after the other.
struct RowCursor {
  const uint64_t *row;  // base and row
  const Matrix *matrix;
  const uint64_t *next;
  uint64_t left;
  uint64_t stride;

  TL_DEVICE void enter() {
    next = row + matrix->first;
    left = matrix->width;
    stride = matrix->stride;
    ++matrix;
  }
};

// The words 0 to 7 of a block; those from `count` on are 0.
TL_DEVICE void take_block(RowCursor &cursor, uint64_t count, uint32_t (&m)[16]) {
  uint64_t words[BLOCK_WORDS];
  if (count >= BLOCK_WORDS && cursor.left >= BLOCK_WORDS) {
    TL_UNROLL
    for (uint32_t i = 0; i < BLOCK_WORDS; ++i) {
      words[i] = cursor.next[i * cursor.stride];
    }
    cursor.next += BLOCK_WORDS * cursor.stride;
    cursor.left -= BLOCK_WORDS;
  } else {
    TL_UNROLL
    for (uint32_t i = 0; i < BLOCK_WORDS; ++i) {
      words[i] = 0;
      if (i < count) {
        if (cursor.left == 0) {
          cursor.enter();
        }
        words[i] = *cursor.next;
        cursor.next += cursor.stride;
        --cursor.left;
      }
    }
  }
  TL_UNROLL
  for (uint32_t i = 0; i < BLOCK_WORDS; ++i) {
    m[2 * i] = uint32_t(words[i]);
    m[2 * i + 1] = uint32_t(words[i] >> 32);
  }
}

// The digest of a row. `IS_WIDE`: it may have more than one chunk.
template <bool IS_WIDE>
TL_DEVICE Chain hashed_row(const Leaves &a, uint64_t row) {
  RowCursor cursor{a.base + row, a.matrices, nullptr, 0, 0};
  Chain stack[IS_WIDE ? MOST_CHUNKS_LOG : 1];
  uint32_t depth = 0;
  Chain chain = initial_chain();
  const uint64_t num_blocks = (a.num_words + BLOCK_WORDS - 1) / BLOCK_WORDS;
  const bool is_tree = num_blocks > CHUNK_BLOCKS;
  for (uint64_t block = 0; block < num_blocks; ++block) {
    const uint64_t in_chunk = block % CHUNK_BLOCKS;
    if (IS_WIDE && in_chunk == 0 && block != 0) {
      // A chunk more is complete: as many subtrees are as its number has even halves.
      for (uint64_t chunks = block / CHUNK_BLOCKS; chunks % 2 == 0; chunks /= 2) {
        chain = joined(stack[--depth], chain, PARENT);
      }
      stack[depth++] = chain;
      chain = initial_chain();
    }
    const uint64_t left = a.num_words - BLOCK_WORDS * block;
    const bool is_last = block + 1 == num_blocks;
    uint32_t m[16];
    take_block(cursor, left, m);
    const uint32_t flags = (in_chunk == 0 ? CHUNK_START : 0u) |
                           (is_last || in_chunk + 1 == CHUNK_BLOCKS ? CHUNK_END : 0u) |
                           (is_last && !is_tree ? ROOT : 0u);
    const uint32_t bytes = uint32_t(8 * (left < BLOCK_WORDS ? left : BLOCK_WORDS));
    chain = compressed(chain, m, IS_WIDE ? block / CHUNK_BLOCKS : 0, bytes, flags);
  }
  if (IS_WIDE) {
    while (depth > 0) {
      --depth;
      chain = joined(stack[depth], chain, depth == 0 ? PARENT | ROOT : PARENT);
    }
  }
  return chain;
}

TL_DEVICE void store_digest(uint32_t *digests, uint64_t index, const Chain &digest) {
  TL_UNROLL
  for (uint32_t i = 0; i < 8; ++i) {
    digests[8 * index + i] = digest.word[i];
  }
}

TL_DEVICE Chain load_digest(const uint32_t *digests, uint64_t index) {
  Chain digest;
  TL_UNROLL
  for (uint32_t i = 0; i < 8; ++i) {
    digest.word[i] = digests[8 * index + i];
  }
  return digest;
}

template <bool IS_WIDE>
TL_DEVICE void write_leaves(const Leaves &a) {
  phase([=](uint32_t thread) {
    const uint64_t row = block_index() * block_threads() + thread;
    if (row < a.height) {
      store_digest(a.digests, row, hashed_row<IS_WIDE>(a, row));
    }
  });
}

struct Nodes {
  const uint32_t *children;  // digests of the layer below
  uint32_t *parents;         // the first layer, and those above it behind it
  const uint32_t *injected;  // one digest per node of the first layer, or null
  uint64_t num_nodes;        // of the first layer
  uint64_t num_layers;
};

TL_DEVICE void write_nodes(const Nodes &a) {
  const uint32_t *children = a.children;
  uint32_t *parents = a.parents;
  for (uint32_t layer = 0; layer < a.num_layers; ++layer) {
    const uint64_t num_nodes = a.num_nodes >> layer;
    const uint32_t of_block = NODE_THREADS >> layer;
    const uint32_t *injected = layer == 0 ? a.injected : nullptr;
    phase([=](uint32_t thread) {
      const uint64_t node = block_index() * of_block + thread;
      if (thread < of_block && node < num_nodes) {
        constexpr uint32_t MESSAGE = CHUNK_START | CHUNK_END | ROOT;
        Chain digest =
            joined(load_digest(children, 2 * node), load_digest(children, 2 * node + 1), MESSAGE);
        if (injected != nullptr) {
          digest = joined(digest, load_digest(injected, node), MESSAGE);
        }
        store_digest(parents, node, digest);
      }
    });
    children = parents;
    parents += 8 * num_nodes;
  }
}

}  // namespace traceloom
