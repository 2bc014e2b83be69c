// Where emitted text runs: nvcc, NVRTC, or a plain C++ compiler that executes the
// same functions in a loop (the host form, for tests).
#pragma once

#include "device_abi.h"

#if defined(__CUDACC__)

// TL_DEVICE       inlined where it is called
// TL_DEVICE_CALL  compiled once
// TL_KERNEL       entry point
// TL_CONSTEXPR    evaluated while compiling
#define TL_DEVICE __device__ __forceinline__
#define TL_DEVICE_CALL static __device__ __noinline__
#define TL_KERNEL extern "C" __global__
#define TL_CONSTEXPR __host__ __device__ constexpr
#define TL_ON_DEVICE 1

#else

#define TL_DEVICE inline
#define TL_DEVICE_CALL static
#define TL_KERNEL extern "C"
#define TL_CONSTEXPR constexpr
#define TL_ON_DEVICE 0

#endif

static_assert(sizeof(uint32_t) == 4 && sizeof(uint64_t) == 8, "fixed-width integers");
static_assert(sizeof(TlBases) == 16, "device ABI");
static_assert(sizeof(TlWindow) == 40, "device ABI");
static_assert(sizeof(TlRows) == 80, "device ABI");
static_assert(sizeof(TlDomain) == 72, "device ABI");
static_assert(sizeof(TlEvaluation) == 128, "device ABI");
