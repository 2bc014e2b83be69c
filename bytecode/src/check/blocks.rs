//! Rules about the blocks of a function: a tree, its leaves, its values.

use std::collections::BTreeSet;

use traceloom_air::field::word;

use super::checker::Checker;
use super::operation::OpCheck;
use super::problem::Place;
use super::{MAX_ARITY, MAX_VALUES};
use crate::model::{Block, Control, Function, Match, Op, ValueId};
use crate::operations::Operation;

impl<'a> Checker<'a> {
    /// Whether the blocks are a tree in pre-order.
    pub(super) fn check_tree(&mut self, index: usize, function: &'a Function) -> bool {
        let before = self.found.total;
        // The blocks that are still to come, nearest last.
        let mut expected = vec![0];
        for (at, block) in function.blocks.iter().enumerate() {
            let place = Place::Block(index, function, at);
            match expected.pop() {
                Some(next) if next == at => {}
                Some(next) => {
                    self.report(place, || {
                        format!("block {next} should stand here: blocks are listed in pre-order")
                    });
                    return false;
                }
                None => {
                    self.report(place, || "no match refers to this block; remove it".into());
                    return false;
                }
            }
            let first = expected.len();
            expected.extend(block.control.children().map(|child| child.index()));
            expected[first..].reverse();
        }
        if let Some(missing) = expected.pop() {
            let place = Place::Function(index, function);
            self.report(place, || format!("block {missing} is referred to but does not exist"));
        }
        before == self.found.total
    }

    /// Selectors number the leaves.
    pub(super) fn check_selectors(&mut self, index: usize, function: &'a Function) {
        let leaves = function.blocks.iter().filter(|block| block.control.arms().is_none()).count();
        let mut seen = BTreeSet::new();
        for (at, block) in function.blocks.iter().enumerate() {
            if let Control::Return { selector, .. } | Control::Yield { selector, .. } =
                &block.control
            {
                let place = Place::Control(index, function, at, &block.control);
                let fits = (*selector as usize) < leaves && seen.insert(*selector);
                self.require(fits, place, || {
                    format!(
                        "has selector {selector}; the {leaves} leaves of the function must have \
                         the selectors 0..{leaves}, each once"
                    )
                });
            }
        }
    }

    /// Operands, arities, keys: in pre-order, with the number of values that a
    /// block starts with and the number that an enclosing continuation expects.
    pub(super) fn check_blocks(&mut self, index: usize, function: &'a Function) {
        let mut starts = vec![(0_usize, None); function.blocks.len()];
        starts[0] = (function.num_inputs as usize, None);
        for (at, block) in function.blocks.iter().enumerate() {
            let (mut values, yields) = starts[at];
            for (op_at, op) in block.ops.iter().enumerate() {
                let place = Place::Op(index, function, at, op_at, op);
                self.check_operands(place, op, values);
                op.check(&mut OpCheck::new(self, place, function));
                values = values.saturating_add(op.num_results());
            }
            let place = Place::Control(index, function, at, &block.control);
            self.require(values <= MAX_VALUES, place, || {
                format!("{values} values on this path; at most {MAX_VALUES} are possible")
            });
            self.check_control(place, function, block, values, yields);
            if let Some(arms) = block.control.arms() {
                let inner = match &block.control {
                    Control::MatchContinue { num_outputs, .. } => Some(*num_outputs as usize),
                    _ => yields,
                };
                arms.blocks().for_each(|child| starts[child.index()] = (values, inner));
            }
            if let Control::MatchContinue { num_outputs, continuation, .. } = &block.control {
                let values = values.saturating_add(*num_outputs as usize);
                starts[continuation.index()] = (values, yields);
            }
        }
    }

    fn check_operands(&mut self, place: Place<'_>, op: &Op, values: usize) {
        op.for_each_operand(|value| {
            self.require(value.index() < values, place, || {
                format!("reads value {}, but there are {values} values here", value.0)
            });
        });
    }

    fn check_control(
        &mut self,
        place: Place<'_>,
        function: &Function,
        block: &Block,
        values: usize,
        yields: Option<usize>,
    ) {
        match &block.control {
            Control::Return { values: returned, .. } => {
                let (expected, got) = (function.num_outputs as usize, returned.len());
                self.require(expected == got, place, || {
                    format!("returns {got} values, but the function has {expected} outputs")
                });
                self.check_leaf_values(place, returned, values);
            }
            Control::Yield { values: yielded, .. } => {
                match yields {
                    None => self.report(place, || {
                        "yields outside of a match with continuation; return instead".into()
                    }),
                    Some(expected) => {
                        let got = yielded.len();
                        self.require(expected == got, place, || {
                            format!("yields {got} values, but the match merges {expected}")
                        });
                    }
                }
                self.check_leaf_values(place, yielded, values);
            }
            Control::Match(arms) => self.check_arms(place, arms, values),
            Control::MatchContinue { arms, num_outputs, .. } => {
                self.check_arms(place, arms, values);
                self.require(*num_outputs <= MAX_ARITY, place, || {
                    format!("merges {num_outputs} values; at most {MAX_ARITY} are possible")
                });
            }
        }
    }

    fn check_leaf_values(&mut self, place: Place<'_>, used: &[ValueId], values: usize) {
        for value in used {
            self.require(value.index() < values, place, || {
                format!("uses value {}, but there are {values} values here", value.0)
            });
        }
    }

    fn check_arms(&mut self, place: Place<'_>, arms: &Match, values: usize) {
        self.check_leaf_values(place, &[arms.value], values);
        self.require(arms.blocks().next().is_some(), place, || {
            "has no arm; add a case or a default".into()
        });
        let mut keys = BTreeSet::new();
        for (key, _) in &arms.cases {
            let key = word(*key);
            self.require(keys.insert(key), place, || format!("has the case {key} twice"));
        }
    }
}
