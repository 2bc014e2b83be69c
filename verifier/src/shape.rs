//! The shape of a shard: which matrices its proof commits to and opens, and what is
//! wrong with a batch or a proof of another shape.
//!
//! Layout (owned here). Rounds are opened in this order:
//!
//! ```text
//! one per active circuit with fixed columns | main | stage 2, if a circuit has lookups | quotient
//! ```
//!
//! A round's matrices follow the circuits; inactive circuits, and in stage 2 those
//! without lookups, have none. Fixed and quotient matrices are opened at zeta, main
//! at zeta and, if the circuit reads the next row, at zeta·g, stage 2 at both. In a batch of
//! several shards, main matrices are opened at the point that binds the shard too, last.

use p3_field::TwoAdicField;
use thiserror::Error;
use traceloom_air::claim::ClaimError;

pub use crate::batch::check_statements;
use crate::key::VerifyingKey;
use crate::proof::{OpenedValues, ShardProof, ShardStatement};
use crate::scheme::{Extension, F, Root};

/// More shards than anyone makes; bounds the arithmetic below.
pub const MAX_SHARDS: usize = 1 << 16;

/// A circuit with rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActiveCircuit {
    /// Index in the system.
    pub circuit: usize,
    /// Log of its number of rows.
    pub log_height: usize,
}

/// A matrix that is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixShape {
    /// The active circuit that it belongs to, as a position in the list of them.
    pub active: usize,
    /// Log height of the trace.
    pub log_height: usize,
    /// Number of base columns.
    pub width: usize,
    /// Whether it is opened at zeta·g too.
    pub opens_next: bool,
    /// Whether it is opened at the point that binds its shard too.
    pub opens_bound: bool,
}

impl MatrixShape {
    /// Number of points at which it is opened.
    #[must_use]
    pub fn num_points(&self) -> usize {
        1 + usize::from(self.opens_next) + usize::from(self.opens_bound)
    }

    /// The points at which it is opened, in order: `zeta`; zeta·g if the next row is read;
    /// and `bound`, which binds the shard, if it is a main matrix of a batch of several
    /// shards. At height 1, zeta and zeta·g are equal and the value is opened twice, so that
    /// the shape does not depend on the height.
    pub fn points<E: Extension>(&self, zeta: E, bound: Option<E>) -> Vec<E> {
        let next = self.opens_next.then(|| zeta * F::two_adic_generator(self.log_height));
        let bound = bound.filter(|_| self.opens_bound);
        std::iter::once(zeta).chain(next).chain(bound).collect()
    }
}

/// Which commitment a round opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoundKind {
    /// The fixed columns of this circuit of the system.
    Fixed(usize),
    /// Main traces.
    Main,
    /// Stage 2.
    StageTwo,
    /// Quotient slices.
    Quotient,
}

/// A commitment and its matrices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// Which commitment.
    pub kind: RoundKind,
    /// Its matrices in commit order.
    pub matrices: Vec<MatrixShape>,
}

/// The active circuits of a shard and the rounds of its opening.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardShape {
    /// Active circuits in System order.
    pub active: Vec<ActiveCircuit>,
    /// Rounds in opening order.
    pub rounds: Vec<Round>,
}

