//! A circuit's expressions as a tape of instructions for `cuda/kernels/tape.cuh`, whose
//! header has their form.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::ops::Range;

use traceloom_air::field::{Goldilocks, word};
use traceloom_air::system::{Arena, Circuit, Node};

use super::schedule::{Operation, Scheduler, Step, operands};

const NO_REGISTER: u64 = 0xffff;
const MOST_OPERANDS: u64 = 1 << 19;

/// Kernels fetch two words behind the last instruction, whose operands are not in memory.
const BEHIND: [u64; 2] = [Operation::Lookup as u64 | (Operand::Last as u64) << 4; 2];

/// What a tape computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Lookups only, for stage 2.
    Lookups,
    /// Constraints, then lookups, for the quotient.
    All,
}

/// Why a circuit has no tape.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TapeError {
    /// An instruction has no room for a number.
    #[error("circuit {circuit}: {got} {what}; a device evaluates circuits of at most {most}")]
    Many {
        /// Name of the circuit.
        circuit: String,
        /// Of what there is too much.
        what: &'static str,
        /// How many.
        got: u64,
        /// The most.
        most: u64,
    },
}

/// The instructions, and the constants that they read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tape {
    words: Vec<u64>,
    num_instructions: u64,
    num_registers: u64,
    reads_selectors: bool,
}

impl Tape {
    /// Of `part` of a circuit, whose lookups are in these groups.
    ///
    /// # Errors
    /// [`TapeError`].
    pub fn new(circuit: &Circuit, groups: &[Range<usize>], part: Part) -> Result<Self, TapeError> {
        let steps = Scheduler::new(circuit, groups, part).run();
        let (instructions, num_registers) = assemble(&circuit.arena, &steps, circuit)?;
        let reads = |kind: Operand, index: u64| {
            let read = |at: &u64| (at >> 4 & 7, at >> 26 & 0x7ffff) == (kind as u64, index);
            let read_b = |at: &u64| (at >> 7 & 7, at >> 45) == (kind as u64, index);
            instructions.words.iter().any(|at| read(at) || (at & 15 <= 5 && read_b(at)))
        };
        let reads_selectors = reads(Operand::Selector, 0) || reads(Operand::Selector, 1);
        let num_instructions = instructions.words.len() as u64;
        let words = [&instructions.words[..], &BEHIND, &instructions.constants].concat();
        Ok(Self { words, num_instructions, num_registers, reads_selectors })
    }

    /// What the buffer of a tape has: instructions, two words behind them, constants.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Instructions of a row.
    #[must_use]
    pub fn num_instructions(&self) -> u64 {
        self.num_instructions
    }

    /// Where constants begin among the words.
    pub(super) fn first_constant(&self) -> u64 {
        self.num_instructions + BEHIND.len() as u64
    }

    /// Registers of a row.
    #[must_use]
    pub fn num_registers(&self) -> u64 {
        self.num_registers
    }

    /// Whether a selector is read.
    #[must_use]
    pub fn reads_selectors(&self) -> bool {
        self.reads_selectors
    }
}

#[derive(Clone, Copy, Debug)]
enum Operand {
    Register = 0,
    Last = 1,
    Main = 2,
    Next = 3,
    Fixed = 4,
    Public = 5,
    Constant = 6,
    Selector = 7,
}

#[derive(Default)]
struct Instructions {
    words: Vec<u64>,
    constants: Vec<u64>,
    positions: BTreeMap<u64, u64>,
}

impl Instructions {
    fn constant(&mut self, value: Goldilocks) -> (Operand, u64) {
        let value = word(value);
        let next = self.constants.len() as u64;
        let position = *self.positions.entry(value).or_insert(next);
        if position == next {
            self.constants.push(value);
        }
        (Operand::Constant, position)
    }

    fn leaf(&mut self, node: Node) -> Option<(Operand, u64)> {
        Some(match node {
            Node::Constant(value) => self.constant(value),
            Node::Main(column) => (Operand::Main, column.into()),
            Node::MainNext(column) => (Operand::Next, column.into()),
            Node::Preprocessed(column) => (Operand::Fixed, column.into()),
            Node::Public(index) => (Operand::Public, index.into()),
            Node::IsFirstRow => (Operand::Selector, 0),
            Node::IsTransition => (Operand::Selector, 1),
            Node::Add(..) | Node::Sub(..) | Node::Mul(..) => return None,
        })
    }
}

/// For each node the last step that reads it from a register, if any does.
fn last_reads(arena: &Arena, steps: &[Step]) -> Vec<Option<usize>> {
    let mut reads = vec![None; arena.nodes().len()];
    let mut last = None;
    for (at, step) in steps.iter().enumerate() {
        for expr in [Some(step.a), step.b].into_iter().flatten() {
            if operands(arena.node(expr)).is_some() && last != Some(expr) {
                reads[expr.0 as usize] = Some(at);
            }
        }
        last = step.makes.or(last);
    }
    reads
}

