//! What control requires of a row.
//!
//! Every expression of a block is gated by the block's selector: the sum of its
//! leaves' selectors, where a continuation's leaves do not count towards the
//! match in front of it. All sums are bits, so at most one path of one member is
//! on, and its blocks' selectors are 1 and all others 0.

use traceloom_air::message::FUNCTION_CHANNEL;
use traceloom_air::system::{Arena, ExprId};

use crate::model::{Control, Function, Match, ValueId};
use crate::system::{Group, Member};

/// Selector and values of each leaf of one kind.
type Leaves = Vec<(ExprId, Vec<ExprId>)>;

/// Where control goes, while blocks are visited in order.
pub(crate) struct Flow {
    /// By block: the match with continuation that its yields go to.
    targets: Vec<Option<usize>>,
    /// By match with continuation: its yields.
    yields: Vec<Leaves>,
    returns: Leaves,
}

impl Flow {
    pub fn new(num_blocks: usize) -> Self {
        Self {
            targets: vec![None; num_blocks],
            yields: vec![Vec::new(); num_blocks],
            returns: Vec::new(),
        }
    }
}

/// By block: its selector, and the sum of the yields that go to the continuation around
/// it. `columns` has the columns of the leaves by selector.
pub(crate) fn selectors(
    function: &Function,
    columns: &[ExprId],
    arena: &mut Arena,
) -> (Vec<ExprId>, Vec<ExprId>) {
    let zero = arena.word(0);
    let mut selectors = vec![zero; function.blocks.len()];
    let mut yields = vec![zero; function.blocks.len()];
    for (index, block) in function.blocks.iter().enumerate().rev() {
        match &block.control {
            Control::Return { selector, .. } => selectors[index] = columns[*selector as usize],
            Control::Yield { selector, .. } => {
                selectors[index] = columns[*selector as usize];
                yields[index] = selectors[index];
            }
            Control::Match(arms) => {
                selectors[index] = arena.sum(arms.blocks().map(|b| selectors[b.index()]));
                yields[index] = arena.sum(arms.blocks().map(|b| yields[b.index()]));
            }
            Control::MatchContinue { arms, continuation, .. } => {
                selectors[index] = arena.sum(arms.blocks().map(|b| selectors[b.index()]));
                yields[index] = yields[continuation.index()];
            }
        }
    }
    (selectors, yields)
}

impl Member<'_> {
    /// How block `index` ends, whose values are `values`.
    pub(crate) fn end_block(
        &self,
        group: &mut Group,
        index: usize,
        values: &[ExprId],
        flow: &mut Flow,
    ) {
        let read = |used: &[ValueId]| used.iter().map(|v| values[v.index()]).collect();
        match &self.function.blocks[index].control {
            Control::Return { selector, values } => {
                flow.returns.push((self.columns[*selector as usize], read(values)));
            }
            Control::Yield { selector, values } => {
                let target = flow.targets[index].expect("a checked yield has a match");
                flow.yields[target].push((self.columns[*selector as usize], read(values)));
            }
            Control::Match(arms) => {
                self.require_arms(group, index, arms, values[arms.value.index()]);
                arms.blocks().for_each(|b| flow.targets[b.index()] = flow.targets[index]);
            }
            Control::MatchContinue { arms, continuation, .. } => {
                self.require_arms(group, index, arms, values[arms.value.index()]);
                arms.blocks().for_each(|b| flow.targets[b.index()] = Some(index));
                flow.targets[continuation.index()] = flow.targets[index];
            }
        }
    }

    /// The merge columns in front of block `index`, none unless it continues a match.
    pub(crate) fn merge_columns(&self, group: &mut Group, index: usize) -> Vec<ExprId> {
        let place = &self.layout.blocks[index];
        let count = place.num_merged;
        let first = place.first_auxiliary - count;
        (0..count).map(|i| group.auxiliary(first + i)).collect()
    }

    /// A case is taken only for its key, the default only for none of them.
    fn require_arms(&self, group: &mut Group, index: usize, arms: &Match, value: ExprId) {
        let place = &self.layout.blocks[index];
        for (key, block) in &arms.cases {
            let key = group.arena.constant(*key);
            let difference = group.arena.sub(value, key);
            let gate = self.selectors[block.index()];
            group.require_gated(gate, difference, || self.label(index, "case has its key"));
        }
        let Some(default) = arms.default else { return };
        let gate = self.selectors[default.index()];
        for (position, (key, _)) in arms.cases.iter().enumerate() {
            let key = group.arena.constant(*key);
            let difference = group.arena.sub(value, key);
            let inverse = group.auxiliary(place.end_auxiliary + position);
            let product = group.arena.mul(difference, inverse);
            let one = group.arena.word(1);
            let expr = group.arena.sub(product, one);
            group.require_gated(gate, expr, || self.label(index, "default differs from the key"));
        }
    }

    /// A merge column is what the yield that is on yields; a continuation is on
    /// exactly when a yield is.
    pub(crate) fn require_merges(&self, group: &mut Group, flow: &Flow) {
        for (index, block) in self.function.blocks.iter().enumerate() {
            let Control::MatchContinue { arms, continuation, .. } = &block.control else {
                continue;
            };
            let merged = self.merge_columns(group, continuation.index());
            for (position, column) in merged.into_iter().enumerate() {
                let terms = flow.yields[index].iter();
                let terms: Vec<ExprId> = terms
                    .map(|(selector, values)| group.arena.mul(*selector, values[position]))
                    .collect();
                let yielded = group.arena.sum(terms);
                // Where no arm is on, neither is a yield: the parent gates both.
                let column = group.arena.mul(self.selectors[index], column);
                let expr = group.arena.sub(column, yielded);
                group.require(expr, || self.label(index, "merge column is the yielded value"));
            }
            let yielding = group.arena.sum(arms.blocks().map(|b| self.yields[b.index()]));
            let expr = group.arena.sub(self.selectors[continuation.index()], yielding);
            group.require(expr, || self.label(index, "continuation follows the yields"));
        }
    }

    /// Slot 0: the row provides its query, once per multiplicity.
    pub(crate) fn send_return(&self, group: &mut Group, inputs: &[ExprId], flow: &Flow) {
        let channel = group.arena.word(FUNCTION_CHANNEL);
        let function = group.arena.word(self.id.0.into());
        let mut head = vec![channel, function];
        if self.layout.ranked {
            head.push(group.auxiliary(1));
        }
        head.extend_from_slice(inputs);
        for (selector, outputs) in &flow.returns {
            let message = [&head[..], &outputs[..]].concat();
            let label = format!("{}: return", self.function.name);
            group.send(0, *selector, message, label);
        }
    }
}
