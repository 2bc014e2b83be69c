//! How often the rows of a machine ask byte tables: the multiplicities of these.
//!
//! Functions count while they are executed. Records of a machine do not say what their rows look
//! up, so rows are written once more, a few at a time, and their lookups are evaluated. What a row
//! asks and no byte table has is not counted; the checker names it, and it is never proven.

use std::sync::atomic::{AtomicU64, Ordering};

use traceloom_abi::record::Record;
use traceloom_abi::registry::ProgramUnit;
use traceloom_air::bytes::{ByteOp, ByteTable};
use traceloom_air::field::{Goldilocks, PrimeCharacteristicRing, word};
use traceloom_air::system::{Circuit, CircuitKind, ExprId, Node, System};

use super::Machine;
use super::rows::{HostRows, Interpreted};
use crate::bind::Binding;
use crate::provider::WitnessError;

/// Multiplicities are counted below this: no table has more rows.
const MOST: u64 = 1 << 32;

/// Counts what the rows of `record` ask of byte tables, and adds it there. `padding` has the number
/// of padding rows by table.
pub(super) fn count(
    machine: &dyn Machine,
    system: &System,
    registry: &[&'static ProgramUnit],
    record: &mut Record,
    padding: &[usize],
) -> Result<(), WitnessError> {
    let counts = ByteTable::ALL.map(Counts::new);
    let tables = machine.tables();
    let rows = HostRows {
        tables,
        record,
        binding: Binding::of_tables(tables, registry).ok(),
        interpreted: Interpreted::new(tables),
    };
    for circuit in &system.circuits {
        let CircuitKind::Ops { table, .. } = circuit.kind else { continue };
        let asks = Asks::new(circuit);
        let (table, real) = (table as usize, record.ops[table as usize].len());
        if asks.lookups.is_empty() || real == 0 {
            continue;
        }
        let height = real + padding[table];
        rows.for_each(table, height, |first, cells| {
            let mut values = asks.scratch();
            for (row, cells) in (first..).zip(cells.chunks_exact(circuit.width)) {
                asks.row(row, cells, 1, &mut values, &counts);
            }
        })?;
        asks.zeros(real..height, tables.padding_index(table).is_some(), &counts);
    }
    for (table, counts) in ByteTable::ALL.into_iter().zip(&counts) {
        counts.add_to(table, record);
    }
    Ok(())
}

/// Uses of one byte table, counted by several threads.
struct Counts(Vec<AtomicU64>);

impl Counts {
    fn new(table: ByteTable) -> Self {
        let len = table.height() * table.ops().len();
        Self((0..len).map(|_| AtomicU64::new(0)).collect())
    }

    fn add_to(&self, table: ByteTable, record: &mut Record) {
        let of_op = self.0.chunks_exact(table.height());
        for (&op, counts) in table.ops().iter().zip(of_op) {
            for (row, count) in counts.iter().enumerate() {
                let count = count.load(Ordering::Relaxed);
                if count > 0 {
                    let (a, b) = match table {
                        ByteTable::Bytes1 => (row as u8, 0),
                        ByteTable::Bytes2 => ((row >> 8) as u8, row as u8),
                    };
                    record.bytes[table as usize].add(op, a, b, count);
                }
            }
        }
    }
}

/// What the rows of one circuit ask of byte tables.
struct Asks<'a> {
    circuit: &'a Circuit,
    fixed: Vec<Goldilocks>,
    fixed_width: usize,
    /// Nodes that the lookups need, operands first.
    nodes: Vec<ExprId>,
    lookups: Vec<(ByteOp, ExprId, &'a [ExprId])>,
}

impl<'a> Asks<'a> {
    fn new(circuit: &'a Circuit) -> Self {
        let ops = || ByteTable::ALL.into_iter().flat_map(ByteTable::ops);
        let lookups = circuit.lookups.iter().filter_map(|lookup| {
            let (&channel, arguments) = lookup.arguments.split_first()?;
            let Node::Constant(channel) = circuit.arena.node(channel) else { return None };
            let op = ops().find(|op| op.channel() == word(channel))?;
            Some((*op, lookup.multiplicity, arguments))
        });
        let lookups: Vec<(ByteOp, ExprId, &[ExprId])> = lookups.collect();
        let all = circuit.arena.nodes();
        let mut needed = vec![false; all.len()];
        for (_, multiplicity, arguments) in &lookups {
            needed[multiplicity.0 as usize] = true;
            arguments.iter().for_each(|argument| needed[argument.0 as usize] = true);
        }
        // Operands precede their users.
        for index in (0..all.len()).rev() {
            if needed[index] {
                mark_operands(all[index], &mut needed);
            }
        }
        let nodes = (0..all.len() as u32).filter(|&index| needed[index as usize]).map(ExprId);
        let fixed = circuit.fixed();
        let cells = fixed.and_then(|fixed| fixed.cells().map(|cells| cells.into_owned()));
        Self {
            circuit,
            fixed: cells.unwrap_or_default(),
            fixed_width: circuit.preprocessed_width(),
            nodes: nodes.collect(),
            lookups,
        }
    }

    fn scratch(&self) -> Vec<Goldilocks> {
        vec![Goldilocks::ZERO; self.circuit.arena.nodes().len()]
    }

    /// Rows without a record: zeros, unless a padding program wrote them.
    fn zeros(&self, rows: std::ops::Range<usize>, are_written: bool, counts: &[Counts; 2]) {
        if are_written || rows.is_empty() {
            return;
        }
        let (mut values, row) = (self.scratch(), vec![Goldilocks::ZERO; self.circuit.width]);
        // Without fixed columns all of them ask the same.
        let (each, times) = match self.fixed_width {
            0 => (rows.start..rows.start + 1, rows.len() as u64),
            _ => (rows, 1),
        };
        each.for_each(|number| self.row(number, &row, times, &mut values, counts));
    }

    /// Counts a row that is there `times` times.
    fn row(
        &self,
        number: usize,
        cells: &[Goldilocks],
        times: u64,
        values: &mut [Goldilocks],
        counts: &[Counts; 2],
    ) {
        for &id in &self.nodes {
            let value = |id: ExprId| values[id.0 as usize];
            values[id.0 as usize] = match self.circuit.arena.node(id) {
                Node::Constant(value) => value,
                Node::Main(column) => cells[column as usize],
                Node::Preprocessed(column) => {
                    self.fixed[number * self.fixed_width + column as usize]
                }
                Node::Add(a, b) => value(a) + value(b),
                Node::Sub(a, b) => value(a) - value(b),
                Node::Mul(a, b) => value(a) * value(b),
                // The lookups of op tables read their own row only.
                Node::MainNext(_) | Node::Public(_) | Node::IsFirstRow | Node::IsTransition => {
                    Goldilocks::ZERO
                }
            };
        }
        for (op, multiplicity, arguments) in &self.lookups {
            let count = word(values[multiplicity.0 as usize]);
            if count == 0 || count >= MOST {
                continue;
            }
            if let Some(row) = asked_row(*op, arguments, values) {
                let table = op.table();
                let at = op.position() * table.height() + row;
                counts[table as usize].0[at].fetch_add(count * times, Ordering::Relaxed);
            }
        }
    }
}

fn mark_operands(node: Node, needed: &mut [bool]) {
    if let Node::Add(a, b) | Node::Sub(a, b) | Node::Mul(a, b) = node {
        needed[a.0 as usize] = true;
        needed[b.0 as usize] = true;
    }
}

/// The row of a byte table that has the operands of a message.
fn asked_row(op: ByteOp, arguments: &[ExprId], values: &[Goldilocks]) -> Option<usize> {
    let operand = |i: usize| word(values[arguments[i].0 as usize]);
    if op == ByteOp::RangeCheck16 {
        return usize::try_from(operand(0)).ok().filter(|&limb| limb < 1 << 16);
    }
    let a = u8::try_from(operand(0)).ok()?;
    let b = if op.num_operands() == 2 { u8::try_from(operand(1)).ok()? } else { 0 };
    Some(op.table().row(a, b))
}
