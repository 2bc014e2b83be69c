// Inverses 1 / (z - x) for a point z and all x of a committed domain, in storage order. The
// domain of a shorter matrix is a prefix of it. z lies in no domain.
//
// A thread inverts four differences at once. Floor per element: 8 D bytes; about 60
// multiplications.
#pragma once

#include "element.cuh"

namespace traceloom {

constexpr uint32_t INVERSES_PER_THREAD = 4;

struct Inverses {
  uint64_t *to;           // count elements
  const uint64_t *roots;  // of order 2, 4, 8, ...
  uint64_t count;
  uint64_t shift;     // of the coset
  uint64_t point[3];  // z
};

template <uint32_t D>
TL_DEVICE void write_inverses(const Inverses &a) {
  phase([=](uint32_t thread) {
    const uint64_t first = block_index() * block_threads() * INVERSES_PER_THREAD + thread;
    const Ext<D> point = element_at<D>(a.point, 0);
    const Ext<D> one = ext_of<D>(gl(1));
    Ext<D> differences[INVERSES_PER_THREAD], before[INVERSES_PER_THREAD];
    Ext<D> product = one;
    TL_UNROLL
    for (uint32_t i = 0; i < INVERSES_PER_THREAD; ++i) {
      const uint64_t index = first + uint64_t(i) * block_threads();
      differences[i] = point;
      differences[i].c[0] = point.c[0] - gl(a.shift) * subgroup_point(a.roots, index);
      if (index >= a.count) {
        differences[i] = one;
      }
      before[i] = product;
      product = product * differences[i];
    }
    Ext<D> inverse = inverted(product);
    TL_UNROLL
    for (uint32_t i = INVERSES_PER_THREAD; i-- > 0;) {
      const uint64_t index = first + uint64_t(i) * block_threads();
      if (index < a.count) {
        store_element(a.to, index, inverse * before[i]);
      }
      inverse = inverse * differences[i];
    }
  });
}

}  // namespace traceloom
