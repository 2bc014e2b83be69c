//! The concrete fields, hashes and commitment scheme.
//!
//! Layout (owned here)
//! - Leaf: plain BLAKE3 of a row's canonical little-endian `u64` bytes; matrices
//!   of equal height are concatenated in commit order.
//! - Node: `BLAKE3(left, right)`; a shorter matrix is injected at its layer.
//! - Commitment: one root (cap height 0).
//! - Committed values are on the coset `7·K`, row `i` at `7·w^bitrev(i)`.

use p3_blake3::Blake3;
use p3_commit::ExtensionMmcs;
use p3_dft::Radix2DitParallel;
use p3_field::extension::{BinomialExtensionField, CubicTrinomialExtensionField};
use p3_field::{ExtensionField, TwoAdicField};
use p3_fri::{BatchMultiOpening, CommitPhaseMultiStep, FriParameters, FriProof, TwoAdicFriPcs};
use p3_merkle_tree::{MerkleCap, MerkleTreeMmcs};
use p3_symmetric::{CompressionFunctionFromHasher, SerializingHasher};
use traceloom_air::field::{Goldilocks, PrimeCharacteristicRing};

use crate::params::Params;

/// The base field.
pub type F = Goldilocks;
/// `F[X] / (X^2 - 7)`, coefficients (c0, c1).
pub type Quadratic = BinomialExtensionField<F, 2>;
/// `F[X] / (X^3 - X - 1)`, coefficients (c0, c1, c2).
pub type Cubic = CubicTrinomialExtensionField<F>;
/// A BLAKE3 digest: a commitment is the root of one tree.
pub type Root = [u8; 32];

/// Trees over base field rows.
pub type Mmcs = MerkleTreeMmcs<
    F,
    u8,
    SerializingHasher<Blake3>,
    CompressionFunctionFromHasher<Blake3, 2, 32>,
    2,
    32,
>;
/// A commitment as p3 has it: a cap of one root.
pub type Cap = MerkleCap<F, Root>;
/// Trees over rows of extension elements.
pub type FriMmcs<E> = ExtensionMmcs<F, E, Mmcs>;
/// Transforms over the base field.
pub type Dft = Radix2DitParallel<F>;
/// The polynomial commitment scheme.
pub type Pcs<E> = TwoAdicFriPcs<F, Dft, Mmcs, FriMmcs<E>>;
/// Opened rows of the committed matrices of one round.
pub type InputOpening = BatchMultiOpening<F, Mmcs>;
/// Opened rows of one FRI layer.
pub type FoldOpening<E> = CommitPhaseMultiStep<E, FriMmcs<E>>;
/// An opening proof as p3 has it.
pub type OpeningProof<E> = FriProof<E, FriMmcs<E>, F, Vec<InputOpening>>;

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Quadratic {}
    impl Sealed for super::Cubic {}
}

/// The extension field that challenges come from: a parameter of the protocol.
pub trait Extension: ExtensionField<F> + TwoAdicField + sealed::Sealed {
    /// Degree over the base field, 2 or 3.
    const DEGREE: usize;

    /// The element with these `DEGREE` coefficients over `Self`: `sum c_i·X^i`.
    /// Opened values of base columns are combined this way.
    fn combine(coefficients: &[Self]) -> Self {
        let mut sum = Self::ZERO;
        for (i, &coefficient) in coefficients.iter().enumerate() {
            sum += coefficient * Self::from_basis_coefficients_fn(|j| F::from_bool(i == j));
        }
        sum
    }
}

impl Extension for Quadratic {
    const DEGREE: usize = 2;
}

impl Extension for Cubic {
    const DEGREE: usize = 3;
}

/// The tree hasher: see the module header.
#[must_use]
pub fn mmcs() -> Mmcs {
    Mmcs::new(SerializingHasher::new(Blake3), CompressionFunctionFromHasher::new(Blake3), 0)
}

/// The commitment scheme with these parameters.
#[must_use]
pub fn pcs<E: Extension>(params: &Params) -> Pcs<E> {
    let fri = FriParameters {
        log_blowup: params.log_blowup,
        log_final_poly_len: 0,
        max_log_arity: params.max_log_arity,
        num_queries: params.num_queries,
        batch_proof_of_work_bits: params.batch_pow_bits,
        commit_proof_of_work_bits: params.commit_pow_bits,
        query_proof_of_work_bits: params.query_pow_bits,
        mmcs: FriMmcs::<E>::new(mmcs()),
    };
    Pcs::<E>::new(Dft::default(), mmcs(), fri)
}
