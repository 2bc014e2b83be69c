//! Which bytes of a path stay together in 32-bit words.
//!
//! A byte is a *lane* of a word if it is
//! - a seed word of one byte: of the 32-bit seed word around it;
//! - `ByteOf(s, k)` of an integer `s`: of its lower or upper half;
//! - one of four values that consecutive operations compute in the same way from
//!   lanes (or constants) of at most two words each: xor, and, or, the halves of a
//!   split, and sums that are proven to stay bytes.
//!
//! Words halve the registers of a byte-oriented function, and bytes are taken out
//! of them only where they are stored. Grouping changes no value: lanes of a sum
//! do not carry into each other since every lane is proven to stay below 256.

use std::collections::BTreeMap;

use traceloom_abi::seed::Width;
use traceloom_air::bytes::ByteOp;

use crate::program::PathPlan;
use crate::value::{Expr, ValueNo};

/// Position of a word in its [`Lanes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WordNo(pub usize);

/// The words of a path and the lanes in them.
#[derive(Clone, Debug, Default)]
pub struct Lanes {
    /// Words, operands first.
    pub words: Vec<Word>,
    /// By value: the lane that it is.
    pub lanes: BTreeMap<ValueNo, (WordNo, u8)>,
}

/// Four bytes.
#[derive(Clone, Debug)]
pub struct Word {
    /// What it is.
    pub kind: WordKind,
    /// The values that are its lanes, in value order.
    pub members: Vec<ValueNo>,
}

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WordKind {
    /// The seed word at a byte offset.
    Seed(u32),
    /// The lower half of an integer.
    Low(ValueNo),
    /// The upper half of an integer.
    High(ValueNo),
    /// Lane by lane.
    Bitwise(Bitwise, Source, Source),
    /// The lanes of a word, shifted right by so many bits.
    SplitHigh(WordNo, u8),
    /// The lanes of a word, shifted left by so many bits.
    SplitLow(WordNo, u8),
    /// Lane by lane, without a carry.
    Sum(Source, Source),
}

/// Bitwise operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bitwise {
    /// Exclusive or.
    Xor,
    /// And.
    And,
    /// Or.
    Or,
}

/// Four lanes as an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// Known now.
    Constant(u32),
    /// A whole word.
    Word(WordNo),
    /// Bytes of two words, as a byte permutation of eight bytes takes them: nibble k of
    /// `.2` says which of them, words in order, is lane k.
    Permuted(WordNo, WordNo, u32),
    /// Bytes of a word and of a constant, chosen in the same way.
    Filled(WordNo, u32, u32),
}

impl Source {
    /// The words that it reads.
    pub fn words(self) -> impl Iterator<Item = WordNo> {
        let words = match self {
            Self::Constant(_) => [None, None],
            Self::Word(word) | Self::Filled(word, ..) => [Some(word), None],
            Self::Permuted(low, high, _) => [Some(low), Some(high)],
        };
        words.into_iter().flatten()
    }
}

/// How four results are computed alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Bitwise(Bitwise),
    SplitHigh(u8),
    SplitLow(u8),
    Sum,
}

impl Lanes {
    /// Finds the words of `path`.
    #[must_use]
    pub fn of(path: &PathPlan) -> Self {
        let mut found = Self::default();
        let mut numbers: BTreeMap<WordKind, WordNo> = BTreeMap::new();
        let seed = path.schema.by_meaning();
        for (index, value) in path.values.iter().enumerate() {
            let no = ValueNo(index as u32);
            if !value.need.writer || found.lanes.contains_key(&no) {
                continue;
            }
            match value.expr {
                Expr::Seed(meaning) => {
                    let word = seed.word(meaning).expect("a path reads its own seed");
                    if word.width == Width::U8 {
                        let kind = WordKind::Seed(word.offset / 4 * 4);
                        found.join(&mut numbers, kind, no, (word.offset % 4) as u8);
                    }
                }
                Expr::ByteOf(a, k) if path.values[a.index()].is_integer() => {
                    let kind = if k < 4 { WordKind::Low(a) } else { WordKind::High(a) };
                    found.join(&mut numbers, kind, no, k % 4);
                }
                expr => {
                    if let Some((kind, _, _)) = kind(path, expr) {
                        found.group(path, &mut numbers, no, kind);
                    }
                }
            }
        }
        found
    }

    fn word(&mut self, numbers: &mut BTreeMap<WordKind, WordNo>, kind: WordKind) -> WordNo {
        *numbers.entry(kind).or_insert_with(|| {
            self.words.push(Word { kind, members: Vec::new() });
            WordNo(self.words.len() - 1)
        })
    }

    fn join(
        &mut self,
        numbers: &mut BTreeMap<WordKind, WordNo>,
        kind: WordKind,
        no: ValueNo,
        lane: u8,
    ) {
        let word = self.word(numbers, kind);
        self.words[word.0].members.push(no);
        self.lanes.insert(no, (word, lane));
    }

