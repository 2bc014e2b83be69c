// The Goldilocks field, p = 2^64 - 2^32 + 1, in canonical words.
#pragma once

#include "platform.cuh"

namespace traceloom {

constexpr uint64_t MODULUS = 0xffffffff00000001ull;
// 2^64 mod p.
constexpr uint64_t EPSILON = 0xffffffffull;

// An element: always its representative below p.
struct Gl {
  uint64_t value;
};

// The element with a canonical word; u32 values always are.
TL_DEVICE Gl gl(uint64_t word) { return Gl{word}; }

// The element congruent to any 64-bit word. Words from p on have a high half of ones and a low
// half that is not 0, which is one more than what is left of them.
TL_DEVICE Gl gl_reduced(uint64_t word) {
#if TL_ON_DEVICE
  const uint32_t low = uint32_t(word), high = uint32_t(word >> 32);
  const bool is_over = high == 0xffffffffu && low != 0;
  return Gl{(uint64_t(is_over ? 0u : high) << 32) | (is_over ? low - 1 : low)};
#else
  return Gl{word >= MODULUS ? word - MODULUS : word};
#endif
}

TL_DEVICE Gl operator+(Gl a, Gl b) {
#if TL_ON_DEVICE
  // b + 2^32 - 1 is b - p without its borrow; if a carries it, a + b is p or more. Else the
  // 2^32 - 1 is taken back.
  uint32_t low, high;
  asm("{\n\t.reg .u32 m;\n\t"
      "add.cc.u32 %0, %4, 0xffffffff;\n\taddc.u32 %1, %5, 0;\n\t"
      "add.cc.u32 %0, %0, %2;\n\taddc.cc.u32 %1, %1, %3;\n\taddc.u32 m, 0xffffffff, 0;\n\t"
      "sub.cc.u32 %0, %0, m;\n\tsubc.u32 %1, %1, 0;\n\t}"
      : "=&r"(low), "=&r"(high)
      : "r"(uint32_t(a.value)), "r"(uint32_t(a.value >> 32)), "r"(uint32_t(b.value)),
        "r"(uint32_t(b.value >> 32)));
  return Gl{(uint64_t(high) << 32) | low};
#else
  const uint64_t sum = a.value + b.value;
  // A carry out of 64 bits subtracts p as well: both are taken modulo 2^64.
  return Gl{sum < a.value || sum >= MODULUS ? sum - MODULUS : sum};
#endif
}

TL_DEVICE Gl operator-(Gl a, Gl b) {
#if TL_ON_DEVICE
  // Adding p modulo 2^64 is subtracting 2^32 - 1, which is what a borrow leaves in m.
  uint32_t low, high;
  asm("{\n\t.reg .u32 m;\n\t"
      "sub.cc.u32 %0, %2, %4;\n\tsubc.cc.u32 %1, %3, %5;\n\tsubc.u32 m, 0, 0;\n\t"
      "sub.cc.u32 %0, %0, m;\n\tsubc.u32 %1, %1, 0;\n\t}"
      : "=&r"(low), "=&r"(high)
      : "r"(uint32_t(a.value)), "r"(uint32_t(a.value >> 32)), "r"(uint32_t(b.value)),
        "r"(uint32_t(b.value >> 32)));
  return Gl{(uint64_t(high) << 32) | low};
#else
  const uint64_t difference = a.value - b.value;
  return Gl{a.value < b.value ? difference + MODULUS : difference};
#endif
}

TL_DEVICE bool operator==(Gl a, Gl b) { return a.value == b.value; }
TL_DEVICE bool operator!=(Gl a, Gl b) { return a.value != b.value; }

TL_DEVICE uint64_t multiply_high(uint64_t a, uint64_t b) {
#if TL_ON_DEVICE
  return __umul64hi(a, b);
#else
  return uint64_t((unsigned __int128)a * b >> 64);
#endif
}

// low + 2^64 * high. With high = h1 * 2^32 + h0 that is low - h1 + EPSILON * h0,
// since 2^96 = -1 and 2^64 = EPSILON modulo p.
TL_DEVICE Gl reduce(uint64_t low, uint64_t high) {
  const uint64_t top = high >> 32;
  uint64_t word = low - top;
  // After a borrow word is at least 2^64 - 2^32, so this does not borrow again.
  word -= low < top ? EPSILON : 0;
  const uint64_t middle = (high & EPSILON) * EPSILON;
  const uint64_t sum = word + middle;
  // After a carry sum is at most 2^64 - 2^33, so this does not carry again.
  return gl_reduced(sum + (sum < middle ? EPSILON : 0));
}

TL_DEVICE Gl operator*(Gl a, Gl b) {
#if TL_ON_DEVICE
  // Limbs of the product, then `reduce` on them. A pair of mad.lo and mad.hi becomes one
  // instruction.
  uint32_t low, high;
  asm("{\n\t.reg .u32 w0, w1, w2, w3, o0, o1, m;\n\t.reg .u64 p;\n\t"
      "mul.wide.u32 p, %2, %4;\n\tmov.b64 {w0, w1}, p;\n\t"
      "mul.wide.u32 p, %3, %5;\n\tmov.b64 {w2, w3}, p;\n\t"
      "mul.wide.u32 p, %2, %5;\n\tmov.b64 {o0, o1}, p;\n\t"
      "mad.lo.cc.u32 o0, %3, %4, o0;\n\tmadc.hi.cc.u32 o1, %3, %4, o1;\n\t"
      "addc.u32 m, 0, 0;\n\t"
      "add.cc.u32 w1, w1, o0;\n\taddc.cc.u32 w2, w2, o1;\n\taddc.u32 w3, w3, m;\n\t"
      "sub.cc.u32 w0, w0, w3;\n\tsubc.cc.u32 w1, w1, 0;\n\tsubc.u32 m, 0, 0;\n\t"
      "sub.cc.u32 w0, w0, m;\n\tsubc.u32 w1, w1, 0;\n\t"
      "mad.lo.cc.u32 %0, w2, 0xffffffff, w0;\n\tmadc.hi.cc.u32 %1, w2, 0xffffffff, w1;\n\t"
      "addc.u32 m, 0, 0;\n\tneg.s32 m, m;\n\t"
      "add.cc.u32 %0, %0, m;\n\taddc.u32 %1, %1, 0;\n\t}"
      : "=&r"(low), "=&r"(high)
      : "r"(uint32_t(a.value)), "r"(uint32_t(a.value >> 32)), "r"(uint32_t(b.value)),
        "r"(uint32_t(b.value >> 32)));
  return gl_reduced((uint64_t(high) << 32) | low);
#else
  return reduce(a.value * b.value, multiply_high(a.value, b.value));
#endif
}

TL_DEVICE Gl square_times(Gl base, uint32_t squarings, Gl factor) {
  for (uint32_t i = 0; i < squarings; ++i) {
    base = base * base;
  }
  return base * factor;
}

// The inverse, 0 for 0: a^(p - 2), where p - 2 = 2^32 * (2^32 - 2) + 2^32 - 1.
TL_DEVICE_CALL Gl inverse_or_zero(Gl a) {
  // ones_k is a^(2^k - 1).
  const Gl ones_2 = square_times(a, 1, a);
  const Gl ones_3 = square_times(ones_2, 1, a);
  const Gl ones_6 = square_times(ones_3, 3, ones_3);
  const Gl ones_12 = square_times(ones_6, 6, ones_6);
  const Gl ones_24 = square_times(ones_12, 12, ones_12);
  const Gl ones_30 = square_times(ones_24, 6, ones_6);
  const Gl ones_31 = square_times(ones_30, 1, a);
  const Gl even = ones_31 * ones_31;
  return square_times(even, 32, even * a);
}

// Replaces elements by their inverses, 0 by 0, for one inversion and 3 N multiplications
// (Montgomery 1987, section 10.3.1).
template <uint32_t N>
TL_DEVICE void invert_or_zero(Gl (&elements)[N]) {
  Gl before[N];  // product of the elements in front, 0 counted as 1
  Gl product = gl(1u);
  for (uint32_t i = 0; i < N; ++i) {
    before[i] = product;
    product = elements[i].value == 0 ? product : product * elements[i];
  }
  Gl inverse = inverse_or_zero(product);
  for (uint32_t i = N; i-- > 0;) {
    const Gl element = elements[i];
    elements[i] = element.value == 0 ? element : inverse * before[i];
    inverse = element.value == 0 ? inverse : inverse * element;
  }
}

}  // namespace traceloom
