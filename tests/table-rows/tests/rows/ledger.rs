//! Constraints and messages of rows, without a proof: what holds, and what is left open.

use std::collections::BTreeMap;

use traceloom_abi::evaluate::Cells;
use traceloom_air::bytes::{ByteOp, ByteTable};
use traceloom_air::claim::BoundaryMessage;
use traceloom_air::field::{Goldilocks, element, word};
use traceloom_air::system::{Circuit, Direction, System};
use traceloom_host_kernels::evaluation::interpret;
use traceloom_optables::Bus;

/// Something that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Broken {
    /// A constraint of a table.
    Constraint(String, String),
    /// A message whose sum is not zero, or which no byte table has.
    Message(Vec<u64>),
}

/// Messages with what they sum up to.
#[derive(Default)]
pub struct Ledger {
    broken: Vec<Broken>,
    sums: BTreeMap<Vec<u64>, Goldilocks>,
}

impl Ledger {
    /// Enters row number `number` of a circuit, or takes it back.
    pub fn row(&mut self, circuit: &Circuit, number: usize, row: &[u64], is_there: bool) {
        let main: Vec<Goldilocks> = row.iter().map(|&cell| element(cell)).collect();
        let fixed = circuit.fixed().and_then(|fixed| fixed.cells()).unwrap_or_default();
        let width = circuit.preprocessed_width();
        let values = interpret(
            circuit,
            &Cells {
                main: &main,
                next: &[],
                fixed: &fixed[number * width..][..width],
                publics: &[],
                is_first_row: element(0),
                is_transition: element(1),
            },
        );
        let constraints = circuit.constraints.iter().zip(values.constraints);
        for (constraint, _) in constraints.filter(|(_, value)| is_there && *value != element(0)) {
            let (name, label) = (circuit.name.clone(), constraint.label.clone());
            self.broken.push(Broken::Constraint(name, label));
        }
        let mut arguments = values.arguments.into_iter();
        for (lookup, count) in circuit.lookups.iter().zip(values.multiplicities) {
            let message = arguments.by_ref().take(lookup.arguments.len()).map(word).collect();
            let is_push = (lookup.direction == Direction::Push) == is_there;
            self.message(message, count, is_push);
        }
    }

    fn message(&mut self, message: Vec<u64>, count: Goldilocks, is_push: bool) {
        let sum = self.sums.entry(message).or_insert(element(0));
        if is_push { *sum += count } else { *sum -= count }
    }

    /// Enters a statement, or takes it back.
    pub fn statement(&mut self, system: &System, statement: &[BoundaryMessage], is_there: bool) {
        for message in statement {
            let boundary = &system.boundaries[message.boundary as usize];
            let is_push = (boundary.direction == Direction::Push) == is_there;
            let message = boundary.message(&message.values).into_iter().map(word).collect();
            self.message(message, element(1), is_push);
        }
    }

    /// The messages of a bus that were entered, and what they sum up to.
    pub fn on(&self, bus: Bus) -> Vec<(Vec<u64>, Goldilocks)> {
        let on_bus = self.sums.iter().filter(|(message, _)| message[0] == bus.channel());
        on_bus.map(|(message, &sum)| (message[1..].to_vec(), sum)).collect()
    }

    /// Everything that does not hold, the first 20 of it.
    pub fn broken(mut self) -> Vec<Broken> {
        let open = self.sums.into_iter();
        let open = open.filter(|(message, sum)| *sum != element(0) && !is_fixed(message));
        self.broken.extend(open.map(|(message, _)| Broken::Message(message)));
        self.broken.truncate(20);
        self.broken
    }
}

/// Whether a byte table provides the message, as often as it is asked.
fn is_fixed(message: &[u64]) -> bool {
    let (channel, values) = (message[0], &message[1..]);
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
