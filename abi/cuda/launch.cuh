// How rows are launched: the seed of a row, the row itself, staging, and the loop
// over rows. Emitted writers see one seed and one row and know none of this.
//
// A writer is a struct with
//   SEED_WORDS, NUM_INPUTS, NUM_SELECTORS, NUM_AUXILIARIES
//   static void write(const Seed &seed, const Row &row)
// that writes every column of its member exactly once. The launch writes zeros
// to the columns of the circuit that are not the member's.
#pragma once

#include "bytes.cuh"
#include "goldilocks.cuh"

namespace traceloom {

// One row's seed: little-endian 32-bit words, in shared or global memory.
struct Seed {
  const uint32_t *words;

  TL_DEVICE uint32_t u8(uint32_t offset) const { return byte_of(words[offset / 4], offset % 4); }
  TL_DEVICE uint32_t u16(uint32_t offset) const {
    return (words[offset / 4] >> (8 * (offset % 4))) & 0xffffu;
  }
  TL_DEVICE uint32_t u32(uint32_t offset) const { return words[offset / 4]; }
  TL_DEVICE Gl full(uint32_t offset) const {
    return gl((uint64_t(words[offset / 4 + 1]) << 32) | words[offset / 4]);
  }
};

// One row of a circuit, column-major, from its member's point of view.
struct Row {
  uint64_t *cells;  // column 0 of this row
  uint64_t stride;
  TlBases bases;

  TL_DEVICE void put(uint32_t column, uint64_t word) const { cells[column * stride] = word; }
  TL_DEVICE void zeros(uint32_t begin, uint32_t end) const {
    for (uint32_t column = begin; column < end; ++column) {
      put(column, 0);
    }
  }

  TL_DEVICE void input(uint32_t input, Gl value) const { put(input, value.value); }
  TL_DEVICE void input(uint32_t input, uint32_t value) const { put(input, value); }
  TL_DEVICE void selector(uint32_t selector, uint32_t value) const {
    put(bases.first_member_selector + selector, value);
  }
  TL_DEVICE void auxiliary(uint32_t auxiliary, Gl value) const {
    put(bases.first_auxiliary + auxiliary, value.value);
  }
  TL_DEVICE void auxiliary(uint32_t auxiliary, uint32_t value) const {
    put(bases.first_auxiliary + auxiliary, value);
  }
  TL_DEVICE void input_zeros(uint32_t begin, uint32_t end) const { zeros(begin, end); }
  TL_DEVICE void selector_zeros(uint32_t begin, uint32_t end) const {
    zeros(bases.first_member_selector + begin, bases.first_member_selector + end);
  }
  TL_DEVICE void auxiliary_zeros(uint32_t begin, uint32_t end) const {
    zeros(bases.first_auxiliary + begin, bases.first_auxiliary + end);
  }
};

// The row at window position `position`.
TL_DEVICE Row row_at(const TlRows &rows, uint64_t position) {
  return Row{rows.window.cells + position, rows.window.stride, rows.bases};
}

// Position of the launch's row `index` in the window; at least `count` outside.
TL_DEVICE uint64_t position_of(const TlRows &rows, uint64_t index) {
  // The height is a power of two.
  return (rows.first_row + index - rows.window.first) & (rows.window.height - 1);
}

template <class Writer>
TL_DEVICE void write_row(const uint32_t *seed, const Row &row) {
  Writer::write(Seed{seed}, row);
  row.zeros(Writer::NUM_INPUTS, row.bases.first_selector);
  row.zeros(row.bases.first_selector, row.bases.first_member_selector);
  row.zeros(row.bases.first_member_selector + Writer::NUM_SELECTORS, row.bases.first_auxiliary);
  row.zeros(row.bases.first_auxiliary + Writer::NUM_AUXILIARIES, row.bases.width);
}

// Threads per block that make the staged seeds fit 48 KiB of shared memory; 0 if
// not even 32 of them do, and seeds are read where they are.
TL_CONSTEXPR uint32_t staged_threads(uint32_t seed_words) {
  return 128 * (seed_words | 1) <= 12288  ? 128
         : 64 * (seed_words | 1) <= 12288 ? 64
         : 32 * (seed_words | 1) <= 12288 ? 32
                                          : 0;
}

// Threads per block of every row kernel.
TL_CONSTEXPR uint32_t block_threads(uint32_t seed_words) {
  return staged_threads(seed_words) == 0 ? 128 : staged_threads(seed_words);
}

#if TL_ON_DEVICE

// Copies one word to shared memory; it is there after copies_wait and a barrier.
// Nothing waits in between, so that a thread has all its words under way at once.
__device__ __forceinline__ void copy_word(uint32_t *shared, const uint32_t *global) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
                   uint32_t(__cvta_generic_to_shared(shared))),
               "l"(global)
               : "memory");
