//! All main traces of one shard.

use std::ops::Range;

use traceloom_abi::record::{MemoryTable, Record};
use traceloom_air::bytes::ByteTable;
use traceloom_air::claim::RankedClaim;
use traceloom_air::field::{Goldilocks, element};
use traceloom_air::system::{Circuit, CircuitKind, System};
use traceloom_air::trace::{ShardWitness, Trace};
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::system::{MEMORY_MULTIPLICITY, MEMORY_POINTER, MEMORY_VALUES};
use traceloom_verifier::VerifyingKey;

use crate::heights::Heights;
use crate::reference::{self, RowError};
use crate::shards::FIRST_POINTER;

/// Builds every trace with the reference builder, in the system's order of circuits. Each has
/// the least height that holds its rows. `system` must be the one of `program`.
///
/// # Errors
/// [`RowError`] if record and program disagree.
pub fn reference_witness(
    program: &CheckedProgram,
    system: &System,
    record: &Record,
    claims: Vec<RankedClaim>,
) -> Result<ShardWitness, RowError> {
    build(program, system, record, claims, &Heights::least(program, system, record))
}

/// As [`reference_witness`], padded to the heights that the parameters of `key` need if the
/// shard is proven alone.
///
/// # Errors
/// As [`reference_witness`].
pub fn padded_witness(
    program: &CheckedProgram,
    key: &VerifyingKey,
    record: &Record,
    claims: Vec<RankedClaim>,
) -> Result<ShardWitness, RowError> {
    let heights = Heights::padded(program, key, record, claims.len());
    build(program, key.system(), record, claims, &heights)
}

fn build(
    program: &CheckedProgram,
    system: &System,
    record: &Record,
    claims: Vec<RankedClaim>,
    heights: &Heights,
) -> Result<ShardWitness, RowError> {
    let mut traces = Vec::with_capacity(system.circuits.len());
    let mut publics = Vec::with_capacity(system.circuits.len());
    for (position, circuit) in system.circuits.iter().enumerate() {
        let trace = match &circuit.kind {
            CircuitKind::Function { .. } => reference::function_trace(program, record, position)?
                .map(|trace| trace.padded(heights.of(position))),
            CircuitKind::Memory { width } => {
                let index = program.memory_index(*width).expect("the system is the program's");
                memory_trace(&record.memories[index], heights.of(position))
            }
            CircuitKind::Bytes(table) => Some(bytes_trace(record, *table, circuit)),
            // No program of functions has any.
            CircuitKind::Ops { .. } => None,
        };
        let active = trace.is_some();
        publics.push(vec![element(FIRST_POINTER); if active { circuit.num_publics } else { 0 }]);
        traces.push(trace);
    }
    Ok(ShardWitness { traces, publics, claims, boundary: Vec::new() })
}

/// The table of one memory width with `height` rows: by pointer, those without
/// multiplicity included, then padding: cells that hold zeros, whose pointers go on.
/// `None` if nothing was stored.
#[must_use]
pub fn memory_trace(memory: &MemoryTable, height: usize) -> Option<Trace> {
    memory_piece(memory, 0..memory.len(), height)
}

/// The part of that table with these pointers, which are stored ones; `None` without any.
#[must_use]
pub fn memory_piece(memory: &MemoryTable, pointers: Range<usize>, height: usize) -> Option<Trace> {
    if pointers.is_empty() {
        return None;
    }
    let mut trace = Trace::zero(height, MEMORY_VALUES + memory.width());
    for (row, pointer) in (0..trace.height()).zip(pointers.start as u64..) {
        trace.row_mut(row)[MEMORY_POINTER] = element(FIRST_POINTER + pointer);
    }
    for (row, pointer) in pointers.enumerate() {
        let row = trace.row_mut(row);
        row[MEMORY_MULTIPLICITY] = element(memory.multiplicity(pointer));
        let values = memory.load(pointer as u64).expect("the pointer is below the length");
        for (cell, value) in row[MEMORY_VALUES..].iter_mut().zip(values.iter()) {
            *cell = element(value);
        }
    }
    Some(trace)
}

/// The multiplicities of the byte table `table`, whose circuit is `circuit`: a column per
/// operation that the program looks up.
#[must_use]
pub fn bytes_trace(record: &Record, table: ByteTable, circuit: &Circuit) -> Trace {
    let counts = record.byte_counts(table);
    let columns: Vec<usize> = circuit.byte_ops().iter().map(|op| op.position()).collect();
    let mut values: Vec<Goldilocks> = Vec::with_capacity(table.height() * columns.len());
    for row in 0..table.height() {
        values.extend(columns.iter().map(|&column| element(counts.count(row, column))));
    }
    Trace { width: columns.len(), values }
}
