//! Values: what a row or a packer computes.

use traceloom_abi::seed::Meaning;
use traceloom_air::bytes::ByteOp;
use traceloom_air::field::MODULUS;

/// Position of a value in its plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValueNo(pub u32);

impl ValueNo {
    /// As an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// One value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// What it is.
    pub expr: Expr,
    /// Number of the operation that it belongs to, `None` before the first.
    pub op: Option<u32>,
    /// Tracked degree of the bytecode value, 1 for what only the plan computes.
    pub degree: u32,
    /// Exclusive upper bound from producers alone, seed words unbounded.
    pub proven: u64,
    /// Exclusive upper bound from uses: speculation, for reports and seed widths.
    pub guarded: u64,
    /// Exclusive upper bound in the encoding of this plan's seeds: as `proven`, but
    /// from seed words of checked width. Equals `proven` in generic plans.
    pub bound: u64,
    /// Who needs it.
    pub need: Need,
}

impl Value {
    /// Whether the writer of this plan holds the value as an integer; otherwise as a
    /// field element.
    #[must_use]
    pub const fn is_integer(&self) -> bool {
        self.bound < MODULUS
    }

    /// The same for packers and checkers.
    #[must_use]
    pub const fn is_integer_when_packing(&self) -> bool {
        self.proven < MODULUS
    }
}

/// Who needs a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Need {
    /// A cell, or in a generic plan a match.
    pub writer: bool,
    /// A fetch that is not aliased, or in a generic plan a match.
    pub packer: bool,
    /// Any fetch, or the outputs.
    pub checker: bool,
}

/// What a value is. `word(x)` is the canonical word of `x`, `low(x)` its lowest
/// byte: operands of byte operations are bytes in every record, and masking keeps
/// table indices inside on any other input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Expr {
    /// A canonical word.
    Constant(u64),
    /// A word of the seed.
    Seed(Meaning),
    /// Generic plans: a value yielded into this continuation, by position.
    Merged(u32),
    /// `a + b`; of integers if the result is one, else of field elements.
    Add(ValueNo, ValueNo),
    /// `a - b`, of field elements; integers if the result is one.
    Sub(ValueNo, ValueNo),
    /// `a · b`; of integers if the result is one, else of field elements.
    Mul(ValueNo, ValueNo),
    /// 1 if `a` is zero, else 0.
    IsZero(ValueNo),
    /// The inverse, zero for zero.
    InverseOrZero(ValueNo),
    /// Result number `.1` of a unary byte operation on `low(a)`.
    Unary(ByteOp, u8, ValueNo),
    /// Result number `.1` of a binary byte operation on `low(a)`, `low(b)`.
    Binary(ByteOp, u8, ValueNo, ValueNo),
    /// `(low(a) + low(b)) >> 8`.
    ByteCarry(ValueNo, ValueNo),
    /// 1 if `low(a) < low(b)`, else 0.
    ByteBorrow(ValueNo, ValueNo),
    /// `a0 + 2^8 a1 + 2^16 a2 + 2^24 a3`; of integers if the result is one, else of
    /// field elements.
    Pack([ValueNo; 4]),
    /// The same of `low(ai)`: a 32-bit word.
    PackLow([ValueNo; 4]),
    /// Byte number `.1` of `word(a)`.
    ByteOf(ValueNo, u8),
    /// Limb number `.1`, of 16 bits, of `word(a)`.
    LimbOf(ValueNo, u8),
    /// `word(a) >> 32`.
    High32(ValueNo),
    /// 1 if `word(a) < word(b)`, else 0.
    Less(ValueNo, ValueNo),
    /// `(word(b) - word(a) - 1) mod 2^32`.
    LessRest(ValueNo, ValueNo),
    /// `(word(a) - word(b) - 1) mod 2^32`: the gap between two ranks.
    RankGap(ValueNo, ValueNo),
    /// `word(a) mod 2^32`.
    Low32(ValueNo),
    /// `b` if `a` is not zero, else `c`.
    Select(ValueNo, ValueNo, ValueNo),
}

impl Expr {
    /// Its operands in order.
    #[must_use]
    pub fn operands(&self) -> Vec<ValueNo> {
        match *self {
            Self::Constant(_) | Self::Seed(_) | Self::Merged(_) => Vec::new(),
            Self::IsZero(a)
            | Self::InverseOrZero(a)
            | Self::Unary(_, _, a)
            | Self::ByteOf(a, _)
            | Self::LimbOf(a, _)
            | Self::High32(a)
            | Self::Low32(a) => vec![a],
            Self::Add(a, b)
            | Self::Sub(a, b)
            | Self::Mul(a, b)
            | Self::Binary(_, _, a, b)
            | Self::ByteCarry(a, b)
            | Self::ByteBorrow(a, b)
            | Self::Less(a, b)
            | Self::LessRest(a, b)
            | Self::RankGap(a, b) => vec![a, b],
            Self::Select(a, b, c) => vec![a, b, c],
            Self::Pack(a) | Self::PackLow(a) => a.to_vec(),
        }
    }

    /// A short name for what it computes, for names of values.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Constant(_) => "const",
            Self::Seed(_) => "seed",
            Self::Merged(_) => "merged",
            Self::Add(..) => "sum",
            Self::Sub(..) => "diff",
            Self::Mul(..) => "prod",
            Self::IsZero(_) => "is_zero",
            Self::InverseOrZero(_) => "inv",
            Self::Unary(op, ..) | Self::Binary(op, ..) => byte_result_name(*op),
            Self::ByteCarry(..) => "carry",
            Self::ByteBorrow(..) => "borrow",
            Self::Pack(_) => "pack",
            Self::PackLow(_) => "word",
            Self::ByteOf(..) => "byte",
            Self::LimbOf(..) => "limb",
            Self::High32(_) => "high",
            Self::Less(..) => "less",
            Self::LessRest(..) => "rest",
            Self::RankGap(..) => "gap",
            Self::Low32(_) => "low",
            Self::Select(..) => "select",
        }
    }
}

fn byte_result_name(op: ByteOp) -> &'static str {
    match op {
        ByteOp::Bits => "bit",
        ByteOp::ShiftLeft => "shl",
        ByteOp::ShiftRight => "shr",
        ByteOp::Xor => "xor",
        ByteOp::And => "and",
        ByteOp::Or => "or",
        ByteOp::LessThan => "lt",
        ByteOp::Add => "add8",
        ByteOp::Sub => "sub8",
        ByteOp::Mul => "mul8",
        ByteOp::XorSplit7 => "split7",
        ByteOp::XorSplit4 => "split4",
        ByteOp::RangeCheck | ByteOp::RangeCheck16 => "none",
    }
}
