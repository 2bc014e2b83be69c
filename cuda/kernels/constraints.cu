// The quotient and its slices.
#include "constraints.cuh"

#define TL_CONSTRAINTS(D)                                                             \
  TL_BLOCK_KERNEL(128, 4) tl_constraints_local_##D(const traceloom::Constraints a) {  \
    traceloom::write_quotient<D, traceloom::LocalRegisters>(a);                       \
  }                                                                                   \
  TL_BLOCK_KERNEL(128, 4) tl_constraints_scratch_##D(const traceloom::Constraints a) { \
    traceloom::write_quotient<D, traceloom::ScratchRegisters>(a);                     \
  }

TL_CONSTRAINTS(2)
TL_CONSTRAINTS(3)

TL_BLOCK_KERNEL(256, 4) tl_constraints_slices(const traceloom::Slices a) {
  traceloom::write_slices(a);
}
