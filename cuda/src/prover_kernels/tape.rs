//! A circuit's expressions as a tape of instructions for `cuda/kernels/tape.cuh`, whose
//! header has their form.
//!
//! Expressions are computed one after the other, each when the first of its readers needs
//! it, the operand that needs more registers first. So most values are read by the very next
//! instruction, as *last*, and never lie in a register. A product that one sum reads joins
//! it in one instruction.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::ops::Range;

use traceloom_air::field::{Goldilocks, word};
use traceloom_air::system::{Arena, Circuit, Direction, ExprId, Node};

/// Registers that kernels have in local memory; with more they need scratch memory.
pub const LOCAL_REGISTERS: u64 = 64;

const NO_REGISTER: u64 = 0xffff;
const MOST_OPERANDS: u64 = 1 << 19;
/// Flags of `LOOKUP`.
const PULLS: u64 = 1;
const BEGINS_GROUP: u64 = 2;
const ENDS_GROUP: u64 = 4;

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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Add = 0,
    Sub = 1,
    Mul = 2,
    AddMul = 3,
    SubMul = 4,
    MulSub = 5,
    Fold = 6,
    Argument = 7,
    Lookup = 8,
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

/// An instruction before registers are known.
#[derive(Clone, Copy, Debug)]
struct Step {
    operation: Operation,
    a: ExprId,
    /// Of arithmetic alone.
    b: Option<ExprId>,
    /// What it makes; else `index` says where its operand goes.
    makes: Option<ExprId>,
    index: u64,
}

fn operands(node: Node) -> Option<[ExprId; 2]> {
    match node {
        Node::Add(a, b) | Node::Sub(a, b) | Node::Mul(a, b) => Some([a, b]),
        _ => None,
    }
}

/// Puts the operations of a circuit in order.
struct Scheduler<'a> {
    circuit: &'a Circuit,
    groups: &'a [Range<usize>],
    part: Part,
    /// Readers of each node among what is computed.
    uses: Vec<u32>,
    /// Registers that a node needs if nothing is shared; 0 of a leaf.
    weights: Vec<u32>,
    is_made: Vec<bool>,
    last: Option<ExprId>,
    steps: Vec<Step>,
}

impl<'a> Scheduler<'a> {
    fn new(circuit: &'a Circuit, groups: &'a [Range<usize>], part: Part) -> Self {
        let nodes = circuit.arena.nodes();
        let mut weights: Vec<u32> = Vec::with_capacity(nodes.len());
        for &node in nodes {
            weights.push(operands(node).map_or(0, |[a, b]| {
                let [a, b] = [a, b].map(|expr| weights[expr.0 as usize]);
                if a == b { a + 1 } else { a.max(b) }
            }));
        }
        let is_made = vec![false; nodes.len()];
        let uses = vec![0; nodes.len()];
        let mut scheduler =
            Self { circuit, groups, part, uses, weights, is_made, last: None, steps: Vec::new() };
        for sink in scheduler.sinks() {
            scheduler.uses[sink.a.0 as usize] += 1;
        }
        for (index, &node) in nodes.iter().enumerate().rev() {
            if let (true, Some(read)) = (scheduler.uses[index] > 0, operands(node)) {
                read.iter().for_each(|expr| scheduler.uses[expr.0 as usize] += 1);
            }
        }
        scheduler
    }

    /// Where values go, in order.
    fn sinks(&self) -> Vec<Step> {
        let sink = |operation, a, index| Step { operation, a, b: None, makes: None, index };
        let mut sinks = Vec::new();
        if self.part == Part::All {
            let constraints = (0..).zip(&self.circuit.constraints);
            sinks.extend(constraints.map(|(i, c)| sink(Operation::Fold, c.expr, i)));
        }
        for group in self.groups {
            for index in group.clone() {
                let lookup = &self.circuit.lookups[index];
                for (position, &argument) in (0..).zip(&lookup.arguments) {
                    if !matches!(self.circuit.arena.node(argument), Node::Constant(_)) {
                        sinks.push(sink(Operation::Argument, argument, position));
                    }
                }
                let pulls = if lookup.direction == Direction::Pull { PULLS } else { 0 };
                let begins = if index == group.start { BEGINS_GROUP } else { 0 };
                let ends = if index + 1 == group.end { ENDS_GROUP } else { 0 };
                let flags = pulls | begins | ends;
                sinks.push(sink(Operation::Lookup, lookup.multiplicity, flags));
            }
        }
        sinks
    }

