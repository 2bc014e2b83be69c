//! Systems and witnesses without the long byte tables.
//!
//! Evaluating 65,536 rows for a program that looks up five of them is what a check
//! of a small program spends its time on. Here a byte table becomes a circuit of
//! free columns with one lookup, holding just the rows in use: the same messages,
//! so the same balance. A row that the fixed table does not have is never made.

use traceloom_air::bytes::{ByteOp, ByteTable};
use traceloom_air::field::{Goldilocks, PrimeCharacteristicRing, element};
use traceloom_air::system::{Arena, Circuit, CircuitKind, Direction, Lookup, System};
use traceloom_air::trace::{ShardWitness, Trace};

/// Columns of a short table: how often, channel, at most ten bytes.
const WIDTH: usize = 12;

/// `system` with short byte tables.
#[must_use]
pub fn system(system: &System) -> System {
    let mut system = system.clone();
    for circuit in system.circuits.iter_mut().filter(|c| c.preprocessed().is_some()) {
        *circuit = short(&circuit.name);
    }
    system
}

/// `witness` of `system`, for the short one.
///
/// # Panics
/// If a byte table of the system has no trace.
#[must_use]
pub fn witness(system: &System, witness: &ShardWitness) -> ShardWitness {
    let mut witness = witness.clone();
    for (circuit, trace) in system.circuits.iter().zip(&mut witness.traces) {
        if let Some(table) = circuit.preprocessed() {
            let whole = trace.as_ref().expect("byte tables are always active");
            *trace = used_rows(table, &circuit.byte_ops(), whole);
        }
    }
    witness
}

/// Whether this is a short byte table.
#[must_use]
pub fn is_short_table(circuit: &Circuit) -> bool {
    matches!(&circuit.kind, CircuitKind::Function { members, .. } if members.is_empty())
}

fn short(name: &str) -> Circuit {
    let mut arena = Arena::default();
    let multiplicity = arena.main(0);
    let arguments = (1..WIDTH).map(|column| arena.main(column)).collect();
    let lookup = Lookup { direction: Direction::Pull, multiplicity, arguments, label: name.into() };
    Circuit {
        name: name.into(),
        kind: CircuitKind::Function { members: Vec::new(), recursive: false },
        width: WIDTH,
        column_names: (0..WIDTH).map(|column| format!("column{column}")).collect(),
        num_publics: 0,
        arena,
        constraints: Vec::new(),
        lookups: vec![lookup],
    }
}

fn used_rows(table: ByteTable, ops: &[ByteOp], trace: &Trace) -> Option<Trace> {
    let mut rows = Vec::new();
    for row in 0..trace.height() {
        for (op, &count) in ops.iter().zip(trace.row(row)) {
            if count == Goldilocks::ZERO {
                continue;
            }
            let operands = match table {
                ByteTable::Bytes1 => vec![row as u8],
                ByteTable::Bytes2 => vec![(row / 256) as u8, (row % 256) as u8],
            };
            let results = op.results(operands[0], *operands.last().unwrap_or(&0));
            let bytes = operands.iter().chain(&results[..op.num_results()]);
            let mut cells = vec![count, element(op.channel())];
            match op {
                // The row's number.
                ByteOp::RangeCheck16 => cells.push(element(row as u64)),
                _ => cells.extend(bytes.map(|&byte| element(byte.into()))),
            }
            cells.resize(WIDTH, Goldilocks::ZERO);
            rows.push(cells);
        }
    }
    let mut short = (!rows.is_empty()).then(|| Trace::zero(rows.len(), WIDTH))?;
    for (row, cells) in rows.iter().enumerate() {
        short.row_mut(row).copy_from_slice(cells);
    }
    Some(short)
}
