//! Byte operations, and the counts of what is looked up.

use super::Stop;
use crate::bytes::{ByteOp, ByteTable};
use crate::record::ByteCounts;

/// Uses of one operation that are noted before they are counted.
const NOTES: usize = 1 << 9;
/// Bytes of a note: a row of table bytes2.
const NOTE: usize = 2;
const OPS: usize = ByteTable::Bytes2.ops().len();

/// Room for notes of uses of table bytes2, by operation.
#[derive(Debug)]
pub(super) struct Notes(Box<[[u8; NOTE * NOTES]; OPS]>);

impl Notes {
    /// Room that is empty.
    pub fn new() -> Self {
        Self(Box::new([[0; NOTE * NOTES]; OPS]))
    }
}

/// What the frame that runs looks up in both byte tables.
///
/// A piece only notes what it looks up, and all is counted when it ends: counting waits for
/// memory, which then has other things to fetch meanwhile. A frame that counts nothing
/// forgets its notes.
#[derive(Debug)]
pub struct Counts<'a> {
    is_counting: bool,
    tables: &'a mut [ByteCounts; 2],
    notes: &'a mut [[u8; NOTE * NOTES]; OPS],
    /// Bytes of notes, by operation.
    lens: [usize; OPS],
}

impl<'a> Counts<'a> {
    /// Counts in `tables` if `is_counting`.
    pub(super) fn new(
        is_counting: bool,
        tables: &'a mut [ByteCounts; 2],
        notes: &'a mut Notes,
    ) -> Self {
        Self { is_counting, tables, notes: &mut notes.0, lens: [0; OPS] }
    }

    /// Counts what was noted.
    #[inline]
    pub(super) fn end(mut self) {
        if self.is_counting {
            (0..OPS).for_each(|op| self.count(op));
        }
    }

    /// Counts the notes of the operation at `op`.
    #[inline]
    fn count(&mut self, op: usize) {
        let notes = &self.notes[op][..self.lens[op]];
        self.tables[ByteTable::Bytes2 as usize].count_rows(op, notes);
    }

    /// Makes room for notes.
    #[cold]
    #[inline(never)]
    fn empty(&mut self, op: usize) {
        if self.is_counting {
            self.count(op);
        }
        self.lens[op] = 0;
    }

    /// Notes rows of `op`, two bytes each.
    #[inline(always)]
    fn note<const BYTES: usize>(&mut self, op: ByteOp, rows: [u8; BYTES]) {
        let op = op.position();
        if self.lens[op] + BYTES > NOTE * NOTES {
            self.empty(op);
        }
        let len = self.lens[op];
        self.notes[op][len..len + BYTES].copy_from_slice(&rows);
        self.lens[op] = len + BYTES;
    }

    /// Notes a unary byte operation; its results, then zeros.
    #[inline(always)]
    pub fn unary(&mut self, op: ByteOp, a: u8) -> [u8; 8] {
        if self.is_counting {
            self.tables[ByteTable::Bytes1 as usize].add(op, a, 0, 1);
        }
        op.results(a, 0)
    }

    /// Notes a binary byte operation; its results, then zeros.
    #[inline(always)]
    pub fn binary(&mut self, op: ByteOp, a: u8, b: u8) -> [u8; 8] {
        self.note(op, [b, a]);
        op.results(a, b)
    }

    /// Notes a binary byte operation four times, on the bytes of words.
    #[inline(always)]
    fn four(&mut self, op: ByteOp, a: u32, b: u32) {
        // Two rows, 256·a + b, per word: of the even bytes and of the odd ones.
        const EVEN: u32 = 0x00ff_00ff;
        let even = (a & EVEN) << 8 | (b & EVEN);
        let odd = (a & !EVEN) | (b >> 8 & EVEN);
        self.note(op, (u64::from(odd) << 32 | u64::from(even)).to_le_bytes());
    }

    /// Notes `op` four times, on the bytes of `a` and `b`; `a ^ b`.
    #[inline(always)]
    pub fn xor4(&mut self, op: ByteOp, a: u32, b: u32) -> u32 {
        self.four(op, a, b);
        a ^ b
    }

    /// The same; `a & b`.
    #[inline(always)]
    pub fn and4(&mut self, op: ByteOp, a: u32, b: u32) -> u32 {
        self.four(op, a, b);
        a & b
    }

    /// The same; `a | b`.
    #[inline(always)]
    pub fn or4(&mut self, op: ByteOp, a: u32, b: u32) -> u32 {
        self.four(op, a, b);
        a | b
    }

    /// The same; `a`.
    #[inline(always)]
    pub fn first4(&mut self, op: ByteOp, a: u32, b: u32) -> u32 {
        self.four(op, a, b);
        a
    }

