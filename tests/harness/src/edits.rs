//! Edits of a program, each of which changes what it means to a verifier.
//!
//! The edited program need not be valid: a fingerprint is taken of data.

use traceloom_air::bytes::ByteOp;
use traceloom_air::field::{Goldilocks, PrimeCharacteristicRing};
use traceloom_bytecode::Program;
use traceloom_bytecode::model::{BlockId, Control, FunctionId, Match, Op, ValueId};

/// What was done, and the edited program.
pub type Edited = (String, Program);

/// Edits of one place, by a single step: those of all that there are for which
/// `keep` says so. (Each one is a whole program, so a few are chosen.)
#[must_use]
pub fn semantic(program: &Program, keep: impl FnMut() -> bool) -> Vec<Edited> {
    let mut edits = Edits { program, keep, all: Vec::new() };
    edits.header();
    for (f, function) in program.functions.iter().enumerate() {
        edits.signature(f);
        for (b, block) in function.blocks.iter().enumerate() {
            for (o, op) in block.ops.iter().enumerate() {
                edits.op(f, b, o, op);
            }
            edits.control(f, b);
        }
    }
    edits.all
}

/// The program with all names and texts for people replaced.
#[must_use]
pub fn renamed(program: &Program) -> Program {
    let mut program = program.clone();
    program.name.push('x');
    for (number, function) in program.functions.iter_mut().enumerate() {
        function.name = format!("other {number}");
        for op in function.blocks.iter_mut().flat_map(|block| &mut block.ops) {
            match op {
                Op::AssertEq { label, .. } => *label = Some("other".into()),
                Op::Debug { label, .. } | Op::Allow { reason: label, .. } => label.push('x'),
                _ => {}
            }
        }
    }
    program
}

/// The program with its functions in other circuits, which a fingerprint leaves out:
/// the first two circuits together, or the first one in two; nothing if there is one
/// circuit of one function.
#[must_use]
pub fn regrouped(program: &Program) -> Option<Program> {
    let mut program = program.clone();
    let circuits = &mut program.circuits;
    match circuits.iter().position(|members| members.len() > 1) {
        Some(shared) => {
            let rest = circuits[shared].split_off(1);
            circuits.push(rest);
        }
        None if circuits.len() > 1 => {
            let second = circuits.remove(1);
            circuits[0].extend(second);
        }
        None => return None,
    }
    Some(program)
}

/// Number of edits that there are, those without effect included.
#[must_use]
pub fn count_semantic(program: &Program) -> usize {
    let mut count = 0;
    let none = semantic(program, || {
        count += 1;
        false
    });
    assert!(none.is_empty(), "nothing was kept");
    count
}

/// The program without what a fingerprint leaves out: names, texts for people, and
/// the grouping into circuits.
fn content(program: &Program) -> Program {
    let mut program = program.clone();
    program.name.clear();
    program.circuits.clear();
    for function in &mut program.functions {
        function.name.clear();
        for block in &mut function.blocks {
            block.ops.retain(|op| !matches!(op, Op::Allow { .. }));
        }
        for op in function.blocks.iter_mut().flat_map(|block| &mut block.ops) {
            match op {
                Op::AssertEq { label, .. } => *label = None,
                Op::Debug { label, .. } => label.clear(),
                _ => {}
            }
        }
    }
    program
}

struct Edits<'a, K> {
    program: &'a Program,
    keep: K,
    all: Vec<Edited>,
}

