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

// The element congruent to any 64-bit word.
TL_DEVICE Gl gl_reduced(uint64_t word) {
  return Gl{word >= MODULUS ? word - MODULUS : word};
}

TL_DEVICE Gl operator+(Gl a, Gl b) {
  const uint64_t sum = a.value + b.value;
  // A carry out of 64 bits subtracts p as well: both are taken modulo 2^64.
  return Gl{sum < a.value || sum >= MODULUS ? sum - MODULUS : sum};
}

TL_DEVICE Gl operator-(Gl a, Gl b) {
  const uint64_t difference = a.value - b.value;
  return Gl{a.value < b.value ? difference + MODULUS : difference};
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
  return reduce(a.value * b.value, multiply_high(a.value, b.value));
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