    /// Notes an addition of bytes: low byte and carry.
    #[inline(always)]
    pub fn add(&mut self, a: u8, b: u8) -> [u8; 2] {
        let [low, ..] = self.binary(ByteOp::Add, a, b);
        [low, u8::from(a.checked_add(b).is_none())]
    }

    /// Notes a subtraction of bytes: low byte and borrow.
    #[inline(always)]
    pub fn sub(&mut self, a: u8, b: u8) -> [u8; 2] {
        let [low, ..] = self.binary(ByteOp::Sub, a, b);
        [low, u8::from(a < b)]
    }

    /// Notes the checks of a comparison; 1 if `a < b`, else 0.
    ///
    /// # Errors
    /// [`Stop`] if an operand is no word of 32 bits.
    pub fn u32_less_than(&mut self, a: u64, b: u64) -> Result<u8, Stop> {
        let [a, b] = [u32::try_from(a).map_err(|_| Stop)?, u32::try_from(b).map_err(|_| Stop)?];
        for word in [a, b.wrapping_sub(a).wrapping_sub(1), b] {
            self.limbs(word);
        }
        Ok(u8::from(a < b))
    }

    /// Notes the checks of both limbs of `word`, 16 bits each.
    pub(super) fn limbs(&mut self, word: u32) {
        self.note(ByteOp::RangeCheck16, word.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_counts_its_row() {
        let mut tables = ByteTable::ALL.map(ByteCounts::new);
        let mut notes = Notes::new();
        let mut counts = Counts::new(true, &mut tables, &mut notes);
        for op in ByteOp::UNARY {
            assert_eq!(counts.unary(op, 200), op.results(200, 0));
        }
        for op in ByteOp::BINARY {
            assert_eq!(counts.binary(op, 200, 100), op.results(200, 100));
        }
        assert_eq!((counts.add(200, 100), counts.sub(100, 200)), ([44, 1], [156, 1]));
        assert_eq!(counts.u32_less_than(1, 2), Ok(1));
        assert_eq!(counts.u32_less_than(1, 1 << 32), Err(Stop));
        counts.end();
        let row = |table: usize, row: usize| tables[table].row(row).collect::<Vec<_>>();
        assert_eq!(row(0, 200), [1; ByteOp::UNARY.len()]);
        let mut expected = [1; OPS];
        expected[ByteOp::RangeCheck16.position()] = 0;
        expected[ByteOp::Add.position()] = 2;
        assert_eq!(row(1, 200 << 8 | 100), expected);
        assert_eq!(row(1, 100 << 8 | 200)[ByteOp::Sub.position()], 1);
        let [xor, and, or, first] = [ByteOp::Xor, ByteOp::And, ByteOp::Or, ByteOp::Mul];
        let [a, b] = [[1, 2, 3, 4], [5, 6, 7, 8]].map(u32::from_le_bytes);
        let mut counts = Counts::new(true, &mut tables, &mut notes);
        let words = [counts.xor4(xor, a, b), counts.and4(and, a, b), counts.or4(or, a, b)];
        assert_eq!((words, counts.first4(first, a, b)), ([a ^ b, a & b, a | b], a));
        counts.end();
        let row = |table: usize, row: usize| tables[table].row(row).collect::<Vec<_>>();
        for (a, b) in [(1, 5), (2, 6), (3, 7), (4, 8)] {
            let row = row(1, a << 8 | b);
            assert_eq!([xor, and, or, first].map(|op| row[op.position()]), [1; 4]);
            assert_eq!(row.iter().sum::<u64>(), 4);
        }
        // Of the words 1, 0 and 2.
        let limbs = [0, 1, 2].map(|limb| row(1, limb)[ByteOp::RangeCheck16.position()]);
        assert_eq!(limbs, [4, 1, 1]);
    }
    #[test]
    fn more_uses_than_are_noted_are_counted() {
        let mut tables = ByteTable::ALL.map(ByteCounts::new);
        let mut notes = Notes::new();
        for is_counting in [false, true] {
            let mut counts = Counts::new(is_counting, &mut tables, &mut notes);
            for _ in 0..3 * NOTES {
                counts.xor4(ByteOp::Xor, 0x0101_0101, 0);
                counts.binary(ByteOp::Xor, 1, 0);
                counts.unary(ByteOp::Bits, 1);
            }
            counts.end();
            let expected = if is_counting { 3 * NOTES as u64 } else { 0 };
            let uses = tables[1].count(1 << 8, ByteOp::Xor.position());
            assert_eq!(uses, 5 * expected);
            assert_eq!(tables[0].count(1, ByteOp::Bits.position()), expected);
        }
    }
}
