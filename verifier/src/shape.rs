//! The shape of a shard: which matrices its proof commits to and opens, and every
//! check on a batch that needs no cryptography.
//!
//! Layout (owned here). Rounds are opened in this order:
//!
//! ```text
//! one per active fixed table | main | stage 2, if a circuit has lookups | quotient
//! ```
//!
//! A round's matrices follow the circuits; inactive circuits, and in stage 2 those
//! without lookups, have none. Fixed and quotient matrices are opened at zeta, main
//! at zeta and, if the circuit reads the next row, at zeta·g, stage 2 at both.

use thiserror::Error;
use traceloom_air::claim::{ClaimError, check_claim};
use traceloom_air::field::{MODULUS, word};
use traceloom_air::system::{CircuitKind, MAX_RECURSIVE_ROWS};

use crate::key::VerifyingKey;
use crate::proof::{ShardProof, ShardStatement};
use crate::scheme::{Extension, Root};

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
}

/// Which commitment a round opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoundKind {
    /// The fixed table of this circuit of the system.
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
    /// The shape of a shard with these log heights, one entry per circuit.
    #[must_use]
    pub fn new(key: &VerifyingKey, log_heights: &[Option<usize>]) -> Self {
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
                Some(MatrixShape { active: position, log_height, width, opens_next })
            });
            shapes.collect()
        };
        let mut rounds = Vec::new();
        for &ActiveCircuit { circuit, .. } in &active {
            let width = circuits[circuit].preprocessed_width();
            let fixed = matrices(&|other| (other == circuit).then_some((width, false)));
            if circuits[circuit].preprocessed().is_some() {
                rounds.push(Round { kind: RoundKind::Fixed(circuit), matrices: fixed });
            }
        }
        let layouts = key.layouts();
        let main = matrices(&|c| Some((circuits[c].width, layouts[c].reads_next)));
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

    /// Checks all lengths of a shard's proof that the transcript or the opening
    /// check would otherwise take from the proof.
    ///
    /// # Errors
    /// [`ShapeError`] names the list and its two lengths.
    pub fn check_proof<E: Extension>(
        &self,
        shard: usize,
        proof: &ShardProof<E>,
    ) -> Result<(), ShapeError> {
        let expect = |what: &'static str, expected: usize, got: usize| {
            if expected == got {
                Ok(())
            } else {
                Err(ShapeError::Count { shard, what, expected, got })
            }
        };
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

/// Checks the statements of a batch, everything that is decided by numbers alone:
/// lengths, heights, byte tables, first pointers, claims, memory widths across
/// shards, and the bounds on recursive rows and on counting.
///
/// # Errors
/// [`ShapeError`] names shard and circuit.
pub fn check_statements(
    key: &VerifyingKey,
    statements: &[ShardStatement],
) -> Result<Vec<ShardShape>, ShapeError> {
    if statements.is_empty() || statements.len() > MAX_SHARDS {
        return Err(ShapeError::Shards { max: MAX_SHARDS, got: statements.len() });
    }
    let mut shapes = Vec::new();
    let mut first_claim = 0;
    for (shard, statement) in statements.iter().enumerate() {
        check_circuits(key, shard, statement)?;
        for (index, claim) in (first_claim..).zip(&statement.claims) {
            check_claim(&key.system().entries, index, claim)?;
        }
        first_claim += statement.claims.len();
        shapes.push(ShardShape::new(key, &statement.log_heights));
    }
    check_memories(key, &shapes)?;
    check_counts(key, &shapes, first_claim)?;
    Ok(shapes)
}

