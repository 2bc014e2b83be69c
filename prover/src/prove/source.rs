//! Where the traces of a batch come from, and how long they are kept.

use traceloom_air::trace::ShardWitness;
use traceloom_verifier::VerifyingKey;
use traceloom_verifier::proof::ShardStatement;

use super::ProveError;
use super::checks::unsigned_statement;
use crate::backend::MainTrace;

/// The shards of a batch. Their traces are made when the driver asks for them, so that the
/// traces of one shard at a time exist, unless [`Retention::Retain`] keeps them.
pub trait ShardSource {
    /// A main trace, as the backend takes it.
    type Trace;

    /// What each shard states, and how high its traces will be. Main roots are zero. Asked
    /// for once, before any trace.
    ///
    /// # Errors
    /// [`ProveError`] if that is known to be no batch.
    fn statements(&self) -> Result<Vec<ShardStatement>, ProveError>;

    /// The traces of a shard, one entry per circuit of the system. Round one asks for every
    /// shard once, in order; round two asks again for those that were not kept, and gets the
    /// same cells.
    ///
    /// # Errors
    /// [`ProveError::Traces`].
    fn traces(&mut self, shard: usize) -> Result<Vec<Option<Self::Trace>>, ProveError>;
}

/// What is kept of a shard between the two rounds. The proof does not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Retention {
    /// Traces and main commitments of all shards.
    #[default]
    Retain,
    /// Nothing but statements and roots: traces and commitment of a shard are made again when
    /// its turn comes, and have to have the same root. A batch of one shard is kept.
    Regenerate,
}

impl Retention {
    /// Its name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Retain => "retain",
            Self::Regenerate => "regenerate",
        }
    }
}

/// Shards whose traces are there already. They are handed out once.
pub(super) struct Witnesses<'a, T> {
    key: &'a VerifyingKey,
    shards: Vec<ShardWitness<T>>,
}

impl<'a, T> Witnesses<'a, T> {
    pub(super) fn new(key: &'a VerifyingKey, shards: Vec<ShardWitness<T>>) -> Self {
        Self { key, shards }
    }
}

impl<T: MainTrace> ShardSource for Witnesses<'_, T> {
    type Trace = T;

    fn statements(&self) -> Result<Vec<ShardStatement>, ProveError> {
        let shards = self.shards.iter().enumerate();
        shards.map(|(shard, witness)| unsigned_statement(self.key, shard, witness)).collect()
    }

    fn traces(&mut self, shard: usize) -> Result<Vec<Option<T>>, ProveError> {
        Ok(std::mem::take(&mut self.shards[shard].traces))
    }
}
