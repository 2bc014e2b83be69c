//! Constraints on the rows of a witness, for people who debug one.

use std::fmt;

use p3_field::{Field, TwoAdicField};
use traceloom_abi::field::PrimeCharacteristicRing;
use traceloom_abi::system::{Circuit, Node};
use traceloom_abi::trace::{ShardWitness, Trace};

use crate::key::ProvingKey;
use crate::scheme::F;

/// A constraint that does not vanish on a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstraintFailure {
    /// Which shard.
    pub shard: usize,
    /// Name of the circuit.
    pub circuit: String,
    /// The row.
    pub row: usize,
    /// Index of the constraint.
    pub constraint: usize,
    /// What the constraint says.
    pub label: String,
}

impl fmt::Display for ConstraintFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { shard, circuit, row, constraint, label } = self;
        write!(f, "shard {shard}, circuit {circuit}, row {row}: ")?;
        write!(f, "constraint {constraint} does not hold: {label}")
    }
}

impl std::error::Error for ConstraintFailure {}

/// Evaluates every constraint on every row of a witness of the right shape.
///
/// # Errors
/// The first constraint that fails, by circuit and row.
pub fn check_constraints(
    key: &ProvingKey,
    shard: usize,
    witness: &ShardWitness,
) -> Result<(), ConstraintFailure> {
    let system = key.verifying_key().system();
    for (index, circuit) in system.circuits.iter().enumerate() {
        let Some(trace) = &witness.traces[index] else { continue };
        let fixed = key.fixed[index].as_ref().map_or(&[][..], |table| &table.trace);
        let mut values = Vec::new();
        for row in 0..trace.height() {
            evaluate(circuit, trace, fixed, &witness.publics[index], row, &mut values);
            for (constraint, statement) in circuit.constraints.iter().enumerate() {
                if values[statement.expr.0 as usize] != F::ZERO {
                    let (circuit, label) = (circuit.name.clone(), statement.label.clone());
                    return Err(ConstraintFailure { shard, circuit, row, constraint, label });
                }
            }
        }
    }
    Ok(())
}

fn evaluate(
    circuit: &Circuit,
    trace: &Trace,
    fixed: &[F],
    publics: &[F],
    row: usize,
    values: &mut Vec<F>,
) {
    let height = trace.height();
    let generator = F::two_adic_generator(height.ilog2() as usize);
    let transition = generator.exp_u64(row as u64) - generator.inverse();
    let fixed = &fixed[row * circuit.preprocessed_width()..];
    values.clear();
    for node in circuit.arena.nodes() {
        let value = match *node {
            Node::Constant(value) => value,
            Node::Main(column) => trace.row(row)[column as usize],
            Node::MainNext(column) => trace.row((row + 1) % height)[column as usize],
            Node::Preprocessed(column) => fixed[column as usize],
            Node::Public(column) => publics[column as usize],
            Node::IsFirstRow => F::from_bool(row == 0),
            Node::IsTransition => transition,
            Node::Add(a, b) => values[a.0 as usize] + values[b.0 as usize],
            Node::Sub(a, b) => values[a.0 as usize] - values[b.0 as usize],
            Node::Mul(a, b) => values[a.0 as usize] * values[b.0 as usize],
        };
        values.push(value);
    }
}
