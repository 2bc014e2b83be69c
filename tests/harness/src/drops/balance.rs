//! Makes the messages of a forged witness balance, as far as tables allow.
//!
//! Whoever forges chooses multiplicities, claims and rows of tables freely. So: a
//! claim says what its row provides now; every provider gets the multiplicity that
//! is asked of it; a byte message that is right gets a row, if the program's table has its
//! operation; a memory message that
//! nobody provides gets one too, as the next real row or hidden in the padding.

use std::collections::HashMap;

use traceloom_air::bytes::{ByteOp, ByteTable};
use traceloom_air::claim::{Claim, RankedClaim};
use traceloom_air::field::{Goldilocks, PrimeCharacteristicRing, element, word};
use traceloom_air::message::{FUNCTION_CHANNEL, MEMORY_CHANNEL};
use traceloom_air::system::{CircuitKind, Direction, Node, System};
use traceloom_air::trace::{ShardWitness, Trace};
use traceloom_bytecode::system::{MEMORY_MULTIPLICITY, MEMORY_POINTER, MEMORY_VALUES};

use super::Subject;
use super::search::{Cell, evaluate};
use crate::compact::is_short_table;

/// By claim: circuit and row that answer it.
#[derive(Clone, Debug)]
pub(super) struct Anchors(Vec<(usize, usize)>);

/// Words without trailing zeros: a fingerprint pads with them.
type Message = Vec<u64>;

impl Anchors {
    /// Of an honest witness.
    pub fn new(system: &System, witness: &ShardWitness) -> Self {
        let rows: HashMap<Message, (usize, usize)> =
            returns(system, witness).into_iter().map(|(place, message)| (message, place)).collect();
        let anchor = |claim: &RankedClaim| rows[&trimmed(&claim.message())];
        Self(witness.claims.iter().map(anchor).collect())
    }
}

fn trimmed(message: &[Goldilocks]) -> Message {
    let len = message.iter().rposition(|x| *x != Goldilocks::ZERO).map_or(0, |last| last + 1);
    message[..len].iter().map(|&x| word(x)).collect()
}

/// What each row of a function circuit returns.
fn returns(system: &System, witness: &ShardWitness) -> Vec<((usize, usize), Message)> {
    let mut all = Vec::new();
    for (index, circuit) in system.circuits.iter().enumerate() {
        let is_function = matches!(circuit.kind, CircuitKind::Function { .. });
        let Some(trace) = &witness.traces[index] else { continue };
        if !is_function || is_short_table(circuit) {
            continue;
        }
        for row in 0..trace.height() {
            let values = evaluate(circuit, trace, &witness.publics[index], row);
            let arguments = circuit.lookups[0].arguments.iter();
            let message: Vec<_> = arguments.map(|id| values[id.0 as usize]).collect();
            all.push(((index, row), trimmed(&message)));
        }
    }
    all
}

