//! How control is lowered: along one path, or all blocks with their branches.

use traceloom_air::field::word;
use traceloom_plan::draft::{Code, GenericDraft, Use};
use traceloom_plan::{Column, Expr, Fixed, GenericControl, ValueNo};

use crate::check::CheckedProgram;
use crate::layout::BlockPlace;
use crate::lower::{Lowering, Numbering};
use crate::model::{Control, FunctionId, Match};

/// Lowers the path with these leaves: its code, and what it returns.
pub(crate) fn lower_path(
    program: &CheckedProgram,
    numbering: &Numbering,
    id: FunctionId,
    leaves: &[u32],
) -> (Code, Vec<ValueNo>) {
    let mut lowering = Lowering::new(program, id);
    let outputs = walk(&mut lowering, numbering, leaves);
    (lowering.code, outputs)
}

/// Lowers all blocks of function `id`.
pub(crate) fn lower_blocks(
    program: &CheckedProgram,
    numbering: &Numbering,
    id: FunctionId,
) -> GenericDraft {
    let mut lowering = Lowering::new(program, id);
    let function = lowering.function;
    let mut blocks = Vec::with_capacity(function.blocks.len());
    let mut starts = vec![Start::default(); function.blocks.len()];
    starts[0].scope = lowering.scope.clone();
    for (index, block) in function.blocks.iter().enumerate() {
        let first_value = if index == 0 { 0 } else { lowering.code.num_values() };
        let start = std::mem::take(&mut starts[index]);
        lowering.scope = start.scope;
        lowering.code.enter(numbering.first_op[index], 1);
        for i in 0..lowering.layout.blocks[index].num_merged {
            let merged = lowering.code.push(Expr::Merged(i as u32));
            lowering.scope.push(merged);
        }
        if let Some(parent) = start.default_of {
            lowering.code.enter(numbering.control_op(parent), 1);
            let arms = function.blocks[parent].control.arms().expect("a default has a match");
            lowering.witnesses(arms, &lowering.layout.blocks[parent]);
        }
        lowering.block(index, numbering.first_op[index]);
        lowering.code.enter(numbering.control_op(index), 1);
        let control = lowering.end(&block.control, index, start.target, &mut starts);
        blocks.push(lowering.code.end_block(first_value, control));
    }
    GenericDraft { code: lowering.code, blocks }
}

/// What a block starts with.
#[derive(Clone, Debug, Default)]
struct Start {
    scope: Vec<ValueNo>,
    /// Where its yields go.
    target: Option<usize>,
    /// The match that it is the default of.
    default_of: Option<usize>,
}

/// Follows the leaves; what the path returns.
fn walk(lowering: &mut Lowering<'_>, numbering: &Numbering, leaves: &[u32]) -> Vec<ValueNo> {
    let function = lowering.function;
    let mut leaves = leaves.iter();
    let mut next_leaf =
        || numbering.leaf_block[*leaves.next().expect("a path has its leaves") as usize];
    let mut leaf = next_leaf();
    // Continuations that wait, with the number of values at their match.
    let mut waiting = Vec::new();
    let mut index = 0;
    loop {
        lowering.block(index, numbering.first_op[index]);
        lowering.code.enter(numbering.control_op(index), 1);
        match &function.blocks[index].control {
            Control::Return { selector, values } => {
                lowering.select(*selector);
                // Of an early return: nothing was yielded to those who wait.
                waiting.iter().for_each(|&(_, next)| lowering.leave(next));
                return lowering.values(values);
            }
            Control::Yield { selector, values } => {
                lowering.select(*selector);
                let values = lowering.values(values);
                let (num_values, next) = waiting.pop().expect("a checked yield has a match");
                lowering.merge(next, &values);
                lowering.scope.truncate(num_values);
                lowering.scope.extend(values);
                leaf = next_leaf();
                index = next;
            }
            Control::Match(arms) => index = choose(lowering, numbering, index, arms, leaf),
            Control::MatchContinue { arms, continuation, .. } => {
                waiting.push((lowering.scope.len(), continuation.index()));
                index = choose(lowering, numbering, index, arms, leaf);
            }
        }
    }
}

