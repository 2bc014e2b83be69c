//! Cells of a row, and the words that it reads from outside.

use crate::columns::Column;
use crate::value::ValueNo;

/// One cell of the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// Where.
    pub column: Column,
    /// What.
    pub cell: Cell,
    /// Whether constraints fix it.
    pub fixed: Fixed,
}

/// What a cell gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// A canonical word: 1 for a selector of the path, 0 for what it does not use.
    Constant(u64),
    /// A value.
    Value(ValueNo),
}

/// Whether the constraints and lookups fix a cell, given the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fixed {
    /// Any other content is refused.
    Determined,
    /// Nothing reads it: a column that only other paths use.
    FreeUnused,
    /// Advice that no constraint and no message reads on this path.
    FreeAdvice,
    /// The `d` of an eq_zero: free where the value is zero.
    FreeWhenZero(ValueNo),
}

/// An external read: a word that the row cannot compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read {
    /// Number of its operation.
    pub op: u32,
    /// Where it comes from.
    pub source: ReadSource,
    /// The row's own output that it equals, if every word of its fetch is returned unchanged.
    /// Packers then read the output and do not fetch.
    pub alias: Option<u32>,
    /// The value that it defines.
    pub value: ValueNo,
}

/// Where an external read comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadSource {
    /// Word `result` of fetch `fetch` of the same path or block.
    Fetched {
        /// Position among the fetches.
        fetch: u32,
        /// Position among its words.
        result: u32,
    },
    /// The `.0`-th callee rank that the record keeps for the query: counted along
    /// the path in path plans, from the first one of the block in generic plans.
    CalleeRank(u32),
}

/// A look into the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// Number of its operation.
    pub op: u32,
    /// What is looked up.
    pub kind: FetchKind,
    /// Number of words that it gives.
    pub num_results: u32,
    /// Whether all of its words are own outputs: packers leave it out, checkers
    /// compare.
    pub aliased: bool,
}

/// What is looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FetchKind {
    /// The outputs of a finished query.
    Call {
        /// The callee.
        function: u32,
        /// Its inputs.
        args: Vec<ValueNo>,
    },
    /// The pointer to stored values.
    Store {
        /// Position of the memory table.
        memory: u32,
        /// The values.
        values: Vec<ValueNo>,
    },
    /// The values behind a pointer.
    Load {
        /// Position of the memory table.
        memory: u32,
        /// The pointer.
        pointer: ValueNo,
    },
    /// Index and length under a key.
    IoInfo {
        /// The channel.
        channel: ValueNo,
        /// The key.
        key: Vec<ValueNo>,
    },
    /// Words of a channel, as many as the fetch gives.
    IoRead {
        /// The channel.
        channel: ValueNo,
        /// First word.
        index: ValueNo,
    },
    /// Pointers to quotient and remainder.
    BigUintDivRem {
        /// Position of the memory table of integer lists.
        memory: u32,
        /// Pointer to the dividend.
        a: ValueNo,
        /// Pointer to the divisor.
        b: ValueNo,
    },
}

impl FetchKind {
    /// The values that it needs, in order.
    #[must_use]
    pub fn operands(&self) -> Vec<ValueNo> {
        match self {
            Self::Call { args: values, .. } | Self::Store { values, .. } => values.clone(),
            Self::Load { pointer, .. } => vec![*pointer],
            Self::IoInfo { channel, key } => std::iter::once(channel).chain(key).copied().collect(),
            Self::IoRead { channel, index } => vec![*channel, *index],
            Self::BigUintDivRem { a, b, .. } => vec![*a, *b],
        }
    }
}