    fn run(mut self) -> Vec<Step> {
        for sink in self.sinks() {
            self.make(sink.a);
            self.steps.push(sink);
        }
        self.steps
    }

    fn is_ready(&self, expr: ExprId) -> bool {
        self.weights[expr.0 as usize] == 0 || self.is_made[expr.0 as usize]
    }

    fn make(&mut self, root: ExprId) {
        enum Task {
            Visit(ExprId),
            Finish(ExprId),
        }
        let mut tasks = vec![Task::Visit(root)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Visit(expr) if self.is_ready(expr) => {}
                Task::Visit(expr) => {
                    tasks.push(Task::Finish(expr));
                    // What is pushed last is computed first.
                    if let Some(fused) = self.fused(expr) {
                        tasks.push(Task::Visit(fused.addend));
                        tasks.extend(fused.factors.map(Task::Visit));
                    } else {
                        let node = self.circuit.arena.node(expr);
                        let [a, b] = operands(node).expect("leaves are ready");
                        let weight = |expr: ExprId| self.weights[expr.0 as usize];
                        let (first, second) = if weight(a) >= weight(b) { (a, b) } else { (b, a) };
                        tasks.extend([second, first].map(Task::Visit));
                    }
                }
                Task::Finish(expr) => self.finish(expr),
            }
        }
    }

    /// How a sum joins a product that nobody else reads, if the other operand can be *last*.
    fn fused(&self, expr: ExprId) -> Option<Fused> {
        let arena = &self.circuit.arena;
        let node = arena.node(expr);
        let (Node::Add(a, b) | Node::Sub(a, b)) = node else { return None };
        [(a, b), (b, a)].into_iter().find_map(|(addend, product)| {
            let Node::Mul(x, y) = arena.node(product) else { return None };
            let is_own = self.uses[product.0 as usize] == 1 && !self.is_made[product.0 as usize];
            let is_cheap = [x, y].iter().any(|&factor| self.is_ready(factor));
            let is_last = self.weights[addend.0 as usize] > 0
                && (!self.is_made[addend.0 as usize] || self.last == Some(addend));
            let operation = match node {
                Node::Add(..) => Operation::AddMul,
                _ if product == b => Operation::SubMul,
                _ => Operation::MulSub,
            };
            let fused = Fused { operation, addend, product, factors: [x, y] };
            (is_own && is_cheap && is_last && addend != product).then_some(fused)
        })
    }

    fn finish(&mut self, expr: ExprId) {
        if self.is_made[expr.0 as usize] {
            return;
        }
        let fused = self.fused(expr).filter(|fused| {
            self.last == Some(fused.addend) && fused.factors.iter().all(|&x| self.is_ready(x))
        });
        if let Some(Fused { operation, factors: [x, y], product, .. }) = fused {
            self.is_made[product.0 as usize] = true;
            return self.arithmetic(operation, [x, y], expr);
        }
        let node = self.circuit.arena.node(expr);
        let [a, b] = operands(node).expect("leaves are ready");
        // The product of a sum that could not join it after all.
        for operand in [a, b] {
            if !self.is_ready(operand) {
                self.finish(operand);
            }
        }
        let operation = match node {
            Node::Add(..) => Operation::Add,
            Node::Sub(..) => Operation::Sub,
            _ => Operation::Mul,
        };
        self.arithmetic(operation, [a, b], expr);
    }

    fn arithmetic(&mut self, operation: Operation, [a, b]: [ExprId; 2], makes: ExprId) {
        self.steps.push(Step { operation, a, b: Some(b), makes: Some(makes), index: 0 });
        self.is_made[makes.0 as usize] = true;
        self.last = Some(makes);
    }
}

/// A sum and a product as one instruction, whose third operand is *last*.
struct Fused {
    operation: Operation,
    addend: ExprId,
    product: ExprId,
    factors: [ExprId; 2],
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
