//! A row read as bytecode: what it is for, whether its equations hold, what it sends.
//!
//! This states once more what constraints require, from the description of the
//! bytecode and the layout alone. It builds no expression and knows no selector sums:
//! it follows the leaves that are on. So it says of every changed cell whether the
//! row still reads the same.

use traceloom_air::field::{Goldilocks, PrimeCharacteristicRing, element, inverse_or_zero};
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::callgraph::RankedCall;
use traceloom_bytecode::layout::{FunctionLayout, OpPlace};
use traceloom_bytecode::model::{Control, Function, FunctionId, Match, Op, ValueId};

use traceloom_air::bytes::ByteOp;

use crate::family::Family;

/// What a row of one function says.
#[derive(Debug, PartialEq, Eq)]
pub struct Reading {
    /// By auxiliary: what it is for on the way of this row.
    pub families: Vec<Family>,
    /// Whether every equation on the way holds, and the leaves that are on are one way.
    pub holds: bool,
    /// Messages that it asks for.
    pub asked: Vec<Vec<Goldilocks>>,
    /// The message that it answers.
    pub answered: Vec<Goldilocks>,
}

/// Reads a row of function `id`, inputs, selectors and auxiliaries in turn, on which
/// the leaves of `leaves` are on.
#[must_use]
pub fn read(
    program: &CheckedProgram,
    id: FunctionId,
    row: &[Goldilocks],
    leaves: &[bool],
) -> Reading {
    let (function, layout) = (program.function(id), program.layout(id));
    let mut families = vec![Family::Unused; layout.num_auxiliaries];
    families[0] = Family::Multiplicity;
    if layout.ranked {
        families[1] = Family::Rank;
    }
    let reading = Reading { families, holds: true, asked: Vec::new(), answered: Vec::new() };
    let values = row[..layout.num_inputs].to_vec();
    let auxiliaries = &row[layout.num_inputs + layout.num_selectors..];
    let mut reader = Reader { function, layout, row, auxiliaries, values, reading };
    reader.follow(leaves);
    reader.reading
}

struct Reader<'a> {
    function: &'a Function,
    layout: &'a FunctionLayout,
    row: &'a [Goldilocks],
    auxiliaries: &'a [Goldilocks],
    values: Vec<Goldilocks>,
    reading: Reading,
}

