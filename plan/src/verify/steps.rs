//! Invariants of lanes, and of the steps of a typed writer.

use traceloom_air::bytes::ByteOp;

use super::Verifier;
use crate::lanes::{Bitwise, Lanes, Source, Word, WordKind, WordNo, largest};
use crate::program::PathPlan;
use crate::row::Cell;
use crate::steps::{MAX_SHARED, Step, Steps};
use crate::value::{Expr, ValueNo};

/// What one lane of a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Byte {
    Constant(u64),
    Lane(WordNo, u8),
}

impl Verifier<'_> {
    /// Lanes are the bytes that they stand for; steps compute what the writer needs.
    pub(super) fn steps(&mut self, path: &PathPlan) {
        let Steps { lanes, steps } = Steps::of(path);
        for (number, word) in lanes.words.iter().enumerate() {
            for &no in &word.members {
                let lane = lanes.lanes.get(&no);
                let own = lane.filter(|(of, _)| of.0 == number);
                let right = own.is_some_and(|&(_, lane)| is_lane(path, &lanes, word, lane, no));
                self.require(right, path.values[no.index()].op, || {
                    format!("value {} is not the lane {lane:?} of {:?}", no.0, word.kind)
                });
            }
        }
        let mut done =
            Done { values: vec![0; path.values.len()], words: vec![false; lanes.words.len()] };
        for step in &steps {
            let ready = done.step(path, &lanes, step);
            self.require(ready, None, || format!("step {step:?} comes before its operands"));
        }
        let written = path.writes.iter().filter_map(|write| match write.cell {
            Cell::Value(value) => Some(value),
            Cell::Constant(_) => None,
        });
        for no in written {
            self.require(done.values[no.index()] == 1, path.values[no.index()].op, || {
                format!("value {} is written, and computed {} times", no.0, done.values[no.index()])
            });
        }
        let twice = done.values.iter().position(|&times| times > 1);
        self.require(twice.is_none(), None, || format!("value {twice:?} is computed twice"));
    }
}

/// Steps that have been taken: how often by value, whether by word.
struct Done {
    values: Vec<u32>,
    words: Vec<bool>,
}

impl Done {
    /// Takes a step; whether it could be taken.
    fn step(&mut self, path: &PathPlan, lanes: &Lanes, step: &Step) -> bool {
        let expr = |no: ValueNo| path.values[no.index()].expr;
        let operands = |done: &Self, no| {
            expr(no).operands().iter().all(|operand| done.values[operand.index()] > 0)
        };
        match step {
            Step::Constant(no) => {
                self.values[no.index()] += 1;
                matches!(expr(*no), Expr::Constant(_))
            }
            Step::Value(no) => {
                let ready = operands(self, *no);
                self.values[no.index()] += 1;
                ready
            }
            Step::Whole(no, source) => {
                let (Expr::Pack(parts) | Expr::PackLow(parts)) = expr(*no) else { return false };
                let lane = |(k, part)| is_byte(path, lanes, byte(*source, k), part);
                let right = (0..4).zip(parts).all(lane);
                self.values[no.index()] += 1;
                right && source.words().all(|word| self.words[word.0])
            }
            Step::Word(word) => {
                let Word { kind, members } = &lanes.words[word.0];
                members.iter().for_each(|no| self.values[no.index()] += 1);
                let ready = match *kind {
                    WordKind::Seed(_) => true,
                    WordKind::Low(a) | WordKind::High(a) => self.values[a.index()] > 0,
                    WordKind::SplitHigh(x, _) | WordKind::SplitLow(x, _) => self.words[x.0],
                    WordKind::Bitwise(_, a, b) | WordKind::Sum(a, b) => {
                        a.words().chain(b.words()).all(|word| self.words[word.0])
                    }
                };
                ready && !std::mem::replace(&mut self.words[word.0], true)
            }
            Step::PutOff(no) => operands(self, *no),
            Step::Inverses(all) => {
                let right = |&no: &ValueNo| {
                    matches!(expr(no), Expr::InverseOrZero(_)) && operands(self, no)
                };
                let right = (2..=MAX_SHARED).contains(&all.len()) && all.iter().all(right);
                all.iter().for_each(|no| self.values[no.index()] += 1);
                right
            }
        }
    }
}

/// Whether value `no` is lane `lane` of `word`.
fn is_lane(path: &PathPlan, lanes: &Lanes, word: &Word, lane: u8, no: ValueNo) -> bool {
    let are = |a: Source, b: Source, x, y| {
        is_byte(path, lanes, byte(a, lane), x) && is_byte(path, lanes, byte(b, lane), y)
    };
    let expr = path.values[no.index()].expr;
    let split = |x: WordNo, result: u8, op: ByteOp| match (lanes.words[x.0].kind, expr) {
        (WordKind::Bitwise(Bitwise::Xor, a, b), Expr::Binary(of, part, p, q)) => {
            (of, part) == (op, result) && are(a, b, p, q)
        }
        _ => false,
    };
    match (word.kind, expr) {
        (WordKind::Seed(offset), Expr::Seed(meaning)) => {
            let word = path.schema.word(meaning);
            word.is_some_and(|word| {
                word.width.bytes() == 1 && word.offset == offset + u32::from(lane)
            })
        }
        (WordKind::Low(a), Expr::ByteOf(of, k)) => {
            of == a && k == lane && path.values[a.index()].is_integer()
        }
        (WordKind::High(a), Expr::ByteOf(of, k)) => {
            of == a && k == lane + 4 && path.values[a.index()].is_integer()
        }
        (WordKind::Bitwise(op, a, b), Expr::Binary(of, 0, p, q)) => {
            let of_bytes = match op {
                Bitwise::Xor => ByteOp::Xor,
                Bitwise::And => ByteOp::And,
                Bitwise::Or => ByteOp::Or,
            };
            of == of_bytes && are(a, b, p, q)
        }
        (WordKind::SplitHigh(x, 7), _) => split(x, 0, ByteOp::XorSplit7),
        (WordKind::SplitLow(x, 1), _) => split(x, 1, ByteOp::XorSplit7),
        (WordKind::SplitHigh(x, 4), _) => split(x, 0, ByteOp::XorSplit4),
        (WordKind::SplitLow(x, 4), _) => split(x, 1, ByteOp::XorSplit4),
        (WordKind::Sum(a, b), Expr::Add(p, q)) => {
            are(a, b, p, q) && largest(path, p).saturating_add(largest(path, q)) < 256
        }
        _ => false,
    }
}

/// Lane `k` of a source.
fn byte(source: Source, k: u8) -> Byte {
    let of = |word: u32, k: u32| Byte::Constant(u64::from(word >> (8 * k) & 255));
    let chosen = |selector: u32| selector >> (4 * k) & 15;
    match source {
        Source::Constant(word) => of(word, k.into()),
        Source::Word(word) => Byte::Lane(word, k),
        Source::Permuted(low, high, selector) => match chosen(selector) {
            lane @ 0..4 => Byte::Lane(low, lane as u8),
            lane => Byte::Lane(high, lane as u8 - 4),
        },
        Source::Filled(word, constant, selector) => match chosen(selector) {
            lane @ 0..4 => Byte::Lane(word, lane as u8),
            lane => of(constant, lane - 4),
        },
    }
}

fn is_byte(path: &PathPlan, lanes: &Lanes, byte: Byte, no: ValueNo) -> bool {
    match byte {
        Byte::Constant(word) => path.values[no.index()].expr == Expr::Constant(word),
        Byte::Lane(word, lane) => lanes.lanes.get(&no) == Some(&(word, lane)),
    }
}
