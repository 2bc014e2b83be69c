//! Columns of a table: how wide a cell is, and what it is for.

use traceloom_air::field::MODULUS;

/// A column of one table, by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Column(pub(crate) u32);

impl Column {
    /// Position in the row.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A column whose cells belong to a program of the machine, by position. Everybody knows them: no
/// row program writes them, and no proof states them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FixedColumn(pub(crate) u32);

/// How wide the cells of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limb {
    /// 1 bit.
    Bit,
    /// 4 bits.
    Nibble,
    /// 8 bits.
    Byte,
    /// 16 bits.
    Half,
    /// 32 bits.
    Word,
    /// A field element.
    Field,
}

impl Limb {
    /// Number of bits.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::Bit => 1,
            Self::Nibble => 4,
            Self::Byte => 8,
            Self::Half => 16,
            Self::Word => 32,
            Self::Field => 64,
        }
    }

    /// Exclusive upper bound of its cells.
    #[must_use]
    pub const fn bound(self) -> u64 {
        match self {
            Self::Field => MODULUS,
            _ => 1 << self.bits(),
        }
    }
}

/// What a column is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A value, or a part of one. Lookups and constraints of the table say what proves its width.
    Value,
    /// A bit that a constraint of its own proves to be one.
    Flag,
    /// How often messages of the row count. Rows that stand for no operation have zero here.
    Multiplicity,
}

/// A column as it was declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnDecl {
    /// Name, unique in its table: `value[3]`.
    pub name: String,
    /// How wide its cells are.
    pub limb: Limb,
    /// What it is for.
    pub role: Role,
}