/// Sets claims, multiplicities and table rows; whether every message that is used
/// can be provided. Cells in `fixed` keep their value.
pub(super) fn balance(
    subject: &Subject,
    mutated: &System,
    anchors: &Anchors,
    witness: &mut ShardWitness,
    fixed: &[(usize, Cell)],
) -> bool {
    let full = &subject.system;
    let returned: HashMap<_, _> = returns(full, witness).into_iter().collect();
    // Where a row is fixed not to provide anything, its claim is not made.
    let provides = |&&(circuit, row): &&(usize, usize)| {
        let multiplicity = full.circuits[circuit].lookups[0].multiplicity;
        let Node::Main(column) = full.circuits[circuit].arena.node(multiplicity) else {
            return true;
        };
        let cell = (row, column as usize);
        let trace = witness.traces[circuit].as_ref().expect("it has this row");
        !fixed.contains(&(circuit, cell)) || trace.row(row)[cell.1] != Goldilocks::ZERO
    };
    let claims = anchors.0.iter().filter(provides);
    let claims = claims.filter_map(|place| claim(full, returned.get(place)?)).collect();
    witness.claims = claims;
    let mut asked: HashMap<Message, Goldilocks> = HashMap::new();
    for claim in &witness.claims {
        *asked.entry(trimmed(&claim.message())).or_default() += Goldilocks::ONE;
    }
    let mut providers = Vec::new();
    for (index, circuit) in mutated.circuits.iter().enumerate() {
        let Some(trace) = &witness.traces[index] else { continue };
        for row in 0..trace.height() {
            let values = evaluate(circuit, trace, &witness.publics[index], row);
            for lookup in &circuit.lookups {
                let arguments = lookup.arguments.iter();
                let message: Vec<_> = arguments.map(|id| values[id.0 as usize]).collect();
                let message = trimmed(&message);
                let count = values[lookup.multiplicity.0 as usize];
                if lookup.direction == Direction::Push {
                    *asked.entry(message).or_default() += count;
                    continue;
                }
                let Node::Main(column) = circuit.arena.node(lookup.multiplicity) else {
                    return false;
                };
                let cell = (row, column as usize);
                if fixed.contains(&(index, cell)) {
                    *asked.entry(message).or_default() -= count;
                } else {
                    providers.push((is_on(mutated, witness, index, row), message, index, cell));
                }
            }
        }
    }
    // Rows that are on provide before rows that are off, and before those of tables.
    providers.sort_by_key(|(on, ..)| !on);
    for (_, message, circuit, (row, column)) in providers {
        let count = asked.remove(&message).unwrap_or_default();
        let trace = witness.traces[circuit].as_mut().expect("it has this row");
        trace.row_mut(row)[column] = count;
    }
    let mut asked: Vec<_> =
        asked.into_iter().filter(|(_, count)| *count != Goldilocks::ZERO).collect();
    asked.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    let ops = subject.byte_ops();
    asked.iter().all(|(message, count)| provide(mutated, &ops, witness, message, *count))
}

fn is_on(system: &System, witness: &ShardWitness, circuit: usize, row: usize) -> bool {
    let trace = witness.traces[circuit].as_ref().expect("it has this row");
    let mut columns = system.circuits[circuit].column_names.iter().zip(trace.row(row));
    columns.any(|(name, cell)| name.starts_with("selector") && *cell != Goldilocks::ZERO)
}

/// Word of a message, zero behind its end.
fn at(message: &[u64], position: usize) -> u64 {
    message.get(position).copied().unwrap_or(0)
}

/// The claim that a return message answers.
fn claim(system: &System, message: &Message) -> Option<RankedClaim> {
    if at(message, 0) != FUNCTION_CHANNEL {
        return None;
    }
    let entry = system.entries.iter().find(|e| u64::from(e.function) == at(message, 1))?;
    let first = 2 + usize::from(entry.ranked);
    let rank = match entry.ranked {
        true => Some(u32::try_from(at(message, 2)).ok()?),
        false => None,
    };
    let end = first + entry.num_inputs + entry.num_outputs;
    let mut inputs: Vec<Goldilocks> = (first..end).map(|i| element(at(message, i))).collect();
    let outputs = inputs.split_off(entry.num_inputs);
    let claim = Claim { function: entry.function, inputs, outputs };
    (message.len() <= end).then_some(RankedClaim { claim, rank })
}

fn provide(
    system: &System,
    ops: &[ByteOp],
    witness: &mut ShardWitness,
    message: &[u64],
    count: Goldilocks,
) -> bool {
    match message.first() {
        Some(&MEMORY_CHANNEL) => provide_memory(system, witness, message, count),
        Some(_) => provide_bytes(system, ops, witness, message, count),
        None => false,
    }
}

fn provide_bytes(
    system: &System,
    ops: &[ByteOp],
    witness: &mut ShardWitness,
    message: &[u64],
    count: Goldilocks,
) -> bool {
    let op = ops.iter().find(|op| op.channel() == message[0]);
    let Some(op) = op else { return false };
    let right = is_right(*op, message);
    let name = if op.table() == ByteTable::Bytes1 { "bytes1" } else { "bytes2" };
    let named = |circuit: &_| is_short_table(circuit) && circuit.name == name;
    let circuit = system.circuits.iter().position(named);
    let (true, Some(circuit)) = (right, circuit) else {
        return false;
    };
    let row = free_row(system, witness, circuit);
    let trace = witness.traces[circuit].as_mut().expect("a row was made");
    let cells = trace.row_mut(row);
    cells[0] = count;
    cells[1..].iter_mut().zip(message).for_each(|(cell, &word)| *cell = element(word));
    true
}