impl<K: FnMut() -> bool> Edits<'_, K> {
    fn edit(&mut self, what: impl Into<String>, edit: impl FnOnce(&mut Program)) {
        if !(self.keep)() {
            return;
        }
        let mut program = self.program.clone();
        edit(&mut program);
        // Two assertions that change places may differ in their labels alone.
        if content(&program) != content(self.program) {
            self.all.push((what.into(), program));
        }
    }

    fn header(&mut self) {
        self.edit("one more memory width", |p| p.memory_sizes.push(99));
        self.edit("one less memory width", |p| {
            p.memory_sizes.truncate(p.memory_sizes.len().saturating_sub(1));
        });
        self.edit("other memory widths", |p| {
            p.memory_sizes.iter_mut().for_each(|size| *size += 1);
        });
        self.edit("one less function", |p| drop(p.functions.pop()));
        self.edit("a function twice", |p| {
            let first = p.functions.first().cloned();
            p.functions.extend(first);
        });
    }

    fn signature(&mut self, f: usize) {
        if f > 0 {
            // A function's position is its identity in messages, so that the second
            // of these is another program as well.
            self.edit(format!("functions[{f}] before the one before it"), |p| {
                p.functions.swap(f - 1, f);
            });
            self.edit(format!("functions[{f}] before the one before it, by any name"), |p| {
                p.functions.swap(f - 1, f);
                renumber(p, f - 1, f);
            });
        }
        self.edit(format!("functions[{f}].entry"), |p| p.functions[f].entry ^= true);
        self.edit(format!("functions[{f}].constrained"), |p| p.functions[f].constrained ^= true);
        self.edit(format!("functions[{f}].num_inputs"), |p| p.functions[f].num_inputs += 1);
        self.edit(format!("functions[{f}].num_outputs"), |p| p.functions[f].num_outputs += 1);
        self.edit(format!("functions[{f}] without its last block"), |p| {
            p.functions[f].blocks.pop();
        });
    }

    fn op(&mut self, f: usize, b: usize, o: usize, op: &Op) {
        let place = format!("functions[{f}].blocks[{b}].ops[{o}]");
        let mut num_operands = 0;
        op.for_each_operand(|_| num_operands += 1);
        for operand in 0..num_operands {
            self.edit(format!("{place}, operand {operand}"), |p| {
                let mut at = 0;
                operands(&mut p.functions[f].blocks[b].ops[o], |value| {
                    value.0 += u32::from(at == operand);
                    at += 1;
                });
            });
        }
        self.edit(format!("{place} left out"), |p| drop(p.functions[f].blocks[b].ops.remove(o)));
        self.edit(format!("{place} twice"), |p| {
            p.functions[f].blocks[b].ops.insert(o, op.clone());
        });
        if o > 0 {
            self.edit(format!("{place} before the one before it"), |p| {
                p.functions[f].blocks[b].ops.swap(o - 1, o);
            });
        }
        type Change = fn(&mut Op);
        let changes: [(&str, Change); 3] =
            [("another of its kind", other), ("its count", count), ("its flag", flag)];
        for (what, change) in changes {
            self.edit(format!("{place}, {what}"), |p| {
                change(&mut p.functions[f].blocks[b].ops[o]);
            });
        }
    }

    fn control(&mut self, f: usize, b: usize) {
        self.leaf_values(f, b);
        self.cases(f, b);
        type Change = fn(&mut Control);
        let changes: [(&str, Change); 13] = [
            ("selector", |control| {
                if let Some((selector, _)) = leaf(control) {
                    *selector += 1;
                }
            }),
            ("one value more", |control| {
                if let Some((_, values)) = leaf(control) {
                    values.push(ValueId(0));
                }
            }),
            ("other values", |control| {
                if let Some((_, values)) = leaf(control) {
                    values.iter_mut().for_each(|value| value.0 += 1);
                }
            }),
            ("values the other way round", |control| {
                if let Some((_, values)) = leaf(control) {
                    values.reverse();
                }
            }),
            ("return for yield", |control| {
                *control = match control.clone() {
                    Control::Return { selector, values } => Control::Yield { selector, values },
                    Control::Yield { selector, values } => Control::Return { selector, values },
                    other => other,
                }
            }),
            ("compared value", |control| arms(control, |arms| arms.value.0 += 1)),
            ("another default", |control| {
                arms(control, |arms| {
                    arms.default.iter_mut().for_each(|block| block.0 += 1);
                });
            }),
            ("order of cases", |control| arms(control, |arms| arms.cases.reverse())),
            ("no default", |control| arms(control, |arms| arms.default = None)),
            ("the last case as default", |control| {
                arms(control, |arms| {
                    if arms.default.is_none() {
                        arms.default = arms.cases.pop().map(|(_, block)| block);
                    }
                });
            }),
            ("merged values", |control| {
                if let Control::MatchContinue { num_outputs, .. } = control {
                    *num_outputs += 1;
                }
            }),
            ("no continuation", |control| {
                if let Control::MatchContinue { arms, .. } = control {
                    *control = Control::Match(arms.clone());
                }
            }),
            ("another continuation", |control| {
                if let Control::MatchContinue { continuation, .. } = control {
                    *continuation = BlockId(continuation.0 + 1);
                }
            }),
        ];
        for (what, change) in changes {
            self.edit(format!("functions[{f}].blocks[{b}].control, {what}"), |p| {
                change(&mut p.functions[f].blocks[b].control);
            });
        }
    }
}

