//! What the cells and lookups of a row are for.

use std::collections::HashSet;

use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::model::{BlockId, Control, FunctionId};

use super::Size;
use super::blocks::executed;

/// A part of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The operation, or what else it is.
    pub name: String,
    pub cells: u64,
    pub lookups: u64,
    /// Whether it is the row itself: inputs, selectors, multiplicity, rank, return message.
    pub is_row: bool,
}

/// What every function has.
const ROW: &str = "row";
/// Columns and lookups of branches that this row does not take, and of other functions of its
/// circuit.
const UNUSED: &str = "unused";
/// All operations where paths are not numbered.
const ANY: &str = "operations of any path";

/// The parts of a row of `function` on a path, in a circuit of this size. They add up to the size.
pub fn places(program: &CheckedProgram, function: FunctionId, path: u32, size: Size) -> Vec<Place> {
    let (layout, paths) = (program.layout(function), program.paths(function));
    let row = layout.num_inputs + layout.num_selectors + 1 + usize::from(layout.ranked);
    let place = |name: &str, cells: usize, lookups: usize| Place {
        name: name.into(),
        cells: cells as u64,
        lookups: lookups as u64,
        is_row: name == ROW,
    };
    let mut all = vec![place(ROW, row, 1)];
    match paths.leaves(path as usize) {
        Some(leaves) => all.extend(of_blocks(program, function, leaves)),
        None => all.push(place(ANY, layout.width() - row, layout.num_lookups - 1)),
    }
    let sum = |of: fn(&Place) -> u64| all.iter().map(of).sum::<u64>();
    let cells = size.width - sum(|place| place.cells);
    let lookups = size.lookups - sum(|place| place.lookups);
    if cells + lookups > 0 {
        all.push(Place { name: UNUSED.into(), cells, lookups, is_row: false });
    }
    all
}

fn of_blocks(program: &CheckedProgram, function: FunctionId, leaves: &[u32]) -> Vec<Place> {
    let (data, layout) = (program.function(function), program.layout(function));
    let blocks = executed(data, leaves);
    let is_executed: HashSet<usize> = blocks.iter().map(|block| block.index()).collect();
    let has = |block: BlockId| is_executed.contains(&block.index());
    let mut all = Vec::new();
    for block in blocks {
        let (block, place) = (&data.blocks[block.index()], &layout.blocks[block.index()]);
        all.extend(block.ops.iter().zip(&place.ops).map(|(op, place)| Place {
            name: op.name().into(),
            cells: place.num_auxiliaries as u64,
            lookups: place.num_lookups as u64,
            is_row: false,
        }));
        let witnesses = block.control.arms().map_or(0, |arms| match arms.default {
            Some(default) if has(default) => arms.cases.len(),
            _ => 0,
        });
        // Merge columns are there whether a row goes on behind the match or not.
        let merged = match &block.control {
            Control::MatchContinue { num_outputs, continuation, .. } if has(*continuation) => {
                *num_outputs as usize
            }
            _ => 0,
        };
        if block.control.arms().is_some() {
            let cells = (witnesses + merged) as u64;
            all.push(Place { name: block.control.name().into(), cells, lookups: 0, is_row: false });
        }
    }
    all
}
