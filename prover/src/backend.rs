//! The boundary between protocol and kernels.
//!
//! The driver ([`mod@crate::prove`]) owns the protocol: the order of all steps, the
//! transcript, and the checks of the witness. A backend owns the data: traces, committed
//! matrices, fixed columns, codewords and FRI layers are types of its own, which the
//! driver only hands around. So nothing has to be a matrix on the host; what a backend
//! gives to the driver are roots, terminals, opened values, opened rows and paths. The
//! verifier knows none of this.
//!
//! # Order of calls
//!
//! ```text
//! once per key   preprocess, then fixed for every circuit of the system
//! per shard      commit_main, and in a batch of several shards bind
//! once           grind
//! per shard      stage_two, quotient, grind,
//!                open_values, grind, reduce,
//!                per fold: commit_layer, grind, fold
//!                final_value, grind,
//!                open_rows for every commitment, open_layer for every layer
//! ```
//!
//! A grinding of 0 bits is not asked for. All shards are committed before the first one
//! goes on, by this backend or by others that work on the same batch; a shard whose root a
//! store has kept is committed before its own `stage_two` only. With [`crate::Retention::Retain`] a backend holds the traces and main commitments
//! of all shards at once. With [`crate::Retention::Regenerate`] it holds those of one shard:
//! they are dropped after `commit_main`, and `commit_main` is called again before `stage_two`.
//!
//! # Who frees what
//!
//! What a method takes by value has no later reader: the backend frees it, as early as it
//! likes. What it takes by reference stays with the driver, which drops it as follows.
//!
//! | value | made by | dropped |
//! | --- | --- | --- |
//! | [`Backend::Trace`] | the caller of the prover | inside `stage_two` of its shard; if it is not kept, after `commit_main` too |
//! | [`Backend::Committed`] | `commit_main`, `stage_two`, `quotient` | when the rows of its shard are opened |
//! | [`Backend::Points`] | `open_values` | inside `reduce` |
//! | [`Backend::Codeword`] | `reduce`, `fold` | inside `commit_layer`, `fold` or `final_value` |
//! | [`Backend::Layer`] | `commit_layer` | when its rows are opened |
//! | [`Backend::Key`] | `preprocess` | with the proving key, after any number of proofs |
//!
//! After an error the driver drops everything of the batch and calls nothing more.
//!
//! # Errors
//!
//! Every method that may touch a device is fallible. [`ProveError::Backend`] says which
//! backend failed, and why; [`ProveError::ZeroDenominator`] is the only other error that a
//! backend reports. Results are exact field arithmetic, so two backends give the same
//! proof bytes.
//!
//! # Values
//!
//! `docs/protocol.md` has the layout of what is committed. In short: matrices are
//! committed on the coset `7·K`, `K` of `2^(log_height + log_blowup)` elements, storage
//! row `i` at `7·w^bitrev(i)`; leaves and nodes are as in
//! [`mod@traceloom_verifier::scheme`]. How a backend stores them is its own affair.

use crate::grind::smallest_witness;
use traceloom_air::field::Goldilocks;
use traceloom_air::trace::Trace;
use traceloom_verifier::proof::{OpenedRows, OpenedValues};
use traceloom_verifier::scheme::{Extension, F, Root};
use traceloom_verifier::shape::ShardShape;
use traceloom_verifier::{LookupChallenges, VerifyingKey};

use crate::key::ProvingKey;
use crate::metrics::Metrics;
use crate::prove::ProveError;

/// What a backend is told about a shard. `K` is the backend's [`Backend::Key`].
pub struct ShardInput<'a, K> {
    /// The key of the system.
    pub key: &'a ProvingKey<K>,
    /// Which shard, for error messages.
    pub shard: usize,
    /// Its active circuits and rounds.
    pub shape: &'a ShardShape,
    /// Public values per circuit of the system.
    pub publics: &'a [Vec<Goldilocks>],
}

impl<K> Clone for ShardInput<'_, K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for ShardInput<'_, K> {}

/// A commitment: its root and what the backend keeps of it.
pub type Commitment<C> = (Root, C);

