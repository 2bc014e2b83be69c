//! What fails, in the program's words.

use std::collections::{BTreeSet, HashMap};

use traceloom_air::bytes::{ByteOp, ByteTable};
use traceloom_air::field::{Goldilocks, MODULUS, element, word};
use traceloom_air::message::{FUNCTION_CHANNEL, MEMORY_CHANNEL, OPS_CHANNEL};
use traceloom_air::system::{CircuitKind, ExprId, Lookup, Node, System};
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::columns::{Roles, roles};
use traceloom_bytecode::model::{FunctionId, byte_op_name};
use traceloom_bytecode::text::Places;

use super::Options;
use super::bus::{Balance, Site};
use super::evaluate::{Failure, Table};
use super::report::{Cell, ConstraintFailure, Imbalance, Near};

/// Elements of a message that are printed.
const MAX_ELEMENTS: usize = 12;
/// Cells of a failure that are printed.
const MAX_CELLS: usize = 24;
/// Characters of an expression that are printed.
const MAX_EXPR: usize = 160;
/// Elements up to which a field element is printed as a negative number.
const MOST_NEGATIVE: u64 = 1 << 32;
/// Unbalanced messages among which near ones are looked for.
const MAX_CANDIDATES: usize = 4096;

/// A field element as people read it: -1 instead of p - 1.
#[must_use]
pub fn signed(word: u64) -> String {
    match MODULUS - word {
        below if below <= MOST_NEGATIVE => format!("-{below}"),
        _ => word.to_string(),
    }
}

/// Names of functions and columns, as far as somebody knows them.
#[derive(Debug, Default)]
pub struct Words<'a> {
    program: Option<&'a CheckedProgram>,
    places: Places,
}

impl<'a> Words<'a> {
    /// Those of a program, and of its text if it was read from one.
    #[must_use]
    pub fn new(program: &'a CheckedProgram, text: Option<&[u8]>) -> Self {
        Self { program: Some(program), places: text.map(Places::of).unwrap_or_default() }
    }

    /// What the columns of a circuit of functions are for.
    pub(super) fn roles(&self, kind: &CircuitKind) -> Option<Roles> {
        let CircuitKind::Function { members, .. } = kind else { return None };
        let members: Vec<FunctionId> = members.iter().map(|&member| FunctionId(member)).collect();
        Some(roles(self.program?, &members, &self.places))
    }
}

impl Table<'_> {
    pub(super) fn describe(&self, failure: Failure, options: &Options<'_>) -> ConstraintFailure {
        let Failure { row, constraint, value } = failure;
        let stated = &self.circuit.constraints[constraint];
        let names = &self.circuit.column_names;
        ConstraintFailure {
            circuit: self.circuit.name.clone(),
            row,
            place: (options.place)(self.place.1 as usize, row),
            constraint,
            label: stated.label.clone(),
            expr: self.circuit.arena.display(stated.expr, names, MAX_EXPR),
            value: word(value),
            cells: self.cells(stated.expr, row, &options.words),
        }
    }

    /// The cells that an expression reads.
    fn cells(&self, expr: ExprId, row: usize, words: &Words<'_>) -> Vec<Cell> {
        let roles = words.roles(&self.circuit.kind);
        let (mut seen, mut columns) = (BTreeSet::new(), BTreeSet::new());
        let mut rest = vec![expr];
        while let Some(expr) = rest.pop() {
            if !seen.insert(expr.0) {
                continue;
            }
            match self.circuit.arena.node(expr) {
                Node::Main(column) => {
                    columns.insert((false, column));
                }
                Node::MainNext(column) => {
                    columns.insert((true, column));
                }
                Node::Add(a, b) | Node::Sub(a, b) | Node::Mul(a, b) => rest.extend([a, b]),
                _ => {}
            }
        }
        let cell = |(is_next, column): (bool, u32)| {
            let column = column as usize;
            let cells = if is_next { self.next_row(row) } else { self.row(row) };
            let name = &self.circuit.column_names[column];
            Cell {
                column: if is_next { format!("next.{name}") } else { name.clone() },
                value: word(cells[column]),
                role: roles.as_ref().map_or_else(String::new, |roles| roles.of(column, cells)),
            }
        };
        columns.into_iter().take(MAX_CELLS).map(cell).collect()
    }
}

