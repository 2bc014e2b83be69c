//! Which cells of a row are determined, and why the others are not.
//!
//! A walk over the bytecode along the path that the row's selectors name. What
//! the path does not use is free. Advice is free until something reads it that has
//! a constraint or a message: sums and multiples only pass it on.

use std::fmt;

use traceloom_air::bytes::ByteOp;
use traceloom_air::field::{Goldilocks, PrimeCharacteristicRing};
use traceloom_air::system::CircuitKind;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::callgraph::RankedCall;
use traceloom_bytecode::layout::{FunctionLayout, OpPlace};
use traceloom_bytecode::model::{Control, Function, FunctionId, Match, Op, ValueId};
use traceloom_bytecode::system::{GroupColumns, MEMORY_MULTIPLICITY, MEMORY_POINTER};

/// What is known of one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// Any change is refused; the family of what it holds.
    Determined(&'static str),
    /// Any value is accepted; the reason.
    Free(&'static str),
    /// The selector of a padding row whose zeros are a right row that sends
    /// nothing: 1 is accepted, another value is not.
    Idle,
}

impl Label {
    /// Whether any value is accepted.
    pub fn is_free(self) -> bool {
        matches!(self, Self::Free(_))
    }

    /// Whether the value plus one is accepted.
    pub fn is_free_to_increase(self) -> bool {
        self.is_free() || self == Self::Idle
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Determined(family) => write!(f, "determined: {family}"),
            Self::Free(reason) => write!(f, "free: {reason}"),
            Self::Idle => write!(f, "0 or 1: selector of padding that would be an idle row"),
        }
    }
}

/// Labels of one row of circuit `circuit`, which is not a byte table.
pub fn labels(
    program: &CheckedProgram,
    kind: &CircuitKind,
    circuit: usize,
    row: &[Goldilocks],
) -> Vec<Label> {
    match kind {
        CircuitKind::Function { .. } => {
            function_labels(program, &program.program().circuits[circuit], row)
        }
        CircuitKind::Memory { .. } => memory_labels(row),
        CircuitKind::Bytes(_) | CircuitKind::Ops { .. } => unreachable!("they are left out"),
    }
}

fn memory_labels(row: &[Goldilocks]) -> Vec<Label> {
    let read = row[MEMORY_MULTIPLICITY] != Goldilocks::ZERO;
    let label = |column: usize| match column {
        MEMORY_MULTIPLICITY => Label::Determined("memory multiplicity"),
        MEMORY_POINTER => Label::Determined("memory pointer"),
        _ if read => Label::Determined("memory value"),
        _ => Label::Free("value of a memory row that nobody stores or loads"),
    };
    (0..row.len()).map(label).collect()
}

fn function_labels(
    program: &CheckedProgram,
    members: &[FunctionId],
    row: &[Goldilocks],
) -> Vec<Label> {
    let columns = GroupColumns::new(program, members);
    let mut labels = vec![Label::Free("column that the row's path does not use"); row.len()];
    let inputs = columns.first_selector[0];
    labels[inputs..columns.first_auxiliary].fill(Label::Determined("selector"));
    labels[columns.first_auxiliary] = Label::Determined("multiplicity");
    for (&id, &first_selector) in members.iter().zip(&columns.first_selector) {
        let layout = program.layout(id);
        let selectors = first_selector..first_selector + layout.num_selectors;
        let on: Vec<bool> =
            row[selectors].iter().map(|&selector| selector == Goldilocks::ONE).collect();
        if on.contains(&true) {
            let mut walk = Walk {
                function: program.function(id),
                layout,
                first_auxiliary: columns.first_auxiliary,
                on,
                row,
                labels: &mut labels,
                exposed: Vec::new(),
            };
            walk.run();
            return labels;
        }
    }
    padding_labels(program, members, &columns, &mut labels);
    labels
}

/// No selector is on, so nothing is required but that it stays so.
fn padding_labels(
    program: &CheckedProgram,
    members: &[FunctionId],
    columns: &GroupColumns,
    labels: &mut [Label],
) {
    let inputs = columns.first_selector[0];
    let unconstrained = Label::Free("cell of a function's padding");
    labels[..inputs].fill(unconstrained);
    labels[columns.first_auxiliary + 1..].fill(unconstrained);
    for (&id, &first_selector) in members.iter().zip(&columns.first_selector) {
        for selector in idle_selectors(program.function(id)) {
            labels[first_selector + selector] = Label::Idle;
        }
    }
}

