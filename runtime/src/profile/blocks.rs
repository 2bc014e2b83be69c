//! Which blocks a path executes, and which arm of every match.

use traceloom_bytecode::model::{BlockId, Control, Function};

/// The blocks of a path in order. `leaves` are the selectors of its leaves.
pub fn executed(function: &Function, leaves: &[u32]) -> Vec<BlockId> {
    let (mut blocks, mut leaves) = (Vec::new(), leaves.iter());
    let mut next = leaves.next().map(|leaf| owner(function, *leaf));
    let mut continuations = Vec::new();
    let mut at = Some(BlockId::BODY);
    while let Some(block) = at {
        blocks.push(block);
        at = match &function.blocks[block.index()].control {
            Control::Return { .. } => None,
            Control::Yield { .. } => {
                next = leaves.next().map(|leaf| owner(function, *leaf));
                continuations.pop()
            }
            control => {
                if let Control::MatchContinue { continuation, .. } = control {
                    continuations.push(*continuation);
                }
                let arms = control.arms().into_iter().flat_map(|arms| arms.blocks());
                // Blocks are in pre-order: an arm has the blocks up to the next one.
                arms.filter(|arm| next.is_some_and(|leaf| arm.index() <= leaf.index()))
                    .max_by_key(|arm| arm.index())
            }
        };
    }
    blocks
}

/// The block that ends in this leaf.
fn owner(function: &Function, leaf: u32) -> BlockId {
    let is_leaf = |control: &Control| match control {
        Control::Return { selector, .. } | Control::Yield { selector, .. } => *selector == leaf,
        Control::Match(_) | Control::MatchContinue { .. } => false,
    };
    let position = function.blocks.iter().position(|block| is_leaf(&block.control));
    BlockId(position.expect("every selector is that of a leaf") as u32)
}
