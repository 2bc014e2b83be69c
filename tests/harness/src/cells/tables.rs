//! Cells of memories and of byte tables.

use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use traceloom_air::bytes::{ByteOp, ByteTable};
use traceloom_air::field::{Goldilocks, PrimeCharacteristicRing, element};
use traceloom_air::system::{Circuit, CircuitKind, System};
use traceloom_air::trace::{ShardWitness, Trace};
use traceloom_bytecode::system::{MEMORY_MULTIPLICITY, MEMORY_POINTER};

use super::{Forgery, another, trace};
use crate::compact;
use crate::family::Family;

/// A change of a random table; nothing if there is none. `system` is compact.
pub fn choose(rng: &mut ChaCha8Rng, system: &System, witness: &ShardWitness) -> Option<Forgery> {
    let circuits = system.circuits.iter().enumerate();
    let tables: Vec<usize> = circuits
        .filter(|&(position, circuit)| {
            let is_memory = matches!(circuit.kind, CircuitKind::Memory { .. });
            witness.traces[position].is_some() && (is_memory || compact::is_short_table(circuit))
        })
        .map(|(position, _)| position)
        .collect();
    let circuit = *tables.choose(rng)?;
    let (data, trace) = (&system.circuits[circuit], trace(witness, circuit));
    if compact::is_short_table(data) {
        return Some(byte_multiplicity(rng, data, circuit, trace));
    }
    let (row, column, family, free) = memory_cell(rng, trace);
    let new = another(rng, trace.row(row)[column]);
    Some(Forgery { family, free, circuit, row, cells: vec![(column, new)] })
}

/// A random cell of a memory: row, column, family, and whether nothing fixes it. Free
/// are values that nobody asks for, padding included.
pub fn memory_cell(rng: &mut ChaCha8Rng, trace: &Trace) -> (usize, usize, Family, bool) {
    let row = rng.random_range(0..trace.height());
    let column = rng.random_range(0..trace.width);
    let cells = trace.row(row);
    let is_asked = cells[MEMORY_MULTIPLICITY] != Goldilocks::ZERO;
    let family = if column == MEMORY_POINTER { Family::MemoryPointer } else { Family::Memory };
    (row, column, family, column > MEMORY_POINTER && !is_asked)
}

/// A multiplicity of a short table: of a row in use, or of one that nobody asks for,
/// which is written where there is room for it.
fn byte_multiplicity(
    rng: &mut ChaCha8Rng,
    data: &Circuit,
    circuit: usize,
    trace: &Trace,
) -> Forgery {
    let is_used = |row: &usize| trace.row(*row)[0] != Goldilocks::ZERO;
    let (used, room): (Vec<usize>, Vec<usize>) = (0..trace.height()).partition(is_used);
    let change =
        |row, cells| Forgery { family: Family::ByteMultiplicity, free: false, circuit, row, cells };
    if let Some(&row) = room.choose(rng)
        && rng.random_bool(0.5)
    {
        return change(row, unused_row(rng, table(data), trace));
    }
    let row = *used.choose(rng).expect("a table with a trace has rows");
    let new = another(rng, trace.row(row)[0]);
    change(row, vec![(0, new)])
}

fn table(circuit: &Circuit) -> ByteTable {
    if circuit.name == "bytes1" { ByteTable::Bytes1 } else { ByteTable::Bytes2 }
}

/// A row of the full table that is not in `trace`, with the multiplicity 1.
fn unused_row(rng: &mut ChaCha8Rng, table: ByteTable, trace: &Trace) -> Vec<(usize, Goldilocks)> {
    loop {
        let op = *table.ops().choose(rng).expect("a table has operations");
        let operands = [rng.random(), rng.random()];
        let results = op.results(operands[0], operands[table.num_operands() - 1]);
        let bytes = operands[..table.num_operands()].iter().chain(&results[..op.num_results()]);
        let mut cells = vec![Goldilocks::ONE, element(op.channel())];
        match op {
            ByteOp::RangeCheck16 => cells.push(element(rng.random_range(0..65_536))),
            _ => cells.extend(bytes.map(|&byte| element(byte.into()))),
        }
        cells.resize(trace.width, Goldilocks::ZERO);
        let is_used = (0..trace.height()).any(|row| trace.row(row)[1..] == cells[1..]);
        if !is_used {
            return cells.into_iter().enumerate().collect();
        }
    }
}