/// Stage 2 of a shard.
pub struct StageTwo<E, C> {
    /// Absent exactly if no active circuit has lookups.
    pub committed: Option<Commitment<C>>,
    /// One terminal per active circuit; zero for a circuit without lookups.
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

/// The rows of a FRI layer at all query positions.
pub struct LayerRows<E> {
    /// Whole fold groups by query, `2^log_arity` elements each, in storage order.
    pub rows: Vec<Vec<E>>,
    /// Digests that complete the pruned paths.
    pub path: Vec<Root>,
}

/// A main trace, as far as the driver must know it before it is committed.
pub trait MainTrace {
    /// Number of columns.
    fn width(&self) -> usize;

    /// Number of cells. `width · height`, with a power of two for height, if whoever
    /// wrote the trace made no mistake; the driver checks that.
    fn num_cells(&self) -> usize;
}

impl MainTrace for Trace {
    fn width(&self) -> usize {
        self.width
    }

    fn num_cells(&self) -> usize {
        self.values.len()
    }
}

/// Kernels and the data that they work on, see the module header.
///
/// `E` is the field of challenges, one of two; a backend that has kernels for one degree
/// only refuses the other in [`Self::stage_two`].
pub trait Backend {
    /// A main trace where it is: for a device, in its memory.
    type Trace: MainTrace;
    /// The committed matrices of one commitment, with their tree.
    type Committed;
    /// The fixed columns of a system, committed. Made once per proving key and
    /// shared by all proofs with it, so it must not depend on one.
    type Key;
    /// What [`Self::open_values`] computed of its points that [`Self::reduce`] needs too.
    type Points<E: Extension>;
    /// A vector of `2^n` elements that FRI folds, storage row `i` at `w^bitrev(i)`.
    type Codeword<E: Extension>;
    /// A committed codeword.
    type Layer<E: Extension>;

    /// Short name for errors and reports.
    fn name(&self) -> &str;

    /// Commits to the fixed columns of every circuit that has some, each for itself: those
    /// of a byte table, and those that a program brings, see
    /// [`traceloom_air::fixed::Fixed`]. Whoever calls this compares the roots with the
    /// verifying key's.
    ///
    /// # Errors
    /// [`ProveError::Backend`].
    fn preprocess(&self, key: &VerifyingKey) -> Result<Self::Key, ProveError>;

