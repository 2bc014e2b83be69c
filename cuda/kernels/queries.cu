// Gathering, grinding and transposition.
#include "queries.cuh"

TL_BLOCK_KERNEL(128, 4) tl_gather(const traceloom::Gather a) { traceloom::write_gathered(a); }

TL_BLOCK_KERNEL(128, 4) tl_grind(const traceloom::Grind a) { traceloom::grind(a); }

TL_BLOCK_KERNEL(256, 4) tl_transpose(const traceloom::Transposition a) {
  traceloom::transpose(a);
}