impl Reader<'_> {
    fn require(&mut self, holds: bool) {
        self.reading.holds &= holds;
    }

    fn get(&self, value: ValueId) -> Goldilocks {
        self.values[value.index()]
    }

    fn list(&self, values: &[ValueId]) -> Vec<Goldilocks> {
        values.iter().map(|&value| self.get(value)).collect()
    }

    /// Auxiliaries that are for `family`.
    fn columns(&mut self, first: usize, count: usize, family: Family) -> Vec<Goldilocks> {
        self.reading.families[first..][..count].fill(family);
        self.auxiliaries[first..][..count].to_vec()
    }

    /// From the body to a return, along the leaves that are on.
    fn follow(&mut self, leaves: &[bool]) {
        let function = self.function;
        let ends = subtree_ends(function);
        let is_on = |block: usize| match &function.blocks[block].control {
            Control::Return { selector, .. } | Control::Yield { selector, .. } => {
                leaves[*selector as usize]
            }
            Control::Match(_) | Control::MatchContinue { .. } => false,
        };
        let mut num_left = leaves.iter().filter(|&&on| on).count();
        // Continuations that wait, with the number of values at their match.
        let mut waiting: Vec<(usize, usize)> = Vec::new();
        let mut index = 0;
        loop {
            let (block, place) = (&function.blocks[index], &self.layout.blocks[index]);
            for (op, place) in block.ops.iter().zip(&place.ops) {
                let results = self.op(op, place);
                self.values.extend(results);
            }
            let arms = match &block.control {
                Control::Return { values, .. } => {
                    self.require(is_on(index) && num_left == 1);
                    for (_, next) in waiting {
                        self.merge(next, None);
                    }
                    let rank = self.layout.ranked.then(|| self.auxiliaries[1]);
                    let inputs = &self.row[..self.layout.num_inputs];
                    let outputs = self.list(values);
                    self.reading.answered =
                        rank.iter().chain(inputs).chain(&outputs).copied().collect();
                    return;
                }
                Control::Yield { values, .. } => {
                    self.require(is_on(index));
                    num_left = num_left.saturating_sub(1);
                    let yielded = self.list(values);
                    let (num_values, next) = waiting.pop().expect("a checked yield has a match");
                    let merged = self.merge(next, Some(&yielded));
                    self.values.truncate(num_values);
                    self.values.extend(merged);
                    index = next;
                    continue;
                }
                Control::Match(arms) => arms,
                Control::MatchContinue { arms, continuation, .. } => {
                    waiting.push((self.values.len(), continuation.index()));
                    arms
                }
            };
            let taken = arms.blocks().find(|arm| (arm.index()..ends[arm.index()]).any(is_on));
            let Some(arm) = taken else { return self.require(false) };
            self.choose(arms, arm.index(), place.end_auxiliary);
            index = arm.index();
        }
    }

    /// The merge columns in front of `continuation`, which are what was yielded, or
    /// zero after an early return.
    fn merge(&mut self, continuation: usize, yielded: Option<&[Goldilocks]>) -> Vec<Goldilocks> {
        let place = &self.layout.blocks[continuation];
        let first = place.first_auxiliary - place.num_merged;
        let merged = self.columns(first, place.num_merged, Family::Merge);
        let nothing = vec![Goldilocks::ZERO; place.num_merged];
        self.require(merged == yielded.unwrap_or(&nothing));
        merged
    }

    /// A case has its key; the default has an inverse of the distance to each.
    fn choose(&mut self, arms: &Match, arm: usize, first: usize) {
        let value = self.get(arms.value);
        if let Some((key, _)) = arms.cases.iter().find(|(_, block)| block.index() == arm) {
            return self.require(value == *key);
        }
        let inverses = self.columns(first, arms.cases.len(), Family::Inverse);
        for ((key, _), inverse) in arms.cases.iter().zip(inverses) {
            self.require((value - *key) * inverse == Goldilocks::ONE);
        }
    }

    fn op(&mut self, op: &Op, place: &OpPlace) -> Vec<Goldilocks> {
        let (first, count) = (place.first_auxiliary, op.num_results());
        match op {
            Op::Const(value) => vec![*value],
            Op::Add(a, b) => vec![self.get(*a) + self.get(*b)],
            Op::Sub(a, b) => vec![self.get(*a) - self.get(*b)],
            Op::Mul(a, b) => {
                let product = self.get(*a) * self.get(*b);
                if place.num_auxiliaries == 0 {
                    return vec![product];
                }
                let column = self.columns(first, 1, Family::Auxiliary);
                self.require(column[0] == product);
                column
            }
            Op::EqZero(a) => {
                let a = self.get(*a);
                if place.num_auxiliaries == 0 {
                    return vec![Goldilocks::from_bool(a == Goldilocks::ZERO)];
                }
                let inverse = self.columns(first, 1, Family::ZeroInverse)[0];
                let is_zero = self.columns(first + 1, 1, Family::Auxiliary)[0];
                self.require(a * is_zero == Goldilocks::ZERO);
                self.require(a * inverse + is_zero == Goldilocks::ONE);
                vec![is_zero]
            }
            Op::Call { args, constrained: true, .. } => {
                let outputs = self.columns(first, count, Family::Auxiliary);
                let rank = self.callee_rank(place, first + count);
                let args = self.list(args);
                self.ask([rank, args, outputs.clone()].concat());
                outputs
            }
            Op::Store { values } => {
                let pointer = self.columns(first, 1, Family::Auxiliary);
                self.ask([self.list(values), pointer.clone()].concat());
                pointer
            }
            Op::Load { pointer, .. } => {
                let values = self.columns(first, count, Family::Auxiliary);
                self.ask([vec![self.get(*pointer)], values.clone()].concat());
                values
            }
            Op::AssertEq { lhs, rhs, .. } => {
                self.require(self.list(lhs) == self.list(rhs));
                Vec::new()
            }
            Op::Call { constrained: false, .. }
            | Op::IoGetInfo { .. }
            | Op::IoRead { .. }
            | Op::HintFieldToBytes(_)
            | Op::HintInverse(_)
            | Op::HintBigUintDivRem(..) => self.columns(first, count, Family::Advice),
            Op::IoSetInfo { .. } | Op::IoWrite { .. } | Op::Debug { .. } | Op::Allow { .. } => {
                Vec::new()
            }
            Op::Unary(_, a) => {
                let results = self.columns(first, count, Family::Auxiliary);
                self.ask([vec![self.get(*a)], results.clone()].concat());
                results
            }
            Op::Binary(op, a, b) => self.binary(*op, self.get(*a), self.get(*b), first),
            Op::U32LessThan(a, b) => vec![self.less_than(self.get(*a), self.get(*b), first)],
            Op::U32ToField(bytes) => vec![pack(&self.list(bytes))],
            Op::HintU32Add(words) => self.sum(words, first),
            Op::HintU32Add3(words) => self.sum(words, first),
        }
    }

    fn ask(&mut self, message: Vec<Goldilocks>) {
        self.reading.asked.push(message);
    }

    /// What a call says of its callee's rank: a column, one below the own rank, or a gap
    /// further below, whose limbs are asked for as well.
    fn callee_rank(&mut self, place: &OpPlace, first: usize) -> Vec<Goldilocks> {
        match place.ranked_call {
            RankedCall::None => Vec::new(),
            RankedCall::Outside => self.columns(first, 1, Family::CalleeRank),
            RankedCall::Lone => vec![self.auxiliaries[1] - Goldilocks::ONE],
            RankedCall::Inside => {
                let gap = self.columns(first, 2, Family::Gap);
                self.ask(gap.clone());
                vec![self.auxiliaries[1] - Goldilocks::ONE - pack_limbs(&gap)]
            }
        }
    }

    fn binary(
        &mut self,
        op: ByteOp,
        a: Goldilocks,
        b: Goldilocks,
        first: usize,
    ) -> Vec<Goldilocks> {
        let mut results = self.columns(first, op.num_results(), Family::Auxiliary);
        self.ask([vec![a, b], results.clone()].concat());
        match op {
            ByteOp::Add => results.push(divided(a + b - results[0], 1 << 8)),
            ByteOp::Sub => results.push(divided(results[0] + b - a, 1 << 8)),
            _ => {}
        }
        results
    }

    fn less_than(&mut self, a: Goldilocks, b: Goldilocks, first: usize) -> Goldilocks {
        let limbs = self.columns(first, 6, Family::Auxiliary);
        self.ask(limbs.clone());
        self.require(a == pack_limbs(&limbs[..2]) && b == pack_limbs(&limbs[4..]));
        let borrow = divided(pack_limbs(&limbs[2..4]) - (b - a - Goldilocks::ONE), 1 << 32);
        self.require(borrow == Goldilocks::ZERO || borrow == Goldilocks::ONE);
        Goldilocks::ONE - borrow
    }

    fn sum(&mut self, words: &[[ValueId; 4]], first: usize) -> Vec<Goldilocks> {
        let mut results = self.columns(first, 4, Family::Advice);
        let sum: Goldilocks = words.iter().map(|word| pack(&self.list(word))).sum();
        results.push(divided(sum - pack(&results), 1 << 32));
        results
    }
}

/// By block: one past the last block of its tree.
fn subtree_ends(function: &Function) -> Vec<usize> {
    let mut ends: Vec<usize> = (1..=function.blocks.len()).collect();
    for (index, block) in function.blocks.iter().enumerate().rev() {
        if let Some(last) = block.control.children().last() {
            ends[index] = ends[last.index()];
        }
    }
    ends
}

fn pack(bytes: &[Goldilocks]) -> Goldilocks {
    bytes.iter().rev().fold(Goldilocks::ZERO, |sum, &byte| sum * element(256) + byte)
}

fn pack_limbs(limbs: &[Goldilocks]) -> Goldilocks {
    limbs[0] + limbs[1] * element(65_536)
}

fn divided(value: Goldilocks, power: u64) -> Goldilocks {
    value * inverse_or_zero(element(power))
}
