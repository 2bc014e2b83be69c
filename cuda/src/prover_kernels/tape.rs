//! A circuit's expressions as a tape of instructions for `cuda/kernels/tape.cuh`, whose
//! header has their form.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::ops::Range;

use traceloom_air::field::{Goldilocks, word};
use traceloom_air::system::{Arena, Circuit, Node};

use super::schedule::{Scheduler, Step, operands};

/// Registers that kernels have in local memory; with more they need scratch memory.
pub const LOCAL_REGISTERS: u64 = 64;

const NO_REGISTER: u64 = 0xffff;
const MOST_OPERANDS: u64 = 1 << 19;

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
        let reads_selectors = reads(Operand::Row, 0) || reads(Operand::Row, 1);
        let num_instructions = instructions.words.len() as u64;
        let words = [instructions.words, instructions.constants].concat();
        Ok(Self { words, num_instructions, num_registers, reads_selectors })
    }

    /// What the buffer of a tape has: instructions, then constants.
    #[must_use]
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Instructions of a row.
    #[must_use]
    pub fn num_instructions(&self) -> u64 {
        self.num_instructions
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
    Small = 5,
    Constant = 6,
    Row = 7,
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
        if value < MOST_OPERANDS {
            return (Operand::Small, value);
        }
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
            Node::Public(index) => (Operand::Row, u64::from(index) + 2),
            Node::IsFirstRow => (Operand::Row, 0),
            Node::IsTransition => (Operand::Row, 1),
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