    /// Makes a word of `first` and the results of the next three operations, if they
    /// are alike and their operands are lanes already.
    fn group(
        &mut self,
        path: &PathPlan,
        numbers: &mut BTreeMap<WordKind, WordNo>,
        first: ValueNo,
        of: Kind,
    ) {
        let Some(op) = path.values[first.index()].op else { return };
        let mut members = [(first, first, first); 4];
        for (position, member) in members.iter_mut().enumerate() {
            let Some(found) = self.find(path, first, op + position as u32, of) else { return };
            *member = found;
        }
        let a = self.source(path, members.map(|(_, a, _)| a));
        let b = self.source(path, members.map(|(_, _, b)| b));
        let (Some(a), Some(b)) = (a, b) else { return };
        let xor = WordKind::Bitwise(Bitwise::Xor, a, b);
        let kind = match of {
            Kind::Bitwise(op) => WordKind::Bitwise(op, a, b),
            Kind::SplitHigh(shift) => WordKind::SplitHigh(self.word(numbers, xor), shift),
            Kind::SplitLow(shift) => WordKind::SplitLow(self.word(numbers, xor), shift),
            Kind::Sum => WordKind::Sum(a, b),
        };
        // The same word twice would need the same lane twice: leave it to scalars.
        if numbers.get(&kind).is_some_and(|word| !self.words[word.0].members.is_empty()) {
            return;
        }
        for (lane, (no, _, _)) in members.into_iter().enumerate() {
            self.join(numbers, kind, no, lane as u8);
        }
    }

    /// The result and operands of kind `of` that operation `op` has, near `first`.
    fn find(
        &self,
        path: &PathPlan,
        first: ValueNo,
        op: u32,
        of: Kind,
    ) -> Option<(ValueNo, ValueNo, ValueNo)> {
        const REACH: usize = 32;
        let near = path.values.iter().enumerate().skip(first.index()).take(REACH);
        near.filter(|(_, value)| value.op == Some(op) && value.need.writer).find_map(
            |(i, value)| {
                let no = ValueNo(i as u32);
                let (kind, a, b) = kind(path, value.expr)?;
                let fits = kind == of && !self.lanes.contains_key(&no) && a < first && b < first;
                fits.then_some((no, a, b))
            },
        )
    }

    /// Four values as lanes of at most two words, or constants.
    #[must_use]
    pub fn source(&self, path: &PathPlan, values: [ValueNo; 4]) -> Option<Source> {
        let mut constant = 0_u32;
        let mut selector = 0_u32;
        let mut words: Vec<WordNo> = Vec::new();
        let mut num_constants = 0;
        for (position, no) in values.into_iter().enumerate() {
            let nibble = match (self.lanes.get(&no), path.values[no.index()].expr) {
                (Some(&(word, lane)), _) => {
                    let index = words.iter().position(|&other| other == word);
                    let index = index.unwrap_or_else(|| {
                        words.push(word);
                        words.len() - 1
                    });
                    4 * index as u32 + u32::from(lane)
                }
                (None, Expr::Constant(byte)) if byte < 256 => {
                    num_constants += 1;
                    constant |= (byte as u32) << (8 * position);
                    4 + position as u32
                }
                _ => return None,
            };
            if nibble > 7 {
                return None;
            }
            selector |= nibble << (4 * position);
        }
        match (&words[..], num_constants) {
            ([], _) => Some(Source::Constant(constant)),
            (&[word], 0) if selector == 0x3210 => Some(Source::Word(word)),
            (&[word], 0) => Some(Source::Permuted(word, word, selector)),
            (&[word], _) => Some(Source::Filled(word, constant, selector)),
            (&[low, high], 0) => Some(Source::Permuted(low, high, selector)),
            _ => None,
        }
    }
}

/// How a value is computed, if four alike may share a word, and its operands.
fn kind(path: &PathPlan, expr: Expr) -> Option<(Kind, ValueNo, ValueNo)> {
    Some(match expr {
        Expr::Binary(ByteOp::Xor, 0, a, b) => (Kind::Bitwise(Bitwise::Xor), a, b),
        Expr::Binary(ByteOp::And, 0, a, b) => (Kind::Bitwise(Bitwise::And), a, b),
        Expr::Binary(ByteOp::Or, 0, a, b) => (Kind::Bitwise(Bitwise::Or), a, b),
        Expr::Binary(ByteOp::XorSplit7, 0, a, b) => (Kind::SplitHigh(7), a, b),
        Expr::Binary(ByteOp::XorSplit7, 1, a, b) => (Kind::SplitLow(1), a, b),
        Expr::Binary(ByteOp::XorSplit4, 0, a, b) => (Kind::SplitHigh(4), a, b),
        Expr::Binary(ByteOp::XorSplit4, 1, a, b) => (Kind::SplitLow(4), a, b),
        Expr::Add(a, b) => {
            let operands = [a, b].map(|operand| largest(path, operand));
            let carries = operands[0].saturating_add(operands[1]) > 255;
            return (!carries).then_some((Kind::Sum, a, b));
        }
        _ => return None,
    })
}

/// The largest word of a value: halves of a split are less than their bound, which
/// knows bytes only.
pub(crate) fn largest(path: &PathPlan, no: ValueNo) -> u64 {
    let value = &path.values[no.index()];
    let largest = match value.expr {
        Expr::Constant(word) => word,
        Expr::Unary(ByteOp::Bits, ..) | Expr::Binary(ByteOp::XorSplit7, 0, ..) => 1,
        Expr::Binary(ByteOp::XorSplit7, ..) => 254,
        Expr::Binary(ByteOp::XorSplit4, 0, ..) => 15,
        Expr::Binary(ByteOp::XorSplit4, ..) => 240,
        _ => u64::MAX,
    };
    largest.min(value.bound.saturating_sub(1))
}
