// Blocks of threads that share memory, in phases: what a thread keeps between two phases
// lies in memory. On the device a barrier ends a phase; the host form runs the threads of
// a phase one after the other, so it computes what the device computes if no thread reads
// in a phase what another writes in it. Tests run both orders of threads.
#pragma once

#include "goldilocks.cuh"

// TL_BLOCK_KERNEL  entry point of blocks of at most `threads`, of which a multiprocessor
//                  should hold `blocks`
// TL_UNROLL        in front of loops whose indices have to be constants
#if TL_ON_DEVICE
#define TL_BLOCK_KERNEL(threads, blocks) \
  extern "C" __global__ void __launch_bounds__(threads, blocks)
#define TL_UNROLL _Pragma("unroll")
#else
#define TL_BLOCK_KERNEL(threads, blocks) extern "C" void
#define TL_UNROLL
#endif

namespace traceloom {

#if TL_ON_DEVICE

extern __shared__ uint64_t block_memory[];

TL_DEVICE uint64_t block_index() { return blockIdx.x; }
TL_DEVICE uint32_t block_threads() { return blockDim.x; }
TL_DEVICE uint64_t *shared_words() { return block_memory; }

#else

struct HostBlock {
  uint64_t index;
  uint32_t threads;
  bool is_descending;
  uint64_t *shared;
};

inline HostBlock host_block{};

inline uint64_t block_index() { return host_block.index; }
inline uint32_t block_threads() { return host_block.threads; }
inline uint64_t *shared_words() { return host_block.shared; }

#endif

// Runs `body(thread)` for every thread of the block, and waits for all of them.
template <class Body>
TL_DEVICE void phase(Body body) {
#if TL_ON_DEVICE
  body(uint32_t(threadIdx.x));
  __syncthreads();
#else
  for (uint32_t i = 0; i < host_block.threads; ++i) {
    body(host_block.is_descending ? host_block.threads - 1 - i : i);
  }
#endif
}

// The lowest `bits` bits of a number in reverse; the others are 0.
TL_DEVICE uint32_t reverse_bits(uint32_t number, uint32_t bits) {
#if TL_ON_DEVICE
  return bits == 0 ? 0 : __brev(number) >> (32 - bits);
#else
  uint32_t reversed = 0;
  for (uint32_t i = 0; i < bits; ++i) {
    reversed |= ((number >> i) & 1u) << (bits - 1 - i);
  }
  return reversed;
#endif
}

}  // namespace traceloom
