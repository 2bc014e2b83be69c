//! Uses of the byte tables.

use crate::bytes::{ByteOp, ByteTable};

/// Multiplicities of one byte table: by operation, then by row, since an execution uses a
/// few operations on many rows.
///
/// An execution counts rows in no order, so it is their size that it waits for: nearly all
/// counts are short, and the few that are not have the rest of theirs elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByteCounts {
    table: ByteTable,
    /// The low 16 bits.
    low: Vec<u16>,
    /// What is above them; nothing until one count needs it.
    high: Vec<u64>,
}

impl ByteCounts {
    pub(crate) fn new(table: ByteTable) -> Self {
        Self { table, low: vec![0; table.height() * table.ops().len()], high: Vec::new() }
    }

    pub(super) fn num_bytes(&self) -> usize {
        size_of_val(&self.low[..]) + size_of_val(&self.high[..])
    }

    /// Takes the counts out and leaves none, not even zeros.
    pub(crate) fn take(&mut self) -> Self {
        let none = Self { table: self.table, low: Vec::new(), high: Vec::new() };
        std::mem::replace(self, none)
    }

    /// Adds one use of the operation at `position` of its table, bytes2, on each of `rows`,
    /// two little-endian bytes each.
    #[inline]
    pub(crate) fn count_rows(&mut self, position: usize, rows: &[u8]) {
        const HEIGHT: usize = ByteTable::Bytes2.height();
        let (tables, _) = self.low.as_chunks_mut::<HEIGHT>();
        let Some(counts) = tables.get_mut(position) else { return };
        let high = &mut self.high;
        let mut add = |row: u16| {
            let (sum, carries) = counts[usize::from(row)].overflowing_add(1);
            counts[usize::from(row)] = sum;
            if carries {
                carry(
                    high,
                    HEIGHT * self.table.ops().len(),
                    position * HEIGHT + usize::from(row),
                    1,
                );
            }
        };
        let (fours, rest) = rows.as_chunks::<8>();
        for four in fours {
            let four = u64::from_le_bytes(*four);
            add(four as u16);
            add((four >> 16) as u16);
            add((four >> 32) as u16);
            add((four >> 48) as u16);
        }
        rest.as_chunks::<2>().0.iter().for_each(|&row| add(u16::from_le_bytes(row)));
    }

    /// Adds `count` uses of `op`, an operation of this table, on `a`, `b`.
    #[inline]
    pub fn add(&mut self, op: ByteOp, a: u8, b: u8, count: u64) {
        let at = op.position() * self.table.height() + self.table.row(a, b);
        let sum = u64::from(self.low[at]) + count;
        self.low[at] = sum as u16;
        if sum > u64::from(u16::MAX) {
            carry(&mut self.high, self.low.len(), at, sum >> u16::BITS);
        }
    }

    /// The multiplicity of `row` for the operation at `position` of its table.
    #[must_use]
    pub fn count(&self, row: usize, position: usize) -> u64 {
        let at = position * self.table.height() + row;
        let high = self.high.get(at).map_or(0, |high| high << u16::BITS);
        high + u64::from(self.low[at])
    }

    /// The multiplicities of `row`, one per operation.
    pub fn row(&self, row: usize) -> impl Iterator<Item = u64> {
        (0..self.table.ops().len()).map(move |position| self.count(row, position))
    }
}

/// Adds to what is above the low bits of the count at `at`, one of `len`.
#[cold]
#[inline(never)]
fn carry(high: &mut Vec<u64>, len: usize, at: usize, count: u64) {
    if high.is_empty() {
        *high = vec![0; len];
    }
    high[at] += count;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_any_size_are_exact() {
        let mut counts = ByteCounts::new(ByteTable::Bytes2);
        let row = ByteTable::Bytes2.row(200, 3);
        let count = |counts: &ByteCounts| counts.count(row, ByteOp::And.position());
        let rows: Vec<u8> = [(row as u16).to_le_bytes(); 1_003].concat();
        let mut expected = 0;
        for add in [0, 1, 65_534, 1, 65_535, 65_536, 1 << 40, (1 << 40) - 1] {
            counts.add(ByteOp::And, 200, 3, add);
            expected += add;
            assert_eq!(count(&counts), expected);
        }
        for _ in 0..300 {
            counts.count_rows(ByteOp::And.position(), &rows);
        }
        assert_eq!(count(&counts), expected + 300_900);
        let others = (0..65_536).flat_map(|row| counts.row(row)).sum::<u64>();
        assert_eq!(others, expected + 300_900);
    }

    #[test]
    fn counts_are_equal_however_they_were_added() {
        let [mut a, mut b] = [(); 2].map(|()| ByteCounts::new(ByteTable::Bytes1));
        a.add(ByteOp::Bits, 7, 0, 70_000);
        (0..70_000).for_each(|_| b.add(ByteOp::Bits, 7, 0, 1));
        assert_eq!(a, b);
        b.add(ByteOp::Bits, 7, 0, 1);
        assert_ne!(a, b);
    }
}
