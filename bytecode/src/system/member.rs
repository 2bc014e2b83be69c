//! One function in its circuit: its blocks in order, every operation at its place.

use std::collections::BTreeSet;

use traceloom_air::bytes::ByteOp;
use traceloom_air::system::ExprId;

use super::{Group, OpRow};
use crate::check::CheckedProgram;
use crate::control::constraints::{Flow, selectors};
use crate::layout::FunctionLayout;
use crate::model::{Function, FunctionId};
use crate::operations::Operation;

/// A function whose constraints are being added to a group.
pub(crate) struct Member<'a> {
    pub id: FunctionId,
    pub function: &'a Function,
    pub layout: &'a FunctionLayout,
    /// By block: its selector.
    pub selectors: Vec<ExprId>,
    /// By block: sum of the yields that go to the continuation around it.
    pub yields: Vec<ExprId>,
    /// By selector: its column.
    pub columns: Vec<ExprId>,
}

impl<'a> Member<'a> {
    pub(super) fn new(
        program: &'a CheckedProgram,
        group: &mut Group,
        position: usize,
        id: FunctionId,
    ) -> Self {
        let (function, layout) = (program.function(id), program.layout(id));
        let first = group.columns.first_selector[position];
        let arena = &mut group.arena;
        let columns: Vec<_> = (0..layout.num_selectors).map(|s| arena.main(first + s)).collect();
        let (selectors, yields) = selectors(function, &columns, arena);
        Self { id, function, layout, selectors, yields, columns }
    }

    pub(super) fn build(&self, group: &mut Group, byte_ops: &mut BTreeSet<ByteOp>) {
        let inputs = 0..self.layout.num_inputs;
        let inputs: Vec<ExprId> = inputs.map(|column| group.arena.main(column)).collect();
        let mut values = inputs.clone();
        let mut flow = Flow::new(self.function.blocks.len());
        for (index, block) in self.function.blocks.iter().enumerate() {
            let place = &self.layout.blocks[index];
            values.truncate(place.num_values - place.num_merged);
            values.extend(self.merge_columns(group, index));
            let gate = self.selectors[index];
            if block.control.arms().is_some() {
                group.require_bit(gate, || self.label(index, "selector sum is a bit"));
            }
            for (op_index, (op, op_place)) in block.ops.iter().zip(&place.ops).enumerate() {
                let name = &self.function.name;
                let mut row = OpRow {
                    group,
                    byte_ops,
                    values: &values,
                    gate,
                    place: *op_place,
                    label: format!("{name}: block {index}, op {op_index} {}", op.name()),
                };
                let results = op.constrain(&mut row);
                debug_assert_eq!(results.len(), op.num_results());
                values.extend(results);
            }
            self.end_block(group, index, &values, &mut flow);
        }
        self.require_merges(group, &flow);
        self.send_return(group, &inputs, &flow);
    }

    /// What is required of a block, for people.
    pub fn label(&self, block: usize, what: &str) -> String {
        format!("{}: block {block}, {what}", self.function.name)
    }
}
