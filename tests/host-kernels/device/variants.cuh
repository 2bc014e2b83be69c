// Other forms of the row kernels, to measure what the form of `launch.cuh` is worth.
#pragma once

#include "launch.cuh"

namespace traceloom {

// Every thread reads its seed where it lies, in global memory.
template <class Writer>
__device__ __forceinline__ void write_rows_direct(const TlRows &rows) {
  const uint64_t first = uint64_t(blockIdx.x) * block_threads(Writer::SEED_WORDS);
  const uint64_t index = first + threadIdx.x;
  const uint64_t position = position_of(rows, index);
  if (index < rows.num_rows && position < rows.window.count) {
    write_row<Writer>(rows.seeds + index * Writer::SEED_WORDS, row_at(rows, position));
  }
}

}  // namespace traceloom

#define TL_VARIANT_direct(name, Writer) \
  TL_KERNEL void name(TlRows rows) { write_rows_direct<Writer>(rows); }

// At most 128 registers: 512 threads of a multiprocessor run at a time.
#define TL_VARIANT_bounded(name, Writer)                                    \
  TL_KERNEL void __launch_bounds__(block_threads(Writer::SEED_WORDS),       \
                                   512 / block_threads(Writer::SEED_WORDS)) \
      name(TlRows rows) {                                                   \
    write_rows<Writer>(rows);                                               \
  }
