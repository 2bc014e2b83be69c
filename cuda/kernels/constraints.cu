// The quotient and its slices.
#include "constraints.cuh"

#define TL_CONSTRAINTS(D)                                                       \
  TL_BLOCK_KERNEL(128, 4) tl_constraints_values_##D(const traceloom::Constraints a) { \
    traceloom::write_quotient<D>(a);                                            \
  }

TL_CONSTRAINTS(2)
TL_CONSTRAINTS(3)

TL_BLOCK_KERNEL(256, 4) tl_constraints_slices(const traceloom::Slices a) {
  traceloom::write_slices(a);
}