/// Gives registers to what is read later than by the next operation: the lowest that is free.
fn assemble(
    arena: &Arena,
    steps: &[Step],
    circuit: &Circuit,
) -> Result<(Instructions, u64), TapeError> {
    let last_reads = last_reads(arena, steps);
    let mut registers = vec![NO_REGISTER; arena.nodes().len()];
    let mut free: BinaryHeap<Reverse<u64>> = BinaryHeap::new();
    let (mut end, mut last, mut instructions) = (0, None, Instructions::default());
    let check = |what, got: u64, most: u64| {
        let many = || TapeError::Many { circuit: circuit.name.clone(), what, got, most };
        if got > most { Err(many()) } else { Ok(()) }
    };
    for (at, step) in steps.iter().enumerate() {
        let mut encoded = step.operation as u64;
        for (expr, kind_at, index_at) in [(Some(step.a), 4, 26), (step.b, 7, 45)] {
            let Some(expr) = expr else { continue };
            let (kind, index) = match instructions.leaf(arena.node(expr)) {
                Some(leaf) => leaf,
                None if last == Some(expr) => (Operand::Last, 0),
                None => (Operand::Register, registers[expr.0 as usize]),
            };
            check("columns, constants or public values", index + 1, MOST_OPERANDS)?;
            encoded |= (kind as u64) << kind_at | index << index_at;
        }
        for expr in [Some(step.a), step.b.filter(|&b| b != step.a)].into_iter().flatten() {
            let register = registers[expr.0 as usize];
            if register != NO_REGISTER && last_reads[expr.0 as usize] == Some(at) {
                free.push(Reverse(register));
            }
        }
        let index = match step.makes {
            Some(made) if last_reads[made.0 as usize].is_some() => {
                let register = free.pop().map_or(end, |Reverse(register)| register);
                end = end.max(register + 1);
                registers[made.0 as usize] = register;
                register
            }
            Some(_) => NO_REGISTER,
            None => step.index,
        };
        check("registers", end, NO_REGISTER)?;
        check("constraints or arguments of a lookup", index, NO_REGISTER)?;
        instructions.words.push(encoded | index << 10);
        last = step.makes.or(last);
    }
    Ok((instructions, end))
}

#[cfg(test)]
mod tests {
    use traceloom_air::field::{MODULUS, element};
    use traceloom_air::system::{CircuitKind, Constraint, Direction, ExprId, Lookup};

    use super::*;

    /// Runs the instructions on one row, whose leaves have the values `of`. Gives constraints,
    /// arguments and multiplicities as they come; what was never written is not read.
    fn run(tape: &Tape, of: impl Fn(u64, u64) -> Goldilocks) -> Vec<(u64, u64, Goldilocks)> {
        let (instructions, constants) = tape.words().split_at(tape.first_constant() as usize);
        let instructions = &instructions[..tape.num_instructions() as usize];
        let mut registers = vec![None; tape.num_registers() as usize];
        let (mut last, mut sinks) = (None, Vec::new());
        for at in instructions {
            let operand = |kind: u64, index: u64| match kind {
                0 => registers[index as usize].expect("a register was written"),
                1 => last.expect("something was made"),
                6 => element(constants[index as usize]),
                _ => of(kind, index),
            };
            let (operation, index) = (at & 15, (at >> 10) & 0xffff);
            let a = operand((at >> 4) & 7, (at >> 26) & 0x7_ffff);
            if operation > 5 {
                sinks.push((operation, index, a));
                continue;
            }
            let b = operand((at >> 7) & 7, at >> 45);
            let before = || last.expect("something was made");
            let made = match operation {
                0 => a + b,
                1 => a - b,
                2 => a * b,
                3 => before() + a * b,
                4 => before() - a * b,
                _ => a * b - before(),
            };
            last = Some(made);
            if index != NO_REGISTER {
                registers[index as usize] = last;
            }
        }
        sinks
    }

    fn leaf(kind: u64, index: u64) -> Goldilocks {
        element(1_000_003 * (kind + 1) + 77 * index * index + index)
    }

    fn values(arena: &Arena) -> Vec<Goldilocks> {
        let mut values: Vec<Goldilocks> = Vec::new();
        for &node in arena.nodes() {
            let of = |expr: ExprId| values[expr.0 as usize];
            let value = match node {
                Node::Constant(value) => value,
                Node::Main(column) => leaf(2, column.into()),
                Node::MainNext(column) => leaf(3, column.into()),
                Node::Preprocessed(column) => leaf(4, column.into()),
                Node::Public(index) => leaf(5, index.into()),
                Node::IsFirstRow => leaf(7, 0),
                Node::IsTransition => leaf(7, 1),
                Node::Add(a, b) => of(a) + of(b),
                Node::Sub(a, b) => of(a) - of(b),
                Node::Mul(a, b) => of(a) * of(b),
            };
            values.push(value);
        }
        values
    }

    fn circuit(arena: Arena, constraints: &[ExprId], lookups: Vec<Lookup>) -> Circuit {
        let constraint = |&expr| Constraint { expr, label: String::new() };
        Circuit {
            name: "toy".into(),
            kind: CircuitKind::Memory { width: 1 },
            width: 8,
            column_names: vec![String::new(); 8],
            num_publics: 1,
            arena,
            constraints: constraints.iter().map(constraint).collect(),
            lookups,
        }
    }

