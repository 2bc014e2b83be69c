//! The code of a typed writer: the steps of its path, with seed words read in place.

use std::collections::BTreeMap;

use traceloom_abi::seed::{SeedWord, Width, WordsByMeaning};

use super::code::positional;
use super::code::{Body, Cells, Code, Instr, Op, Operand, SeedPlace, Type, WordOp, WordPlace};
use crate::class::Class;
use crate::columns::{Column, Span};
use crate::lanes::{Lanes, Source, WordKind, WordNo};
use crate::names::{Ident, variable};
use crate::program::PathPlan;
use crate::row::Cell;
use crate::steps::{Step, Steps};
use crate::value::{Expr, Value, ValueNo};

/// Adds the writer of `path`.
pub(super) fn add(code: &mut Code, path: &PathPlan) {
    let steps = Steps::of(path);
    let mut writer = Writer {
        path,
        lanes: &steps.lanes,
        seed: path.schema.by_meaning(),
        cells: cells(path),
        held: vec![None; path.values.len()],
        words: vec![None; steps.lanes.words.len()],
        code,
        body: Body::default(),
    };
    writer.constants();
    writer.copies();
    for step in &steps.steps {
        writer.step(step);
    }
    let body = writer.body;
    code.bodies.push(body);
}

/// By value: its cells.
fn cells(path: &PathPlan) -> BTreeMap<ValueNo, Vec<Column>> {
    let mut cells: BTreeMap<ValueNo, Vec<Column>> = BTreeMap::new();
    for write in &path.writes {
        if let Cell::Value(no) = write.cell {
            cells.entry(no).or_default().push(write.column);
        }
    }
    cells
}

struct Writer<'a> {
    path: &'a PathPlan,
    lanes: &'a Lanes,
    seed: WordsByMeaning,
    cells: BTreeMap<ValueNo, Vec<Column>>,
    /// By value and by word: where it is.
    held: Vec<Option<Operand>>,
    words: Vec<Option<WordPlace>>,
    code: &'a mut Code,
    body: Body,
}

