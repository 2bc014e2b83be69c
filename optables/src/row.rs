//! Row programs: integer programs that make the cells of a row of the words of a record.
//!
//! A program is straight-line. All of its values are integers of the planner, below the modulus
//! and most of them below 2^32; a value of 64 bits is two words. Nothing wraps unless the name of
//! the operation says so, and the planner bounds every value.

use std::collections::BTreeMap;

use traceloom_abi::seed::Meaning;
use traceloom_air::bytes::ByteOp;
use traceloom_plan::draft::Code;
use traceloom_plan::{Column as PlanColumn, Expr, Fixed, OpNote, ValueNo};

use crate::column::Column;

/// An integer of a row program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Int(ValueNo);

impl Int {
    pub(crate) fn number(number: u32) -> Self {
        Self(ValueNo(number))
    }
}

/// An integer of 64 bits, as two words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Long {
    /// Bits 0 to 31.
    pub low: Int,
    /// Bits 32 to 63.
    pub high: Int,
}

/// A row program under construction.
#[derive(Clone, Debug)]
pub struct Row {
    pub(crate) code: Code,
    /// Cells in the order in which they are put.
    pub(crate) cells: Vec<(Column, Int)>,
    notes: Vec<String>,
    known: BTreeMap<Expr, Int>,
    num_columns: usize,
}

impl Row {
    /// A program over words of these bounds, for a row of so many columns.
    pub(crate) fn new(bounds: &[u64], num_columns: usize) -> Self {
        let code = Code::of_record(bounds);
        let inputs = code.inputs().iter().zip(0..);
        let known = inputs.map(|(&value, i)| (Expr::Seed(Meaning::Input(i)), Int(value)));
        let known = known.collect();
        Self { code, cells: Vec::new(), notes: Vec::new(), known, num_columns }
    }

    /// The words of the record, in order.
    pub(crate) fn words(&self) -> Vec<Int> {
        self.code.inputs().iter().copied().map(Int).collect()
    }

    /// What the steps of the program say, for comments in emitted text.
    pub(crate) fn op_notes(&self) -> Vec<OpNote> {
        let texts = self.notes.iter().map(String::as_str).chain(["end of the row"]);
        let note = |(position, text): (u32, &str)| OpNote { block: 0, position, text: text.into() };
        (0..).zip(texts).map(note).collect()
    }

    /// The texts of all steps.
    pub(crate) fn note_texts(&self) -> &[String] {
        &self.notes
    }

    /// Begins a step: `text` becomes a comment in emitted text.
    pub fn step(&mut self, text: &str) {
        self.code.enter(self.notes.len() as u32, 1);
        self.notes.push(text.into());
    }

    /// The value of `expr`, the same for the same expression.
    fn push(&mut self, expr: Expr) -> Int {
        if let Some(&known) = self.known.get(&expr) {
            return known;
        }
        let value = Int(self.code.push(expr));
        self.known.insert(expr, value);
        value
    }

    /// Writes a cell.
    pub fn put(&mut self, column: Column, value: Int) {
        self.cells.push((column, value));
        self.code.write(PlanColumn::auxiliary(column.index()), value.0, Fixed::Determined);
    }

    /// Writes one cell after the other.
    pub fn put_all<const N: usize>(&mut self, columns: [Column; N], values: [Int; N]) {
        columns.into_iter().zip(values).for_each(|(column, value)| self.put(column, value));
    }

    /// Writes two words.
    pub fn put_long(&mut self, columns: [Column; 2], value: Long) {
        self.put_all(columns, [value.low, value.high]);
    }

    /// Writes zero to every column that was not written yet.
    pub fn put_zero_elsewhere(&mut self) {
        let zero = self.constant(0);
        for index in 0..self.num_columns as u32 {
            if self.cells.iter().all(|(column, _)| column.0 != index) {
                self.put(Column(index), zero);
            }
        }
    }

    /// A constant, below the modulus of the field.
    pub fn constant(&mut self, word: u64) -> Int {
        self.push(Expr::Constant(word))
    }

    /// `a + b`, which does not reach the modulus.
    pub fn add(&mut self, a: Int, b: Int) -> Int {
        self.push(Expr::Add(a.0, b.0))
    }

    /// `a + n`, which does not reach the modulus.
    pub fn add_constant(&mut self, a: Int, n: u64) -> Int {
        let n = self.constant(n);
        self.add(a, n)
    }

    /// `a · b`, which does not reach the modulus. Of bits: both are set.
    pub fn mul(&mut self, a: Int, b: Int) -> Int {
        self.push(Expr::Mul(a.0, b.0))
    }

    /// `n · a`, which does not reach the modulus.
    pub fn scale(&mut self, n: u64, a: Int) -> Int {
        let n = self.constant(n);
        self.mul(n, a)
    }

    /// `(a - b) mod 2^32`, of words.
    pub fn sub_wrapping(&mut self, a: Int, b: Int) -> Int {
        let below = self.push(Expr::RankGap(a.0, b.0));
        let one = self.constant(1);
        let sum = self.add(below, one);
        self.low32(sum)
    }

    /// Whether all of these bits are set.
    pub fn all(&mut self, bits: &[Int]) -> Int {
        let one = self.constant(1);
        bits.iter().fold(one, |all, &bit| if all == one { bit } else { self.mul(all, bit) })
    }

    /// Whether one of two bits is set, or both.
    pub fn or(&mut self, a: Int, b: Int) -> Int {
        self.select(a, a, b)
    }

