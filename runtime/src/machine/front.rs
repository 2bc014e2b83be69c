//! Either front end, for whoever works with rows.

use traceloom_abi::record::Record;
use traceloom_abi::registry::ProgramUnit;
use traceloom_air::system::{CircuitKind, System};
use traceloom_bytecode::CheckedProgram;
use traceloom_verifier::VerifyingKey;

use super::Machine;
use super::count::count;
use crate::heights::Heights;
use crate::order::num_rows;
use crate::provider::WitnessError;
use crate::shards::BatchPlan;

/// What rows are of.
#[derive(Clone, Copy, Debug)]
pub enum FrontEnd<'a> {
    /// A program of functions.
    Functions(&'a CheckedProgram),
    /// A machine of op tables.
    Tables(&'a dyn Machine),
}

impl<'a> From<&'a CheckedProgram> for FrontEnd<'a> {
    fn from(program: &'a CheckedProgram) -> Self {
        Self::Functions(program)
    }
}

impl<'a> From<&'a dyn Machine> for FrontEnd<'a> {
    fn from(machine: &'a dyn Machine) -> Self {
        Self::Tables(machine)
    }
}

impl FrontEnd<'_> {
    /// What people call it.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Functions(program) => &program.program().name,
            Self::Tables(machine) => machine.name(),
        }
    }

    /// Rows of a circuit of its system, which is at `position`, without padding.
    pub(crate) fn num_rows(&self, record: &Record, kind: &CircuitKind, position: usize) -> usize {
        match (self, kind) {
            (_, CircuitKind::Bytes(table)) => table.height(),
            (Self::Functions(program), CircuitKind::Function { .. }) => {
                num_rows(program, record, position)
            }
            (Self::Functions(program), CircuitKind::Memory { width }) => {
                let index = program.memory_index(*width).expect("the system is the program's");
                record.memories[index].len()
            }
            (Self::Tables(_), CircuitKind::Ops { table, fixed }) => {
                let rows = record.ops[*table as usize].len();
                // A table with fixed columns has all of its rows, or none.
                fixed.as_ref().filter(|_| rows > 0).map_or(rows, |fixed| 1 << fixed.log_height)
            }
            // No front end has circuits of the other.
            _ => 0,
        }
    }
}

/// Padding rows by table, of a plan for the rows of `record`.
fn padding_rows(system: &System, record: &Record, plan: &BatchPlan) -> Vec<usize> {
    let mut padding = Vec::new();
    for (circuit, of) in system.circuits.iter().enumerate() {
        let CircuitKind::Ops { table, .. } = of.kind else { continue };
        let pieces = plan.shards.iter().filter_map(|shard| shard.pieces[circuit].as_ref());
        let height: usize = pieces.map(|piece| piece.height()).sum();
        // Only the last piece is padded.
        padding.push(height.saturating_sub(record.ops[table as usize].len()));
    }
    padding
}

/// Finishes the record of a machine for a plan: padding, then what all rows ask of byte tables.
pub(crate) fn finish(
    machine: &dyn Machine,
    system: &System,
    registry: &[&'static ProgramUnit],
    record: &mut Record,
    plan: &BatchPlan,
) -> Result<(), WitnessError> {
    let padding = padding_rows(system, record, plan);
    machine.pad(record, &padding);
    count(machine, system, registry, record, &padding)
}

/// The plan of one shard of all rows, padded for `key` if there is one.
pub(crate) fn whole(
    front: FrontEnd<'_>,
    system: &System,
    record: &Record,
    key: Option<&VerifyingKey>,
    num_stated: usize,
) -> BatchPlan {
    let heights = Heights::new(front, system, record, key, num_stated);
    BatchPlan::whole(&crate::heights::row_counts(front, system, record), &heights)
}