impl ShardShape {
    /// The shape of a shard with these log heights, one entry per circuit, in a batch of
    /// `num_shards`.
    #[must_use]
    pub fn new(key: &VerifyingKey, log_heights: &[Option<usize>], num_shards: usize) -> Self {
        let heights = log_heights.iter().enumerate();
        let active: Vec<ActiveCircuit> = heights
            .filter_map(|(circuit, height)| {
                height.map(|log_height| ActiveCircuit { circuit, log_height })
            })
            .collect();
        let degree = key.params().extension_degree;
        let circuits = &key.system().circuits;
        let matrices = |of: &dyn Fn(usize) -> Option<(usize, bool)>| -> Vec<MatrixShape> {
            let shapes = active.iter().enumerate().filter_map(|(position, active)| {
                let (width, opens_next) = of(active.circuit)?;
                let log_height = active.log_height;
                let opens_bound = false;
                Some(MatrixShape { active: position, log_height, width, opens_next, opens_bound })
            });
            shapes.collect()
        };
        let mut rounds = Vec::new();
        for &ActiveCircuit { circuit, .. } in &active {
            let width = circuits[circuit].preprocessed_width();
            let fixed = matrices(&|other| (other == circuit).then_some((width, false)));
            if circuits[circuit].fixed().is_some() {
                rounds.push(Round { kind: RoundKind::Fixed(circuit), matrices: fixed });
            }
        }
        let layouts = key.layouts();
        let mut main = matrices(&|c| Some((circuits[c].width, layouts[c].reads_next)));
        main.iter_mut().for_each(|matrix| matrix.opens_bound = num_shards > 1);
        rounds.push(Round { kind: RoundKind::Main, matrices: main });
        let stage_two = matrices(&|c| {
            let groups = layouts[c].groups.len();
            (groups > 0).then_some((groups * degree, true))
        });
        if !stage_two.is_empty() {
            rounds.push(Round { kind: RoundKind::StageTwo, matrices: stage_two });
        }
        let quotient = matrices(&|c| Some((layouts[c].num_slices * degree, false)));
        rounds.push(Round { kind: RoundKind::Quotient, matrices: quotient });
        Self { active, rounds }
    }

    /// The round of this kind.
    #[must_use]
    pub fn round(&self, kind: RoundKind) -> Option<&Round> {
        self.rounds.iter().find(|round| round.kind == kind)
    }

    /// Log of the tallest trace.
    #[must_use]
    pub fn max_log_height(&self) -> usize {
        self.active.iter().map(|active| active.log_height).max().unwrap_or(0)
    }

    /// All opened values: `opened`, and where a matrix is opened at the point that binds the
    /// shard, behind them those of `bound`, of [`ShardStatement::bound`].
    pub fn with_bound<E: Extension>(
        &self,
        opened: &OpenedValues<E>,
        bound: &[F],
    ) -> OpenedValues<E> {
        let mut all = opened.clone();
        let mut bound = bound.chunks_exact(E::DEGREE);
        for (round, opened) in self.rounds.iter().zip(&mut all) {
            for (matrix, points) in round.matrices.iter().zip(opened) {
                if matrix.opens_bound {
                    let values = bound.by_ref().take(matrix.width);
                    points.push(values.filter_map(E::from_basis_coefficients_slice).collect());
                }
            }
        }
        all
    }

    /// Commitment of each round.
    pub(crate) fn roots<E>(
        &self,
        key: &VerifyingKey,
        statement: &ShardStatement,
        proof: &ShardProof<E>,
    ) -> Option<Vec<Root>> {
        let root = |round: &Round| match round.kind {
            RoundKind::Fixed(circuit) => key.preprocessed()[circuit],
            RoundKind::Main => Some(statement.main),
            RoundKind::StageTwo => proof.stage_two,
            RoundKind::Quotient => Some(proof.quotient),
        };
        self.rounds.iter().map(root).collect()
    }

    /// Checks all lengths of a shard's proof, and of the values that bind the shard, that
    /// the transcript or the opening check would otherwise take from the proof.
    ///
    /// # Errors
    /// [`ShapeError`] names the list and its two lengths.
    pub fn check_proof<E: Extension>(
        &self,
        shard: usize,
        statement: &ShardStatement,
        proof: &ShardProof<E>,
    ) -> Result<(), ShapeError> {
        let expect = |what: &'static str, expected: usize, got: usize| {
            if expected == got {
                Ok(())
            } else {
                Err(ShapeError::Count { shard, what, expected, got })
            }
        };
        let matrices = self.rounds.iter().flat_map(|round| &round.matrices);
        let bound = matrices.filter(|matrix| matrix.opens_bound).map(|matrix| matrix.width);
        let bound = E::DEGREE * bound.sum::<usize>();
        expect("coefficients of bound values", bound, statement.bound.len())?;
        let has_stage_two = self.round(RoundKind::StageTwo).is_some();
        expect(
            "stage 2 roots",
            usize::from(has_stage_two),
            usize::from(proof.stage_two.is_some()),
        )?;
        expect("terminals", self.active.len(), proof.terminals.len())?;
        expect("opened rounds", self.rounds.len(), proof.opened.len())?;
        for (round, opened) in self.rounds.iter().zip(&proof.opened) {
            expect("opened matrices", round.matrices.len(), opened.len())?;
            for (matrix, opened) in round.matrices.iter().zip(opened) {
                expect("opened points", 1 + usize::from(matrix.opens_next), opened.len())?;
                for values in opened {
                    expect("opened values", matrix.width, values.len())?;
                }
            }
        }
        expect("rounds of opened rows", self.rounds.len(), proof.opening.inputs.len())
    }
}

