//! What is kept of a batch beyond the process that proves it.
//!
//! The driver asks a store for what an earlier run has finished, and gives it what this one
//! finishes. It trusts a store in nothing: a kept proof is verified against the statements of this
//! batch before it is used, and a kept root is compared when its shard is computed again. So a
//! store may lose everything at any time, and what it keeps changes no byte of a proof.

use traceloom_verifier::proof::Shards;
use traceloom_verifier::scheme::{F, Root};

/// What round one finds out about a shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    /// The root of its main traces.
    pub root: Root,
    /// The values that bind it, as [`traceloom_verifier::proof::ShardStatement::bound`] has them.
    pub bound: Vec<F>,
}

/// A part of a shard that a store keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Part {
    /// What round one found out.
    Root,
    /// The finished proof.
    Proof,
}

impl Part {
    /// Its name in messages and files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::Proof => "proof",
        }
    }
}

/// Keeps parts of the shards of one batch. It reports its own failures: a proof goes on without
/// what could not be kept.
///
/// `about` is a digest of all statements of the batch, so of everything that the proof of a shard
/// depends on beside the shard.
pub trait ShardStore: Sync {
    /// What round one found out about a shard in an earlier run.
    fn root(&self, shard: usize) -> Option<Committed>;

    /// The proof of a shard that was finished in an earlier run, as a list of one.
    fn proof(&self, shard: usize, about: &[u8; 32]) -> Option<Shards>;

    /// Keeps what round one found out.
    fn keep_root(&self, shard: usize, committed: &Committed);

    /// Keeps a finished proof, which is a list of one.
    fn keep_proof(&self, shard: usize, about: &[u8; 32], proof: &Shards);

    /// Something that was kept is of no use, and why: it is not this shard's.
    fn discard(&self, shard: usize, part: Part, reason: &str);
}
