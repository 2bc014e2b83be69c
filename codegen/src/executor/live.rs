//! Which values a place in a function needs.
//!
//! A value is known by its number on the path to it, so one number may be several values.
//! Of the numbers that a place has, all uses below it are of one value: blocks only append.

use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::model::{Block, BlockId, Control, FunctionId, ValueId};

/// A place: a block and a position among its operations.
pub type At = (u32, u32);

/// Uses of the values of one function.
pub struct Live {
    /// By number: where a value of this number is read, in order.
    uses: Vec<Vec<At>>,
    /// By block: the first block that is not below it.
    ends: Vec<u32>,
    /// By block: where a yield in it goes on.
    pub continuations: Vec<Option<BlockId>>,
    /// By continuation: what it needs of the values that its match had.
    entered: Vec<Vec<u32>>,
}

impl Live {
    /// Finds all uses of function `id`.
    pub fn new(program: &CheckedProgram, id: FunctionId) -> Self {
        let (function, places) = (program.function(id), &program.layout(id).blocks);
        let count = function.blocks.len();
        let mut uses: Vec<Vec<At>> = Vec::new();
        for (index, block) in function.blocks.iter().enumerate() {
            let mut read = |value: ValueId, op: usize| {
                if uses.len() <= value.index() {
                    uses.resize(value.index() + 1, Vec::new());
                }
                uses[value.index()].push((index as u32, op as u32));
            };
            for (at, op) in block.ops.iter().enumerate() {
                op.for_each_operand(|value| read(value, at));
            }
            match &block.control {
                Control::Return { values, .. } | Control::Yield { values, .. } => {
                    values.iter().for_each(|&value| read(value, block.ops.len()));
                }
                Control::Match(arms) | Control::MatchContinue { arms, .. } => {
                    read(arms.value, block.ops.len());
                }
            }
        }
        let mut ends: Vec<u32> = (1..=count as u32).collect();
        for (index, block) in function.blocks.iter().enumerate().rev() {
            if let Some(last) = block.control.children().last() {
                ends[index] = ends[last.index()];
            }
        }
        let continuations = function.continuations();
        let mut live = Self { uses, ends, continuations, entered: vec![Vec::new(); count] };
        // A continuation comes after what yields to it, inner continuations included.
        let next = |block: &Block| match &block.control {
            Control::MatchContinue { continuation, .. } => Some(*continuation),
            _ => None,
        };
        let mut all: Vec<BlockId> = function.blocks.iter().filter_map(next).collect();
        all.sort_unstable();
        for block in all.into_iter().rev() {
            let place = &places[block.index()];
            let count = place.num_values - place.num_merged;
            live.entered[block.index()] = live.at((block.0, 0), count);
        }
        live
    }

    /// Those of the first `count` values that `at` and everything after it may read, sorted.
    pub fn at(&self, at: At, count: usize) -> Vec<u32> {
        let next = self.continuations[at.0 as usize];
        let next = next.map_or(&[][..], |block| &self.entered[block.index()]);
        let end = (self.ends[at.0 as usize], 0);
        let needed = |&value: &u32| {
            let uses = self.uses.get(value as usize).map_or(&[][..], Vec::as_slice);
            let first = uses.partition_point(|&read| read < at);
            uses.get(first).is_some_and(|&read| read < end) || next.binary_search(&value).is_ok()
        };
        (0..count as u32).filter(needed).collect()
    }
}
