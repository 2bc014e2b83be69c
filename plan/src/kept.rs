//! Values of a branching plan that outlive their block.
//!
//! Text with a variable per value declares few of them for the whole function: only those of
//! values that a block other than their own reads or assigns.

use std::collections::BTreeSet;

use traceloom_abi::seed::Meaning;

use crate::program::{FunctionPlan, GenericBlock, GenericControl};
use crate::row::Cell;
use crate::value::{Expr, Value, ValueNo};

/// Who computes values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Who writes rows.
    Writer,
    /// Who packs seeds.
    Packer,
}

impl Role {
    /// Whether it needs `value`.
    #[must_use]
    pub const fn needs(self, value: &Value) -> bool {
        match self {
            Self::Writer => value.need.writer,
            Self::Packer => value.need.packer,
        }
    }
}

/// Values that outlive their block in text that reads seed words at a fixed position in place:
/// all merged values, and all values that a block other than their own reads.
#[must_use]
pub fn kept(function: &FunctionPlan, role: Role) -> BTreeSet<ValueNo> {
    let plan = &function.generic;
    let mut kept = BTreeSet::new();
    for block in &plan.blocks {
        let own = block.first_value..block.end_value;
        let mut used = Vec::new();
        for number in own.clone() {
            let value = &plan.values[number as usize];
            if matches!(value.expr, Expr::Merged(_)) {
                kept.insert(ValueNo(number));
            }
            if role.needs(value) {
                used.extend(value.expr.operands());
            }
        }
        match &block.control {
            GenericControl::Match { value, cases, .. } if !cases.is_empty() => used.push(*value),
            GenericControl::Match { .. } => {}
            GenericControl::Yield { values, .. } => used.extend(values),
            GenericControl::Return { .. } => {}
        }
        match role {
            Role::Writer => used.extend(written(block)),
            Role::Packer => used.extend(block.fetches.iter().flat_map(|f| f.kind.operands())),
        }
        let outlives =
            |value: &ValueNo| !own.contains(&value.0) && !is_header(&plan.values[value.index()]);
        kept.extend(used.into_iter().filter(outlives));
    }
    kept
}

/// Words of the seed at a fixed position.
#[must_use]
pub fn is_header(value: &Value) -> bool {
    matches!(value.expr, Expr::Seed(meaning) if !matches!(meaning, Meaning::Read(_)))
}

/// Values that outlive their block where a writer computes each value once and only what
/// it needs: merged values that are needed, and what another block than their own reads,
/// constants excepted.
#[must_use]
pub fn shared(function: &FunctionPlan) -> BTreeSet<ValueNo> {
    let plan = &function.generic;
    let mut shared = BTreeSet::new();
    for block in &plan.blocks {
        let own = block.first_value..block.end_value;
        shared.extend(reads(function, block).into_iter().filter(|no| !own.contains(&no.0)));
    }
    for (index, value) in plan.values.iter().enumerate() {
        if matches!(value.expr, Expr::Merged(_)) && value.need.writer {
            shared.insert(ValueNo(index as u32));
        }
    }
    shared.retain(|no| !matches!(plan.values[no.index()].expr, Expr::Constant(_)));
    shared
}

/// The values that the text of a block reads, those of its yields included.
fn reads(function: &FunctionPlan, block: &GenericBlock) -> Vec<ValueNo> {
    let values = &function.generic.values;
    let own = &values[block.first_value as usize..block.end_value as usize];
    let needed = own.iter().filter(|value| value.need.writer);
    let mut reads: Vec<ValueNo> = needed.flat_map(|value| value.expr.operands()).collect();
    reads.extend(written(block));
    match &block.control {
        GenericControl::Return { .. } => {}
        GenericControl::Yield { values: yielded, block: next } => {
            // Only what the continuation needs is computed, and so assigned.
            let next = &function.generic.blocks[*next as usize];
            for index in next.first_value..next.end_value {
                let merged = &values[index as usize];
                if let (Expr::Merged(position), true) = (merged.expr, merged.need.writer) {
                    reads.push(yielded[position as usize]);
                }
            }
        }
        // Where there is a default alone, nothing is compared.
        GenericControl::Match { value, cases, .. } if !cases.is_empty() => reads.push(*value),
        GenericControl::Match { .. } => {}
    }
    reads
}

/// The values that a block writes to cells.
fn written(block: &GenericBlock) -> impl Iterator<Item = ValueNo> + '_ {
    block.writes.iter().filter_map(|write| match write.cell {
        Cell::Value(value) => Some(value),
        Cell::Constant(_) => None,
    })
}
