//! Straight-line code of writers and packers, before it is grouped.

use traceloom_abi::seed::Width;

use crate::class::Class;
use crate::columns::{Column, Span};
use crate::lanes::Bitwise;
use crate::names::Ident;
use crate::value::{Expr, Value};

/// A register: what one instruction defines, and others read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reg(pub u32);

impl Reg {
    /// As an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a register or a parameter holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// A value of a class.
    Value {
        /// How it is held.
        class: Class,
        /// Whether it is below 256.
        is_byte: bool,
    },
    /// Packers: the number of a found query.
    Query,
    /// Packers: so many words that were looked up.
    Words(u32),
    /// Packers: words of a channel of io.
    Slice,
}

impl Type {
    /// Four bytes in a word of 32 bits.
    pub const WORD: Self = Self::Value { class: Class::U32, is_byte: false };
    /// One byte.
    pub const BYTE: Self = Self::Value { class: Class::U32, is_byte: true };
    /// A field element.
    pub const FIELD: Self = Self::Value { class: Class::Field, is_byte: false };
    /// A word of a record.
    pub const RECORDED: Self = Self::Value { class: Class::U64, is_byte: false };

    /// How a writer holds `value`.
    #[must_use]
    pub fn of(value: &Value) -> Self {
        Self::Value { class: Class::of(value), is_byte: value.bound <= 1 << 8 }
    }

    /// The class of a value.
    ///
    /// # Panics
    /// If it holds no value.
    #[must_use]
    pub fn class(self) -> Class {
        match self {
            Self::Value { class, .. } => class,
            _ => unreachable!("results of fetches are read word by word"),
        }
    }
}

/// A register's type and name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegInfo {
    /// What it holds.
    pub ty: Type,
    /// Its name where it is a variable.
    pub name: Ident,
    /// Its place among the kept registers of its class, if several blocks read it.
    pub kept: Option<u32>,
}

/// Where a word of four bytes is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WordPlace {
    /// In a register.
    Reg(Reg),
    /// In the seed, at a byte offset that is a multiple of 4.
    Seed(u32),
    /// In a function: a parameter.
    Param(u32),
}

/// What an instruction reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operand {
    /// A canonical word.
    Constant(u64),
    /// A register.
    Reg(Reg),
    /// A byte of a word.
    Byte(Reg, u8),
    /// A word of the seed of this width, or four bytes of it, at a byte offset.
    Seed(Width, u32),
    /// Generic writers: so many words behind the reads of the blocks before.
    Read(u32),
    /// Bytes of two words, chosen by nibbles as in [`Source::Permuted`](crate::lanes::Source).
    Permuted(WordPlace, WordPlace, u32),
    /// Bytes of a word and of a constant.
    Filled(WordPlace, u32, u32),
    /// Packers: an input of the row's own query.
    Input(u32),
    /// Packers: an output of it.
    Output(u32),
    /// Packers: multiplicity of the row.
    Multiplicity,
    /// Packers: rank of the row.
    Rank,
    /// Packers: an output of a found query of a function.
    OutputOf(Reg, u32, u32),
    /// Packers: a word that was looked up.
    Element(Reg, u32),
    /// In a function: a parameter.
    Param(u32),
}

impl Operand {
    /// The registers that it reads.
    #[must_use]
    pub fn regs(self) -> [Option<Reg>; 2] {
        let reg = |place| match place {
            WordPlace::Reg(reg) => Some(reg),
            WordPlace::Seed(_) | WordPlace::Param(_) => None,
        };
        match self {
            Self::Reg(reg)
            | Self::Byte(reg, _)
            | Self::OutputOf(reg, ..)
            | Self::Element(reg, _) => [Some(reg), None],
            Self::Permuted(a, b, _) => [reg(a), reg(b)],
            Self::Filled(a, ..) => [reg(a), None],
            _ => [None, None],
        }
    }

    /// The same with other registers.
    #[must_use]
    pub fn with_regs(self, of: impl Fn(Reg) -> Reg) -> Self {
        let place = |place| match place {
            WordPlace::Reg(reg) => WordPlace::Reg(of(reg)),
            WordPlace::Seed(_) | WordPlace::Param(_) => place,
        };
        match self {
            Self::Reg(reg) => Self::Reg(of(reg)),
            Self::Byte(reg, lane) => Self::Byte(of(reg), lane),
            Self::OutputOf(reg, function, i) => Self::OutputOf(of(reg), function, i),
            Self::Element(reg, i) => Self::Element(of(reg), i),
            Self::Permuted(a, b, selector) => Self::Permuted(place(a), place(b), selector),
            Self::Filled(a, constant, selector) => Self::Filled(place(a), constant, selector),
            _ => self,
        }
    }

