//! The branching plan of a function.

use traceloom_air::field::word;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::model::{Control, FunctionId};

use super::bounds::{self, UNKNOWN};
use super::lower::{Lowering, Use};
use super::path::{closure, label_advice};
use super::program::Numbering;
use super::{Cell, Expr, GenericBlock, GenericControl, GenericPlan, PlanLayout, Span, ValueNo};

/// Lowers all blocks of function `id`.
pub fn lower_generic(
    program: &CheckedProgram,
    numbering: &Numbering,
    id: FunctionId,
) -> GenericPlan {
    let mut code = Lowering::new(program, id);
    let function = code.function;
    let mut blocks: Vec<GenericBlock> = Vec::with_capacity(function.blocks.len());
    // By block: the scope it starts with, and where its yields go.
    let mut scopes = vec![Vec::new(); function.blocks.len()];
    let mut targets = vec![None; function.blocks.len()];
    let mut defaults = vec![None; function.blocks.len()];
    scopes[0] = code.scope.clone();
    let mut write_ends = Vec::with_capacity(function.blocks.len());
    for (index, block) in function.blocks.iter().enumerate() {
        let first_value = if index == 0 { 0 } else { code.values.len() as u32 };
        code.scope = std::mem::take(&mut scopes[index]);
        code.restart_reads();
        let num_merged = code.layout.blocks[index].num_merged;
        code.enter(numbering.first_op[index], 1);
        for i in 0..num_merged {
            let merged = code.push(Expr::Merged(i as u32));
            code.scope.push(merged);
        }
        if let Some(parent) = defaults[index] {
            code.enter(numbering.control_op(parent), 1);
            let arms = function.blocks[parent].control.arms().expect("a default has a match");
            code.witnesses(arms, &code.layout.blocks[parent]);
        }
        code.block(index, numbering.first_op[index]);
        code.enter(numbering.control_op(index), 1);
        let mut continuation_of_arms = None;
        let control = match &block.control {
            Control::Return { selector, values } => {
                code.select(*selector);
                let outputs = code.read(values);
                code.uses.extend(outputs.iter().copied().map(Use::Constrained));
                GenericControl::Return { outputs }
            }
            Control::Yield { selector, values } => {
                code.select(*selector);
                let values = code.read(values);
                let target: usize = targets[index].expect("a checked yield has a match");
                code.merge(target, &values);
                GenericControl::Yield { values, block: target as u32 }
            }
            Control::Match(arms) | Control::MatchContinue { arms, .. } => {
                let value = code.scope[arms.value.index()];
                code.constrain(&[value]);
                if let Control::MatchContinue { continuation, .. } = &block.control {
                    scopes[continuation.index()] = code.scope.clone();
                    targets[continuation.index()] = targets[index];
                    continuation_of_arms = Some(continuation.index());
                }
                for child in arms.blocks() {
                    scopes[child.index()] = code.scope.clone();
                    targets[child.index()] = continuation_of_arms.or(targets[index]);
                }
                if let Some(default) = arms.default {
                    defaults[default.index()] = Some(index);
                }
                GenericControl::Match {
                    value,
                    cases: arms.cases.iter().map(|(key, b)| (word(*key), b.0)).collect(),
                    default: arms.default.map(|block| block.0),
                    continuation: continuation_of_arms.map(|block| block as u32),
                }
            }
        };
        blocks.push(GenericBlock {
            first_value,
            end_value: code.values.len() as u32,
            writes: Vec::new(),
            zeros: Vec::new(),
            reads: std::mem::take(&mut code.reads),
            fetches: std::mem::take(&mut code.fetches),
            control,
        });
        write_ends.push(code.writes.len());
    }
    label_advice(&mut code);
    let mut first = 0;
    for (block, end) in blocks.iter_mut().zip(write_ends) {
        block.writes = code.writes[first..end].to_vec();
        block.writes.sort_by_key(|write| write.column);
        first = end;
    }
    zero_unused(&code, &mut blocks, &targets);
    find_needs(&mut code, &blocks);
    let mut values = code.values;
    bounds::assign(&mut values, |_| UNKNOWN, |_| UNKNOWN);
    GenericPlan { values, blocks }
}

/// Zeros where a choice is made: what the other arms could have written; where an
/// arm returns early: what the continuations around it would have written.
fn zero_unused(code: &Lowering<'_>, blocks: &mut [GenericBlock], targets: &[Option<usize>]) {
    let function = code.function;
    // As spans: a match of n arms has n regions of n columns.
    let mut regions: Vec<Vec<Span>> = vec![Vec::new(); blocks.len()];
    let add = |to: &mut Vec<Span>, more: &[Span]| *to = Span::union(to, more);
    for (index, block) in function.blocks.iter().enumerate().rev() {
        let mut region = Vec::new();
        if let Some(arms) = block.control.arms() {
            for child in arms.blocks() {
                add(&mut region, &regions[child.index()]);
            }
            for child in arms.blocks() {
                let others = Span::difference(&region, &regions[child.index()]);
                add(&mut blocks[child.index()].zeros, &others);
            }
        }
        if let Control::MatchContinue { continuation, .. } = &block.control {
            add(&mut region, &regions[continuation.index()]);
        }
        if let Control::Return { .. } = &block.control {
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
    let all = Span::compress(PlanLayout::of(code.layout).columns());
    add(&mut blocks[0].zeros, &Span::difference(&all, &regions[0]));
}

/// A writer or packer that branches needs what decides, too.
fn find_needs(code: &mut Lowering<'_>, blocks: &[GenericBlock]) {
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
            GenericControl::Match { value, .. } => ends.push(*value),
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