    /// The commitment to the fixed columns of circuit `circuit` of the system; `None` if the
    /// circuit has none. Reads the key only, so it cannot fail.
    fn fixed<'k>(&self, key: &'k Self::Key, circuit: usize) -> Option<(Root, &'k Self::Committed)>;

    /// Extends and commits the main traces, one per active circuit, in that order. Each
    /// has the width of its circuit and the height that the shape states.
    ///
    /// # Errors
    /// [`ProveError::Backend`].
    fn commit_main(
        &self,
        input: ShardInput<'_, Self::Key>,
        traces: &[Self::Trace],
    ) -> Result<Commitment<Self::Committed>, ProveError>;

    /// Evaluates the main columns of a shard at `point`, which is outside all domains: per
    /// active circuit, one value per column. `main` is the commitment that
    /// [`Self::commit_main`] has just made; the driver calls this in batches of several
    /// shards only. The point is an element of the challenge field, as zeta is.
    ///
    /// # Errors
    /// [`ProveError::Backend`].
    fn bind<E: Extension>(
        &self,
        input: ShardInput<'_, Self::Key>,
        main: &Self::Committed,
        point: E,
    ) -> Result<Vec<Vec<E>>, ProveError>;

    /// Computes, extends and commits stage 2: per active circuit with lookups a matrix of
    /// one extension column per lookup group (`groups · DEGREE` base columns). The traces
    /// are those of [`Self::commit_main`] and have no later reader.
    ///
    /// # Errors
    /// [`ProveError::ZeroDenominator`], [`ProveError::Backend`].
    fn stage_two<E: Extension>(
        &self,
        input: ShardInput<'_, Self::Key>,
        traces: Vec<Self::Trace>,
        challenges: &LookupChallenges<E>,
    ) -> Result<StageTwo<E, Self::Committed>, ProveError>;

    /// Computes, extends and commits the quotient slices: per active circuit a matrix of
    /// `num_slices` extension columns, the lowest coefficients first.
    ///
    /// # Errors
    /// [`ProveError::Backend`].
    fn quotient<E: Extension>(
        &self,
        input: ShardInput<'_, Self::Key>,
        main: &Self::Committed,
        stage_two: Option<&Self::Committed>,
        challenges: &QuotientChallenges<'_, E>,
    ) -> Result<Commitment<Self::Committed>, ProveError>;

    /// Evaluates all committed polynomials at zeta and, where the next row is read, at
    /// zeta·g: per round of the shape, matrix, and point, one value per base column.
    /// `committed` has one entry per round of the shape, in that order.
    ///
    /// `bound` is the point of [`Self::bind`], if it was called. Its values are known and are
    /// not computed again, but it is a point of [`Self::reduce`]: the last one of main
    /// matrices, see [`traceloom_verifier::shape::MatrixShape::points`].
    ///
    /// # Errors
    /// [`ProveError::Backend`].
    fn open_values<E: Extension>(
        &self,
        input: ShardInput<'_, Self::Key>,
        committed: &[&Self::Committed],
        zeta: E,
        bound: Option<E>,
    ) -> Result<(OpenedValues<E>, Self::Points<E>), ProveError>;

    /// Combines everything that was opened into one codeword per distinct log height, the
    /// tallest first, on the committed domains (`log_height + log_blowup`):
    ///
    /// ```text
    /// codeword(x) = sum_k alpha^k · (value_k - column_k(x)) / (point_k - x)
    /// ```
    ///
    /// k counts the pairs of column and point among the matrices of that height: by round,
    /// matrix, point, column. `committed` is what [`Self::open_values`] had; `opened` is what
    /// it returned and, behind them in each main matrix, the values of [`Self::bind`].
    ///
    /// # Errors
    /// [`ProveError::Backend`].
    fn reduce<E: Extension>(
        &self,
        input: ShardInput<'_, Self::Key>,
        committed: &[&Self::Committed],
        opened: &OpenedValues<E>,
        points: Self::Points<E>,
        alpha: E,
    ) -> Result<Vec<Self::Codeword<E>>, ProveError>;

    /// Commits a codeword as one matrix of `2^log_arity` extension columns: a row is a fold
    /// group, `2^log_arity` neighbours in storage order.
    ///
    /// # Errors
    /// [`ProveError::Backend`].
    fn commit_layer<E: Extension>(
        &self,
        codeword: Self::Codeword<E>,
        log_arity: usize,
    ) -> Result<Commitment<Self::Layer<E>>, ProveError>;

    /// Folds a layer: every group becomes the value at `beta` of the polynomial of degree
    /// below `2^log_arity` through it. Where a shorter codeword joins here, it has the
    /// folded length, and `beta^(2^log_arity)` times it is added.
    ///
    /// # Errors
    /// [`ProveError::Backend`].
    fn fold<E: Extension>(
        &self,
        layer: &Self::Layer<E>,
        beta: E,
        joined: Option<Self::Codeword<E>>,
    ) -> Result<Self::Codeword<E>, ProveError>;

    /// The value of a codeword of `2^log_blowup` elements, all of which are equal if the
    /// prover is honest: its first element.
    ///
    /// # Errors
    /// [`ProveError::Backend`].
    fn final_value<E: Extension>(&self, codeword: Self::Codeword<E>) -> Result<E, ProveError>;

    /// Opens the rows of a commitment at `positions`, which are storage rows of its tallest
    /// matrix; a matrix that is `2^k` times shorter is opened at `position >> k`. Rows are
    /// by query, matrix and column; positions may repeat. The path is one for all of them:
    /// level by level from the leaves, siblings that no position covers, by ascending
    /// position.
    ///
    /// # Errors
    /// [`ProveError::Backend`].
    fn open_rows(
        &self,
        committed: &Self::Committed,
        positions: &[usize],
    ) -> Result<OpenedRows<F>, ProveError>;

    /// Opens the fold groups of a layer, `positions` being rows of its matrix; the path is
    /// as in [`Self::open_rows`].
    ///
    /// # Errors
    /// [`ProveError::Backend`].
    fn open_layer<E: Extension>(
        &self,
        layer: &Self::Layer<E>,
        positions: &[usize],
    ) -> Result<LayerRows<E>, ProveError>;

    /// The smallest canonical word that passes `bits` bits, at least one, in this
    /// [`traceloom_verifier::transcript::Transcript::grinding_state`]. Searched on the
    /// threads of this process, unless a backend is faster.
    ///
    /// # Errors
    /// [`ProveError::Backend`].
    fn grind(&self, state: &[u8; 32], bits: usize) -> Result<F, ProveError> {
        Ok(smallest_witness(state, bits))
    }

    /// Adds kernel times to `metrics`. They are known by now: no device is asked.
    fn read_metrics(&self, metrics: &mut Metrics);
}