/// Leaves that a row of zeros may take without asking anybody anything: in the
/// body, or in the case 0 of a match of the body on an input.
fn idle_selectors(function: &Function) -> Vec<usize> {
    let sends_nothing = |block: usize| {
        function.blocks[block].ops.iter().all(|op| {
            matches!(op, Op::Const(_) | Op::Add(..) | Op::Sub(..) | Op::Mul(..) | Op::Debug { .. })
        })
    };
    let leaf = |block: usize| match &function.blocks[block].control {
        Control::Return { selector, .. } if sends_nothing(block) => Some(*selector as usize),
        _ => None,
    };
    match &function.blocks[0].control {
        Control::Return { .. } => leaf(0).into_iter().collect(),
        Control::Match(arms) if sends_nothing(0) && arms.value.0 < function.num_inputs => {
            let zero = arms.cases.iter().filter(|(key, _)| *key == Goldilocks::ZERO);
            zero.filter_map(|(_, block)| leaf(block.index())).collect()
        }
        _ => Vec::new(),
    }
}

struct Walk<'a> {
    function: &'a Function,
    layout: &'a FunctionLayout,
    first_auxiliary: usize,
    /// By selector of the function.
    on: Vec<bool>,
    row: &'a [Goldilocks],
    labels: &'a mut [Label],
    /// By value: the advice cells that a change of the value could come from.
    exposed: Vec<Vec<usize>>,
}

