//! What a cell is for. A forgery of every family has to be refused.

use std::fmt;
use std::ops::AddAssign;

/// Families of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Inputs of a function.
    Input,
    /// Selectors.
    Selector,
    /// Results of operations that have a column and a constraint or message for it.
    Auxiliary,
    /// Results of hints, io and calls without constraints.
    Advice,
    /// Columns that only other paths or other members of the circuit use: the one
    /// family that nothing refuses.
    Unused,
    /// How often a row is asked for.
    Multiplicity,
    /// Results of a match with continuation.
    Merge,
    /// Witnesses of a default: inverses of the distance to each key.
    Inverse,
    /// The witness of `eq_zero`.
    ZeroInverse,
    /// Ranks of rows.
    Rank,
    /// Ranks of callees, in calls from outside of their component.
    CalleeRank,
    /// Limbs of the gap between two ranks.
    Gap,
    /// Cells of rows beyond the last one of a function.
    Padding,
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
    pub const ALL: [Self; 17] = [
        Self::Input,
        Self::Selector,
        Self::Auxiliary,
        Self::Advice,
        Self::Unused,
        Self::Multiplicity,
        Self::Merge,
        Self::Inverse,
        Self::ZeroInverse,
        Self::Rank,
        Self::CalleeRank,
        Self::Gap,
        Self::Padding,
        Self::Memory,
        Self::MemoryPointer,
        Self::ByteMultiplicity,
        Self::StageTwo,
    ];
}

/// Changed cells by family: those that were refused, and those that were accepted
/// because nothing fixes them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    refused: [usize; Family::ALL.len()],
    free: [usize; Family::ALL.len()],
}

impl Counts {
    /// One more that was refused.
    pub fn count(&mut self, family: Family) {
        self.refused[family as usize] += 1;
    }

    /// One more that was accepted, as it has to be.
    pub fn count_free(&mut self, family: Family) {
        self.free[family as usize] += 1;
    }

    /// How many were tried.
    #[must_use]
    pub fn of(&self, family: Family) -> usize {
        self.refused[family as usize] + self.free[family as usize]
    }

    /// How many were refused.
    #[must_use]
    pub fn refused(&self, family: Family) -> usize {
        self.refused[family as usize]
    }

    /// Of all families.
    #[must_use]
    pub fn sum(&self) -> usize {
        self.sum_refused() + self.free.iter().sum::<usize>()
    }

    /// Of all families, those that were refused.
    #[must_use]
    pub fn sum_refused(&self) -> usize {
        self.refused.iter().sum()
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.refused.iter_mut().zip(other.refused).for_each(|(own, other)| *own += other);
        self.free.iter_mut().zip(other.free).for_each(|(own, other)| *own += other);
    }
}

/// By family: how many were refused, of how many.
impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let one =
            |family: Family| format!("{family:?} {}/{}", self.refused(family), self.of(family));
        f.write_str(&Family::ALL.map(one).join(", "))
    }
}