/// Describes the first messages that do not balance.
pub(super) fn imbalances(
    system: &System,
    unbalanced: &[Balance],
    options: &Options<'_>,
    site: impl Fn(Site) -> String,
) -> Vec<Imbalance> {
    let mut by_kind: HashMap<(u64, u64, usize), Vec<usize>> = HashMap::new();
    for (index, balance) in unbalanced.iter().take(MAX_CANDIDATES).enumerate() {
        by_kind.entry(kind(&balance.message)).or_default().push(index);
    }
    let describe = |(index, balance): (usize, &Balance)| {
        let candidates = by_kind.get(&kind(&balance.message)).map_or(&[][..], Vec::as_slice);
        let others = candidates.iter().filter(|&&other| other != index);
        // What is used too often may have been meant to be what is provided too often.
        let distance = |other: &&usize| {
            let other = &unbalanced[**other];
            (distance(&balance.message, &other.message), (missing(other) == missing(balance)))
        };
        let near = others.min_by_key(distance).map(|&other| {
            near(system, &balance.message, &unbalanced[other], &options.words, &site)
        });
        let near = near.filter(|near| 2 * near.differences.len() <= balance.message.len().max(4));
        Imbalance {
            message: describe_message(system, &balance.message, &options.words),
            pushed: word(balance.pushed),
            pulled: word(balance.pulled),
            pushed_by: balance.first_push.map(&site),
            pulled_by: balance.first_pull.map(&site),
            near,
        }
    };
    unbalanced.iter().enumerate().take(options.show).map(describe).collect()
}

/// Whether nobody provides a message.
fn missing(balance: &Balance) -> bool {
    balance.pulled == Goldilocks::new(0)
}

/// Channel, and what fixes the length of the message.
fn kind(message: &[u64]) -> (u64, u64, usize) {
    let get = |position: usize| message.get(position).copied().unwrap_or(0);
    match get(0) {
        channel @ (FUNCTION_CHANNEL | MEMORY_CHANNEL) => (channel, get(1), 0),
        channel => (channel, 0, 0),
    }
}

fn distance(a: &[u64], b: &[u64]) -> usize {
    let get = |list: &[u64], position: usize| list.get(position).copied().unwrap_or(0);
    (0..a.len().max(b.len())).filter(|&i| get(a, i) != get(b, i)).count()
}

fn near(
    system: &System,
    message: &[u64],
    other: &Balance,
    words: &Words<'_>,
    site: impl Fn(Site) -> String,
) -> Near {
    let fields = Fields::of(message, words);
    let get = |list: &[u64], position: usize| list.get(position).copied().unwrap_or(0);
    let positions = 0..message.len().max(other.message.len());
    let differences = positions.filter_map(|position| {
        let (here, there) = (get(message, position), get(&other.message, position));
        (here != there).then(|| (fields.name(position), here, there))
    });
    Near {
        message: describe_message(system, &other.message, words),
        pushed: word(other.pushed),
        pulled: word(other.pulled),
        by: other.first_pull.or(other.first_push).map(site),
        differences: differences.collect(),
    }
}

/// Which part of a message is what.
enum Fields {
    /// Whether there is a rank, and names of inputs and outputs.
    Function {
        ranked: bool,
        inputs: Vec<String>,
        outputs: usize,
    },
    Memory,
    ByteOp(ByteOp),
    Unknown,
}

