//! Heights of the traces of a shard. They are decided once, before a row is written. Every
//! provider pads to them, so proofs do not depend on the provider.

use traceloom_abi::record::Record;
use traceloom_air::system::{CircuitKind, System};
use traceloom_bytecode::CheckedProgram;
use traceloom_verifier::VerifyingKey;
use traceloom_verifier::security::{Padding, padding};

use crate::order::num_rows;

/// A log height per circuit; `None` for circuits without rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heights(Vec<Option<usize>>);

impl Heights {
    /// The least that hold the rows of `record`, padded for `key` if there is one.
    #[must_use]
    pub fn new(
        program: &CheckedProgram,
        system: &System,
        record: &Record,
        key: Option<&VerifyingKey>,
        num_claims: usize,
    ) -> Self {
        match key {
            Some(key) => Self::padded(program, key, record, num_claims),
            None => Self::least(program, system, record),
        }
    }

    /// The least that hold the rows of `record`. `system` must be the one of `program`.
    #[must_use]
    pub fn least(program: &CheckedProgram, system: &System, record: &Record) -> Self {
        let rows = system.circuits.iter().enumerate().map(|(position, circuit)| {
            let rows = circuit_rows(program, &circuit.kind, record, position);
            (rows > 0).then(|| rows.next_power_of_two().ilog2() as usize)
        });
        Self(rows.collect())
    }

    /// As [`Self::least`], and padded to what the parameters of `key` need of a shard that
    /// is proven alone.
    #[must_use]
    pub fn padded(
        program: &CheckedProgram,
        key: &VerifyingKey,
        record: &Record,
        num_claims: usize,
    ) -> Self {
        let mut heights = Self::least(program, key.system(), record);
        if let Some(Padding { circuit, log_height }) = padding(key, &heights.0, num_claims) {
            heights.0[circuit] = Some(log_height);
        }
        heights
    }

    /// Rows of a circuit, padding included; 0 for one without rows.
    #[must_use]
    pub fn of(&self, circuit: usize) -> usize {
        self.0[circuit].map_or(0, |log_height| 1 << log_height)
    }
}

/// Rows of a circuit without padding.
pub(crate) fn circuit_rows(
    program: &CheckedProgram,
    kind: &CircuitKind,
    record: &Record,
    position: usize,
) -> usize {
    match kind {
        CircuitKind::Function { .. } => num_rows(program, record, position),
        CircuitKind::Memory { width } => {
            let index = program.memory_index(*width).expect("the system is the program's");
            record.memories[index].len()
        }
        CircuitKind::Bytes(table) => table.height(),
        // No program of functions has any.
        CircuitKind::Ops { .. } => 0,
    }
}
