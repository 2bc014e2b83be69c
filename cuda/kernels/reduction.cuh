// Reduced openings: one launch adds a matrix at up to three points to the codeword of its
// height,
//
//   codeword(x) += sum over points z of (value_z - weight_z * row(x)) / (z - x),
//   row(x) = sum_c alpha^c column_c(x)
//
// where value_z is the weight times what row would be at z. Floor per row of W columns:
// 8 W bytes and D W multiplications, beside 8 D bytes for each vector of elements.
#pragma once

#include "element.cuh"

namespace traceloom {

constexpr uint32_t MOST_POINTS = 3;

struct ReducedPoint {
  const uint64_t *inverses;  // 1 / (z - x); null: there is no such point
  uint64_t value[3], weight[3];
};

struct Reduction {
  uint64_t *to;             // codeword
  const uint64_t *columns;  // first cell of the first column
  const uint64_t *powers;   // alpha^c
  uint64_t num_columns;
  uint64_t stride;  // words from column to column
  uint64_t height;
  uint64_t is_first;  // whether the codeword has nothing yet
  ReducedPoint points[MOST_POINTS];
};

template <uint32_t D>
TL_DEVICE Ext<D> reduced_row(const Reduction &a, uint64_t row) {
  Dot sums[D] = {};
  for (uint64_t column = 0; column < a.num_columns; ++column) {
    const uint64_t cell = a.columns[column * a.stride + row];
    TL_UNROLL
    for (uint32_t k = 0; k < D; ++k) {
      add_product(sums[k], gl(cell), gl(a.powers[D * column + k]));
    }
  }
  Ext<D> sum;
  TL_UNROLL
  for (uint32_t k = 0; k < D; ++k) {
    sum.c[k] = reduced(sums[k]);
  }
  return sum;
}

template <uint32_t D>
TL_DEVICE void write_reduction(const Reduction &a) {
  phase([=](uint32_t thread) {
    const uint64_t row = block_index() * block_threads() + thread;
    if (row >= a.height) {
      return;
    }
    const Ext<D> sum = reduced_row<D>(a, row);
    Ext<D> result = a.is_first != 0 ? ext_zero<D>() : element_at<D>(a.to, row);
    TL_UNROLL
    for (uint32_t i = 0; i < MOST_POINTS; ++i) {
      const ReducedPoint &point = a.points[i];
      if (point.inverses != nullptr) {
        const Ext<D> difference =
            element_at<D>(point.value, 0) - element_at<D>(point.weight, 0) * sum;
        result = result + difference * element_at<D>(point.inverses, row);
      }
    }
    store_element(a.to, row, result);
  });
}

}  // namespace traceloom
