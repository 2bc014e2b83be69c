// Elements of the extension of degree D, 2 or 3, and sums of products without reductions.
//
//   D = 2: X^2 = 7          D = 3: X^3 = X + 1
#pragma once

#include "block.cuh"

namespace traceloom {

template <uint32_t D>
struct Ext {
  Gl c[D];
};

template <uint32_t D>
TL_DEVICE Ext<D> ext_zero() {
  Ext<D> zero;
  TL_UNROLL
  for (uint32_t k = 0; k < D; ++k) {
    zero.c[k] = gl(0);
  }
  return zero;
}

template <uint32_t D>
TL_DEVICE Ext<D> ext_of(Gl value) {
  Ext<D> element = ext_zero<D>();
  element.c[0] = value;
  return element;
}

// The element whose coefficient k is words[k * stride].
template <uint32_t D>
TL_DEVICE Ext<D> ext_load(const uint64_t *words, uint64_t stride) {
  Ext<D> element;
  TL_UNROLL
  for (uint32_t k = 0; k < D; ++k) {
    element.c[k] = gl(words[k * stride]);
  }
  return element;
}

template <uint32_t D>
TL_DEVICE void ext_store(uint64_t *words, uint64_t stride, const Ext<D> &element) {
  TL_UNROLL
  for (uint32_t k = 0; k < D; ++k) {
    words[k * stride] = element.c[k].value;
  }
}

template <uint32_t D>
TL_DEVICE Ext<D> operator+(const Ext<D> &a, const Ext<D> &b) {
  Ext<D> sum;
  TL_UNROLL
  for (uint32_t k = 0; k < D; ++k) {
    sum.c[k] = a.c[k] + b.c[k];
  }
  return sum;
}

template <uint32_t D>
TL_DEVICE Ext<D> operator-(const Ext<D> &a, const Ext<D> &b) {
  Ext<D> difference;
  TL_UNROLL
  for (uint32_t k = 0; k < D; ++k) {
    difference.c[k] = a.c[k] - b.c[k];
  }
  return difference;
}

template <uint32_t D>
TL_DEVICE Ext<D> operator*(const Ext<D> &a, Gl factor) {
  Ext<D> product;
  TL_UNROLL
  for (uint32_t k = 0; k < D; ++k) {
    product.c[k] = a.c[k] * factor;
  }
  return product;
}

// A sum of up to 2^32 - 1 products of words: low + 2^64 high + 2^128 carry.
struct Dot {
  uint64_t low, high;
  uint32_t carry;
};

TL_DEVICE Dot dot_of(Gl start) { return Dot{start.value, 0, 0}; }

TL_DEVICE void add_product(Dot &sum, Gl a, Gl b) {
  const uint64_t low = a.value * b.value, high = multiply_high(a.value, b.value);
#if TL_ON_DEVICE
  asm("add.cc.u64 %0, %0, %3;\n\taddc.cc.u64 %1, %1, %4;\n\taddc.u32 %2, %2, 0;"
      : "+l"(sum.low), "+l"(sum.high), "+r"(sum.carry)
      : "l"(low), "l"(high));
#else
  sum.low += low;
  // high is at most 2^64 - 2, so the carry does not overflow it.
  const uint64_t with_carry = high + (sum.low < low ? 1 : 0);
  sum.high += with_carry;
  sum.carry += sum.high < with_carry ? 1 : 0;
#endif
}

// 2^128 = -2^32 modulo p.
TL_DEVICE Gl reduced(const Dot &sum) {
  return reduce(sum.low, sum.high) - gl_reduced(uint64_t(sum.carry) << 32);
}

// Adds an element.
TL_DEVICE void add_to(Dot &sum, Gl value) {
#if TL_ON_DEVICE
  asm("add.cc.u64 %0, %0, %3;\n\taddc.cc.u64 %1, %1, 0;\n\taddc.u32 %2, %2, 0;"
      : "+l"(sum.low), "+l"(sum.high), "+r"(sum.carry)
      : "l"(value.value));
#else
  sum.low += value.value;
  sum.high += sum.low < value.value ? 1 : 0;
  sum.carry += sum.low < value.value && sum.high == 0 ? 1 : 0;
#endif
}

// An element of the extension as the sums of products that each power of X has, not yet
// reduced by the polynomial.
template <uint32_t D>
struct ExtDot {
  Dot power[2 * D - 1];
};

template <uint32_t D>
TL_DEVICE ExtDot<D> ext_dot() {
  ExtDot<D> sum;
  TL_UNROLL
  for (uint32_t k = 0; k < 2 * D - 1; ++k) {
    sum.power[k] = dot_of(gl(0));
  }
  return sum;
}

template <uint32_t D>
TL_DEVICE void add_product(ExtDot<D> &sum, const Ext<D> &a, const Ext<D> &b) {
  TL_UNROLL
  for (uint32_t i = 0; i < D; ++i) {
    TL_UNROLL
    for (uint32_t j = 0; j < D; ++j) {
      add_product(sum.power[i + j], a.c[i], b.c[j]);
    }
  }
}

TL_DEVICE Ext<2> reduced(const ExtDot<2> &sum) {
  return Ext<2>{{reduced(sum.power[0]) + gl(7) * reduced(sum.power[2]), reduced(sum.power[1])}};
}

// X^3 = X + 1 and X^4 = X^2 + X.
TL_DEVICE Ext<3> reduced(const ExtDot<3> &sum) {
  const Gl cube = reduced(sum.power[3]), fourth = reduced(sum.power[4]);
  return Ext<3>{{reduced(sum.power[0]) + cube, reduced(sum.power[1]) + cube + fourth,
                 reduced(sum.power[2]) + fourth}};
}

template <uint32_t D>
TL_DEVICE Ext<D> operator*(const Ext<D> &a, const Ext<D> &b) {
  ExtDot<D> sum = ext_dot<D>();
  add_product(sum, a, b);
  return reduced(sum);
}

// The element that times `a` is the norm of `a`, which is 0 only for 0.
TL_DEVICE Ext<2> adjugate(const Ext<2> &a, Gl &norm) {
  norm = a.c[0] * a.c[0] - gl(7) * (a.c[1] * a.c[1]);
  return Ext<2>{{a.c[0], gl(0) - a.c[1]}};
}

// Cofactors of the matrix of the product with `a`: rows (a0, a2, a1), (a1, s, t), (a2, a1, s).
TL_DEVICE Ext<3> adjugate(const Ext<3> &a, Gl &norm) {
  const Gl s = a.c[0] + a.c[2], t = a.c[1] + a.c[2];
  const Ext<3> result{
      {s * s - t * a.c[1], t * a.c[2] - a.c[1] * s, a.c[1] * a.c[1] - s * a.c[2]}};
  norm = a.c[0] * result.c[0] + a.c[2] * result.c[1] + a.c[1] * result.c[2];
  return result;
}

}  // namespace traceloom
