// Reduced openings and layers of FRI.
#include "layers.cuh"
#include "reduction.cuh"

TL_BLOCK_KERNEL(128, 4) tl_reduction_2(const traceloom::Reduction a) {
  traceloom::write_reduction<2>(a);
}

TL_BLOCK_KERNEL(128, 4) tl_reduction_3(const traceloom::Reduction a) {
  traceloom::write_reduction<3>(a);
}

TL_BLOCK_KERNEL(128, 4) tl_layer_leaves(const traceloom::LayerLeaves a) {
  traceloom::write_layer_leaves(a);
}

#define TL_FOLD(DEGREE, ARITY)                                                    \
  TL_BLOCK_KERNEL(128, 2) tl_fold_##DEGREE##_##ARITY(const traceloom::Fold a) { \
    traceloom::write_fold<DEGREE, ARITY>(a);                                      \
  }

TL_FOLD(2, 1)
TL_FOLD(2, 2)
TL_FOLD(2, 3)
TL_FOLD(2, 4)
TL_FOLD(3, 1)
TL_FOLD(3, 2)
TL_FOLD(3, 3)
TL_FOLD(3, 4)