impl<K: FnMut() -> bool> Edits<'_, K> {
    /// Each value of a leaf alone.
    fn leaf_values(&mut self, f: usize, b: usize) {
        let control = &self.program.functions[f].blocks[b].control;
        let (Control::Return { values, .. } | Control::Yield { values, .. }) = control else {
            return;
        };
        for position in 0..values.len() {
            self.edit(format!("functions[{f}].blocks[{b}].control, value {position}"), |p| {
                if let Some((_, values)) = leaf(&mut p.functions[f].blocks[b].control) {
                    values[position].0 += 1;
                }
            });
        }
    }

    /// Each case alone: its key, its block, and without it.
    fn cases(&mut self, f: usize, b: usize) {
        let count = self.program.functions[f].blocks[b].control.arms();
        let count = count.map_or(0, |arms| arms.cases.len());
        let mut edit = |what: String, change: &dyn Fn(&mut Match)| {
            self.edit(format!("functions[{f}].blocks[{b}].control, {what}"), |p| {
                arms(&mut p.functions[f].blocks[b].control, change);
            });
        };
        for case in 0..count {
            edit(format!("key {case}"), &|arms| arms.cases[case].0 += Goldilocks::ONE);
            edit(format!("block of case {case}"), &|arms| arms.cases[case].1.0 += 1);
            edit(format!("without case {case}"), &|arms| {
                let _ = arms.cases.remove(case);
            });
            if case > 0 {
                edit(format!("blocks of cases {} and {case}", case - 1), &|arms| {
                    let (first, second) = (arms.cases[case - 1].1, arms.cases[case].1);
                    (arms.cases[case - 1].1, arms.cases[case].1) = (second, first);
                });
            }
        }
    }
}

/// Calls and circuits name `a` where they named `b`, and the reverse.
fn renumber(program: &mut Program, a: usize, b: usize) {
    let change = |id: &mut FunctionId| {
        if id.index() == a {
            id.0 = b as u32;
        } else if id.index() == b {
            id.0 = a as u32;
        }
    };
    program.circuits.iter_mut().flatten().for_each(change);
    let blocks = program.functions.iter_mut().flat_map(|function| &mut function.blocks);
    for op in blocks.flat_map(|block| &mut block.ops) {
        if let Op::Call { function, .. } = op {
            change(function);
        }
    }
}

fn leaf(control: &mut Control) -> Option<(&mut u32, &mut Vec<ValueId>)> {
    match control {
        Control::Return { selector, values } | Control::Yield { selector, values } => {
            Some((selector, values))
        }
        Control::Match(_) | Control::MatchContinue { .. } => None,
    }
}

fn arms(control: &mut Control, edit: impl FnOnce(&mut Match)) {
    if let Control::Match(arms) | Control::MatchContinue { arms, .. } = control {
        edit(arms);
    }
}

