//! The order in which expressions are computed, and the cuts between functions.
//!
//! An expression is computed when the first constraint or lookup needs it, so
//! that it stands near its use. A function ends after [`MAX_STEPS`] steps, between
//! any two of them; what later functions read passes through scratch elements,
//! which are reused after their last reader.

use std::collections::{BTreeMap, BTreeSet};

use traceloom_air::system::{Circuit, ExprId, Node};

/// Most steps of one function, loads and saves excluded.
pub const MAX_STEPS: usize = 300;

/// What to compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All constraints.
    Constraints,
    /// Multiplicity and arguments of all lookups.
    Lookups,
}

/// One step of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Reads a column, a public value or a row selector.
    Read(ExprId),
    /// Takes a value that an earlier function computed from scratch.
    Load(ExprId, usize),
    /// Computes a sum, difference or product.
    Compute(ExprId),
    /// Keeps a value for later functions.
    Save(ExprId, usize),
    /// Hands out constraint `index`.
    Constraint {
        /// Position in the system.
        index: usize,
    },
    /// Hands out an argument of a lookup.
    Argument {
        /// Position of the lookup.
        lookup: usize,
        /// Position among its arguments.
        position: usize,
        /// Position among the arguments of all lookups.
        flat: usize,
    },
    /// Hands out the multiplicity of a lookup, after its arguments.
    Multiplicity {
        /// Position of the lookup.
        lookup: usize,
    },
}

/// The functions of one part of a circuit.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    /// Steps of each function, in order.
    pub functions: Vec<Vec<Step>>,
    /// Number of scratch elements.
    pub scratch_len: usize,
}

/// Schedules `part` of `circuit`.
#[must_use]
pub fn schedule(circuit: &Circuit, part: Part) -> Schedule {
    let mut order = Order { circuit, done: BTreeSet::new(), steps: Vec::new() };
    match part {
        Part::Constraints => {
            for (index, constraint) in circuit.constraints.iter().enumerate() {
                order.want(constraint.expr);
                order.steps.push(Step::Constraint { index });
            }
        }
        Part::Lookups => {
            let mut flat = 0;
            for (index, lookup) in circuit.lookups.iter().enumerate() {
                for (position, &argument) in lookup.arguments.iter().enumerate() {
                    order.want(argument);
                    order.steps.push(Step::Argument { lookup: index, position, flat });
                    flat += 1;
                }
                order.want(lookup.multiplicity);
                order.steps.push(Step::Multiplicity { lookup: index });
            }
        }
    }
    cut(circuit, &order.steps)
}

/// The expression that a step hands out, if it does.
#[must_use]
pub fn output(circuit: &Circuit, step: Step) -> Option<ExprId> {
    match step {
        Step::Constraint { index } => Some(circuit.constraints[index].expr),
        Step::Argument { lookup, position, .. } => {
            Some(circuit.lookups[lookup].arguments[position])
        }
        Step::Multiplicity { lookup } => Some(circuit.lookups[lookup].multiplicity),
        Step::Read(_) | Step::Load(..) | Step::Compute(_) | Step::Save(..) => None,
    }
}

/// The operands of a computed expression, none for a leaf.
fn operands(node: Node) -> impl DoubleEndedIterator<Item = ExprId> {
    let operands = match node {
        Node::Add(a, b) | Node::Sub(a, b) | Node::Mul(a, b) => Some([a, b]),
        _ => None,
    };
    operands.into_iter().flatten()
}

struct Order<'a> {
    circuit: &'a Circuit,
    done: BTreeSet<ExprId>,
    steps: Vec<Step>,
}

impl Order<'_> {
    /// Computes `expr` and what it needs, operands first and left before right.
    fn want(&mut self, expr: ExprId) {
        let mut pending = vec![(expr, false)];
        while let Some((expr, ready)) = pending.pop() {
            let node = self.circuit.arena.node(expr);
            if operands(node).next().is_none() || self.done.contains(&expr) {
                continue;
            }
            if ready {
                self.done.insert(expr);
                self.steps.push(Step::Compute(expr));
                continue;
            }
            pending.push((expr, true));
            pending.extend(operands(node).rev().map(|operand| (operand, false)));
        }
    }
}

/// What a step reads.
fn reads(circuit: &Circuit, step: Step) -> Vec<ExprId> {
    match step {
        Step::Compute(expr) => operands(circuit.arena.node(expr)).collect(),
        other => output(circuit, other).into_iter().collect(),
    }
}

fn cut(circuit: &Circuit, steps: &[Step]) -> Schedule {
    let chunks: Vec<&[Step]> = steps.chunks(MAX_STEPS).collect();
    // The function that computes each expression, and the last that reads it.
    let mut made = BTreeMap::new();
    let mut last_read = BTreeMap::new();
    for (number, chunk) in chunks.iter().enumerate() {
        for &step in *chunk {
            for expr in reads(circuit, step) {
                last_read.insert(expr, number);
            }
            if let Step::Compute(expr) = step {
                made.insert(expr, number);
            }
        }
    }
    let mut schedule = Schedule::default();
    let mut slots: BTreeMap<ExprId, usize> = BTreeMap::new();
    let mut free: BTreeSet<usize> = BTreeSet::new();
    for (number, chunk) in chunks.iter().enumerate() {
        let mut function = Vec::new();
        let mut here: BTreeSet<ExprId> = BTreeSet::new();
        for &step in *chunk {
            for expr in reads(circuit, step) {
                if !here.insert(expr) || matches!(circuit.arena.node(expr), Node::Constant(_)) {
                    continue;
                }
                match slots.get(&expr) {
                    Some(&slot) => function.push(Step::Load(expr, slot)),
                    None => function.push(Step::Read(expr)),
                }
            }
            function.push(step);
            if let Step::Compute(expr) = step {
                here.insert(expr);
                if last_read.get(&expr).is_some_and(|&last| last > number) {
                    let slot = free.pop_first().unwrap_or(schedule.scratch_len);
                    schedule.scratch_len = schedule.scratch_len.max(slot + 1);
                    slots.insert(expr, slot);
                    function.push(Step::Save(expr, slot));
                }
            }
        }
        // A slot is free for the functions after its last reader, not for that one.
        let finished: Vec<ExprId> =
            slots.keys().copied().filter(|expr| last_read[expr] <= number).collect();
        for expr in finished {
            free.extend(slots.remove(&expr));
        }
        schedule.functions.push(function);
    }
    debug_assert!(made.values().all(|&number| number < chunks.len()));
    schedule
}
