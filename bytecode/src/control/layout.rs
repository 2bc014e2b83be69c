//! Where control puts columns and slots: arms side by side, merge columns, witnesses.

use crate::layout::BlockPlace;
use crate::model::{BlockId, Control, Function};

/// What a block takes of a row, its subtree included.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SubtreeSize {
    pub auxiliaries: usize,
    pub lookups: usize,
    shared_auxiliaries: usize,
    shared_lookups: usize,
}

/// Second pass, children first: what a block takes together with its subtree.
pub(crate) fn subtree_sizes(function: &Function, places: &[BlockPlace]) -> Vec<SubtreeSize> {
    let mut sizes = vec![SubtreeSize::default(); function.blocks.len()];
    for (index, block) in function.blocks.iter().enumerate().rev() {
        let (mut auxiliaries, mut lookups) = (0, 0);
        if let Some(arms) = block.control.arms() {
            for child in arms.blocks() {
                let witnesses = num_witnesses(&block.control, child);
                let size = sizes[child.index()];
                auxiliaries = auxiliaries.max(witnesses + size.auxiliaries);
                lookups = lookups.max(size.lookups);
            }
        }
        let (shared_auxiliaries, shared_lookups) = (auxiliaries, lookups);
        if let Control::MatchContinue { num_outputs, continuation, .. } = &block.control {
            auxiliaries += *num_outputs as usize + sizes[continuation.index()].auxiliaries;
            lookups += sizes[continuation.index()].lookups;
        }
        sizes[index] = SubtreeSize {
            auxiliaries: places[index].end_auxiliary + auxiliaries,
            lookups: places[index].end_lookup + lookups,
            shared_auxiliaries,
            shared_lookups,
        };
    }
    sizes
}

/// Third pass, parents first: absolute starts.
pub(crate) fn place_blocks(
    function: &Function,
    places: &mut [BlockPlace],
    sizes: &[SubtreeSize],
    first_auxiliary: usize,
) {
    places[0].first_auxiliary = first_auxiliary;
    places[0].first_lookup = 1;
    for (index, block) in function.blocks.iter().enumerate() {
        let place = &mut places[index];
        for op in &mut place.ops {
            op.first_auxiliary += place.first_auxiliary;
            op.first_lookup += place.first_lookup;
        }
        place.end_auxiliary += place.first_auxiliary;
        place.end_lookup += place.first_lookup;
        let (auxiliary, lookup) = (place.end_auxiliary, place.end_lookup);
        if let Control::MatchContinue { num_outputs, continuation, .. } = &block.control {
            place.shared_auxiliaries = sizes[index].shared_auxiliaries;
            place.shared_lookups = sizes[index].shared_lookups;
            let next = &mut places[continuation.index()];
            next.first_auxiliary =
                auxiliary + sizes[index].shared_auxiliaries + *num_outputs as usize;
            next.first_lookup = lookup + sizes[index].shared_lookups;
        }
        for child in block.control.arms().into_iter().flat_map(|arms| arms.blocks()) {
            let witnesses = num_witnesses(&block.control, child);
            places[child.index()].first_auxiliary = auxiliary + witnesses;
            places[child.index()].first_lookup = lookup;
        }
    }
}

/// Inverse witnesses in front of `child`: one per key if it is the default.
fn num_witnesses(control: &Control, child: BlockId) -> usize {
    match control.arms() {
        Some(arms) if arms.default == Some(child) => arms.cases.len(),
        _ => 0,
    }
}
