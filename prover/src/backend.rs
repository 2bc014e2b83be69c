//! The boundary between protocol and kernels. The driver owns the transcript; a
//! backend holds committed matrices and computes what the driver asks for. The
//! verifier knows none of this.

use traceloom_air::field::Goldilocks;
use traceloom_air::trace::Trace;

use crate::key::ProvingKey;
use crate::metrics::Metrics;
use crate::prove::ProveError;
use traceloom_verifier::LookupChallenges;
use traceloom_verifier::proof::{OpenedValues, Opening};
use traceloom_verifier::scheme::{Extension, Root};
use traceloom_verifier::shape::{RoundKind, ShardShape};
use traceloom_verifier::transcript::Transcript;

/// What a backend is told about a shard.
#[derive(Clone, Copy)]
pub struct ShardInput<'a> {
    /// The key of the system.
    pub key: &'a ProvingKey,
    /// Which shard, for error messages.
    pub shard: usize,
    /// Its active circuits and rounds.
    pub shape: &'a ShardShape,
    /// Public values per circuit of the system.
    pub publics: &'a [Vec<Goldilocks>],
}

/// Stage 2 of a shard.
pub struct StageTwo<E, C> {
    /// Root and committed matrices; absent if no active circuit has lookups.
    pub committed: Option<(Root, C)>,
    /// One terminal per active circuit.
    pub terminals: Vec<E>,
}

/// Challenges and terminals that a quotient depends on.
pub struct QuotientChallenges<'a, E> {
    /// beta and gamma.
    pub lookup: &'a LookupChallenges<E>,
    /// One terminal per active circuit.
    pub terminals: &'a [E],
    /// Folds the constraints.
    pub alpha: E,
}

/// Kernels for one challenge field. All results are exact, so two backends give the
/// same proof bytes.
pub trait Backend<E: Extension> {
    /// Committed matrices of one commitment, with their tree.
    type Committed;

    /// Extends and commits the main traces, one per active circuit.
    ///
    /// # Errors
    /// A backend may run out of memory; the CPU does not fail here.
    fn commit_main(
        &self,
        input: ShardInput<'_>,
        traces: &[&Trace],
    ) -> Result<(Root, Self::Committed), ProveError>;

    /// Computes, extends and commits stage 2. The traces have no later reader.
    ///
    /// # Errors
    /// [`ProveError::ZeroDenominator`].
    fn stage_two(
        &self,
        input: ShardInput<'_>,
        traces: Vec<Trace>,
        challenges: &LookupChallenges<E>,
    ) -> Result<StageTwo<E, Self::Committed>, ProveError>;

    /// Computes, extends and commits the quotient slices.
    ///
    /// # Errors
    /// As [`Self::commit_main`].
    fn quotient(
        &self,
        input: ShardInput<'_>,
        main: &Self::Committed,
        stage_two: Option<&Self::Committed>,
        challenges: &QuotientChallenges<'_, E>,
    ) -> Result<(Root, Self::Committed), ProveError>;

    /// Opens all rounds of the shape at zeta; `committed` gives the matrices of every
    /// round but those of fixed tables, which the backend has from its key.
    ///
    /// # Errors
    /// As [`Self::commit_main`].
    fn open(
        &self,
        input: ShardInput<'_>,
        committed: &[(RoundKind, Self::Committed)],
        zeta: E,
        transcript: &mut Transcript,
    ) -> Result<(OpenedValues<E>, Opening<E>), ProveError>;

    /// Adds kernel times to `metrics`.
    fn read_metrics(&self, metrics: &mut Metrics);
}
