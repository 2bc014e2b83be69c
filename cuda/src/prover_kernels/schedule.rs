//! The order in which the operations of a circuit are computed.
//!
//! Expressions are computed one after the other, each when the first of its readers needs
//! it, the operand that needs more registers first. So most values are read by the very next
//! instruction, as *last*, and never lie in a register. A product that one sum reads joins
//! it in one instruction.

use std::ops::Range;

use traceloom_air::system::{Circuit, Direction, ExprId, Node};

use super::tape::Part;

/// Flags of [`Operation::Lookup`].
const PULLS: u64 = 1;
const BEGINS_GROUP: u64 = 2;
const ENDS_GROUP: u64 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
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

/// An instruction before registers are known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) operation: Operation,
    pub(super) a: ExprId,
    /// Of arithmetic alone.
    pub(super) b: Option<ExprId>,
    /// What it makes; else `index` says where its operand goes.
    pub(super) makes: Option<ExprId>,
    pub(super) index: u64,
}

pub(super) fn operands(node: Node) -> Option<[ExprId; 2]> {
    match node {
        Node::Add(a, b) | Node::Sub(a, b) | Node::Mul(a, b) => Some([a, b]),
        _ => None,
    }
}

/// Puts the operations of a circuit in order.
pub(super) struct Scheduler<'a> {
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
    pub(super) fn new(circuit: &'a Circuit, groups: &'a [Range<usize>], part: Part) -> Self {
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

    pub(super) fn run(mut self) -> Vec<Step> {
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
