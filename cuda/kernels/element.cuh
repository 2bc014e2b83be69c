// Elements of the challenge field: D coefficients over the base field, X^2 = 7 for D = 2 and
// X^3 = X + 1 for D = 3. A vector of them has the D words of an element side by side.
#pragma once

#include "block.cuh"

namespace traceloom {

template <uint32_t D>
struct Element {
  Gl c[D];
};

template <uint32_t D>
TL_DEVICE Element<D> operator+(const Element<D> &a, const Element<D> &b) {
  Element<D> sum;
  TL_UNROLL
  for (uint32_t k = 0; k < D; ++k) {
    sum.c[k] = a.c[k] + b.c[k];
  }
  return sum;
}

template <uint32_t D>
TL_DEVICE Element<D> operator-(const Element<D> &a, const Element<D> &b) {
  Element<D> difference;
  TL_UNROLL
  for (uint32_t k = 0; k < D; ++k) {
    difference.c[k] = a.c[k] - b.c[k];
  }
  return difference;
}

template <uint32_t D>
TL_DEVICE Element<D> operator*(const Element<D> &a, Gl b) {
  Element<D> product;
  TL_UNROLL
  for (uint32_t k = 0; k < D; ++k) {
    product.c[k] = a.c[k] * b;
  }
  return product;
}

template <uint32_t D>
TL_DEVICE Element<D> operator*(const Element<D> &a, const Element<D> &b) {
  if constexpr (D == 2) {
    return Element<D>{{a.c[0] * b.c[0] + gl(7) * (a.c[1] * b.c[1]),
                       a.c[0] * b.c[1] + a.c[1] * b.c[0]}};
  } else {
    // X^3 = X + 1 and X^4 = X^2 + X.
    const Gl third = a.c[1] * b.c[2] + a.c[2] * b.c[1];
    const Gl fourth = a.c[2] * b.c[2];
    return Element<D>{{a.c[0] * b.c[0] + third,
                       a.c[0] * b.c[1] + a.c[1] * b.c[0] + third + fourth,
                       a.c[0] * b.c[2] + a.c[1] * b.c[1] + a.c[2] * b.c[0] + fourth}};
  }
}

// The inverse, 0 for 0.
template <uint32_t D>
TL_DEVICE Element<D> inverted(const Element<D> &a) {
  if constexpr (D == 2) {
    const Gl norm = a.c[0] * a.c[0] - gl(7) * (a.c[1] * a.c[1]);
    const Gl inverse = inverse_or_zero(norm);
    return Element<D>{{a.c[0] * inverse, (gl(0) - a.c[1]) * inverse}};
  } else {
    // Cramer's rule for the matrix of multiplication by a, whose rows are
    // (a0, a2, a1), (a1, s, t) and (a2, a1, s) with s = a0 + a2 and t = a1 + a2.
    const Gl s = a.c[0] + a.c[2], t = a.c[1] + a.c[2];
    const Element<D> cofactors{{s * s - t * a.c[1], t * a.c[2] - a.c[1] * s,
                                a.c[1] * a.c[1] - s * a.c[2]}};
    const Gl determinant =
        a.c[0] * cofactors.c[0] + a.c[2] * cofactors.c[1] + a.c[1] * cofactors.c[2];
    return cofactors * inverse_or_zero(determinant);
  }
}

template <uint32_t D>
TL_DEVICE Element<D> element_at(const uint64_t *words, uint64_t index) {
  Element<D> element;
  TL_UNROLL
  for (uint32_t k = 0; k < D; ++k) {
    element.c[k] = gl(words[D * index + k]);
  }
  return element;
}

template <uint32_t D>
TL_DEVICE void store_element(uint64_t *words, uint64_t index, const Element<D> &element) {
  TL_UNROLL
  for (uint32_t k = 0; k < D; ++k) {
    words[D * index + k] = element.c[k].value;
  }
}

// A sum of products that is reduced once: low + 2^64 middle + 2^128 high, for less than 2^32
// products.
struct ProductSum {
  uint64_t low, middle, high;

  TL_DEVICE void add(uint64_t a, uint64_t b) {
    const uint64_t product = a * b;
    low += product;
    // The high half of a product is at most 2^64 - 2, so the carry fits.
    const uint64_t upper = multiply_high(a, b) + (low < product ? 1 : 0);
    middle += upper;
    high += middle < upper ? 1 : 0;
  }

  // 2^128 = -2^32.
  TL_DEVICE Gl reduced() const { return reduce(low, middle) - gl(high << 32); }
};

// Row `index` in storage order of a subgroup: the product of the roots of order 2^(j+1) over
// the bits j of the index, whatever the order of the subgroup. `roots` begins with the root
// of order 2.
TL_DEVICE Gl subgroup_point(const uint64_t *roots, uint64_t index) {
  Gl product = gl(1);
  for (uint32_t bit = 0; index >> bit != 0; ++bit) {
    product = (index >> bit) & 1 ? product * gl(roots[bit]) : product;
  }
  return product;
}

}  // namespace traceloom
