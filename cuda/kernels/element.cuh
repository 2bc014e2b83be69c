// Vectors of elements of the extension, the D words of an element side by side, and the
// points of a domain.
#pragma once

#include "extension.cuh"

namespace traceloom {

template <uint32_t D>
TL_DEVICE Ext<D> element_at(const uint64_t *words, uint64_t index) {
  return ext_load<D>(words + D * index, 1);
}

template <uint32_t D>
TL_DEVICE void store_element(uint64_t *words, uint64_t index, const Ext<D> &element) {
  ext_store<D>(words + D * index, 1, element);
}

// The inverse, 0 for 0.
template <uint32_t D>
TL_DEVICE Ext<D> inverted(const Ext<D> &a) {
  Gl norm;
  const Ext<D> of_norm = adjugate(a, norm);
  return of_norm * inverse_or_zero(norm);
}

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
