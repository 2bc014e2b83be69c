//! The byte tables, as data.
//!
//! Executor, table rows, function rows, constraints and emitted code all read
//! this one definition; nothing else states what `xor_split7` means.
//!
//! Layout (owned here)
//! - *bytes1*: row `a`, 256 rows. Preprocessed columns: `a`, then the results of
//!   every unary operation in the order of [`ByteOp::UNARY`].
//! - *bytes2*: row `256·a + b`, 65,536 rows. Preprocessed columns: `a`, `b`, then
//!   the results of every binary operation in the order of [`ByteOp::BINARY`].
//! - Main columns of both: one multiplicity per operation that the program looks up, in
//!   the same order; each has one lookup. The preprocessed columns are those of all
//!   operations, so that one commitment serves every program.
//! - Message of an operation: channel, operands, results. Each operation has a channel of
//!   its own. That of a 16-bit check is channel, `256·a + b`: the number of its row.

use crate::message;

/// An operation that is proven by looking it up in a byte table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ByteOp {
    /// `a` to its eight bits, least significant first.
    Bits,
    /// `(a << 1) & 255`.
    ShiftLeft,
    /// `a >> 1`.
    ShiftRight,
    /// `a ^ b`.
    Xor,
    /// `a & b`.
    And,
    /// `a | b`.
    Or,
    /// 1 if `a < b`, else 0.
    LessThan,
    /// `(a + b) & 255`; the carry is an expression of the row.
    Add,
    /// `(a - b) & 255`; the borrow is an expression of the row.
    Sub,
    /// `a · b` as low byte, high byte.
    Mul,
    /// `x = a ^ b` as `x >> 7`, `(x << 1) & 255`.
    XorSplit7,
    /// `x = a ^ b` as `x >> 4`, `(x << 4) & 255`.
    XorSplit4,
    /// No result: both operands are bytes.
    RangeCheck,
    /// No result, and one operand in the message, `256·a + b`: it is below 2^16. Other
    /// operations make this check of limbs; no program states it.
    RangeCheck16,
}

impl ByteOp {
    /// The operations of table bytes1, in column order.
    pub const UNARY: [Self; 3] = [Self::Bits, Self::ShiftLeft, Self::ShiftRight];

    /// The operations of table bytes2 that programs have, in column order. The check of
    /// limbs comes behind them.
    pub const BINARY: [Self; 10] = [
        Self::Xor,
        Self::And,
        Self::Or,
        Self::LessThan,
        Self::Add,
        Self::Sub,
        Self::Mul,
        Self::XorSplit7,
        Self::XorSplit4,
        Self::RangeCheck,
    ];

    /// The table that proves this operation.
    #[inline]
    #[must_use]
    pub const fn table(self) -> ByteTable {
        match self {
            Self::Bits | Self::ShiftLeft | Self::ShiftRight => ByteTable::Bytes1,
            _ => ByteTable::Bytes2,
        }
    }

    /// Position among all operations of its table.
    #[inline]
    #[must_use]
    pub const fn position(self) -> usize {
        match self {
            Self::Bits | Self::Xor => 0,
            Self::ShiftLeft | Self::And => 1,
            Self::ShiftRight | Self::Or => 2,
            Self::LessThan => 3,
            Self::Add => 4,
            Self::Sub => 5,
            Self::Mul => 6,
            Self::XorSplit7 => 7,
            Self::XorSplit4 => 8,
            Self::RangeCheck => 9,
            Self::RangeCheck16 => 10,
        }
    }

    /// Number of bytes that it takes, 1 or 2.
    #[must_use]
    pub const fn num_operands(self) -> usize {
        match self.table() {
            ByteTable::Bytes1 => 1,
            ByteTable::Bytes2 => 2,
        }
    }

    /// Number of results in the message.
    #[inline]
    #[must_use]
    pub const fn num_results(self) -> usize {
        match self {
            Self::Bits => 8,
            Self::Mul | Self::XorSplit7 | Self::XorSplit4 => 2,
            Self::RangeCheck | Self::RangeCheck16 => 0,
            _ => 1,
        }
    }

    /// The channel of this operation's messages.
    #[must_use]
    pub const fn channel(self) -> u64 {
        match self.table() {
            ByteTable::Bytes1 => message::BYTES1_CHANNEL + self.position() as u64,
            ByteTable::Bytes2 => message::BYTES2_CHANNEL + self.position() as u64,
        }
    }

    /// The results for operands `a`, `b` (`b` is ignored by unary operations),
    /// the first [`Self::num_results`] entries; the rest are zero.
    #[inline]
    #[must_use]
    pub const fn results(self, a: u8, b: u8) -> [u8; 8] {
        let x = a ^ b;
        let mut out = [0; 8];
        match self {
            Self::Bits => {
                let mut i = 0;
                while i < 8 {
                    out[i] = (a >> i) & 1;
                    i += 1;
                }
            }
            Self::ShiftLeft => out[0] = a << 1,
            Self::ShiftRight => out[0] = a >> 1,
            Self::Xor => out[0] = x,
            Self::And => out[0] = a & b,
            Self::Or => out[0] = a | b,
            Self::LessThan => out[0] = (a < b) as u8,
            Self::Add => out[0] = a.wrapping_add(b),
            Self::Sub => out[0] = a.wrapping_sub(b),
            Self::Mul => {
                let product = a as u16 * b as u16;
                out[0] = (product & 255) as u8;
                out[1] = (product >> 8) as u8;
            }
            Self::XorSplit7 => {
                out[0] = x >> 7;
                out[1] = x << 1;
            }
            Self::XorSplit4 => {
                out[0] = x >> 4;
                out[1] = x << 4;
            }
            Self::RangeCheck | Self::RangeCheck16 => {}
        }
        out
    }
}