    /// The same with another word in one of its two places.
    #[must_use]
    pub const fn with_word(self, word: usize, place: WordPlace) -> Self {
        match (self, word) {
            (Self::Permuted(_, b, selector), 0) => Self::Permuted(place, b, selector),
            (Self::Permuted(a, _, selector), _) => Self::Permuted(a, place, selector),
            (Self::Filled(_, constant, selector), _) => Self::Filled(place, constant, selector),
            _ => self,
        }
    }

    /// What a parameter that stands for it holds.
    #[must_use]
    pub fn ty(self, regs: &[RegInfo]) -> Type {
        match self {
            Self::Constant(0..256) | Self::Byte(..) | Self::Seed(Width::U8, _) => Type::BYTE,
            Self::Constant(word) if word >> 32 == 0 => Type::WORD,
            Self::Seed(Width::U16 | Width::U32, _) | Self::Permuted(..) | Self::Filled(..) => {
                Type::WORD
            }
            Self::Reg(reg) => regs[reg.index()].ty,
            Self::Seed(Width::Full, _) | Self::Read(_) => Type::FIELD,
            _ => Type::RECORDED,
        }
    }
}

/// How a word of four bytes is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WordOp {
    /// The lower half of an integer.
    Low,
    /// The upper half of an integer.
    High,
    /// Of two words, lane by lane.
    Bitwise(Bitwise),
    /// The lanes of a word, shifted right by so many bits.
    SplitHigh(u8),
    /// The lanes of a word, shifted left by so many bits.
    SplitLow(u8),
    /// Of two words, lane by lane, without a carry.
    Sum,
}

/// What is looked up, without its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FetchOp {
    /// A finished query of a function; its inputs are the operands.
    Call(u32),
    /// The pointer to the operands in a memory.
    Store(u32),
    /// So many words behind a pointer in a memory.
    Load(u32, u32),
    /// Index and length under a key; the channel is the first operand.
    IoInfo,
    /// So many words of a channel, from an index on.
    IoRead(u32),
    /// Pointers to quotient and remainder in a memory of integers.
    BigUintDivRem(u32),
    /// The rank of a callee, by its position among those of the query.
    CalleeRank(u32),
}

/// What an instruction computes, without its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Op {
    /// An expression; its operands are positions of operands.
    Value(Expr),
    /// A word of four bytes.
    Word(WordOp),
    /// The operand as it is.
    Copy,
    /// The inverses of all operands, zero for zero, with one inversion.
    Invert,
    /// Writes the cells of the operand, and defines nothing.
    Cell,
    /// Packers: looks something up.
    Fetch(FetchOp),
    /// Checking packers: compares an output of the row with a word.
    Agree,
}

/// Cells of one region that get one value, or bytes of one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cells {
    /// Which result goes there.
    pub result: u32,
    /// The first byte of it; none if the value goes there whole.
    pub lane: Option<u8>,
    /// How many bytes; 1 for a value.
    pub count: u32,
    /// The first column. In a function that is given where the columns of the region begin, from
    /// there on.
    pub column: Column,
    /// Columns from a byte to the next.
    pub stride: u32,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instr {
    /// What it computes.
    pub op: Op,
    /// What it reads.
    pub args: Vec<Operand>,
    /// What it defines.
    pub results: Vec<Reg>,
    /// What it writes of its results, or of its operand if it has none.
    pub cells: Vec<Cells>,
    /// The operations of the program that it belongs to, first and last.
    pub ops: Option<(u32, u32)>,
}

/// Where neighbouring words of a seed are, all of one width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeedPlace {
    /// At a byte offset.
    At(u32),
    /// So many words behind the reads of the blocks before.
    Read(u32),
}

/// Neighbouring words of a seed that go to neighbouring columns as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copied {
    /// Their width.
    pub width: Width,
    /// The first word.
    pub place: SeedPlace,
    /// The columns.
    pub span: Span,
}

/// The code of a path, or of a block of a generic plan, or of the lookups of a packer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// Cells that are zero.
    pub zeros: Vec<Span>,
    /// Cells with another constant.
    pub constants: Vec<(Column, u64)>,
    /// Cells that are words of the seed.
    pub copies: Vec<Copied>,
    /// Everything else, in order.
    pub instrs: Vec<Instr>,
    /// Values of other blocks that this block assigns at its end.
    pub assigns: Vec<(Reg, Operand)>,
    /// What is read behind the instructions; of packers what each fetch found.
    pub reads: Vec<Operand>,
}

