// Elements of the extension of degree D, 2 or 3.
//
//   D = 2: X^2 = 7          D = 3: X^3 = X + 1
#pragma once

#include "sums.cuh"

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

// An element as a factor: with it the product needs no reduction by the polynomial.
template <uint32_t D>
struct Factor;

// b and 7 b1.
template <>
struct Factor<2> {
  Gl b[2], seven;
};

// b, b0 + b2 and b1 + b2.
template <>
struct Factor<3> {
  Gl b[3], even, odd;
};

TL_DEVICE Factor<2> factor_of(const Ext<2> &b) {
  return Factor<2>{{b.c[0], b.c[1]}, gl(7) * b.c[1]};
}

TL_DEVICE Factor<3> factor_of(const Ext<3> &b) {
  return Factor<3>{{b.c[0], b.c[1], b.c[2]}, b.c[0] + b.c[2], b.c[1] + b.c[2]};
}

// A sum of elements, a dot per coefficient.
template <uint32_t D>
struct ExtDot {
  Dot c[D];
};

template <uint32_t D>
TL_DEVICE ExtDot<D> ext_dot(const Ext<D> &start) {
  ExtDot<D> sum;
  TL_UNROLL
  for (uint32_t k = 0; k < D; ++k) {
    sum.c[k] = dot_of(start.c[k]);
  }
  return sum;
}

template <uint32_t D>
TL_DEVICE Ext<D> reduced(const ExtDot<D> &sum) {
  Ext<D> element;
  TL_UNROLL
  for (uint32_t k = 0; k < D; ++k) {
    element.c[k] = reduced(sum.c[k]);
  }
  return element;
}

// All terms of a product but that of a0 and b.
TL_DEVICE void add_rest(ExtDot<2> &sum, const Ext<2> &a, const Factor<2> &b) {
  add_product(sum.c[0], a.c[1], b.seven);
  add_product(sum.c[1], a.c[1], b.b[0]);
}

// X^3 = X + 1 and X^4 = X^2 + X.
TL_DEVICE void add_rest(ExtDot<3> &sum, const Ext<3> &a, const Factor<3> &b) {
  add_product(sum.c[0], a.c[1], b.b[2]);
  add_product(sum.c[0], a.c[2], b.b[1]);
  add_product(sum.c[1], a.c[1], b.even);
  add_product(sum.c[1], a.c[2], b.odd);
  add_product(sum.c[2], a.c[1], b.b[1]);
  add_product(sum.c[2], a.c[2], b.even);
}

template <uint32_t D>
TL_DEVICE ExtDot<D> dot_of_product(const Ext<D> &a, const Factor<D> &b) {
  ExtDot<D> sum;
  TL_UNROLL
  for (uint32_t k = 0; k < D; ++k) {
    sum.c[k] = dot_of_product(a.c[0], b.b[k]);
  }
  add_rest(sum, a, b);
  return sum;
}

template <uint32_t D>
TL_DEVICE void add_product(ExtDot<D> &sum, const Ext<D> &a, const Factor<D> &b) {
  TL_UNROLL
  for (uint32_t k = 0; k < D; ++k) {
    add_product(sum.c[k], a.c[0], b.b[k]);
  }
  add_rest(sum, a, b);
}

// Adds a times a word.
template <uint32_t D>
TL_DEVICE void add_product(ExtDot<D> &sum, const Ext<D> &a, Gl b) {
  TL_UNROLL
  for (uint32_t k = 0; k < D; ++k) {
    add_product(sum.c[k], a.c[k], b);
  }
}

template <uint32_t D>
TL_DEVICE Ext<D> operator*(const Ext<D> &a, const Factor<D> &b) {
  return reduced(dot_of_product(a, b));
}

template <uint32_t D>
TL_DEVICE Ext<D> operator*(const Ext<D> &a, const Ext<D> &b) {
  return a * factor_of(b);
}

// a b + c d.
TL_DEVICE Gl two_products(Gl a, Gl b, Gl c, Gl d) {
  Dot sum = dot_of_product(a, b);
  add_product(sum, c, d);
  return reduced(sum);
}

// The element that times `a` is the norm of `a`, which is 0 only for 0.
TL_DEVICE Ext<2> adjugate(const Ext<2> &a, Gl &norm) {
  const Gl minus = gl(0) - a.c[1];
  norm = two_products(a.c[0], a.c[0], gl(7) * a.c[1], minus);
  return Ext<2>{{a.c[0], minus}};
}

// Cofactors of the matrix of the product with `a`: rows (a0, a2, a1), (a1, s, t), (a2, a1, s).
TL_DEVICE Ext<3> adjugate(const Ext<3> &a, Gl &norm) {
  const Gl s = a.c[0] + a.c[2], t = a.c[1] + a.c[2];
  const Gl minus_s = gl(0) - s, minus_1 = gl(0) - a.c[1];
  const Ext<3> result{{two_products(s, s, t, minus_1), two_products(t, a.c[2], a.c[1], minus_s),
                       two_products(a.c[1], a.c[1], minus_s, a.c[2])}};
  Dot sum = dot_of_product(a.c[0], result.c[0]);
  add_product(sum, a.c[2], result.c[1]);
  add_product(sum, a.c[1], result.c[2]);
  norm = reduced(sum);
  return result;
}

}  // namespace traceloom
