//! Seeds of rows that the reference builder has made.
//!
//! Every word of a seed but the path number and the ranks of callees is a cell of
//! its row, so seeds are read off reference rows: no packer takes part, and a
//! writer is tested for what it makes of a right seed.

use std::collections::BTreeMap;

use traceloom_abi::record::Record;
use traceloom_abi::seed::Meaning;
use traceloom_air::field::{Goldilocks, word};
use traceloom_plan::{
    Cell, Column, FunctionPlan, GenericControl, PathPlan, Read, ReadSource, Region, ValueNo, Write,
};

/// One row of a member in its circuit.
#[derive(Clone, Copy, Debug)]
pub struct RowView<'a> {
    /// All cells.
    pub cells: &'a [Goldilocks],
    /// Column of the member's selector 0.
    pub first_selector: usize,
    /// Column of auxiliary 0.
    pub first_auxiliary: usize,
    /// The record.
    pub record: &'a Record,
    /// Position of the row's query.
    pub query: usize,
}

impl RowView<'_> {
    fn cell(&self, column: Column) -> u64 {
        let base = match column.region {
            Region::Input => 0,
            Region::Selector => self.first_selector,
            Region::Auxiliary => self.first_auxiliary,
        };
        word(self.cells[base + column.index as usize])
    }

    fn auxiliary(&self, index: u32) -> u64 {
        self.cell(Column { region: Region::Auxiliary, index })
    }

    fn is_selected(&self, index: u32) -> bool {
        self.cell(Column { region: Region::Selector, index }) == 1
    }
}

/// The typed seed of a row, or `None` if a word does not fit its width.
#[must_use]
pub fn typed(function: &FunctionPlan, path: &PathPlan, row: RowView<'_>) -> Option<Vec<u8>> {
    let mut words = own_words(function, row);
    let ranks = row.record.functions[function.function as usize].callee_ranks(row.query);
    let mut num_ranks = 0;
    for (number, read) in (0..).zip(&path.reads) {
        let read = read_word(read, &path.writes, row, ranks, &mut num_ranks);
        words.insert(Meaning::Read(number), read);
    }
    let mut seed = vec![0; path.schema.stride as usize];
    let fits = |seed: &mut [u8]| {
        path.schema.words.iter().all(|place| place.write(seed, words[&place.meaning]))
    };
    fits(&mut seed).then_some(seed)
}

/// The full seed of a row. The way through the function is read off the row's
/// selectors.
#[must_use]
pub fn full(function: &FunctionPlan, path: u32, row: RowView<'_>) -> Vec<u8> {
    let mut words = own_words(function, row);
    words.insert(Meaning::Path, path.into());
    let ranks = row.record.functions[function.function as usize].callee_ranks(row.query);
    let selected = selected_blocks(function, row);
    let (mut number, mut num_ranks, mut block) = (0, 0, 0);
    loop {
        let current = &function.generic.blocks[block];
        for read in &current.reads {
            let read = read_word(read, &current.writes, row, ranks, &mut num_ranks);
            words.insert(Meaning::Read(number), read);
            number += 1;
        }
        block = match &current.control {
            GenericControl::Return { .. } => break,
            GenericControl::Yield { block, .. } => *block as usize,
            GenericControl::Match { cases, default, .. } => {
                let mut arms = cases.iter().map(|&(_, block)| block).chain(*default);
                let arm = arms.find(|&arm| selected[arm as usize]);
                arm.expect("a row selects an arm of every match on its way") as usize
            }
        };
    }
    let mut seed = vec![0; function.full.stride()];
    for (meaning, word) in words {
        let position = 8 * function.full.position(meaning);
        seed[position..position + 8].copy_from_slice(&word.to_le_bytes());
    }
    seed
}

fn own_words(function: &FunctionPlan, row: RowView<'_>) -> BTreeMap<Meaning, u64> {
    let mut words = BTreeMap::from([(Meaning::Multiplicity, row.auxiliary(0))]);
    if function.layout.ranked {
        words.insert(Meaning::Rank, row.auxiliary(1));
    }
    for index in 0..function.layout.num_inputs {
        words.insert(Meaning::Input(index), row.cell(Column { region: Region::Input, index }));
    }
    words
}

/// The word of one read: the cell that it goes to, or the next callee rank.
fn read_word(
    read: &Read,
    writes: &[Write],
    row: RowView<'_>,
    ranks: &[u32],
    num_ranks: &mut usize,
) -> u64 {
    if let ReadSource::CalleeRank(_) = read.source {
        *num_ranks += 1;
        return ranks[*num_ranks - 1].into();
    }
    let holds = |value: ValueNo| writes.iter().find(|write| write.cell == Cell::Value(value));
    row.cell(holds(read.value).expect("every word that is read has a column").column)
}

/// By block: whether a selector of the row lies in it or in the arms below it.
fn selected_blocks(function: &FunctionPlan, row: RowView<'_>) -> Vec<bool> {
    let blocks = &function.generic.blocks;
    let mut selected = vec![false; blocks.len()];
    for (index, block) in blocks.iter().enumerate().rev() {
        selected[index] = match &block.control {
            GenericControl::Return { .. } | GenericControl::Yield { .. } => {
                let own = |write: &&Write| write.column.region == Region::Selector;
                let own = block.writes.iter().find(own).expect("a leaf sets its selector");
                row.is_selected(own.column.index)
            }
            GenericControl::Match { cases, default, .. } => {
                let arms = cases.iter().map(|&(_, block)| block).chain(*default);
                arms.into_iter().any(|arm| selected[arm as usize])
            }
        };
    }
    selected
}
