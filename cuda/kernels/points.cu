// Inverses for points, and values at them.
#include "inverses.cuh"
#include "values.cuh"

TL_BLOCK_KERNEL(128, 4) tl_inverses_2(const traceloom::Inverses a) {
  traceloom::write_inverses<2>(a);
}

TL_BLOCK_KERNEL(128, 4) tl_inverses_3(const traceloom::Inverses a) {
  traceloom::write_inverses<3>(a);
}

TL_BLOCK_KERNEL(128, 3) tl_values_2(const traceloom::Values a) { traceloom::write_values<2>(a); }

TL_BLOCK_KERNEL(128, 3) tl_values_3(const traceloom::Values a) { traceloom::write_values<3>(a); }

TL_BLOCK_KERNEL(128, 4) tl_value_sums(const traceloom::ValueSums a) {
  traceloom::write_value_sums(a);
}
