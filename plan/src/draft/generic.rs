//! A branching draft: labels of advice, zeros, and who needs which value.

use super::GenericDraft;
use super::code::Code;
use super::needs::{closure, find_read, label_advice};
use crate::bounds::{self, UNKNOWN};
use crate::columns::{PlanLayout, Span};
use crate::program::{GenericBlock, GenericControl, GenericPlan};
use crate::row::Cell;
use crate::value::ValueNo;

/// The plan of `draft`, whose row has `layout`.
pub(crate) fn finish(draft: GenericDraft, layout: &PlanLayout) -> GenericPlan {
    let GenericDraft { mut code, mut blocks } = draft;
    for block in &blocks {
        if let GenericControl::Return { outputs } = &block.control {
            code.constrain(outputs);
        }
    }
    let read = find_read(&code);
    for block in &mut blocks {
        label_advice(&read, &mut block.writes);
        block.writes.sort_by_key(|write| write.column);
    }
    zero_unused(&mut blocks, layout);
    find_needs(&mut code, &blocks);
    let mut values = code.values;
    bounds::assign(&mut values, |_| UNKNOWN, |_| UNKNOWN);
    GenericPlan { values, blocks }
}

/// By block: the continuation that its yields go to.
fn targets(blocks: &[GenericBlock]) -> Vec<Option<usize>> {
    let mut targets = vec![None; blocks.len()];
    for (index, block) in blocks.iter().enumerate() {
        let mut inner = targets[index];
        if let Some(next) = block.control.continuation() {
            targets[next] = targets[index];
            inner = Some(next);
        }
        block.control.arms().for_each(|arm| targets[arm] = inner);
    }
    targets
}

/// Zeros where a choice is made: what the other arms could have written; where an
/// arm returns early: what the continuations around it would have written.
fn zero_unused(blocks: &mut [GenericBlock], layout: &PlanLayout) {
    let targets = targets(blocks);
    // As spans: a match of n arms has n regions of n columns.
    let mut regions: Vec<Vec<Span>> = vec![Vec::new(); blocks.len()];
    let add = |to: &mut Vec<Span>, more: &[Span]| *to = Span::union(to, more);
    for index in (0..blocks.len()).rev() {
        let mut region = Vec::new();
        let arms: Vec<usize> = blocks[index].control.arms().collect();
        for &arm in &arms {
            add(&mut region, &regions[arm]);
        }
        for arm in arms {
            let others = Span::difference(&region, &regions[arm]);
            add(&mut blocks[arm].zeros, &others);
        }
        if let Some(next) = blocks[index].control.continuation() {
            add(&mut region, &regions[next]);
        }
        if let GenericControl::Return { .. } = &blocks[index].control {
            // Continuations come later in pre-order, so their regions are known.
            let mut waiting = targets[index];
            while let Some(continuation) = waiting {
                add(&mut blocks[index].zeros, &regions[continuation]);
                waiting = targets[continuation];
            }
        }
        let own = Span::compress(blocks[index].writes.iter().map(|write| write.column));
        add(&mut region, &own);
        regions[index] = region;
    }
    let all = Span::compress(layout.columns());
    add(&mut blocks[0].zeros, &Span::difference(&all, &regions[0]));
}

/// A writer or packer that branches needs what decides, too.
fn find_needs(code: &mut Code, blocks: &[GenericBlock]) {
    let (mut cells, mut fetched, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    let mut outputs = Vec::new();
    for block in blocks {
        for write in &block.writes {
            if let Cell::Value(value) = write.cell {
                cells.push(value);
            }
        }
        fetched.extend(block.fetches.iter().flat_map(|fetch| fetch.kind.operands()));
        match &block.control {
            GenericControl::Return { outputs: returned } => outputs.extend(returned),
            GenericControl::Yield { values, .. } => ends.extend(values),
            // With a default alone nothing is compared.
            GenericControl::Match { value, cases, .. } if !cases.is_empty() => ends.push(*value),
            GenericControl::Match { .. } => {}
        }
    }
    let both = |some: &[ValueNo], more: &[ValueNo]| [some, more].concat();
    let writer = closure(code, both(&cells, &ends));
    let packer = closure(code, both(&fetched, &ends));
    let checker = closure(code, [fetched, ends, outputs].concat());
    for (index, value) in code.values.iter_mut().enumerate() {
        value.need.writer = writer[index];
        value.need.packer = packer[index];
        value.need.checker = checker[index];
    }
}
