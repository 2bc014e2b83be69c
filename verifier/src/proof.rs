//! A proof: what it states, and what convinces.
//!
//! The opening proof mirrors Plonky3's structures with one root per commitment by
//! construction, and converts to them.

use std::fmt::Debug;

use traceloom_air::claim::{BoundaryMessage, Claim, RankedClaim};

use crate::params::Params;
use crate::scheme::{
    Cap, Cubic, Extension, F, FoldOpening, InputOpening, OpeningProof, Quadratic, Root,
};

/// A proof of a batch of shards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The parameters it was made with; a verifier compares them with its own.
    pub params: Params,
    /// The program it was made for; a verifier compares it with its own.
    pub fingerprint: [u8; 32],
    /// What is fixed before the lookup challenges, per shard.
    pub statements: Vec<ShardStatement>,
    /// Grinding witness before the lookup challenges.
    pub lookup_witness: F,
    /// The rest, per shard.
    pub shards: Shards,
}

impl Proof {
    /// The claims of all shards, in order, without their ranks.
    pub fn claims(&self) -> impl Iterator<Item = &Claim> {
        self.statements.iter().flat_map(|shard| shard.claims.iter().map(|ranked| &ranked.claim))
    }

    /// The boundary messages of all shards, in order.
    pub fn boundary(&self) -> impl Iterator<Item = &BoundaryMessage> {
        self.statements.iter().flat_map(|shard| &shard.boundary)
    }
}

/// Everything of a shard that enters the final sum, and its main commitment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardStatement {
    /// One per circuit; `None` where it is inactive.
    pub log_heights: Vec<Option<usize>>,
    /// Commitment to the main traces of the active circuits.
    pub main: Root,
    /// One list of public values per circuit; empty where it is inactive.
    pub publics: Vec<Vec<F>>,
    /// The claims of the batch, in shard 0.
    pub claims: Vec<RankedClaim>,
    /// The other messages of the batch's claim, in shard 0.
    pub boundary: Vec<BoundaryMessage>,
    /// In a batch of several shards, the values of all main columns, by active circuit and
    /// column, at the point that [`crate::steps::bound_point`] draws from the rest of the
    /// statement; each as its DEGREE coefficients. Empty in a batch of one shard.
    pub bound: Vec<F>,
}

impl ShardStatement {
    /// Number of claims and boundary messages.
    #[must_use]
    pub fn num_stated(&self) -> usize {
        self.claims.len() + self.boundary.len()
    }
}

/// Per shard proofs in one of the challenge fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shards {
    /// Extension degree 2.
    Quadratic(Vec<ShardProof<Quadratic>>),
    /// Extension degree 3.
    Cubic(Vec<ShardProof<Cubic>>),
}

impl Shards {
    /// Number of shards.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Quadratic(shards) => shards.len(),
            Self::Cubic(shards) => shards.len(),
        }
    }

    /// Whether there are none; no verifier accepts that.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Degree of the challenge field.
    #[must_use]
    pub const fn extension_degree(&self) -> usize {
        match self {
            Self::Quadratic(_) => Quadratic::DEGREE,
            Self::Cubic(_) => Cubic::DEGREE,
        }
    }
}

/// Opened values by round, matrix, point and column.
pub type OpenedValues<E> = Vec<Vec<Vec<Vec<E>>>>;

/// The part of a shard's proof that follows the lookup challenges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardProof<E> {
    /// Commitment to stage 2; absent exactly when no active circuit has lookups.
    pub stage_two: Option<Root>,
    /// One terminal per active circuit; zero for a circuit without lookups.
    pub terminals: Vec<E>,
    /// Commitment to the quotient slices.
    pub quotient: Root,
    /// Grinding witness before zeta.
    pub zeta_witness: F,
    /// Values at zeta and, where the next row is read, at zeta·g. Those at the point that
    /// binds the shard are in its statement.
    pub opened: OpenedValues<E>,
    /// Proof of the opened values.
    pub opening: Opening<E>,
}

/// Proof that committed values are close to polynomials with the opened values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening<E> {
    /// Grinding witness before the batching challenge.
    pub batch_witness: F,
    /// One commitment per fold.
    pub fold_roots: Vec<Root>,
    /// One grinding witness per fold.
    pub fold_witnesses: Vec<F>,
    /// Opened rows, per round.
    pub inputs: Vec<OpenedRows<F>>,
    /// Opened siblings, per fold: rows by query, then a single matrix.
    pub folds: Vec<OpenedSiblings<E>>,
    /// The constant that folding ends in.
    pub final_poly: Vec<E>,
    /// Grinding witness before the query positions.
    pub query_witness: F,
}

/// Rows of one commitment at all query positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenedRows<T> {
    /// Values by query, matrix and column.
    pub rows: Vec<Vec<Vec<T>>>,
    /// Digests that complete the pruned paths.
    pub path: Vec<Root>,
}

/// The other members of each query's fold group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenedSiblings<E> {
    /// Values by query, the queried one left out.
    pub siblings: Vec<Vec<E>>,
    /// Digests that complete the pruned paths.
    pub path: Vec<Root>,
}

impl<E: Extension> Opening<E> {
    /// The opening in p3's structures.
    #[must_use]
    pub fn to_p3(&self) -> OpeningProof<E> {
        let path =
            |path: &[Root]| p3_merkle_tree::PrunedMerklePaths { sibling_hashes: path.to_vec() };
        let input = |opening: &OpenedRows<F>| InputOpening {
            opened_values: opening.rows.clone(),
            opening_proof: path(&opening.path),
        };
        let fold = |opening: &OpenedSiblings<E>| FoldOpening::<E> {
            sibling_values: opening.siblings.clone(),
            opening_proof: path(&opening.path),
        };
        OpeningProof::<E> {
            batch_pow_witness: self.batch_witness,
            commit_phase_commits: self.fold_roots.iter().map(|&root| cap(root)).collect(),
            commit_pow_witnesses: self.fold_witnesses.clone(),
            input_openings: self.inputs.iter().map(input).collect(),
            commit_phase_openings: self.folds.iter().map(fold).collect(),
            final_poly: self.final_poly.clone(),
            query_pow_witness: self.query_witness,
        }
    }
}

/// A commitment in Plonky3's form: a cap of one root.
/// A root as p3 takes it.
#[must_use]
pub fn cap(root: Root) -> Cap {
    Cap::new(vec![root])
}
