//! One proof by any number of workers.
//!
//! Whoever has a worker calls [`Batch::work`], each on a thread of its own, at any time: shards
//! go to whoever is free, and all meet once, at the lookup challenges. A worker that fails is not
//! used again, and its shards are done by others. The bytes of the proof depend on none of that.

use traceloom_verifier::VerifyingKey;
use traceloom_verifier::proof::{Proof, ShardStatement, Shards};
use traceloom_verifier::scheme::{Cubic, Extension, Quadratic};
use traceloom_verifier::shape::ShardShape;

use super::checks::check_batch;
use super::rounds::Rounds;
use super::store::ShardStore;
use super::worker::Worker;
use super::{ProveError, ProveOptions, Retention};
use crate::metrics::Metrics;

/// A batch of shards that workers prove together.
pub struct Batch<'a>(Field<'a>);

enum Field<'a> {
    Quadratic(Rounds<'a, Quadratic>),
    Cubic(Rounds<'a, Cubic>),
}

/// A proof, and who made it.
#[derive(Debug)]
pub struct Finished {
    /// The proof.
    pub proof: Proof,
    /// Times, summed over workers.
    pub metrics: Metrics,
    /// Who did what.
    pub report: BatchReport,
}

/// Who did what in a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatchReport {
    /// In the order in which they came.
    pub workers: Vec<WorkerReport>,
    /// Roots that a store had.
    pub reused_roots: usize,
    /// Proofs of shards that a store had.
    pub reused_proofs: usize,
}

/// What one worker did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkerReport {
    /// Its name.
    pub name: String,
    /// Shards that it committed to in round one.
    pub committed: usize,
    /// How many of these it kept until round two.
    pub kept: usize,
    /// Shards whose proof it finished.
    pub proven: usize,
    /// Why it was not used to the end.
    pub failure: Option<String>,
}

impl<'a> Batch<'a> {
    /// A batch that states this; main roots are zero and nothing is bound yet. What `store` has
    /// is used, and what is finished goes there.
    ///
    /// # Errors
    /// [`ProveError`] if that is known to be no batch, or one that is worth too little.
    pub fn new(
        key: &'a VerifyingKey,
        statements: Vec<ShardStatement>,
        retention: Retention,
        store: Option<&'a dyn ShardStore>,
        options: &'a ProveOptions<'a>,
    ) -> Result<Self, ProveError> {
        let shapes = check_batch(key, &statements, options.skip_self_checks)?;
        let keeps = retention == Retention::Retain || statements.len() == 1;
        let parts = (key, statements, shapes, keeps);
        Ok(Self(match key.params().extension_degree {
            Quadratic::DEGREE => Field::Quadratic(Rounds::new(parts, store, options)),
            _ => Field::Cubic(Rounds::new(parts, store, options)),
        }))
    }

    /// The shapes of the shards.
    #[must_use]
    pub fn shapes(&self) -> &[ShardShape] {
        match &self.0 {
            Field::Quadratic(rounds) => &rounds.shapes,
            Field::Cubic(rounds) => &rounds.shapes,
        }
    }

    /// Works with `worker` until nothing is left to do, or until it fails.
    ///
    /// # Errors
    /// [`ProveError`]: what the worker failed of. The batch may have a proof nevertheless, see
    /// [`Self::wants_workers`].
    pub fn work(&self, worker: &mut dyn Worker) -> Result<(), ProveError> {
        match &self.0 {
            Field::Quadratic(rounds) => rounds.work(worker),
            Field::Cubic(rounds) => rounds.work(worker),
        }
    }

    /// Whether more workers could be of use: shards are left, and none of them is known to have
    /// no proof.
    #[must_use]
    pub fn wants_workers(&self) -> bool {
        match &self.0 {
            Field::Quadratic(rounds) => rounds.wants_workers(),
            Field::Cubic(rounds) => rounds.wants_workers(),
        }
    }

    /// The proof, once all workers have returned.
    ///
    /// # Errors
    /// [`ProveError`]: what makes a proof impossible, or what the last worker failed of.
    pub fn finish(self) -> Result<Finished, ProveError> {
        match self.0 {
            Field::Quadratic(rounds) => rounds.finish(Shards::Quadratic),
            Field::Cubic(rounds) => rounds.finish(Shards::Cubic),
        }
    }
}