    /// Whether exactly one of two bits is set.
    pub fn xor(&mut self, a: Int, b: Int) -> Int {
        let not_b = self.not(b);
        self.select(a, not_b, b)
    }

    /// 1 if `a` is zero, else 0. Of a bit: its complement.
    pub fn not(&mut self, a: Int) -> Int {
        self.push(Expr::IsZero(a.0))
    }

    /// The inverse of `a - b` in the field; 0 if both are equal.
    pub fn inverse_of_difference(&mut self, a: Int, b: Int) -> Int {
        let difference = self.push(Expr::Sub(a.0, b.0));
        self.push(Expr::InverseOrZero(difference.0))
    }

    /// Whether `a` is `n`.
    pub fn is(&mut self, a: Int, n: u64) -> Int {
        let n = self.constant(n);
        self.equal(a, n)
    }

    /// Whether `a` is `b`.
    pub fn equal(&mut self, a: Int, b: Int) -> Int {
        let difference = self.push(Expr::Sub(a.0, b.0));
        self.not(difference)
    }

    /// 1 if `a < b`, else 0.
    pub fn less(&mut self, a: Int, b: Int) -> Int {
        self.push(Expr::Less(a.0, b.0))
    }

    /// `a` if `condition` is not zero, else `b`.
    pub fn select(&mut self, condition: Int, a: Int, b: Int) -> Int {
        if a == b { a } else { self.push(Expr::Select(condition.0, a.0, b.0)) }
    }

    /// `a` if `condition` is not zero, else 0.
    pub fn keep(&mut self, condition: Int, a: Int) -> Int {
        let zero = self.constant(0);
        self.select(condition, a, zero)
    }

    /// `a mod 2^32`.
    pub fn low32(&mut self, a: Int) -> Int {
        self.push(Expr::Low32(a.0))
    }

    /// `a >> 32`.
    pub fn high32(&mut self, a: Int) -> Int {
        self.push(Expr::High32(a.0))
    }

    /// Bit number `bit` of a word.
    pub fn bit(&mut self, a: Int, bit: u32) -> Int {
        let byte = if bit < 8 { a } else { self.byte(a, bit / 8) };
        self.push(Expr::Unary(ByteOp::Bits, (bit % 8) as u8, byte.0))
    }

    /// Byte number `byte` of a word.
    pub fn byte(&mut self, a: Int, byte: u32) -> Int {
        self.push(Expr::ByteOf(a.0, byte as u8))
    }

    /// Half of a byte, rounded down.
    pub fn half_of_byte(&mut self, a: Int) -> Int {
        self.push(Expr::Unary(ByteOp::ShiftRight, 0, a.0))
    }

    /// `a & b`, of bytes.
    pub fn and_bytes(&mut self, a: Int, b: Int) -> Int {
        self.push(Expr::Binary(ByteOp::And, 0, a.0, b.0))
    }

    /// Number `half` of the two halves of a word, of 16 bits each.
    pub fn half(&mut self, a: Int, half: u32) -> Int {
        self.push(Expr::LimbOf(a.0, half as u8))
    }

    /// A word as an integer of 64 bits.
    pub fn widen(&mut self, low: Int) -> Long {
        Long { low, high: self.constant(0) }
    }

    /// A word of 32 bits with a sign, as one of 64 bits.
    pub fn sign_extend(&mut self, low: Int) -> Long {
        let sign = self.bit(low, 31);
        let ones = self.constant(0xffff_ffff);
        Long { low, high: self.keep(sign, ones) }
    }

    /// `(a + b) mod 2^64`.
    pub fn add_long(&mut self, a: Long, b: Long) -> Long {
        let sum = self.add(a.low, b.low);
        let carry = self.high32(sum);
        let high = self.add(a.high, b.high);
        let high = self.add(high, carry);
        Long { low: self.low32(sum), high: self.low32(high) }
    }

    /// `(a - b) mod 2^64`.
    pub fn sub_long(&mut self, a: Long, b: Long) -> Long {
        let low = self.sub_wrapping(a.low, b.low);
        let borrow = self.less(a.low, b.low);
        let high = self.sub_wrapping(a.high, b.high);
        Long { low, high: self.sub_wrapping(high, borrow) }
    }

    /// 1 if `a < b`, else 0; both are without signs.
    pub fn less_long(&mut self, a: Long, b: Long) -> Int {
        let (below, above) = (self.less(a.high, b.high), self.less(b.high, a.high));
        let low = self.less(a.low, b.low);
        let same = self.not(above);
        let at_low = self.mul(same, low);
        self.or(below, at_low)
    }

    /// `a` if `condition` is not zero, else `b`.
    pub fn select_long(&mut self, condition: Int, a: Long, b: Long) -> Long {
        let low = self.select(condition, a.low, b.low);
        Long { low, high: self.select(condition, a.high, b.high) }
    }

    /// `a` if `condition` is not zero, else 0.
    pub fn keep_long(&mut self, condition: Int, a: Long) -> Long {
        let zero = self.constant(0);
        self.select_long(condition, a, Long { low: zero, high: zero })
    }

    /// The four halves, of 16 bits each, low one first.
    pub fn halves(&mut self, a: Long) -> [Int; 4] {
        [(a.low, 0), (a.low, 1), (a.high, 0), (a.high, 1)].map(|(word, i)| self.half(word, i))
    }

    /// The eight bytes, low one first.
    pub fn bytes(&mut self, a: Long) -> [Int; 8] {
        let places = [0, 1, 2, 3, 4, 5, 6, 7];
        places.map(|i: u32| self.byte(if i < 4 { a.low } else { a.high }, i % 4))
    }
}