/// Whether the table of `op` has a row for this message.
fn is_right(op: ByteOp, message: &[u64]) -> bool {
    if op == ByteOp::RangeCheck16 {
        return at(message, 1) < 65_536 && message.len() <= 2;
    }
    let first = 1 + op.num_operands();
    let operands: Vec<u64> = (1..first).map(|i| at(message, i)).collect();
    if operands.iter().any(|&operand| operand > 255) {
        return false;
    }
    let results = op.results(operands[0] as u8, operands[operands.len() - 1] as u8);
    let right = (0..8).all(|i| at(message, first + i) == u64::from(results[i]));
    right && message.len() <= first + 8
}

fn provide_memory(
    system: &System,
    witness: &mut ShardWitness,
    message: &[u64],
    count: Goldilocks,
) -> bool {
    let Ok(width) = u32::try_from(at(message, 1)) else { return false };
    let kind = CircuitKind::Memory { width };
    let circuit = system.circuits.iter().position(|circuit| circuit.kind == kind);
    let Some(circuit) = circuit else { return false };
    let pointer = element(at(message, 2));
    let row = idle_cell(system, witness, circuit, pointer);
    let cells = witness.traces[circuit].as_mut().expect("a row was made").row_mut(row);
    cells[MEMORY_MULTIPLICITY] = count;
    cells[MEMORY_POINTER] = pointer;
    for i in 0..width as usize {
        cells[MEMORY_VALUES + i] = element(at(message, 3 + i));
    }
    true
}

/// The first row that is all zero behind the others, made if there is none.
fn free_row(system: &System, witness: &mut ShardWitness, circuit: usize) -> usize {
    let Some(trace) = &mut witness.traces[circuit] else {
        witness.traces[circuit] = Some(Trace::zero(1, system.circuits[circuit].width));
        witness.publics[circuit] = vec![Goldilocks::ZERO; system.circuits[circuit].num_publics];
        return 0;
    };
    let used = (0..trace.height())
        .rfind(|&row| trace.row(row).iter().any(|cell| *cell != Goldilocks::ZERO));
    let row = used.map_or(0, |last| last + 1);
    if row == trace.height() {
        trace.values.resize(2 * trace.values.len(), Goldilocks::ZERO);
    }
    row
}

/// A cell of a memory that nobody uses: the one with this pointer, else the last one, which
/// is made, with pointers that count on, if all are used.
fn idle_cell(
    system: &System,
    witness: &mut ShardWitness,
    circuit: usize,
    pointer: Goldilocks,
) -> usize {
    if witness.traces[circuit].is_none() {
        return free_row(system, witness, circuit);
    }
    let trace = witness.traces[circuit].as_mut().expect("it has a trace");
    let is_idle = |row: &usize| {
        let cells = trace.row(*row);
        let values = &cells[MEMORY_VALUES..];
        let is_zero = |cell: &Goldilocks| *cell == Goldilocks::ZERO;
        is_zero(&cells[MEMORY_MULTIPLICITY]) && values.iter().all(is_zero)
    };
    let idle: Vec<usize> = (0..trace.height()).filter(is_idle).collect();
    let wanted = idle.iter().find(|row| trace.row(**row)[MEMORY_POINTER] == pointer);
    if let Some(row) = wanted.or(idle.last()) {
        return *row;
    }
    let height = trace.height();
    trace.values.resize(2 * trace.values.len(), Goldilocks::ZERO);
    for row in height..2 * height {
        let next = trace.row(row - 1)[MEMORY_POINTER] + Goldilocks::ONE;
        trace.row_mut(row)[MEMORY_POINTER] = next;
    }
    height
}