fn check_circuits(
    key: &VerifyingKey,
    shard: usize,
    statement: &ShardStatement,
) -> Result<(), ShapeError> {
    let circuits = &key.system().circuits;
    let count = |what, expected, got| {
        if expected == got { Ok(()) } else { Err(ShapeError::Count { shard, what, expected, got }) }
    };
    count("log heights", circuits.len(), statement.log_heights.len())?;
    count("lists of public values", circuits.len(), statement.publics.len())?;
    let rows = circuits.iter().zip(&statement.log_heights).zip(&statement.publics);
    for ((circuit, &log_height), publics) in rows {
        let name = || circuit.name.clone();
        let num_publics = log_height.map_or(0, |_| circuit.num_publics);
        count("public values", num_publics, publics.len())?;
        if let Some(got) = log_height.filter(|&got| got > key.params().max_log_height) {
            let max = key.params().max_log_height;
            return Err(ShapeError::Height { shard, circuit: name(), max, got });
        }
        match circuit.kind {
            CircuitKind::Bytes(table) => {
                let expected = table.height().ilog2() as usize;
                if log_height != Some(expected) {
                    return Err(ShapeError::ByteTable { shard, circuit: name(), expected });
                }
            }
            CircuitKind::Memory { .. } => {
                if let Some(&pointer) = publics.iter().find(|&&pointer| word(pointer) >> 32 != 0) {
                    let got = word(pointer);
                    return Err(ShapeError::FirstPointer { shard, circuit: name(), got });
                }
            }
            CircuitKind::Function { .. } => {}
        }
    }
    if statement.log_heights.iter().all(Option::is_none) {
        return Err(ShapeError::Empty { shard });
    }
    Ok(())
}

/// Two shards with one memory width could disagree about a pointer.
fn check_memories(key: &VerifyingKey, shapes: &[ShardShape]) -> Result<(), ShapeError> {
    for (index, circuit) in key.system().circuits.iter().enumerate() {
        let holds = |shape: &&ShardShape| shape.active.iter().any(|a| a.circuit == index);
        let is_memory = matches!(circuit.kind, CircuitKind::Memory { .. });
        if is_memory && shapes.iter().filter(holds).count() > 1 {
            return Err(ShapeError::SharedMemory { circuit: circuit.name.clone() });
        }
    }
    Ok(())
}

/// The two bounds that make ranks and multiplicities integers.
fn check_counts(
    key: &VerifyingKey,
    shapes: &[ShardShape],
    num_claims: usize,
) -> Result<(), ShapeError> {
    let circuits = &key.system().circuits;
    let actives = shapes.iter().flat_map(|shape| &shape.active);
    let tables = actives.map(|active| {
        let circuit = &circuits[active.circuit];
        let recursive = matches!(circuit.kind, CircuitKind::Function { recursive: true, .. });
        (active.log_height, circuit.lookups.len(), recursive)
    });
    check_bounds(tables, num_claims)
}

/// `tables` are log height, number of lookups, and whether ranks are at stake.
fn check_bounds(
    tables: impl Iterator<Item = (usize, usize, bool)>,
    num_claims: usize,
) -> Result<(), ShapeError> {
    let mut recursive_rows: u128 = 0;
    let mut messages = num_claims as u128;
    for (log_height, num_lookups, recursive) in tables {
        let rows = 1u128 << log_height;
        recursive_rows += if recursive { rows } else { 0 };
        messages += rows * num_lookups as u128;
    }
    if recursive_rows > u128::from(MAX_RECURSIVE_ROWS) {
        return Err(ShapeError::RecursiveRows { max: MAX_RECURSIVE_ROWS, got: recursive_rows });
    }
    if messages >= u128::from(MODULUS) {
        return Err(ShapeError::Messages { got: messages });
    }
    Ok(())
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
    /// A fixed table that is inactive or not at its height.
    #[error("shard {shard}, circuit {circuit}: a fixed table has log height {expected} everywhere")]
    ByteTable {
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
    /// One memory width in two shards, which could disagree about a pointer.
    #[error("circuit {circuit}: only one shard of a batch may hold a memory width")]
    SharedMemory {
        /// Name of the circuit.
        circuit: String,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recursive_rows_are_bounded_over_all_shards() {
        let rows = |count| std::iter::repeat_n((26, 1, true), count);
        assert_eq!(check_bounds(rows(32), 0), Ok(()));
        let got = 33 << 26;
        let expected = ShapeError::RecursiveRows { max: MAX_RECURSIVE_ROWS, got };
        assert_eq!(check_bounds(rows(33), 0), Err(expected));
        assert_eq!(check_bounds(std::iter::repeat_n((26, 1, false), 33), 0), Ok(()));
    }

    #[test]
    fn messages_stay_below_the_order_of_the_field() {
        let below = || [(32, (1 << 32) - 1, false)].into_iter();
        let room = u128::from(MODULUS) - (((1u128 << 32) - 1) << 32);
        assert_eq!(room, 1);
        assert_eq!(check_bounds(below(), 0), Ok(()));
        let got = u128::from(MODULUS);
        assert_eq!(check_bounds(below(), 1), Err(ShapeError::Messages { got }));
    }
}
