//! Numbers of operations: the same in every plan, comment and message.

use traceloom_plan::OpNote;

use crate::model::{Control, Function, Op, ValueId};

/// Numbers of operations and places of leaves in one function.
pub(crate) struct Numbering {
    /// By block: number of its first operation. The control follows the last one.
    pub first_op: Vec<u32>,
    /// By block: number of its operations.
    num_ops: Vec<u32>,
    /// By block: one past the last block of its subtree.
    pub end: Vec<usize>,
    /// By selector: the block of its leaf.
    pub leaf_block: Vec<usize>,
}

impl Numbering {
    /// Numbers the operations and controls of `function` in pre-order.
    #[must_use]
    pub fn new(function: &Function) -> Self {
        let mut next = 0;
        let (mut first_op, mut num_ops) = (Vec::new(), Vec::new());
        let mut leaves = Vec::new();
        for (index, block) in function.blocks.iter().enumerate() {
            first_op.push(next);
            num_ops.push(block.ops.len() as u32);
            next += block.ops.len() as u32 + 1;
            if let Control::Return { selector, .. } | Control::Yield { selector, .. } =
                &block.control
            {
                leaves.push((*selector, index));
            }
        }
        leaves.sort_unstable();
        let mut end: Vec<usize> = (1..=function.blocks.len()).collect();
        for (index, block) in function.blocks.iter().enumerate().rev() {
            if let Some(last) = block.control.children().last() {
                end[index] = end[last.index()];
            }
        }
        let leaf_block = leaves.into_iter().map(|(_, block)| block).collect();
        Self { first_op, num_ops, end, leaf_block }
    }

    /// Number of the control of a block.
    #[must_use]
    pub fn control_op(&self, block: usize) -> u32 {
        self.first_op[block] + self.num_ops[block]
    }

    /// What each number stands for.
    pub fn notes(&self, function: &Function) -> Vec<OpNote> {
        let mut notes = Vec::new();
        for (index, block) in function.blocks.iter().enumerate() {
            let ops = block.ops.iter().map(op_text);
            for (position, text) in ops.chain([control_text(&block.control)]).enumerate() {
                notes.push(OpNote { block: index as u32, position: position as u32, text });
            }
        }
        notes
    }
}

/// Longest list of operands that a note spells out.
const MAX_SPELLED: usize = 8;

fn op_text(op: &Op) -> String {
    let mut operands = Vec::new();
    op.for_each_operand(|value| operands.push(value));
    let mut text = op.name().to_owned();
    match op {
        Op::Const(value) => text.push_str(&format!(" {value}")),
        Op::Call { function, .. } => text.push_str(&format!(" function {}:", function.0)),
        _ => {}
    }
    text + &list(&operands)
}

fn control_text(control: &Control) -> String {
    let name = control.name();
    match control {
        Control::Return { selector, values } | Control::Yield { selector, values } => {
            format!("{name} selector {selector}:{}", list(values))
        }
        Control::Match(arms) | Control::MatchContinue { arms, .. } => {
            format!("{name} {}", arms.value.0)
        }
    }
}

fn list(values: &[ValueId]) -> String {
    let spelled = values.iter().take(MAX_SPELLED).map(|value| format!(" {}", value.0));
    let mut text: String = spelled.collect();
    if values.len() > MAX_SPELLED {
        text.push_str(&format!(" ... ({})", values.len()));
    }
    text
}