/// A batch or a proof of the wrong shape: found before any cryptography.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ShapeError {
    /// No shards, or too many.
    #[error("a batch has 1 to {max} shards, got {got}")]
    Shards {
        /// The largest number.
        max: usize,
        /// The number at hand.
        got: usize,
    },
    /// A list of the wrong length.
    #[error("shard {shard}: expected {expected} {what}, got {got}")]
    Count {
        /// Which shard.
        shard: usize,
        /// What is counted.
        what: &'static str,
        /// The right number.
        expected: usize,
        /// The number at hand.
        got: usize,
    },
    /// No circuit has rows.
    #[error("shard {shard} has no rows at all")]
    Empty {
        /// Which shard.
        shard: usize,
    },
    /// A trace that is too tall.
    #[error("shard {shard}, circuit {circuit}: log height {got} is more than {max}")]
    Height {
        /// Which shard.
        shard: usize,
        /// Name of the circuit.
        circuit: String,
        /// The largest log height.
        max: usize,
        /// The log height at hand.
        got: usize,
    },
    /// A fixed table that is active at another height than its own.
    #[error("shard {shard}, circuit {circuit}: a fixed table has log height {expected}, or none")]
    FixedHeight {
        /// Which shard.
        shard: usize,
        /// Name of the circuit.
        circuit: String,
        /// Its log height.
        expected: usize,
    },
    /// A first pointer that is not below 2^32.
    #[error("shard {shard}, circuit {circuit}: first pointer {got} is not below 2^32")]
    FirstPointer {
        /// Which shard.
        shard: usize,
        /// Name of the circuit.
        circuit: String,
        /// The pointer.
        got: u64,
    },
    /// A memory whose rows, padding included, do not all have pointers below 2^32.
    #[error("shard {shard}, circuit {circuit}: {rows} rows from pointer {first} end above 2^32")]
    MemoryEnd {
        /// Which shard.
        shard: usize,
        /// Name of the circuit.
        circuit: String,
        /// The first pointer.
        first: u64,
        /// Number of rows.
        rows: u64,
    },
    /// A memory that begins before the one of an earlier shard ends: the two could
    /// disagree about a pointer.
    #[error(
        "shard {shard}, circuit {circuit}: first pointer {first} is below {least}, where the rows \
         of an earlier shard end"
    )]
    MemoryOrder {
        /// Which shard.
        shard: usize,
        /// Name of the circuit.
        circuit: String,
        /// The first pointer.
        first: u64,
        /// The least that it may be.
        least: u64,
    },
    /// Claims elsewhere than in shard 0.
    #[error("shard {shard} states {got} claims, which only shard 0 may")]
    ClaimShard {
        /// Which shard.
        shard: usize,
        /// Number of its claims and boundary messages.
        got: usize,
    },
    /// A boundary message that no lookup of the batch is long enough to answer.
    #[error("boundary message {index}: of {got} elements, and no lookup has more than {max}")]
    Unanswered {
        /// Position of the message in its list.
        index: usize,
        /// The longest message of an active circuit.
        max: usize,
        /// Length of this one.
        got: usize,
    },
    /// Calls could form a cycle of ranks.
    #[error("{got} rows of recursive functions, at most {max} are sound")]
    RecursiveRows {
        /// The bound.
        max: u64,
        /// Rows of all shards.
        got: u128,
    },
    /// Multiplicities could wrap around.
    #[error("{got} messages, fewer than the field's order are sound")]
    Messages {
        /// Messages of all shards and claims.
        got: u128,
    },
    /// A claim that does not fit the program.
    #[error(transparent)]
    Claim(#[from] ClaimError),
}
