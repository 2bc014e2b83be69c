//! Constraints and messages of rows, without a proof: what holds, and what is left open.

use std::collections::BTreeMap;

use traceloom_abi::evaluate::Cells;
use traceloom_air::bytes::{ByteOp, ByteTable};
use traceloom_air::field::{Goldilocks, element, word};
use traceloom_air::system::{Direction, System};
use traceloom_host_kernels::evaluation::interpret;
use traceloom_optables::riscv::buses::HWSL;

use crate::machine::Outside;

/// Rows of all tables, and the messages of what is no table here.
#[derive(Clone)]
pub struct Rows {
    pub tables: Vec<Vec<Vec<u64>>>,
    pub outside: Vec<Outside>,
}

/// Something that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Broken {
    /// A constraint of a table.
    Constraint(String, String),
    /// A message whose sum is not zero, or which no byte table has.
    Message(Vec<u64>),
}

/// Everything that does not hold, the first 20 of it.
pub fn broken(system: &System, rows: &Rows) -> Vec<Broken> {
    let mut found = Vec::new();
    let mut sums: BTreeMap<Vec<u64>, Goldilocks> = BTreeMap::new();
    for (circuit, table) in system.circuits.iter().zip(&rows.tables) {
        for row in table {
            let main: Vec<Goldilocks> = row.iter().map(|&cell| element(cell)).collect();
            let values = interpret(
                circuit,
                &Cells {
                    main: &main,
                    next: &[],
                    fixed: &[],
                    publics: &[],
                    is_first_row: element(0),
                    is_transition: element(1),
                },
            );
            for (constraint, value) in circuit.constraints.iter().zip(values.constraints) {
                if value != element(0) {
                    let (name, label) = (circuit.name.clone(), constraint.label.clone());
                    found.push(Broken::Constraint(name, label));
                }
            }
            let mut arguments = values.arguments.into_iter();
            for (lookup, count) in circuit.lookups.iter().zip(values.multiplicities) {
                let message = arguments.by_ref().take(lookup.arguments.len()).map(word).collect();
                let sum = sums.entry(message).or_insert(element(0));
                match lookup.direction {
                    Direction::Push => *sum += count,
                    Direction::Pull => *sum -= count,
                }
            }
        }
    }
    for (count, bus, values) in &rows.outside {
        let message = [&[bus.channel()], &values[..]].concat();
        let sum = sums.entry(message).or_insert(element(0));
        let size = element(count.unsigned_abs());
        if *count < 0 { *sum -= size } else { *sum += size }
    }
    let open = sums.into_iter().filter(|(message, sum)| *sum != element(0) && !is_fixed(message));
    found.extend(open.map(|(message, _)| Broken::Message(message)));
    found.truncate(20);
    found
}

/// Whether a fixed table provides the message, as often as it is asked.
fn is_fixed(message: &[u64]) -> bool {
    let (channel, values) = (message[0], &message[1..]);
    if channel == HWSL.channel() {
        let [half, amount, shifted, out] = values else { return false };
        let is_right = *half < 1 << 16 && *amount < 16;
        return is_right && half << amount == shifted + (out << 16) && *shifted < 1 << 16;
    }
    let ops = ByteTable::ALL.into_iter().flat_map(ByteTable::ops);
    let Some(&op) = ops.into_iter().find(|op| op.channel() == channel) else { return false };
    if op == ByteOp::RangeCheck16 {
        return values[0] < 1 << 16;
    }
    let (operands, results) = values.split_at(op.num_operands());
    if operands.iter().any(|&operand| operand > 255) {
        return false;
    }
    let second = operands.get(1).copied().unwrap_or(0);
    let right = op.results(operands[0] as u8, second as u8);
    results.iter().zip(right).all(|(&found, right)| found == u64::from(right))
}