/// [`ByteOp::BINARY`], and what no program states.
const PAIRS: [ByteOp; 11] = {
    let mut all = [ByteOp::RangeCheck16; 11];
    let mut i = 0;
    while i < ByteOp::BINARY.len() {
        all[i] = ByteOp::BINARY[i];
        i += 1;
    }
    all
};

/// One of the two fixed tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ByteTable {
    /// 256 rows, unary operations.
    Bytes1,
    /// 65,536 rows, binary operations.
    Bytes2,
}

impl ByteTable {
    /// Both tables.
    pub const ALL: [Self; 2] = [Self::Bytes1, Self::Bytes2];

    /// All operations that this table can prove, in column order.
    #[inline]
    #[must_use]
    pub const fn ops(self) -> &'static [ByteOp] {
        match self {
            Self::Bytes1 => &ByteOp::UNARY,
            Self::Bytes2 => &PAIRS,
        }
    }

    /// Number of rows, 256 or 65,536.
    #[must_use]
    pub const fn height(self) -> usize {
        match self {
            Self::Bytes1 => 1 << 8,
            Self::Bytes2 => 1 << 16,
        }
    }

    /// Number of operand columns, the first of the preprocessed columns.
    #[must_use]
    pub const fn num_operands(self) -> usize {
        match self {
            Self::Bytes1 => 1,
            Self::Bytes2 => 2,
        }
    }

    /// Number of preprocessed columns.
    #[must_use]
    pub fn preprocessed_width(self) -> usize {
        self.num_operands() + self.ops().iter().map(|op| op.num_results()).sum::<usize>()
    }

    /// First preprocessed column with a result of `op`, an operation of this table.
    #[must_use]
    pub fn result_column(self, op: ByteOp) -> usize {
        let before = self.ops()[..op.position()].iter();
        self.num_operands() + before.map(|op| op.num_results()).sum::<usize>()
    }

    /// The row that proves an operation on `a`, `b`.
    #[inline]
    #[must_use]
    pub const fn row(self, a: u8, b: u8) -> usize {
        match self {
            Self::Bytes1 => a as usize,
            Self::Bytes2 => 256 * a as usize + b as usize,
        }
    }

    /// The preprocessed trace, `height × preprocessed_width`, row-major.
    #[must_use]
    pub fn preprocessed(self) -> Vec<u64> {
        let mut cells = Vec::with_capacity(self.height() * self.preprocessed_width());
        for row in 0..self.height() {
            let (a, b) = match self {
                Self::Bytes1 => (row as u8, 0),
                Self::Bytes2 => ((row >> 8) as u8, (row & 255) as u8),
            };
            cells.extend([a, b][..self.num_operands()].iter().map(|&x| u64::from(x)));
            for op in self.ops() {
                let results = op.results(a, b);
                cells.extend(results[..op.num_results()].iter().map(|&x| u64::from(x)));
            }
        }
        cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_follow_the_column_order() {
        for table in ByteTable::ALL {
            for (position, op) in table.ops().iter().enumerate() {
                assert_eq!(op.position(), position, "{op:?}");
                assert_eq!(op.table(), table, "{op:?}");
            }
        }
    }

    #[test]
    fn results_agree_with_integer_arithmetic() {
        for a in 0..=255_u8 {
            for b in 0..=255_u8 {
                let (wide_a, wide_b) = (u32::from(a), u32::from(b));
                let x = wide_a ^ wide_b;
                let first = |op: ByteOp| u32::from(op.results(a, b)[0]);
                let second = |op: ByteOp| u32::from(op.results(a, b)[1]);
                assert_eq!(first(ByteOp::Add), (wide_a + wide_b) % 256);
                assert_eq!(first(ByteOp::Sub), (256 + wide_a - wide_b) % 256);
                assert_eq!(first(ByteOp::LessThan), u32::from(wide_a < wide_b));
                assert_eq!(first(ByteOp::Mul) + 256 * second(ByteOp::Mul), wide_a * wide_b);
                for (op, shift) in [(ByteOp::XorSplit7, 7), (ByteOp::XorSplit4, 4)] {
                    // The two halves are disjoint and a rotation adds them.
                    let high = first(op) << shift;
                    let low = second(op) >> (8 - shift);
                    assert_eq!(high + low, x);
                }
            }
            let bits = ByteOp::Bits.results(a, 0);
            let sum: u32 = bits.iter().rev().fold(0, |sum, &bit| 2 * sum + u32::from(bit));
            assert_eq!(sum, u32::from(a));
        }
    }

    #[test]
    fn the_preprocessed_row_holds_operands_then_results() {
        let table = ByteTable::Bytes2;
        let cells = table.preprocessed();
        let width = table.preprocessed_width();
        assert_eq!(width, 14);
        let row = &cells[table.row(200, 100) * width..][..width];
        assert_eq!(row[..2], [200, 100]);
        assert_eq!(row[table.result_column(ByteOp::Add)], 44);
        assert_eq!(row[table.result_column(ByteOp::Mul)], 20_000 % 256);
        assert_eq!(row[table.result_column(ByteOp::Mul) + 1], 20_000 / 256);
    }
}