#else
  *shared = *global;
#endif
}

__device__ __forceinline__ void copies_wait() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// Threads in front of the first row's, at most 31: warps begin at multiples of 32
// in the window, since the cells of a warp that begins elsewhere share a memory
// sector per column with the next warp's, and are written in two parts.
__device__ __forceinline__ uint32_t lead_of(const TlRows &rows) {
  return uint32_t(position_of(rows, 0) % 32);
}

// One thread per row behind the lead, so a launch has up to 31 threads more than
// rows. A block copies its seeds to shared memory, neighbouring threads
// neighbouring words, and keeps them at an odd word stride so that threads which
// read the same word of their seeds use different banks.
template <class Writer>
__device__ __forceinline__ void write_rows(const TlRows &rows) {
  constexpr uint32_t WORDS = Writer::SEED_WORDS;
  constexpr uint32_t THREADS = block_threads(WORDS);
  const uint64_t begin = uint64_t(blockIdx.x) * THREADS;
  const uint32_t lead = lead_of(rows);
  // Beyond all rows where the thread is part of the lead.
  const uint64_t index = begin + threadIdx.x - lead;
  const uint64_t position = position_of(rows, index);
  const bool writes = index < rows.num_rows && position < rows.window.count;
  if constexpr (staged_threads(WORDS) != 0) {
    constexpr uint32_t STRIDE = WORDS | 1;
    __shared__ uint32_t staged[THREADS * STRIDE];
    const uint64_t first = begin == 0 ? 0 : begin - lead;
    const uint64_t end = begin + THREADS - lead;
    const uint64_t last = end < rows.num_rows ? end : rows.num_rows;
    const uint32_t words = first < last ? WORDS * uint32_t(last - first) : 0;
    const uint32_t *seeds = rows.seeds + first * WORDS;
    for (uint32_t word = threadIdx.x; word < words; word += THREADS) {
      copy_word(staged + word / WORDS * STRIDE + word % WORDS, seeds + word);
    }
    copies_wait();
    __syncthreads();
    if (writes) {
      write_row<Writer>(staged + (index - first) * STRIDE, row_at(rows, position));
    }
  } else {
    if (writes) {
      write_row<Writer>(rows.seeds + index * WORDS, row_at(rows, position));
    }
  }
}

// Zeros to rows that belong to no member. One thread per row behind the lead.
__device__ __forceinline__ void write_padding(const TlRows &rows) {
  const uint64_t index = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x - lead_of(rows);
  const uint64_t position = position_of(rows, index);
  if (index < rows.num_rows && position < rows.window.count) {
    row_at(rows, position).zeros(0, rows.bases.width);
  }
}

#else

// The host form: the same functions row by row.
template <class Writer>
inline void write_rows(const TlRows &rows) {
  for (uint64_t index = 0; index < rows.num_rows; ++index) {
    const uint64_t position = position_of(rows, index);
    if (position < rows.window.count) {
      write_row<Writer>(rows.seeds + index * Writer::SEED_WORDS, row_at(rows, position));
    }
  }
}

inline void write_padding(const TlRows &rows) {
  for (uint64_t index = 0; index < rows.num_rows; ++index) {
    const uint64_t position = position_of(rows, index);
    if (position < rows.window.count) {
      row_at(rows, position).zeros(0, rows.bases.width);
    }
  }
}

#endif

}  // namespace traceloom