    /// Operations over all that was made before, chosen by a generator of Lehmer's.
    fn arena(seed: u64, num_nodes: usize) -> (Arena, Vec<ExprId>) {
        let mut arena = Arena::default();
        let mut exprs: Vec<ExprId> = (0..8).map(|column| arena.main(column)).collect();
        let others = [
            Node::MainNext(1),
            Node::Preprocessed(2),
            Node::Public(0),
            Node::IsFirstRow,
            Node::IsTransition,
            Node::Constant(element(MOST_OPERANDS - 1)),
            Node::Constant(element(MOST_OPERANDS)),
            Node::Constant(element(MODULUS - 1)),
        ];
        exprs.extend(others.map(|node| arena.intern(node)));
        let mut state = 2 * seed + 1;
        let mut draw = |below: usize| {
            state = state * 48_271 % 0x7fff_ffff;
            state as usize % below
        };
        for _ in 0..num_nodes {
            let recent = exprs.len() - 3 + draw(3);
            let [a, b] = [exprs[recent], exprs[draw(exprs.len())]];
            let [a, b] = if draw(2) == 0 { [a, b] } else { [b, a] };
            let node = [Node::Add(a, b), Node::Sub(a, b), Node::Mul(a, b)][draw(3)];
            exprs.push(arena.intern(node));
        }
        (arena, exprs)
    }

    #[test]
    fn tapes_compute_what_nodes_say() {
        for seed in 0..60 {
            let (arena, exprs) = arena(seed, 5 * seed as usize);
            let values = values(&arena);
            let of = |expr: ExprId| values[expr.0 as usize];
            let constraints: Vec<ExprId> = exprs.iter().rev().step_by(7).copied().collect();
            let lookup = |at: usize| Lookup {
                direction: if at == 1 { Direction::Pull } else { Direction::Push },
                multiplicity: exprs[exprs.len() - 1 - at],
                arguments: vec![exprs[at], exprs[15], exprs[exprs.len() / (at + 1) - 1]],
                label: String::new(),
            };
            let circuit = circuit(arena, &constraints, (0..3).map(lookup).collect());
            let mut expected = Vec::new();
            for (index, lookup) in circuit.lookups.iter().enumerate() {
                for (position, &argument) in (0..).zip(&lookup.arguments) {
                    if !matches!(circuit.arena.node(argument), Node::Constant(_)) {
                        expected.push((7, position, of(argument)));
                    }
                }
                // Groups are the first two, and the third.
                expected.push((8, [2, 1 | 4, 2 | 4][index], of(lookup.multiplicity)));
            }
            let groups = [0..2, 2..3];
            let tape = Tape::new(&circuit, &groups, Part::Lookups).expect("it is small");
            assert_eq!(run(&tape, leaf), expected, "seed {seed}");
            let folded = (0..).zip(&constraints).map(|(at, &expr)| (6, at, of(expr)));
            let expected: Vec<_> = folded.chain(expected).collect();
            let tape = Tape::new(&circuit, &groups, Part::All).expect("it is small");
            assert_eq!(run(&tape, leaf), expected, "seed {seed}");
        }
    }

    #[test]
    fn chains_and_sums_of_products_need_no_register() {
        let mut arena = Arena::default();
        let columns: Vec<ExprId> = (0..8).map(|column| arena.main(column)).collect();
        let mut sum = arena.mul(columns[0], columns[1]);
        for pair in columns.windows(2).skip(1) {
            let product = arena.mul(pair[0], pair[1]);
            sum = arena.add(sum, product);
        }
        let circuit = circuit(arena, &[sum], Vec::new());
        let tape = Tape::new(&circuit, &[], Part::All).expect("it is small");
        assert_eq!((tape.num_instructions(), tape.num_registers()), (8, 0));
        assert!(!tape.reads_selectors());
    }

    #[test]
    fn registers_are_used_again() {
        let mut arena = Arena::default();
        let columns: Vec<ExprId> = (0..8).map(|column| arena.main(column)).collect();
        let mut sum = columns[0];
        for _ in 0..100 {
            let left = arena.add(sum, columns[1]);
            let right = arena.sub(sum, columns[2]);
            sum = arena.add(left, right);
        }
        let circuit = circuit(arena, &[sum], Vec::new());
        let tape = Tape::new(&circuit, &[], Part::All).expect("it is small");
        assert_eq!(tape.num_instructions(), 301);
        assert_eq!(tape.num_registers(), 2);
    }

    #[test]
    fn what_an_instruction_has_no_room_for_is_an_error() {
        let mut arena = Arena::default();
        let far = arena.intern(Node::Main(MOST_OPERANDS as u32));
        let circuit = circuit(arena, &[far], Vec::new());
        let error = Tape::new(&circuit, &[], Part::All).expect_err("it has no room");
        assert!(matches!(error, TapeError::Many { got, .. } if got == MOST_OPERANDS + 1));
        assert!(error.to_string().starts_with("circuit toy: 524289 columns"), "{error}");
    }
}
