//! Byte operations, and the counts of what is looked up.

use super::Stop;
use crate::bytes::{ByteOp, ByteTable};
use crate::record::ByteCounts;

const OPS1: usize = ByteTable::Bytes1.ops().len();
const OPS2: usize = ByteTable::Bytes2.ops().len();
const HEIGHT1: usize = ByteTable::Bytes1.height();
const HEIGHT2: usize = ByteTable::Bytes2.height();

/// The counts of both byte tables for the frame that runs: those of the record if the frame
/// counts, else some that nobody reads, so that no operation asks.
#[derive(Debug)]
pub struct Counts<'a> {
    bytes1: &'a mut [[u64; HEIGHT1]; OPS1],
    bytes2: &'a mut [[u64; HEIGHT2]; OPS2],
}

impl<'a> Counts<'a> {
    /// A view of counts of both tables.
    pub(super) fn new([bytes1, bytes2]: &'a mut [ByteCounts; 2]) -> Result<Self, Stop> {
        let bytes1 = bytes1.ops().ok_or(Stop)?;
        Ok(Self { bytes1, bytes2: bytes2.ops().ok_or(Stop)? })
    }

    /// Counts a unary byte operation; its results, then zeros.
    #[inline(always)]
    pub fn unary(&mut self, op: ByteOp, a: u8) -> [u8; 8] {
        self.bytes1[op.position()][usize::from(a)] += 1;
        op.results(a, 0)
    }

    /// Counts a binary byte operation; its results, then zeros.
    #[inline(always)]
    pub fn binary(&mut self, op: ByteOp, a: u8, b: u8) -> [u8; 8] {
        self.bytes2[op.position()][usize::from(a) << 8 | usize::from(b)] += 1;
        op.results(a, b)
    }

    /// Counts a binary byte operation four times, on the bytes of words.
    #[inline(always)]
    fn four(&mut self, op: ByteOp, a: u32, b: u32) {
        // Two rows, 256·a + b, per word: of the even bytes and of the odd ones.
        const EVEN: u32 = 0x00ff_00ff;
        let even = (a & EVEN) << 8 | (b & EVEN);
        let odd = (a & !EVEN) | (b >> 8 & EVEN);
        let counts = &mut self.bytes2[op.position()];
        for row in [even & 0xffff, odd & 0xffff, even >> 16, odd >> 16] {
            counts[row as usize] += 1;
        }
    }

    /// Counts `op` four times, on the bytes of `a` and `b`; `a ^ b`.
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

    /// Counts an addition of bytes: low byte and carry.
    #[inline(always)]
    pub fn add(&mut self, a: u8, b: u8) -> [u8; 2] {
        let [low, ..] = self.binary(ByteOp::Add, a, b);
        [low, u8::from(a.checked_add(b).is_none())]
    }

    /// Counts a subtraction of bytes: low byte and borrow.
    #[inline(always)]
    pub fn sub(&mut self, a: u8, b: u8) -> [u8; 2] {
        let [low, ..] = self.binary(ByteOp::Sub, a, b);
        [low, u8::from(a < b)]
    }

    /// Counts the checks of a comparison; 1 if `a < b`, else 0.
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

    /// Counts the checks of both limbs of `word`, 16 bits each.
    pub(super) fn limbs(&mut self, word: u32) {
        for limb in [word & 0xffff, word >> 16] {
            self.bytes2[ByteOp::RangeCheck16.position()][limb as usize] += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_counts_its_row() {
        let mut tables = ByteTable::ALL.map(ByteCounts::new);
        let mut counts = Counts::new(&mut tables).unwrap();
        for op in ByteOp::UNARY {
            assert_eq!(counts.unary(op, 200), op.results(200, 0));
        }
        for op in ByteOp::BINARY {
            assert_eq!(counts.binary(op, 200, 100), op.results(200, 100));
        }
        assert_eq!((counts.add(200, 100), counts.sub(100, 200)), ([44, 1], [156, 1]));
        assert_eq!(counts.u32_less_than(1, 2), Ok(1));
        assert_eq!(counts.u32_less_than(1, 1 << 32), Err(Stop));
        let row = |table: usize, row: usize| tables[table].row(row).collect::<Vec<_>>();
        assert_eq!(row(0, 200), [1; OPS1]);
        let mut expected = [1; OPS2];
        expected[ByteOp::RangeCheck16.position()] = 0;
        expected[ByteOp::Add.position()] = 2;
        assert_eq!(row(1, 200 << 8 | 100), expected);
        assert_eq!(row(1, 100 << 8 | 200)[ByteOp::Sub.position()], 1);
        let [xor, and, or, first] = [ByteOp::Xor, ByteOp::And, ByteOp::Or, ByteOp::Mul];
        let [a, b] = [[1, 2, 3, 4], [5, 6, 7, 8]].map(u32::from_le_bytes);
        let mut counts = Counts::new(&mut tables).unwrap();
        let words = [counts.xor4(xor, a, b), counts.and4(and, a, b), counts.or4(or, a, b)];
        assert_eq!((words, counts.first4(first, a, b)), ([a ^ b, a & b, a | b], a));
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
}