impl Fields {
    fn of(message: &[u64], words: &Words<'_>) -> Self {
        let get = |position: usize| message.get(position).copied().unwrap_or(0);
        match get(0) {
            FUNCTION_CHANNEL => {
                let Some(program) = words.program else { return Self::Unknown };
                let functions = &program.program().functions;
                let index = usize::try_from(get(1)).unwrap_or(usize::MAX);
                let Some(function) = functions.get(index) else { return Self::Unknown };
                let named = words.places.inputs(index);
                let inputs = (0..function.num_inputs as usize).map(|input| {
                    named.get(input).cloned().unwrap_or_else(|| format!("input {input}"))
                });
                Self::Function {
                    ranked: program.layout(FunctionId(index as u32)).ranked,
                    inputs: inputs.collect(),
                    outputs: function.num_outputs as usize,
                }
            }
            MEMORY_CHANNEL => Self::Memory,
            channel => {
                let mut ops = ByteTable::ALL.into_iter().flat_map(ByteTable::ops);
                ops.find(|op| op.channel() == channel).map_or(Self::Unknown, |op| Self::ByteOp(*op))
            }
        }
    }

    /// Name of the element at a position of the message.
    fn name(&self, position: usize) -> String {
        match (self, position) {
            (_, 0) => "channel".into(),
            (Self::Function { .. }, 1) => "function".into(),
            (Self::Function { ranked: true, .. }, 2) => "rank".into(),
            (Self::Function { ranked, inputs, .. }, _) => {
                let position = position - 2 - usize::from(*ranked);
                match inputs.get(position) {
                    Some(name) => name.clone(),
                    None => format!("output {}", position - inputs.len()),
                }
            }
            (Self::Memory, 1) => "width".into(),
            (Self::Memory, 2) => "pointer".into(),
            (Self::Memory, _) => format!("value {}", position - 3),
            (Self::ByteOp(op), _) => match position.checked_sub(1 + num_operands(*op)) {
                None => format!("operand {}", position - 1),
                Some(result) => format!("result {result}"),
            },
            (Self::Unknown, _) => format!("element {position}"),
        }
    }
}

fn num_operands(op: ByteOp) -> usize {
    if op == ByteOp::RangeCheck16 { 1 } else { op.table().num_operands() }
}

fn list(words: &[u64]) -> String {
    let shown: Vec<String> = words.iter().take(MAX_ELEMENTS).map(|&word| signed(word)).collect();
    let more = match words.len().saturating_sub(MAX_ELEMENTS) {
        0 => String::new(),
        more => format!(", … {more} more"),
    };
    format!("{}{more}", shown.join(", "))
}

/// A message by its numbers, where nobody knows the program.
fn by_number(system: &System, message: &[u64]) -> String {
    let get = |position: usize| message.get(position).copied().unwrap_or(0);
    let (what, first) = match (Fields::of(message, &Words::default()), get(0)) {
        (Fields::ByteOp(op), _) => (format!("message of {}", byte_op_name(op)), 1),
        (_, FUNCTION_CHANNEL) => (format!("message of function {}", get(1)), 2),
        (_, MEMORY_CHANNEL) => (format!("message of memory width {}", get(1)), 2),
        (_, channel) => match bus_name(system, channel) {
            Some(name) => (format!("message of {name}"), 1),
            None => (format!("message on channel {channel}"), 1),
        },
    };
    format!("{what}: [{}]", list(message.get(first..).unwrap_or_default()))
}

