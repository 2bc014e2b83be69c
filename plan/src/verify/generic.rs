//! Invariants of a branching plan.

use super::Verifier;
use crate::columns::Column;
use crate::program::{GenericBlock, GenericControl};

impl Verifier<'_> {
    /// Along the leaves of a path, the branching plan writes each cell once.
    pub(super) fn generic_way(&mut self, leaves: &[u32]) {
        let plan = &self.function.generic;
        let layout = self.function.layout;
        let mut seen = vec![false; layout.width() as usize];
        let mut ends = vec![0; plan.blocks.len()];
        for (index, block) in plan.blocks.iter().enumerate().rev() {
            ends[index] = match &block.control {
                GenericControl::Match { cases, default, continuation, .. } => {
                    let arms = cases.iter().map(|&(_, block)| block).chain(*default);
                    let last = arms.chain(*continuation).max().unwrap_or(index as u32);
                    ends[last as usize].max(index + 1)
                }
                _ => index + 1,
            };
        }
        let leaf_of = |selector: u32| {
            let column = Column::selector(selector as usize);
            let writes =
                |block: &GenericBlock| block.writes.iter().any(|write| write.column == column);
            plan.blocks.iter().position(writes)
        };
        let mut leaves = leaves.iter().map(|&leaf| leaf_of(leaf));
        let mut leaf = leaves.next().flatten();
        let mut index = 0;
        loop {
            let block = &plan.blocks[index];
            let zeros = block.zeros.iter().flat_map(|span| span.columns());
            for column in block.writes.iter().map(|write| write.column).chain(zeros) {
                let cell = layout.position(column).map(|position| &mut seen[position]);
                self.require(cell.is_some(), None, || {
                    format!("the branching plan writes {column}, which is not there")
                });
                let twice = cell.is_some_and(|cell| std::mem::replace(cell, true));
                self.require(!twice, None, || {
                    format!("the branching plan writes {column} twice, last in block {index}")
                });
            }
            match &block.control {
                GenericControl::Return { .. } => break,
                GenericControl::Yield { block, .. } => {
                    index = *block as usize;
                    leaf = leaves.next().flatten();
                }
                GenericControl::Match { cases, default, .. } => {
                    let arms = cases.iter().map(|&(_, block)| block as usize);
                    let mut arms = arms.chain(default.map(|block| block as usize));
                    let holds = |arm: &usize| leaf.is_some_and(|l| (*arm..ends[*arm]).contains(&l));
                    let Some(next) = arms.find(holds) else {
                        self.require(false, None, || "a leaf is in no arm".into());
                        return;
                    };
                    index = next;
                }
            }
        }
        let (expected, got) = (seen.len(), seen.iter().filter(|&&cell| cell).count());
        self.require(expected == got, None, || {
            format!("the branching plan writes {got} cells of {expected} columns")
        });
    }

    pub(super) fn generic_values(&mut self) {
        let plan = &self.function.generic;
        let mut next = 0;
        for block in &plan.blocks {
            let follows = block.first_value == next && block.end_value >= next;
            self.require(follows, None, || "blocks do not number their values in order".into());
            next = block.end_value;
        }
        self.values(&plan.values, 0..plan.values.len());
    }
}
