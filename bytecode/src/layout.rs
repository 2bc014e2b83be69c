//! Columns and lookup slots of a function's row.
//!
//! Layout (owned here)
//! - A row is inputs | selectors | auxiliaries. Auxiliary 0 is the multiplicity,
//!   auxiliary 1 the rank where the function is ranked. Lookup slot 0 is the
//!   return message.
//! - Then every operation takes the columns and slots of [`OpPlace`] in order.
//! - Arms of a match start at the same column and slot. A default starts with
//!   one inverse witness per key, in the order the keys are listed.
//! - A match with continuation reserves the maximum over its arms, then has its
//!   merge columns, then the continuation.
//! - A circuit of several members has the maximum of their inputs, auxiliaries
//!   and lookups, and the sum of their selectors.
//!
//! The tracked degree of a value is 0 (constant) or 1 (linear in columns). It
//! never changes when an expression happens to fold to a constant.

use crate::callgraph::{CallGraph, RankedCall};
use crate::control::layout::{place_blocks, subtree_sizes};
use crate::model::{Control, Function, FunctionId, Op};
use crate::operations::{Operation, Size};

/// Where the parts of one function lie in its row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionLayout {
    /// Number of input columns.
    pub num_inputs: usize,
    /// Number of selector columns, one per leaf.
    pub num_selectors: usize,
    /// Number of auxiliary columns, multiplicity (and rank) included.
    pub num_auxiliaries: usize,
    /// Number of lookup slots, the return message included.
    pub num_lookups: usize,
    /// Whether auxiliary 1 is a rank.
    pub ranked: bool,
    /// By block.
    pub blocks: Vec<BlockPlace>,
}

impl FunctionLayout {
    /// Number of columns of a row of this function alone.
    #[must_use]
    pub fn width(&self) -> usize {
        self.num_inputs + self.num_selectors + self.num_auxiliaries
    }
}

/// Where the parts of one block lie.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockPlace {
    /// Number of values when the block starts.
    pub num_values: usize,
    /// How many of them, the last ones, are the merge columns of the match that
    /// this block continues.
    pub num_merged: usize,
    /// First auxiliary that the block may use, inverse witnesses excluded.
    pub first_auxiliary: usize,
    /// First lookup slot that the block may use.
    pub first_lookup: usize,
    /// By operation.
    pub ops: Vec<OpPlace>,
    /// After the operations: where arms start.
    pub end_auxiliary: usize,
    /// After the operations: where arms start.
    pub end_lookup: usize,
    /// Auxiliaries reserved for the arms of a match with continuation; its merge
    /// columns follow.
    pub shared_auxiliaries: usize,
    /// Lookups reserved for the arms of a match with continuation.
    pub shared_lookups: usize,
}

/// Where the parts of one operation lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpPlace {
    /// Number of its first result.
    pub first_value: usize,
    /// Tracked degree of its results.
    pub degree: u32,
    /// First auxiliary.
    pub first_auxiliary: usize,
    /// Number of auxiliaries; a call's rank or gap columns come last.
    pub num_auxiliaries: usize,
    /// First lookup slot.
    pub first_lookup: usize,
    /// Number of lookup slots; a call's gap checks come last.
    pub num_lookups: usize,
    /// For a constrained call: what the rank of the callee needs.
    pub ranked_call: RankedCall,
}

/// Columns and slots of `function`, whose blocks must be a valid tree over
/// existing values.
#[must_use]
pub fn derive_layout(id: FunctionId, function: &Function, graph: &CallGraph) -> FunctionLayout {
    let mut blocks = place_ops(id, function, graph);
    let sizes = subtree_sizes(function, &blocks);
    let ranked = function.constrained && graph.is_ranked(id);
    place_blocks(function, &mut blocks, &sizes, 1 + usize::from(ranked));
    let leaves = function.blocks.iter().filter(|block| block.control.arms().is_none()).count();
    FunctionLayout {
        num_inputs: function.num_inputs as usize,
        num_selectors: leaves,
        num_auxiliaries: 1 + usize::from(ranked) + sizes[0].auxiliaries,
        num_lookups: 1 + sizes[0].lookups,
        ranked,
        blocks,
    }
}

/// First pass: sizes of operations, which need the degrees of values. Operation
/// starts are relative to their block.
fn place_ops(id: FunctionId, function: &Function, graph: &CallGraph) -> Vec<BlockPlace> {
    let mut places = vec![BlockPlace::default(); function.blocks.len()];
    places[0].num_values = function.num_inputs as usize;
    let mut degrees: Vec<u32> = vec![1; function.num_inputs as usize];
    let alone = graph.lone_blocks(id, function);
    for (index, block) in function.blocks.iter().enumerate() {
        // Blocks are in pre-order, so the values of the parent are still there;
        // what a continuation adds are merge columns, of degree 1.
        let num_values = places[index].num_values;
        degrees.truncate(num_values - places[index].num_merged);
        degrees.resize(num_values, 1);
        let (mut auxiliary, mut lookup) = (0, 0);
        for op in &block.ops {
            let Size { auxiliaries: mut num_auxiliaries, lookups: mut num_lookups, degree } =
                op.size(&|value| degrees[value.index()]);
            let mut ranked_call = RankedCall::None;
            if let Op::Call { function: callee, constrained: true, .. } = op
                && function.constrained
            {
                ranked_call = graph.ranked_call(id, *callee, alone[index]);
                num_auxiliaries += ranked_call.num_columns();
                num_lookups += ranked_call.num_lookups();
            }
            places[index].ops.push(OpPlace {
                first_value: degrees.len(),
                degree,
                first_auxiliary: auxiliary,
                num_auxiliaries,
                first_lookup: lookup,
                num_lookups,
                ranked_call,
            });
            auxiliary += num_auxiliaries;
            lookup += num_lookups;
            degrees.resize(degrees.len() + op.num_results(), degree);
        }
        places[index].end_auxiliary = auxiliary;
        places[index].end_lookup = lookup;
        let num_values = degrees.len();
        if let Control::MatchContinue { continuation, num_outputs, .. } = &block.control {
            let next = &mut places[continuation.index()];
            next.num_merged = *num_outputs as usize;
            next.num_values = num_values + next.num_merged;
        }
        for child in block.control.arms().into_iter().flat_map(|arms| arms.blocks()) {
            places[child.index()].num_values = num_values;
        }
    }
    places
}
