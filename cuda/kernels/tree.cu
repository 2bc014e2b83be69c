// Leaves and nodes of Merkle trees.
#include "tree.cuh"

TL_BLOCK_KERNEL(128, 4) tl_tree_leaves(const traceloom::Leaves a) {
  traceloom::write_leaves<false>(a);
}

TL_BLOCK_KERNEL(128, 4) tl_tree_wide_leaves(const traceloom::Leaves a) {
  traceloom::write_leaves<true>(a);
}

TL_BLOCK_KERNEL(256, 2) tl_tree_nodes(const traceloom::Nodes a) { traceloom::write_nodes(a); }
