//! Layouts of the other project, as its compiler derives them.
//!
//! Frozen: what its files state is compared with this, and our own layouts change without
//! it. So nothing here asks an operation or a match of ours what it takes. It has no ranks,
//! twelve bytes per comparison of words, and an inverse per key of a default.

use traceloom_air::bytes::ByteOp;

use super::{StatedLayout, StatedShare};
use crate::model::{BlockId, Control, Function, Op, ValueId};

/// Auxiliary columns and lookup slots.
#[derive(Clone, Copy, Default)]
struct Size {
    auxiliaries: u32,
    lookups: u32,
}

impl Size {
    fn and(self, other: Self) -> Self {
        let auxiliaries = self.auxiliaries + other.auxiliaries;
        Self { auxiliaries, lookups: self.lookups + other.lookups }
    }

    fn or(self, other: Self) -> Self {
        let auxiliaries = self.auxiliaries.max(other.auxiliaries);
        Self { auxiliaries, lookups: self.lookups.max(other.lookups) }
    }
}

/// What a file states of `function`, whose blocks must be a valid tree over existing
/// values.
#[must_use]
pub fn expected_layout(function: &Function) -> StatedLayout {
    let own = operations(function);
    let mut sizes = vec![Size::default(); function.blocks.len()];
    let mut shared = Vec::new();
    // Children come after their parents.
    for (index, block) in function.blocks.iter().enumerate().rev() {
        let mut arms = Size::default();
        if let Some(choice) = block.control.arms() {
            for (_, case) in &choice.cases {
                arms = arms.or(sizes[case.index()]);
            }
            if let Some(default) = choice.default {
                let inverses = Size { auxiliaries: choice.cases.len() as u32, lookups: 0 };
                arms = arms.or(inverses.and(sizes[default.index()]));
            }
        }
        let mut size = own[index].and(arms);
        if let Control::MatchContinue { num_outputs, continuation, .. } = &block.control {
            let Size { auxiliaries, lookups } = arms;
            shared.push(StatedShare { block: BlockId(index as u32), auxiliaries, lookups });
            let merged = Size { auxiliaries: *num_outputs, lookups: 0 };
            size = size.and(merged).and(sizes[continuation.index()]);
        }
        sizes[index] = size;
    }
    shared.reverse();
    let leaves = function.blocks.iter().filter(|block| block.control.arms().is_none());
    StatedLayout {
        selectors: leaves.count() as u32,
        // The multiplicity and the return message.
        auxiliaries: 1 + sizes[0].auxiliaries,
        lookups: 1 + sizes[0].lookups,
        shared,
    }
}

/// By block: what its operations take.
fn operations(function: &Function) -> Vec<Size> {
    // By value in scope: whether it is a constant. Blocks are in pre-order, so what a block
    // starts with is a beginning of what came before.
    let mut constant = vec![false; function.num_inputs as usize];
    // By block: number of values when it starts, and how many of them are merged.
    let mut starts = vec![(constant.len(), 0); function.blocks.len()];
    let mut sizes = Vec::with_capacity(function.blocks.len());
    for (index, block) in function.blocks.iter().enumerate() {
        let (num_values, num_merged) = starts[index];
        constant.truncate(num_values - num_merged);
        constant.resize(num_values, false);
        let mut size = Size::default();
        for op in &block.ops {
            let is_constant = |value: &ValueId| constant[value.index()];
            let (auxiliaries, lookups) = size_of(op, &is_constant);
            let gives_constant = match op {
                Op::Const(_) => true,
                Op::Add(a, b) | Op::Sub(a, b) | Op::Mul(a, b) => is_constant(a) && is_constant(b),
                Op::EqZero(a) => is_constant(a),
                Op::U32ToField(bytes) => bytes.iter().all(is_constant),
                _ => false,
            };
            size = size.and(Size { auxiliaries, lookups });
            constant.resize(constant.len() + op.num_results(), gives_constant);
        }
        sizes.push(size);
        for arm in block.control.arms().into_iter().flat_map(|arms| arms.blocks()) {
            starts[arm.index()] = (constant.len(), 0);
        }
        if let Control::MatchContinue { num_outputs, continuation, .. } = &block.control {
            let merged = *num_outputs as usize;
            starts[continuation.index()] = (constant.len() + merged, merged);
        }
    }
    sizes
}

/// Auxiliary columns and lookup slots of an operation.
fn size_of(op: &Op, is_constant: &dyn Fn(&ValueId) -> bool) -> (u32, u32) {
    let results = op.num_results() as u32;
    match op {
        Op::Mul(a, b) => (u32::from(!is_constant(a) && !is_constant(b)), 0),
        Op::EqZero(a) => (if is_constant(a) { 0 } else { 2 }, 0),
        Op::Call { constrained, .. } => (results, u32::from(*constrained)),
        Op::Store { .. } | Op::Load { .. } | Op::Unary(..) => (results, 1),
        // Carry and borrow have no column.
        Op::Binary(ByteOp::Add | ByteOp::Sub, ..) => (1, 1),
        Op::Binary(..) => (results, 1),
        Op::U32LessThan(..) => (12, 6),
        Op::HintU32Add(_) | Op::HintU32Add3(_) => (4, 0),
        Op::IoGetInfo { .. }
        | Op::IoRead { .. }
        | Op::HintFieldToBytes(_)
        | Op::HintInverse(_)
        | Op::HintBigUintDivRem(..) => (results, 0),
        Op::Const(_)
        | Op::Add(..)
        | Op::Sub(..)
        | Op::U32ToField(_)
        | Op::AssertEq { .. }
        | Op::IoSetInfo { .. }
        | Op::IoWrite { .. }
        | Op::Debug { .. }
        | Op::Allow { .. } => (0, 0),
    }
}
