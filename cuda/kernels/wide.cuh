// Sums of field elements without reductions: integers of 96 bits.
//
// An operation on a `Wide` takes three instructions where a reduced sum takes five or
// more, and a transform of eight needs one reduction per element. Between kernels and in
// shared memory a value is any 64-bit word of its class (lazy); only what leaves a
// transform is canonical.
//
// Powers of two: p divides 2^96 + 1, so 2^96 = -1 and 2^64 = 2^32 - 1. The root of order 8
// is 2^120 = -2^24, that of order 4 is 2^48.
#pragma once

#include "block.cuh"

namespace traceloom {

// low + 2^64 * high, where high is signed (two's complement).
struct Wide {
  uint64_t low;
  uint32_t high;
};

TL_DEVICE Wide operator+(Wide a, Wide b) {
  Wide sum;
#if TL_ON_DEVICE
  asm("add.cc.u64 %0, %2, %4;\n\taddc.u32 %1, %3, %5;"
      : "=l"(sum.low), "=r"(sum.high)
      : "l"(a.low), "r"(a.high), "l"(b.low), "r"(b.high));
#else
  sum.low = a.low + b.low;
  sum.high = a.high + b.high + (sum.low < a.low ? 1u : 0u);
#endif
  return sum;
}

TL_DEVICE Wide operator-(Wide a, Wide b) {
  Wide difference;
#if TL_ON_DEVICE
  asm("sub.cc.u64 %0, %2, %4;\n\tsubc.u32 %1, %3, %5;"
      : "=l"(difference.low), "=r"(difference.high)
      : "l"(a.low), "r"(a.high), "l"(b.low), "r"(b.high));
#else
  difference.low = a.low - b.low;
  difference.high = a.high - b.high - (a.low < b.low ? 1u : 0u);
#endif
  return difference;
}

TL_DEVICE Wide wide(uint64_t word) { return Wide{word, 0}; }

// A signed word with its sign extended: the high half of 2^64 times it is -1 or 0.
TL_DEVICE uint32_t sign_of(uint32_t word) { return word >> 31 ? 0xffffffffu : 0u; }

// 2^64 * word modulo p for a signed word: 2^32 * word - word, signed, at most 2^63.
TL_DEVICE uint64_t carried(uint32_t word) {
  const uint64_t extended = (uint64_t(sign_of(word)) << 32) | word;
  return (uint64_t(word) << 32) - extended;
}

// The same class, with a high half of -1, 0 or 1.
TL_DEVICE Wide folded(Wide a) {
  const uint64_t carry = carried(a.high);
  return wide(a.low) + Wide{carry, sign_of(uint32_t(carry >> 32))};
}

// Any word of the class of what `transform` leaves, which is not negative: its high half is
// below 2^7, so after a carry the sum is below 2^39 and the correction does not carry.
TL_DEVICE uint64_t lazy(Wide a) {
  const Wide sum = wide(a.low) + wide(a.high * EPSILON);
  return sum.low + uint64_t(0u - sum.high);
}

TL_DEVICE uint64_t canonical(uint64_t word) { return word >= MODULUS ? word - MODULUS : word; }

// low + 2^64 h0 + 2^96 h1 = low + (2^32 - 1) h0 - h1, between -2^32 and 2^65.
TL_DEVICE Wide product(uint64_t a, uint64_t b) {
#if TL_ON_DEVICE
  uint32_t x0, x1, high;
  // A pair of mad.lo and mad.hi becomes one instruction.
  asm("{\n\t.reg .u32 e0, e1, e2, e3, o0, o1, o2;\n\t.reg .u64 p;\n\t"
      "mul.wide.u32 p, %3, %5;\n\tmov.b64 {e0, e1}, p;\n\t"
      "mul.wide.u32 p, %4, %6;\n\tmov.b64 {e2, e3}, p;\n\t"
      "mul.wide.u32 p, %3, %6;\n\tmov.b64 {o0, o1}, p;\n\t"
      "mad.lo.cc.u32 o0, %4, %5, o0;\n\tmadc.hi.cc.u32 o1, %4, %5, o1;\n\t"
      "addc.u32 o2, 0, 0;\n\t"
      "add.cc.u32 e1, e1, o0;\n\taddc.cc.u32 e2, e2, o1;\n\taddc.u32 e3, e3, o2;\n\t"
      "mad.lo.cc.u32 %0, e2, 0xffffffff, e0;\n\tmadc.hi.cc.u32 %1, e2, 0xffffffff, e1;\n\t"
      "addc.u32 %2, 0, 0;\n\t"
      "sub.cc.u32 %0, %0, e3;\n\tsubc.cc.u32 %1, %1, 0;\n\tsubc.u32 %2, %2, 0;\n\t}"
      : "=&r"(x0), "=&r"(x1), "=&r"(high)
      : "r"(uint32_t(a)), "r"(uint32_t(a >> 32)), "r"(uint32_t(b)), "r"(uint32_t(b >> 32)));
  return Wide{(uint64_t(x1) << 32) | x0, high};
#else
  const uint64_t low = a * b, high = multiply_high(a, b);
  return wide(low) + wide((high & EPSILON) * EPSILON) - wide(high >> 32);
#endif
}

// 2^K times a value, K below 32, that fits 95 bits.
template <uint32_t K>
TL_DEVICE Wide shifted(Wide a) {
  return Wide{a.low << K, (a.high << K) | uint32_t(a.low >> (64 - K))};
}

// 2^K times a value, K below 96: below 2^66 in absolute value. With y0 + 2^32 y1 + 2^64 y2,
// y2 signed, for the value shifted by K mod 32, that is times 2^32
// 2^32 y0 + (2^32 - 1) y1 - y2, and times 2^64 (2^32 - 1) y0 - y1 - 2^32 y2.
template <uint32_t K>
TL_DEVICE Wide times_power(Wide a) {
  const Wide y = shifted<K % 32>(a);
  if constexpr (K < 32) {
    return folded(y);
  } else if constexpr (K < 64) {
    const uint64_t minus = (uint64_t(sign_of(y.high)) << 32) | y.high;
    return wide(y.low << 32) + wide((y.low >> 32) * EPSILON) - Wide{minus, sign_of(y.high)};
  } else {
    const uint64_t minus = (uint64_t(y.high) << 32) | (y.low >> 32);
    return wide((y.low & EPSILON) * EPSILON) - Wide{minus, sign_of(y.high)};
  }
}

// (a - b) times the K-th power of the root of order 16, which is 2^156, or of its inverse.
template <uint32_t K, bool INVERSE>
TL_DEVICE Wide times_root(Wide a, Wide b) {
  constexpr uint32_t EXPONENT = (INVERSE ? 36 : 156) * K % 192;
  if constexpr (EXPONENT == 0) {
    return a - b;
  } else if constexpr (EXPONENT < 96) {
    return times_power<EXPONENT>(a - b);
  } else {
    return times_power<EXPONENT - 96>(b - a);
  }
}

template <uint32_t LOG, bool INVERSE, uint32_t I>
TL_DEVICE void halve(Wide *x) {
  constexpr uint32_t HALF = 1u << (LOG - 1);
  if constexpr (I < HALF) {
    const Wide sum = x[I] + x[I + HALF];
    x[I + HALF] = times_root<(I << (4 - LOG)), INVERSE>(x[I], x[I + HALF]);
    x[I] = sum;
    halve<LOG, INVERSE, I + 1>(x);
  }
}

// Fourier transform of 2^LOG elements, LOG at most 4, below 2^65 in absolute value. It
// decimates in frequency: element i of the result is in slot rev(i).
template <uint32_t LOG, bool INVERSE>
TL_DEVICE void halves(Wide *x) {
  static_assert(LOG <= 4, "inner roots are those of order 16");
  if constexpr (LOG > 0) {
    halve<LOG, INVERSE, 0>(x);
    halves<LOG - 1, INVERSE>(x);
    halves<LOG - 1, INVERSE>(x + (1u << (LOG - 1)));
  }
}

// Element 0 has the factor 1 in every result, so 64 p = 2^70 - 2^38 + 64 added to it makes
// all of them positive: results without it are below 2^69 in absolute value.
template <uint32_t LOG, bool INVERSE>
TL_DEVICE void transform(Wide *x) {
  x[0] = x[0] + Wide{64 * MODULUS, 63};
  halves<LOG, INVERSE>(x);
}

}  // namespace traceloom
