//! One path: from the draft of a front end to the plan of its row.

use std::collections::BTreeMap;

use traceloom_abi::seed::{Meaning, OwnedSchema, Width};

use super::PathDraft;
use super::code::{Code, Use};
use super::needs::{closure, find_read, label_advice};
use crate::bounds;
use crate::columns::{PlanLayout, Region};
use crate::guards::{self, Inputs};
use crate::library::Library;
use crate::program::PathPlan;
use crate::row::{Cell, Fixed, ReadSource, Write};
use crate::value::{Expr, ValueNo};

/// A path before widths are known.
pub(crate) struct SettledPath {
    /// What the front end said, with every cell written once.
    pub draft: PathDraft,
    /// By value: whether anything but its own column uses it.
    pub used: Vec<bool>,
}

/// Labels advice, fills the row, finds aliases and who needs which value.
pub(crate) fn settle(mut draft: PathDraft, layout: &PlanLayout) -> SettledPath {
    let (code, outputs) = (&mut draft.code, &draft.outputs);
    code.constrain(outputs);
    label_advice(&find_read(code), &mut code.writes);
    fill_unused(code, layout);
    find_aliases(code, outputs);
    find_needs(code, outputs);
    let used = find_used(code);
    SettledPath { draft, used }
}

/// Chooses widths, lays the seed out and bounds every value by it. `own` bounds the
/// inputs of the function, `inputs` those of all.
pub(crate) fn finish(
    library: &Library,
    own: &[u64],
    inputs: &Inputs,
    path: SettledPath,
) -> PathPlan {
    let proven = guards::proven(library, &path);
    let mut guarded = guards::guarded(inputs, &path.draft.code.uses, &proven);
    guards::guard_unused(own, &path, &mut guarded);
    let mut order = Vec::new();
    for (index, value) in path.draft.code.values.iter().enumerate() {
        if let Expr::Seed(meaning) = value.expr {
            let width = match meaning {
                Meaning::Multiplicity => Width::Full,
                _ => guards::class(proven[index], guarded[index]),
            };
            order.push((meaning, width));
        }
    }
    let schema = OwnedSchema::lay_out(&order);
    let PathDraft { path, leaves, code, outputs } = path.draft;
    let mut values = code.values;
    let words = schema.by_meaning();
    let seed = |meaning| words.word(meaning).map_or(bounds::UNKNOWN, |word| word.width.bound());
    bounds::assign(&mut values, seed, |_| bounds::UNKNOWN);
    for (value, guard) in values.iter_mut().zip(guarded) {
        value.guarded = guard;
    }
    PathPlan {
        path,
        leaves,
        values,
        writes: code.writes,
        reads: code.reads,
        fetches: code.fetches,
        outputs,
        schema,
    }
}

/// Values that an operation, an assertion, a match or the return uses.
fn find_used(code: &Code) -> Vec<bool> {
    let mut used = vec![false; code.values.len()];
    let mut mark = |value: ValueNo| used[value.index()] = true;
    code.values.iter().flat_map(|value| value.expr.operands()).for_each(&mut mark);
    code.fetches.iter().flat_map(|fetch| fetch.kind.operands()).for_each(&mut mark);
    for used in &code.uses {
        match *used {
            Use::Below(value, _) | Use::Argument(value, ..) | Use::Constrained(value) => {
                mark(value);
            }
            Use::Equal(a, b) | Use::With(a, b) => {
                mark(a);
                mark(b);
            }
        }
    }
    used
}

/// Zeros for the columns that the path does not use; all writes by column.
fn fill_unused(code: &mut Code, layout: &PlanLayout) {
    let mut written = vec![false; layout.width() as usize];
    for write in &code.writes {
        // A column that is not there is found when the plan is verified.
        if let Some(position) = layout.position(write.column) {
            written[position] = true;
        }
    }
    for (column, _) in layout.columns().zip(written).filter(|&(_, written)| !written) {
        let fixed = match column.region {
            Region::Auxiliary => Fixed::FreeUnused,
            Region::Selector | Region::Input => Fixed::Determined,
        };
        code.writes.push(Write { column, cell: Cell::Constant(0), fixed });
    }
    code.writes.sort_by_key(|write| write.column);
}

/// If all words of a fetch are returned unchanged, they are the row's own outputs. The packer
/// reads them there and does not need the values that would find them.
fn find_aliases(code: &mut Code, outputs: &[ValueNo]) {
    let mut position = BTreeMap::new();
    for (i, &output) in outputs.iter().enumerate() {
        position.entry(output).or_insert(i as u32);
    }
    for (number, fetch) in code.fetches.iter_mut().enumerate() {
        let of_fetch = |source: ReadSource| matches!(source, ReadSource::Fetched { fetch, .. } if fetch == number as u32);
        let reads = || code.reads.iter().filter(|read| of_fetch(read.source));
        fetch.aliased = reads().all(|read| position.contains_key(&read.value));
    }
    for read in &mut code.reads {
        if let ReadSource::Fetched { fetch, .. } = read.source
            && code.fetches[fetch as usize].aliased
        {
            read.alias = position.get(&read.value).copied();
        }
    }
}

/// Marks which values packers and writers need. Fetches find external words, so packers need
/// the values by which a fetch finds them. The record states the path itself.
fn find_needs(code: &mut Code, outputs: &[ValueNo]) {
    let cells = code.writes.iter().filter_map(|write| match write.cell {
        Cell::Value(value) => Some(value),
        Cell::Constant(_) => None,
    });
    let writer = closure(code, cells.collect());
    let fetched = code.fetches.iter().filter(|fetch| !fetch.aliased);
    let packer = closure(code, fetched.flat_map(|fetch| fetch.kind.operands()).collect());
    let all = code.fetches.iter().flat_map(|fetch| fetch.kind.operands());
    let checker = closure(code, all.chain(outputs.iter().copied()).collect());
    for (index, value) in code.values.iter_mut().enumerate() {
        value.need.writer = writer[index];
        value.need.packer = packer[index];
        value.need.checker = checker[index];
    }
}
