//! What a cell is for. A forgery of every family has to be refused.

use std::fmt;
use std::ops::AddAssign;

use traceloom_codegen::plan::{Cell, Column, Expr, PathPlan, Region, Write};

use crate::plans::PlannedRow;

/// Families of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Inputs of a function.
    Input,
    /// Selectors.
    Selector,
    /// Results of operations that have a column.
    Auxiliary,
    /// How often a row is asked for.
    Multiplicity,
    /// Results of a match with continuation.
    Merge,
    /// Witnesses of inequality.
    Inverse,
    /// Ranks of rows, and of callees where they have a column.
    Rank,
    /// Bytes of the gap between two ranks.
    Gap,
    /// Selectors, multiplicities and values of memories.
    Memory,
    /// Pointers of memories.
    MemoryPointer,
    /// Multiplicities of byte tables.
    ByteMultiplicity,
    /// Terminals of accumulators, in a proof.
    StageTwo,
}

impl Family {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Input,
        Self::Selector,
        Self::Auxiliary,
        Self::Multiplicity,
        Self::Merge,
        Self::Inverse,
        Self::Rank,
        Self::Gap,
        Self::Memory,
        Self::MemoryPointer,
        Self::ByteMultiplicity,
        Self::StageTwo,
    ];

    /// The family of a cell of a function's row. A column that paths share is a merge
    /// column if it is one on some path.
    #[must_use]
    pub fn of(row: &PlannedRow<'_>, path: &PathPlan, write: &Write) -> Self {
        let index = write.column.index as usize;
        match write.column.region {
            Region::Input => Self::Input,
            Region::Selector => Self::Selector,
            Region::Auxiliary if index == 0 => Self::Multiplicity,
            Region::Auxiliary
                if row.function.layout.ranked && write.column == Column::auxiliary(1) =>
            {
                Self::Rank
            }
            Region::Auxiliary if row.merged[index] => Self::Merge,
            Region::Auxiliary => match write.cell {
                Cell::Value(no) => match path.values[no.index()].expr {
                    Expr::InverseOrZero(_) => Self::Inverse,
                    Expr::ByteOf(of, _)
                        if matches!(path.values[of.index()].expr, Expr::RankGap(..)) =>
                    {
                        Self::Gap
                    }
                    _ => Self::Auxiliary,
                },
                Cell::Constant(_) => Self::Auxiliary,
            },
        }
    }
}

/// Numbers by family.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts([usize; Family::ALL.len()]);

impl Counts {
    /// One more.
    pub fn count(&mut self, family: Family) {
        self.0[family as usize] += 1;
    }

    /// How many.
    #[must_use]
    pub fn of(&self, family: Family) -> usize {
        self.0[family as usize]
    }

    /// Of all families.
    #[must_use]
    pub fn sum(&self) -> usize {
        self.0.iter().sum()
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(own, other)| *own += other);
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one = |family: Family| format!("{family:?} {}", self.of(family));
        f.write_str(&Family::ALL.map(one).join(", "))
    }
}