/// A different operation on the same operands, as far as there is one.
fn other(op: &mut Op) {
    *op = match op.clone() {
        Op::Const(value) => Op::Const(value + Goldilocks::ONE),
        Op::Add(a, b) => Op::Sub(a, b),
        Op::Sub(a, b) => Op::Mul(a, b),
        Op::Mul(a, b) => Op::U32LessThan(a, b),
        Op::U32LessThan(a, b) => Op::HintBigUintDivRem(a, b),
        Op::HintBigUintDivRem(a, b) => Op::Add(a, b),
        Op::EqZero(a) => Op::HintInverse(a),
        Op::HintInverse(a) => Op::HintFieldToBytes(a),
        Op::HintFieldToBytes(a) => Op::EqZero(a),
        Op::Call { function, args, num_outputs, constrained } => {
            Op::Call { function: FunctionId(function.0 + 1), args, num_outputs, constrained }
        }
        Op::Store { values } => Op::Debug { label: String::new(), values },
        Op::Debug { values, .. } | Op::Allow { values, .. } => Op::Store { values },
        Op::Unary(op, a) => Op::Unary(next(op), a),
        Op::Binary(op, a, b) => Op::Binary(next(op), a, b),
        Op::AssertEq { lhs, rhs, label } => Op::AssertEq { lhs: rhs, rhs: lhs, label },
        Op::IoGetInfo { channel, key } => Op::IoWrite { channel, values: key },
        Op::IoWrite { channel, values } => Op::IoGetInfo { channel, key: values },
        Op::IoSetInfo { channel, key, index, len } => {
            Op::IoSetInfo { channel, key, index: len, len: index }
        }
        Op::IoRead { channel: _, index, len } => Op::Load { width: len, pointer: index },
        Op::Load { width, pointer } => Op::IoRead { channel: pointer, index: pointer, len: width },
        Op::U32ToField(bytes) => Op::Store { values: bytes.into() },
        Op::HintU32Add([a, b]) => Op::HintU32Add3([a, b, b]),
        Op::HintU32Add3([a, b, _]) => Op::HintU32Add([a, b]),
    };
}

fn next(op: ByteOp) -> ByteOp {
    let ops = op.table().ops();
    ops[(op.position() + 1) % ops.len()]
}

fn count(op: &mut Op) {
    match op {
        Op::Call { num_outputs: count, .. }
        | Op::Load { width: count, .. }
        | Op::IoRead { len: count, .. } => *count += 1,
        Op::Store { values }
        | Op::Debug { values, .. }
        | Op::Allow { values, .. }
        | Op::IoWrite { values, .. } => {
            values.push(ValueId(0));
        }
        Op::IoGetInfo { key, .. } | Op::IoSetInfo { key, .. } => key.push(ValueId(0)),
        Op::AssertEq { lhs, rhs, .. } => {
            // From one list to the other: the same values in a row.
            if let Some(value) = lhs.pop() {
                rhs.insert(0, value);
            }
        }
        _ => {}
    }
}

fn flag(op: &mut Op) {
    if let Op::Call { constrained, .. } = op {
        *constrained ^= true;
    }
}

/// Calls `visit` with every operand, to be changed, in order.
pub fn operands(op: &mut Op, mut visit: impl FnMut(&mut ValueId)) {
    match op {
        Op::Const(_) => {}
        Op::Add(a, b)
        | Op::Sub(a, b)
        | Op::Mul(a, b)
        | Op::Binary(_, a, b)
        | Op::U32LessThan(a, b)
        | Op::HintBigUintDivRem(a, b)
        | Op::IoRead { channel: a, index: b, .. } => [a, b].into_iter().for_each(visit),
        Op::EqZero(a)
        | Op::Unary(_, a)
        | Op::HintFieldToBytes(a)
        | Op::HintInverse(a)
        | Op::Load { pointer: a, .. } => visit(a),
        Op::Call { args: values, .. }
        | Op::Store { values }
        | Op::Debug { values, .. }
        | Op::Allow { values, .. } => {
            values.iter_mut().for_each(visit);
        }
        Op::AssertEq { lhs, rhs, .. } => lhs.iter_mut().chain(rhs).for_each(visit),
        Op::IoGetInfo { channel, key } => std::iter::once(channel).chain(key).for_each(visit),
        Op::IoSetInfo { channel, key, index, len } => {
            std::iter::once(channel).chain(key).chain([index, len]).for_each(visit);
        }
        Op::IoWrite { channel, values } => {
            std::iter::once(channel).chain(values).for_each(visit);
        }
        Op::U32ToField(bytes) => bytes.iter_mut().for_each(visit),
        Op::HintU32Add(words) => words.iter_mut().flatten().for_each(visit),
        Op::HintU32Add3(words) => words.iter_mut().flatten().for_each(visit),
    }
}