impl Walk<'_> {
    fn run(&mut self) {
        self.labels[..self.layout.num_inputs].fill(Label::Determined("input"));
        self.exposed.resize(self.layout.num_inputs, Vec::new());
        if self.layout.ranked {
            self.determine(1, 1, "rank");
        }
        let function = self.function;
        let mut block = 0;
        let mut waiting: Vec<(usize, usize)> = Vec::new();
        loop {
            let place = &self.layout.blocks[block];
            for (op, place) in function.blocks[block].ops.iter().zip(&place.ops) {
                self.op(op, place);
            }
            match &function.blocks[block].control {
                Control::Return { values, .. } => {
                    self.read(values);
                    // Of an early return the merge columns are zero.
                    for (_, next) in waiting {
                        self.merge(next);
                    }
                    return;
                }
                Control::Yield { values, .. } => {
                    self.read(values);
                    let (num_values, next) = waiting.pop().expect("a yield has a match");
                    self.merge(next);
                    self.exposed.truncate(num_values);
                    let merged = self.layout.blocks[next].num_merged;
                    self.exposed.resize(num_values + merged, Vec::new());
                    block = next;
                }
                Control::Match(arms) => block = self.choose(arms, place.end_auxiliary),
                Control::MatchContinue { arms, continuation, .. } => {
                    waiting.push((self.exposed.len(), continuation.index()));
                    block = self.choose(arms, place.end_auxiliary);
                }
            }
        }
    }

    /// The arm that is on; the witnesses of a default.
    fn choose(&mut self, arms: &Match, witnesses: usize) -> usize {
        self.read(&[arms.value]);
        let taken = arms.blocks().find(|block| self.is_on(block.index()));
        let taken = taken.expect("one arm of a block that is on is on");
        if arms.default == Some(taken) {
            self.determine(witnesses, arms.cases.len(), "default's inverse witness");
        }
        taken.index()
    }

    fn is_on(&self, block: usize) -> bool {
        let control = &self.function.blocks[block].control;
        match control {
            Control::Return { selector, .. } | Control::Yield { selector, .. } => {
                self.on[*selector as usize]
            }
            Control::Match(arms) | Control::MatchContinue { arms, .. } => {
                arms.blocks().any(|arm| self.is_on(arm.index()))
            }
        }
    }

    fn merge(&mut self, continuation: usize) {
        let place = &self.layout.blocks[continuation];
        let first = place.first_auxiliary - place.num_merged;
        self.determine(first, place.num_merged, "merge column");
    }

    fn determine(&mut self, auxiliary: usize, count: usize, family: &'static str) {
        let first = self.first_auxiliary + auxiliary;
        self.labels[first..first + count].fill(Label::Determined(family));
    }

    /// Something with a constraint or a message reads these values.
    fn read(&mut self, values: &[ValueId]) {
        for value in values {
            for cell in std::mem::take(&mut self.exposed[value.index()]) {
                self.labels[cell] = Label::Determined("advice that is read");
            }
        }
    }

    /// Advice columns and the values that expose them.
    fn advise(&mut self, place: &OpPlace, count: usize) {
        for i in 0..count {
            let cell = self.first_auxiliary + place.first_auxiliary + i;
            self.labels[cell] = Label::Free("advice that nothing reads");
            self.exposed.push(vec![cell]);
        }
    }

    /// Values that hold what `values` expose, all of them.
    fn pass_on(&mut self, values: &[ValueId]) {
        let cells = values.iter().flat_map(|value| self.exposed[value.index()].clone());
        let cells: Vec<usize> = cells.collect();
        self.exposed.push(cells);
    }

    fn op(&mut self, op: &Op, place: &OpPlace) {
        let (first, count) = (place.first_auxiliary, place.num_auxiliaries);
        let values = self.exposed.len();
        match op {
            Op::Const(_) => {}
            Op::Add(a, b) | Op::Sub(a, b) => self.pass_on(&[*a, *b]),
            Op::Mul(a, b) if count == 0 => self.pass_on(&[*a, *b]),
            Op::U32ToField(bytes) => self.pass_on(bytes),
            Op::IoSetInfo { .. } | Op::IoWrite { .. } | Op::Debug { .. } | Op::Allow { .. } => {}
            Op::IoGetInfo { .. }
            | Op::IoRead { .. }
            | Op::HintFieldToBytes(_)
            | Op::HintInverse(_)
            | Op::HintBigUintDivRem(..)
            | Op::Call { constrained: false, .. } => self.advise(place, op.num_results()),
            Op::HintU32Add(words) => self.u32_sum(place, words.as_flattened()),
            Op::HintU32Add3(words) => self.u32_sum(place, words.as_flattened()),
            _ => {
                let mut operands = Vec::new();
                op.for_each_operand(|value| operands.push(value));
                self.read(&operands);
                self.constrained(op, place, first, count);
            }
        }
        self.exposed.resize(values + op.num_results(), Vec::new());
    }

    /// Four bytes, and a carry that says how far they are from the sum.
    fn u32_sum(&mut self, place: &OpPlace, operands: &[ValueId]) {
        let first = self.exposed.len();
        self.advise(place, 4);
        let bytes = (first..first + 4).map(|value| ValueId(value as u32));
        let behind: Vec<ValueId> = bytes.chain(operands.iter().copied()).collect();
        self.pass_on(&behind);
    }

    fn constrained(&mut self, op: &Op, place: &OpPlace, first: usize, count: usize) {
        match op {
            Op::Mul(..) => self.determine(first, count, "product"),
            Op::EqZero(_) if count == 2 => {
                let result = self.row[self.first_auxiliary + first + 1];
                self.determine(first, 1, "inverse of eq_zero");
                if result == Goldilocks::ONE {
                    let cell = self.first_auxiliary + first;
                    self.labels[cell] = Label::Free("inverse of eq_zero where the operand is 0");
                }
                self.determine(first + 1, 1, "result of eq_zero");
            }
            Op::Call { num_outputs, .. } => {
                let outputs = *num_outputs as usize;
                self.determine(first, outputs, "output of a call");
                let family = match place.ranked_call {
                    RankedCall::Inside => "limb of a gap",
                    _ => "rank of a callee outside",
                };
                self.determine(first + outputs, count - outputs, family);
            }
            Op::Store { .. } => self.determine(first, count, "pointer of a store"),
            Op::Load { .. } => self.determine(first, count, "value of a load"),
            Op::Unary(op, _) | Op::Binary(op, ..) => {
                self.determine(first, count, byte_family(*op));
            }
            Op::U32LessThan(..) => self.determine(first, count, "limb of u32_less_than"),
            _ => {}
        }
    }
}

fn byte_family(op: ByteOp) -> &'static str {
    match op.num_operands() {
        1 => "result of a unary byte operation",
        _ => "result of a binary byte operation",
    }
}
