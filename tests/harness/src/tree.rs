//! Function bodies as nested trees, for edits that move blocks.
//!
//! Recursive, so for small programs only.

use std::ops::Range;

use traceloom_air::field::Goldilocks;
use traceloom_bytecode::model::{Block, BlockId, Control, Function, Match, Op, ValueId};

use crate::edits::operands;

/// A block with all below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// Operations in order.
    pub ops: Vec<Op>,
    /// How it ends.
    pub end: End,
}

/// The end of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// Outputs.
    Return(Vec<ValueId>),
    /// Values for the continuation.
    Yield(Vec<ValueId>),
    /// A match; with a continuation, the number of its values and its block.
    Match {
        /// What is compared.
        value: ValueId,
        /// Keys and arms.
        cases: Vec<(Goldilocks, Tree)>,
        /// The default arm.
        default: Option<Box<Tree>>,
        /// Where it goes on.
        next: Option<(u32, Box<Tree>)>,
    },
}

impl Tree {
    /// The body of a function.
    #[must_use]
    pub fn of(function: &Function) -> Self {
        Self::of_block(function, BlockId::BODY)
    }

    fn of_block(function: &Function, block: BlockId) -> Self {
        let Block { ops, control } = function.blocks[block.index()].clone();
        let matched = |arms: &Match, next| End::Match {
            value: arms.value,
            cases: arms.cases.iter().map(|&(k, b)| (k, Self::of_block(function, b))).collect(),
            default: arms.default.map(|b| Box::new(Self::of_block(function, b))),
            next,
        };
        let end = match &control {
            Control::Return { values, .. } => End::Return(values.clone()),
            Control::Yield { values, .. } => End::Yield(values.clone()),
            Control::Match(arms) => matched(arms, None),
            Control::MatchContinue { arms, num_outputs, continuation } => {
                let next = Box::new(Self::of_block(function, *continuation));
                matched(arms, Some((*num_outputs, next)))
            }
        };
        Self { ops, end }
    }

    /// The blocks in pre-order, leaves numbered in that order.
    #[must_use]
    pub fn into_blocks(self) -> Vec<Block> {
        let mut blocks = Vec::new();
        self.put(&mut blocks, &mut 0);
        blocks
    }

    fn put(self, blocks: &mut Vec<Block>, selectors: &mut u32) -> BlockId {
        let own = blocks.len();
        let placeholder = Control::Return { selector: *selectors, values: Vec::new() };
        blocks.push(Block { ops: self.ops, control: placeholder });
        let selector = *selectors;
        let control = match self.end {
            End::Return(values) => {
                *selectors += 1;
                Control::Return { selector, values }
            }
            End::Yield(values) => {
                *selectors += 1;
                Control::Yield { selector, values }
            }
            End::Match { value, cases, default, next } => {
                let cases = cases.into_iter().map(|(k, tree)| (k, tree.put(blocks, selectors)));
                let cases = cases.collect();
                let default = default.map(|tree| tree.put(blocks, selectors));
                let arms = Match { value, cases, default };
                match next {
                    None => Control::Match(arms),
                    Some((num_outputs, tree)) => {
                        let continuation = tree.put(blocks, selectors);
                        Control::MatchContinue { arms, num_outputs, continuation }
                    }
                }
            }
        };
        blocks[own].control = control;
        BlockId(own as u32)
    }

    /// Number of blocks.
    #[must_use]
    pub fn num_blocks(&self) -> usize {
        1 + self.children().into_iter().map(Self::num_blocks).sum::<usize>()
    }

    fn children(&self) -> Vec<&Self> {
        let End::Match { cases, default, next, .. } = &self.end else { return Vec::new() };
        let cases = cases.iter().map(|(_, tree)| tree);
        let next = next.iter().map(|(_, tree)| &**tree);
        cases.chain(default.as_deref()).chain(next).collect()
    }

    fn children_mut(&mut self) -> Vec<&mut Self> {
        let End::Match { cases, default, next, .. } = &mut self.end else { return Vec::new() };
        let cases = cases.iter_mut().map(|(_, tree)| tree);
        let next = next.iter_mut().map(|(_, tree)| &mut **tree);
        cases.chain(default.as_deref_mut()).chain(next).collect()
    }

    /// The block at `position` in pre-order.
    pub fn at(&mut self, position: usize) -> Option<&mut Self> {
        if position == 0 {
            return Some(self);
        }
        let mut position = position - 1;
        for child in self.children_mut() {
            let count = child.num_blocks();
            if position < count {
                return child.at(position);
            }
            position -= count;
        }
        None
    }

    /// Number of values when the block at `position` starts.
    #[must_use]
    pub fn values_at(&self, position: usize, start: usize) -> usize {
        if position == 0 {
            return start;
        }
        let end = start + self.ops.iter().map(Op::num_results).sum::<usize>();
        let mut position = position - 1;
        let End::Match { cases, default, next, .. } = &self.end else { return end };
        for child in cases.iter().map(|(_, tree)| tree).chain(default.as_deref()) {
            let count = child.num_blocks();
            if position < count {
                return child.values_at(position, end);
            }
            position -= count;
        }
        match next {
            Some((merged, tree)) => tree.values_at(position, end + *merged as usize),
            None => end,
        }
    }

    /// Whether the operations from `first` on, the end, or anything below reads a
    /// value in `range`.
    #[must_use]
    pub fn reads(&self, first: usize, range: Range<u32>) -> bool {
        let mut found = false;
        for op in &self.ops[first..] {
            op.for_each_operand(|value| found |= range.contains(&value.0));
        }
        found |= match &self.end {
            End::Return(values) | End::Yield(values) => {
                values.iter().any(|value| range.contains(&value.0))
            }
            End::Match { value, .. } => range.contains(&value.0),
        };
        found || self.children().into_iter().any(|child| child.reads(0, range.clone()))
    }

    /// Lowers every value from `from` on by `by`, in the operations from `first` on,
    /// the end, and everything below.
    pub fn lower(&mut self, first: usize, from: u32, by: u32) {
        let shift = |value: &mut ValueId| {
            if value.0 >= from {
                value.0 -= by;
            }
        };
        for op in &mut self.ops[first..] {
            operands(op, shift);
        }
        match &mut self.end {
            End::Return(values) | End::Yield(values) => values.iter_mut().for_each(shift),
            End::Match { value, .. } => shift(value),
        }
        self.children_mut().into_iter().for_each(|child| child.lower(0, from, by));
    }
}