/// A message as the program would write it.
fn describe_message(system: &System, message: &[u64], words: &Words<'_>) -> String {
    if words.program.is_none() {
        return by_number(system, message);
    }
    let get = |position: usize| message.get(position).copied().unwrap_or(0);
    // Zeros at the end were cut off.
    let part = |from: usize, len: usize| (from..from + len).map(get).collect::<Vec<u64>>();
    match Fields::of(message, words) {
        Fields::Function { ranked, inputs, outputs } => {
            let first = 2 + usize::from(ranked);
            let name = words.program.and_then(|program| {
                program.program().functions.get(get(1) as usize).map(|function| &function.name)
            });
            let name = name.map_or_else(String::new, |name| format!("{name:?}"));
            let given = list(&part(first, inputs.len()));
            let returned = list(&part(first + inputs.len(), outputs));
            let rank = if ranked { format!(", rank {}", signed(get(2))) } else { String::new() };
            match outputs {
                1 => format!("call of {name}({given}) = {returned}{rank}"),
                _ => format!("call of {name}({given}) = [{returned}]{rank}"),
            }
        }
        Fields::Memory => {
            let width = usize::try_from(get(1)).unwrap_or(0).min(message.len().max(4));
            let values = list(&part(3, width.max(message.len().saturating_sub(3))));
            format!("memory of width {}: pointer {} is [{values}]", get(1), signed(get(2)))
        }
        Fields::ByteOp(op) => {
            let (name, operands) = (byte_op_name(op), num_operands(op));
            let given = list(&part(1, operands));
            match message.len().saturating_sub(1 + operands).max(op.num_results()) {
                0 => format!("{name}({given})"),
                results => format!("{name}({given}) = {}", list(&part(1 + operands, results))),
            }
        }
        Fields::Unknown => by_number(system, message),
    }
}

/// Name of a bus of op tables: lookups of tables have the name of theirs.
fn bus_name(system: &System, channel: u64) -> Option<&str> {
    if channel < OPS_CHANNEL {
        return None;
    }
    let mut lookups = system.circuits.iter().flat_map(|circuit| {
        let is_on = move |lookup: &&Lookup| {
            let first = lookup.arguments.first().map(|&first| circuit.arena.node(first));
            first == Some(Node::Constant(element(channel)))
        };
        circuit.lookups.iter().filter(is_on)
    });
    lookups.next().map(|lookup| &lookup.label[..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_near_the_modulus_are_negative() {
        for (word, text) in [
            (0, "0"),
            (7, "7"),
            (MODULUS - 1, "-1"),
            (MODULUS - (1 << 32), "-4294967296"),
            (MODULUS - (1 << 32) - 1, "18446744065119617024"),
        ] {
            assert_eq!(signed(word), text);
        }
    }

    #[test]
    fn messages_are_written_as_the_program_would_write_them() {
        let text = "program \"p\"\nmemory 2\nfn f(a) -> 1 {\n return a\n}\nend\n";
        let program = traceloom_bytecode::text::parse(text).unwrap();
        let program = CheckedProgram::new(program).unwrap();
        let system = traceloom_bytecode::system::build_system(&program);
        let words = Words::new(&program, Some(text.as_bytes()));
        let xor = ByteOp::Xor.channel();
        for (message, named, numbered) in [
            (&[xor, 3, 5, 6][..], "u8_xor(3, 5) = 6", "message of u8_xor: [3, 5, 6]"),
            // Zeros at the end are cut off.
            (&[xor, 3, 3], "u8_xor(3, 3) = 0", "message of u8_xor: [3, 3]"),
            (
                &[MEMORY_CHANNEL, 2, 9, MODULUS - 1],
                "memory of width 2: pointer 9 is [-1, 0]",
                "message of memory width 2: [9, -1]",
            ),
            (&[FUNCTION_CHANNEL, 0, 7], "call of \"f\"(7) = 0", "message of function 0: [7]"),
            (
                &[FUNCTION_CHANNEL, 4, 1, 2],
                "message of function 4: [1, 2]",
                "message of function 4: [1, 2]",
            ),
            (&[99, 1], "message on channel 99: [1]", "message on channel 99: [1]"),
            (&[], "message on channel 0: []", "message on channel 0: []"),
        ] {
            assert_eq!(describe_message(&system, message, &words), named);
            assert_eq!(describe_message(&system, message, &Words::default()), numbered);
        }
    }
}