/// The arm that `leaf` lies in.
fn choose(
    lowering: &mut Lowering<'_>,
    numbering: &Numbering,
    index: usize,
    arms: &Match,
    leaf: usize,
) -> usize {
    let value = lowering.scope[arms.value.index()];
    lowering.code.constrain(&[value]);
    let holds = |block: usize| (block..numbering.end[block]).contains(&leaf);
    if let Some((key, block)) = arms.cases.iter().find(|(_, block)| holds(block.index())) {
        let bound = word(*key).saturating_add(1);
        lowering.code.note(Use::Below(value, bound));
        return block.index();
    }
    let default = arms.default.expect("a leaf lies in one of the arms");
    lowering.witnesses(arms, &lowering.layout.blocks[index]);
    default.index()
}

impl Lowering<'_> {
    /// How block `index` ends, and what its children start with.
    fn end(
        &mut self,
        control: &Control,
        index: usize,
        target: Option<usize>,
        starts: &mut [Start],
    ) -> GenericControl {
        match control {
            Control::Return { selector, values } => {
                self.select(*selector);
                GenericControl::Return { outputs: self.values(values) }
            }
            Control::Yield { selector, values } => {
                self.select(*selector);
                let values = self.values(values);
                let target: usize = target.expect("a checked yield has a match");
                self.merge(target, &values);
                GenericControl::Yield { values, block: target as u32 }
            }
            Control::Match(arms) => self.branch(arms, None, index, target, starts),
            Control::MatchContinue { arms, continuation, .. } => {
                let next = continuation.index();
                starts[next].scope = self.scope.clone();
                starts[next].target = target;
                self.branch(arms, Some(next), index, Some(next), starts)
            }
        }
    }

    /// A match whose arms yield to `target`.
    fn branch(
        &mut self,
        arms: &Match,
        continuation: Option<usize>,
        index: usize,
        target: Option<usize>,
        starts: &mut [Start],
    ) -> GenericControl {
        let value = self.scope[arms.value.index()];
        self.code.constrain(&[value]);
        for child in arms.blocks() {
            let start = &mut starts[child.index()];
            start.scope = self.scope.clone();
            start.target = target;
            start.default_of = (arms.default == Some(child)).then_some(index);
        }
        GenericControl::Match {
            value,
            cases: arms.cases.iter().map(|(key, block)| (word(*key), block.0)).collect(),
            default: arms.default.map(|block| block.0),
            continuation: continuation.map(|block| block as u32),
        }
    }

    /// Writes the selector of a leaf.
    fn select(&mut self, selector: u32) {
        self.code.write_word(Column::selector(selector as usize), 1);
    }

    /// The inverse witnesses of taking the default of `arms`, whose operations end
    /// at `place`.
    fn witnesses(&mut self, arms: &Match, place: &BlockPlace) {
        let value = self.scope[arms.value.index()];
        for (position, (key, _)) in arms.cases.iter().enumerate() {
            let key = self.code.push(Expr::Constant(word(*key)));
            let difference = self.code.push(Expr::Sub(value, key));
            let inverse = self.code.push(Expr::InverseOrZero(difference));
            let column = Column::auxiliary(place.end_auxiliary + position);
            self.code.write(column, inverse, Fixed::Determined);
        }
    }

    /// Writes the merge columns in front of `continuation`.
    fn merge(&mut self, continuation: usize, values: &[ValueNo]) {
        let first = self.layout.blocks[continuation].first_auxiliary - values.len();
        for (i, &value) in values.iter().enumerate() {
            self.code.write(Column::auxiliary(first + i), value, Fixed::Determined);
        }
        self.code.constrain(values);
    }

    /// Writes the merge columns in front of `continuation` where an arm returned
    /// instead of yielding: the match was entered, so they are required to be zero.
    fn leave(&mut self, continuation: usize) {
        let place = &self.layout.blocks[continuation];
        for index in place.first_auxiliary - place.num_merged..place.first_auxiliary {
            self.code.write_word(Column::auxiliary(index), 0);
        }
    }
}