impl Writer<'_> {
    fn constants(&mut self) {
        let constant = |cell| match cell {
            Cell::Constant(word) => Some(word),
            Cell::Value(no) => match self.path.values[no.index()].expr {
                Expr::Constant(word) => Some(word),
                _ => None,
            },
        };
        let writes = self.path.writes.iter();
        let all = writes.filter_map(|write| Some((write.column, constant(write.cell)?)));
        let (zeros, others): (Vec<_>, Vec<_>) = all.partition(|&(_, word)| word == 0);
        self.body.zeros = Span::compress(zeros.into_iter().map(|(column, _)| column));
        self.body.constants = others;
    }

    fn copies(&mut self) {
        for write in &self.path.writes {
            if let Cell::Value(no) = write.cell
                && let Some(word) = self.seed_word(no)
            {
                self.body.copy(word.width, SeedPlace::At(word.offset), write.column);
            }
        }
    }

    fn seed_word(&self, no: ValueNo) -> Option<SeedWord> {
        let Expr::Seed(meaning) = self.value(no).expr else { return None };
        Some(self.seed.word(meaning).expect("a path reads its own seed"))
    }

    fn value(&self, no: ValueNo) -> &Value {
        &self.path.values[no.index()]
    }

    fn held(&self, no: ValueNo) -> Operand {
        self.held[no.index()].expect("operands are computed before their users")
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Constant(no) => {
                let Expr::Constant(word) = self.value(*no).expr else { return };
                self.held[no.index()] = Some(Operand::Constant(word));
            }
            Step::Value(no) => match self.seed_word(*no) {
                Some(word) => {
                    self.held[no.index()] = Some(Operand::Seed(word.width, word.offset));
                }
                None => {
                    let (expr, operands) = positional(self.value(*no).expr);
                    let args = operands.into_iter().map(|no| self.held(no)).collect();
                    self.define(*no, Op::Value(expr), args);
                }
            },
            Step::Whole(no, source) => self.whole(*no, *source),
            Step::Word(word) => self.word(*word),
            // The inverse is in a later step.
            Step::PutOff(_) => {}
            Step::Inverses(inverses) => self.invert(inverses),
        }
    }

    /// A packing operation whose operands are the bytes of a word.
    fn whole(&mut self, no: ValueNo, source: Source) {
        let operand = self.source(source);
        let is_word = Class::of(self.value(no)) == Class::U32;
        if is_word && !self.cells.contains_key(&no) {
            // It is that word, and needs no other name.
            self.held[no.index()] = Some(operand);
        } else {
            self.define(no, Op::Copy, vec![operand]);
        }
    }

    fn define(&mut self, no: ValueNo, op: Op, args: Vec<Operand>) {
        let value = self.value(no);
        let (ty, name, of) = (Type::of(value), variable(no, value), value.op);
        let reg = self.code.reg(ty, name);
        let cells = self.whole_cells(no, 0);
        self.held[no.index()] = Some(Operand::Reg(reg));
        let ops = of.map(|op| (op, op));
        self.body.instrs.push(Instr { op, args, results: vec![reg], cells, ops });
    }

    /// The cells that a value goes to.
    fn whole_cells(&self, no: ValueNo, result: u32) -> Vec<Cells> {
        let columns = self.cells.get(&no).into_iter().flatten();
        columns.map(|&column| whole(result, column)).collect()
    }

    fn word(&mut self, no: WordNo) {
        let word = &self.lanes.words[no.0];
        if let WordKind::Seed(offset) = word.kind {
            self.words[no.0] = Some(WordPlace::Seed(offset));
            for &member in &word.members {
                let (_, lane) = self.lanes.lanes[&member];
                let place = Operand::Seed(Width::U8, offset + u32::from(lane));
                self.held[member.index()] = Some(place);
            }
            return;
        }
        let (op, args) = match word.kind {
            WordKind::Seed(_) => return,
            WordKind::Low(a) => (WordOp::Low, vec![self.held(a)]),
            WordKind::High(a) => (WordOp::High, vec![self.held(a)]),
            WordKind::Bitwise(op, a, b) => {
                (WordOp::Bitwise(op), vec![self.source(a), self.source(b)])
            }
            WordKind::SplitHigh(x, shift) => (WordOp::SplitHigh(shift), vec![self.whole_word(x)]),
            WordKind::SplitLow(x, shift) => (WordOp::SplitLow(shift), vec![self.whole_word(x)]),
            WordKind::Sum(a, b) => (WordOp::Sum, vec![self.source(a), self.source(b)]),
        };
        let reg = self.code.reg(Type::WORD, Ident::new(format!("word{}", no.0)));
        self.words[no.0] = Some(WordPlace::Reg(reg));
        let mut cells = Vec::new();
        for &member in &word.members {
            let (_, lane) = self.lanes.lanes[&member];
            self.held[member.index()] = Some(Operand::Byte(reg, lane));
            let columns = self.cells.get(&member).into_iter().flatten();
            cells.extend(columns.map(|&column| (lane, column)));
        }
        let op_of = |no: &ValueNo| self.value(*no).op;
        let first = word.members.first().and_then(op_of);
        let ops = first.zip(word.members.iter().filter_map(op_of).max());
        let cells = byte_cells(&cells);
        self.body.instrs.push(Instr { op: Op::Word(op), args, results: vec![reg], cells, ops });
    }

    fn invert(&mut self, inverses: &[ValueNo]) {
        let operand = |&no: &ValueNo| self.value(no).expr.operands()[0];
        let args = inverses.iter().map(|no| self.held(operand(no))).collect();
        let mut cells = Vec::new();
        let mut results = Vec::new();
        for (i, &no) in inverses.iter().enumerate() {
            let value = &self.path.values[no.index()];
            let reg = self.code.reg(Type::of(value), variable(no, value));
            self.held[no.index()] = Some(Operand::Reg(reg));
            cells.extend(self.whole_cells(no, i as u32));
            results.push(reg);
        }
        let ops = inverses.iter().filter_map(|&no| self.value(no).op);
        let ops = ops.clone().min().zip(ops.max());
        self.body.instrs.push(Instr { op: Op::Invert, args, results, cells, ops });
    }

    fn place(&self, word: WordNo) -> WordPlace {
        self.words[word.0].expect("words are computed before their users")
    }

    fn whole_word(&self, word: WordNo) -> Operand {
        match self.place(word) {
            WordPlace::Reg(reg) => Operand::Reg(reg),
            WordPlace::Seed(offset) => Operand::Seed(Width::U32, offset),
            WordPlace::Param(param) => Operand::Param(param),
        }
    }

    fn source(&self, source: Source) -> Operand {
        match source {
            Source::Constant(word) => Operand::Constant(word.into()),
            Source::Word(word) => self.whole_word(word),
            Source::Permuted(low, high, selector) => {
                let (low, high) = (self.place(low), self.place(high));
                seed_bytes(low, high, selector).unwrap_or(Operand::Permuted(low, high, selector))
            }
            Source::Filled(word, constant, selector) => {
                Operand::Filled(self.place(word), constant, selector)
            }
        }
    }
}

/// Four bytes that follow each other in the seed are read at once.
fn seed_bytes(low: WordPlace, high: WordPlace, selector: u32) -> Option<Operand> {
    let (WordPlace::Seed(low), WordPlace::Seed(high)) = (low, high) else { return None };
    let first = selector & 7;
    let follows = high == low + 4 && (0..4).all(|i| selector >> (4 * i) & 7 == first + i);
    follows.then_some(Operand::Seed(Width::U32, low + first))
}

/// The cell of a whole value.
pub(super) const fn whole(result: u32, column: Column) -> Cells {
    Cells { result, lane: None, count: 1, column, stride: 1 }
}

/// Cells of bytes of a word; neighbouring bytes in columns at a regular stride together.
fn byte_cells(cells: &[(u8, Column)]) -> Vec<Cells> {
    let mut found: Vec<Cells> = Vec::new();
    for &(lane, column) in cells {
        if let Some(last) = found.last_mut() {
            let end = last.lane.map(|first| u32::from(first) + last.count);
            let ahead = column.index.checked_sub(last.column.index);
            let stride = ahead.map(|ahead| ahead / last.count);
            let regular = column.region == last.column.region
                && end == Some(lane.into())
                && ahead == stride.map(|stride| stride * last.count)
                && stride
                    .is_some_and(|stride| stride > 0 && (last.count == 1 || stride == last.stride));
            if regular {
                last.stride = stride.unwrap_or(1);
                last.count += 1;
                continue;
            }
        }
        found.push(Cells { result: 0, lane: Some(lane), count: 1, column, stride: 1 });
    }
    found
}
