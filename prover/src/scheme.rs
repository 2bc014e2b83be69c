//! Types of the CPU prover over the fields and hashes of the protocol.

use p3_commit::Mmcs;
use p3_matrix::dense::RowMajorMatrix;
use p3_merkle_tree::MerkleTree;
use traceloom_verifier::scheme::{F, FriMmcs};

/// A tree over row-major matrices, as p3 keeps it.
pub(crate) type Tree = MerkleTree<F, u8, RowMajorMatrix<F>, 2, 32>;
/// A tree over a codeword, a fold group per row.
pub(crate) type LayerTree<E> = <FriMmcs<E> as Mmcs<E>>::ProverData<RowMajorMatrix<E>>;
