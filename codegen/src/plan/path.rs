//! One path: the operations of its blocks in a row, then the cells it leaves out.

use std::collections::{BTreeMap, BTreeSet};

use traceloom_air::field::word;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::model::{Control, FunctionId, Match};

use super::lower::{Lowering, Use};
use super::program::Numbering;
use super::{Cell, Column, Expr, Fixed, PlanLayout, ReadSource, Region, ValueNo, Write};

/// A path before widths are known.
pub struct LoweredPath<'a> {
    /// Its code.
    pub code: Lowering<'a>,
    /// Path number.
    pub path: u32,
    /// Selectors of its leaves.
    pub leaves: Vec<u32>,
    /// What it returns.
    pub outputs: Vec<ValueNo>,
    /// By value: whether anything but its own column uses it.
    pub used: Vec<bool>,
}

/// Lowers path number `path` of function `id`, whose paths are numbered.
pub fn lower_path<'a>(
    program: &'a CheckedProgram,
    numbering: &Numbering,
    id: FunctionId,
    path: u32,
) -> LoweredPath<'a> {
    let leaves = program.paths(id).leaves(path as usize).expect("paths are numbered").to_vec();
    let mut code = Lowering::new(program, id);
    let outputs = walk(&mut code, numbering, &leaves);
    code.uses.extend(outputs.iter().copied().map(Use::Constrained));
    label_advice(&mut code);
    fill_unused(&mut code);
    find_aliases(&mut code, &outputs);
    find_needs(&mut code, &outputs);
    let used = find_used(&code);
    LoweredPath { code, path, leaves, outputs, used }
}

/// Values that an operation, an assertion, a match or the return uses.
fn find_used(code: &Lowering<'_>) -> Vec<bool> {
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

/// Follows the leaves; what the path returns.
fn walk(code: &mut Lowering<'_>, numbering: &Numbering, leaves: &[u32]) -> Vec<ValueNo> {
    let function = code.function;
    let mut leaves = leaves.iter();
    let mut next_leaf =
        || numbering.leaf_block[*leaves.next().expect("a path has its leaves") as usize];
    let mut leaf = next_leaf();
    // Continuations that wait, with the number of values at their match.
    let mut waiting = Vec::new();
    let mut index = 0;
    loop {
        code.block(index, numbering.first_op[index]);
        code.enter(numbering.control_op(index), 1);
        match &function.blocks[index].control {
            Control::Return { selector, values } => {
                code.select(*selector);
                // Of an early return: nothing was yielded to those who wait.
                waiting.iter().for_each(|&(_, next)| code.leave(next));
                return code.read(values);
            }
            Control::Yield { selector, values } => {
                code.select(*selector);
                let values = code.read(values);
                let (num_values, next) = waiting.pop().expect("a checked yield has a match");
                code.merge(next, &values);
                code.scope.truncate(num_values);
                code.scope.extend(values);
                leaf = next_leaf();
                index = next;
            }
            Control::Match(arms) => index = choose(code, numbering, index, arms, leaf),
            Control::MatchContinue { arms, continuation, .. } => {
                waiting.push((code.scope.len(), continuation.index()));
                index = choose(code, numbering, index, arms, leaf);
            }
        }
    }
}

/// The arm that `leaf` lies in.
fn choose(
    code: &mut Lowering<'_>,
    numbering: &Numbering,
    index: usize,
    arms: &Match,
    leaf: usize,
) -> usize {
    let value = code.scope[arms.value.index()];
    code.constrain(&[value]);
    let holds = |block: usize| (block..numbering.end[block]).contains(&leaf);
    if let Some((key, block)) = arms.cases.iter().find(|(_, block)| holds(block.index())) {
        let bound = word(*key).saturating_add(1);
        code.uses.push(Use::Below(value, bound));
        return block.index();
    }
    let default = arms.default.expect("a leaf lies in one of the arms");
    code.witnesses(arms, &code.layout.blocks[index]);
    default.index()
}

/// Advice that a constraint or a message reads is determined after all.
pub fn label_advice(code: &mut Lowering<'_>) {
    let mut read = vec![false; code.values.len()];
    let mut with: BTreeMap<ValueNo, Vec<ValueNo>> = BTreeMap::new();
    let mut stack = Vec::new();
    for used in &code.uses {
        match *used {
            Use::Constrained(value) => stack.push(value),
            Use::With(value, other) => with.entry(value).or_default().push(other),
            _ => {}
        }
    }
    while let Some(value) = stack.pop() {
        if std::mem::replace(&mut read[value.index()], true) {
            continue;
        }
        stack.extend(with.get(&value).into_iter().flatten());
        let expr = &code.values[value.index()].expr;
        // These are columns: their operands are read by what the operation requires.
        if !matches!(expr, Expr::ByteOf(..) | Expr::InverseOrZero(_) | Expr::IsZero(_)) {
            stack.extend(expr.operands());
        }
    }
    for write in &mut code.writes {
        if let (Fixed::FreeAdvice, Cell::Value(value)) = (write.fixed, write.cell)
            && read[value.index()]
        {
            write.fixed = Fixed::Determined;
        }
    }
}

/// Zeros for the columns that the path does not use; all writes by column.
fn fill_unused(code: &mut Lowering<'_>) {
    let written: BTreeSet<Column> = code.writes.iter().map(|write| write.column).collect();
    let layout = PlanLayout::of(code.layout);
    for column in layout.columns().filter(|column| !written.contains(column)) {
        let fixed = match column.region {
            Region::Auxiliary => Fixed::FreeUnused,
            Region::Selector | Region::Input => Fixed::Determined,
        };
        code.writes.push(Write { column, cell: Cell::Constant(0), fixed });
    }
    code.writes.sort_by_key(|write| write.column);
}

/// A fetch whose words are all returned unchanged is the row's own output: the
/// packer reads it there and needs none of what would find it.
fn find_aliases(code: &mut Lowering<'_>, outputs: &[ValueNo]) {
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

/// Who needs which value. External words are found by fetches, so what finds them
/// is needed by packers; the path itself is known from the record.
fn find_needs(code: &mut Lowering<'_>, outputs: &[ValueNo]) {
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

/// The values that `roots` depend on, as flags.
pub fn closure(code: &Lowering<'_>, roots: Vec<ValueNo>) -> Vec<bool> {
    let mut needed = vec![false; code.values.len()];
    roots.iter().for_each(|root| needed[root.index()] = true);
    for index in (0..needed.len()).rev() {
        if needed[index] {
            for operand in code.values[index].expr.operands() {
                needed[operand.index()] = true;
            }
        }
    }
    needed
}