/// Code that shares its registers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code {
    /// By number.
    pub regs: Vec<RegInfo>,
    /// Of all paths, then of all blocks.
    pub bodies: Vec<Body>,
}

impl Code {
    /// A new register.
    pub(super) fn reg(&mut self, ty: Type, name: Ident) -> Reg {
        self.regs.push(RegInfo { ty, name, kept: None });
        Reg(self.regs.len() as u32 - 1)
    }
}

impl Body {
    /// Adds the copy of one word, as a part of the last copies if it follows them.
    pub(super) fn copy(&mut self, width: Width, place: SeedPlace, column: Column) {
        self.copies.push(Copied { width, place, span: Span { first: column, count: 1 } });
        self.join_copies();
    }

    /// Brings copies into the order of their columns, and joins those that follow each other.
    pub(super) fn sort_copies(&mut self) {
        let mut copies = std::mem::take(&mut self.copies);
        copies.sort_by_key(|copied| copied.span.first);
        for copied in copies {
            self.copies.push(copied);
            self.join_copies();
        }
    }

    /// Joins the last copies with those before if they follow them.
    fn join_copies(&mut self) {
        let [.., before, last] = &mut self.copies[..] else { return };
        let Span { first, count } = before.span;
        let place = match before.place {
            SeedPlace::At(offset) => SeedPlace::At(offset + count * before.width.bytes() as u32),
            SeedPlace::Read(read) => SeedPlace::Read(read + count),
        };
        let column = Column { region: first.region, index: first.index + count };
        if (last.width, last.place, last.span.first) == (before.width, place, column) {
            before.span.count += last.span.count;
            self.copies.pop();
        }
    }
}

/// `expr` with its operands numbered by position, and the operands.
pub(super) fn positional(expr: Expr) -> (Expr, Vec<crate::ValueNo>) {
    use crate::ValueNo as No;
    let at = No;
    let operands = expr.operands();
    let expr = match expr {
        Expr::Constant(_) | Expr::Seed(_) | Expr::Merged(_) => expr,
        Expr::Add(..) => Expr::Add(at(0), at(1)),
        Expr::Sub(..) => Expr::Sub(at(0), at(1)),
        Expr::Mul(..) => Expr::Mul(at(0), at(1)),
        Expr::IsZero(_) => Expr::IsZero(at(0)),
        Expr::InverseOrZero(_) => Expr::InverseOrZero(at(0)),
        Expr::Unary(op, result, _) => Expr::Unary(op, result, at(0)),
        Expr::Binary(op, result, ..) => Expr::Binary(op, result, at(0), at(1)),
        Expr::ByteCarry(..) => Expr::ByteCarry(at(0), at(1)),
        Expr::ByteBorrow(..) => Expr::ByteBorrow(at(0), at(1)),
        Expr::Pack(_) => Expr::Pack([at(0), at(1), at(2), at(3)]),
        Expr::PackLow(_) => Expr::PackLow([at(0), at(1), at(2), at(3)]),
        Expr::ByteOf(_, byte) => Expr::ByteOf(at(0), byte),
        Expr::LimbOf(_, limb) => Expr::LimbOf(at(0), limb),
        Expr::High32(_) => Expr::High32(at(0)),
        Expr::Less(..) => Expr::Less(at(0), at(1)),
        Expr::LessRest(..) => Expr::LessRest(at(0), at(1)),
        Expr::RankGap(..) => Expr::RankGap(at(0), at(1)),
        Expr::Low32(_) => Expr::Low32(at(0)),
        Expr::Select(..) => Expr::Select(at(0), at(1), at(2)),
    };
    (expr, operands)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_joined_in_any_order_and_none_is_lost() {
        let mut body = Body::default();
        let copy = |body: &mut Body, i: u32| {
            body.copy(Width::Full, SeedPlace::At(8 * i), Column::input(i as usize));
        };
        // Joined at once, then in front of what is there, then apart.
        [3, 4, 5, 0, 1, 2, 9].into_iter().for_each(|i| copy(&mut body, i));
        body.sort_copies();
        let spans: Vec<_> = body.copies.iter().map(|copied| (copied.span, copied.place)).collect();
        let span = |first, count| Span { first: Column::input(first), count };
        let expected = [(span(0, 6), SeedPlace::At(0)), (span(9, 1), SeedPlace::At(72))];
        assert_eq!(spans, expected);
        body.copy(Width::U8, SeedPlace::At(80), Column::input(10));
        assert_eq!(body.copies.len(), 3, "words of another width are apart");
    }
}
