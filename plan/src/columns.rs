//! Columns of a plan, relative to three bases.
//!
//! A function's row is inputs | selectors | auxiliaries. In a circuit of several
//! members the three regions start elsewhere, so plans and evaluators count from
//! the base of each region and get the bases passed in.

use std::fmt;

/// Region of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Region {
    /// Inputs.
    Input,
    /// Selectors.
    Selector,
    /// Auxiliaries; 0 is the multiplicity, 1 the rank of a ranked function.
    Auxiliary,
}

/// A column, relative to the base of its region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Column {
    /// The region.
    pub region: Region,
    /// Position in the region.
    pub index: u32,
}

impl Column {
    /// Input column `index`.
    #[must_use]
    pub const fn input(index: usize) -> Self {
        Self { region: Region::Input, index: index as u32 }
    }

    /// Selector column `index`.
    #[must_use]
    pub const fn selector(index: usize) -> Self {
        Self { region: Region::Selector, index: index as u32 }
    }

    /// Auxiliary column `index`.
    #[must_use]
    pub const fn auxiliary(index: usize) -> Self {
        Self { region: Region::Auxiliary, index: index as u32 }
    }
}

/// Neighbouring columns of one region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first column.
    pub first: Column,
    /// How many, at least one.
    pub count: u32,
}

impl Span {
    /// The columns of sorted `columns` as spans.
    pub fn compress(columns: impl IntoIterator<Item = Column>) -> Vec<Self> {
        let mut spans: Vec<Self> = Vec::new();
        for column in columns {
            match spans.last_mut() {
                Some(last)
                    if last.first.region == column.region
                        && last.first.index + last.count == column.index =>
                {
                    last.count += 1;
                }
                _ => spans.push(Self { first: column, count: 1 }),
            }
        }
        spans
    }

    /// What is in `a` or in `b`, as the fewest spans in order.
    #[must_use]
    pub fn union(a: &[Self], b: &[Self]) -> Vec<Self> {
        let mut all = [a, b].concat();
        all.sort_unstable_by_key(|span| span.first);
        let mut union: Vec<Self> = Vec::new();
        for span in all {
            match union.last_mut() {
                Some(last)
                    if last.first.region == span.first.region && span.first.index <= last.end() =>
                {
                    last.count = last.end().max(span.end()) - last.first.index;
                }
                _ => union.push(span),
            }
        }
        union
    }

    /// What is in `a` but not in `b`, both in order and without overlaps.
    #[must_use]
    pub fn difference(a: &[Self], b: &[Self]) -> Vec<Self> {
        let mut rest = Vec::new();
        let mut put = |first: Column, end: u32| {
            if first.index < end {
                rest.push(Self { first, count: end - first.index });
            }
        };
        let mut b = b.iter().peekable();
        for span in a {
            let (mut first, end) = (span.first, span.end());
            while let Some(gone) = b.peek() {
                if gone.first.region > first.region
                    || gone.first.region == first.region && gone.first.index >= end
                {
                    break;
                }
                if gone.first.region == first.region {
                    put(first, gone.first.index);
                    first.index = first.index.max(gone.end());
                    if gone.end() > end {
                        // It may reach into the next span.
                        break;
                    }
                }
                b.next();
            }
            put(first, end);
        }
        rest
    }

    const fn end(self) -> u32 {
        self.first.index + self.count
    }

    /// Its columns.
    pub fn columns(self) -> impl Iterator<Item = Column> {
        let region = self.first.region;
        (self.first.index..self.first.index + self.count).map(move |index| Column { region, index })
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let region = match self.region {
            Region::Input => "input",
            Region::Selector => "selector",
            Region::Auxiliary => "aux",
        };
        write!(f, "{region}[{}]", self.index)
    }
}

/// What a row is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowSource {
    /// A query of a function: multiplicity, rank and inputs are cells of the row.
    Query,
    /// A record of an operation. Its words are in the seed; what the row has of them is computed.
    Record {
        /// Number of words of a record.
        num_words: u32,
    },
}

/// Sizes of the regions of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanLayout {
    /// What a row is made from.
    pub source: RowSource,
    /// Number of inputs.
    pub num_inputs: u32,
    /// Number of selectors.
    pub num_selectors: u32,
    /// Number of auxiliaries.
    pub num_auxiliaries: u32,
    /// Number of lookup slots.
    pub num_lookups: u32,
    /// Whether auxiliary 1 is the rank.
    pub ranked: bool,
}

impl PlanLayout {
    /// Number of columns of the function alone.
    #[must_use]
    pub const fn width(&self) -> u32 {
        self.num_inputs + self.num_selectors + self.num_auxiliaries
    }

    /// Whether rows are made from records of operations.
    #[must_use]
    pub const fn of_records(&self) -> bool {
        matches!(self.source, RowSource::Record { .. })
    }

    /// Number of inputs in a seed: those of the function, or the words of a record.
    #[must_use]
    pub const fn seed_inputs(&self) -> u32 {
        match self.source {
            RowSource::Query => self.num_inputs,
            RowSource::Record { num_words } => num_words,
        }
    }

    /// Position of `column` in [`Self::columns`]; `None` if the function has no such column.
    #[must_use]
    pub fn position(&self, column: Column) -> Option<usize> {
        let (first, count) = match column.region {
            Region::Input => (0, self.num_inputs),
            Region::Selector => (self.num_inputs, self.num_selectors),
            Region::Auxiliary => (self.num_inputs + self.num_selectors, self.num_auxiliaries),
        };
        (column.index < count).then_some((first + column.index) as usize)
    }

    /// All columns in order.
    pub fn columns(&self) -> impl Iterator<Item = Column> + use<> {
        let regions = [
            (Region::Input, self.num_inputs),
            (Region::Selector, self.num_selectors),
            (Region::Auxiliary, self.num_auxiliaries),
        ];
        regions
            .into_iter()
            .flat_map(|(region, count)| (0..count).map(move |index| Column { region, index }))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Columns of two regions, chosen by the bits of a number.
    fn columns(bits: u32) -> BTreeSet<Column> {
        let column = |i: u32| match i {
            0..5 => Column::selector(i as usize),
            _ => Column::auxiliary(i as usize - 5),
        };
        (0..10).filter(|i| bits >> i & 1 == 1).map(column).collect()
    }

    #[test]
    fn every_column_has_its_position_and_no_other_has_one() {
        let layout = PlanLayout {
            source: RowSource::Query,
            num_inputs: 3,
            num_selectors: 2,
            num_auxiliaries: 4,
            num_lookups: 0,
            ranked: false,
        };
        let positions: Vec<_> = layout.columns().map(|column| layout.position(column)).collect();
        assert_eq!(positions, (0..9).map(Some).collect::<Vec<_>>());
        for column in [Column::input(3), Column::selector(2), Column::auxiliary(4)] {
            assert_eq!(layout.position(column), None, "{column}");
        }
    }

    #[test]
    fn spans_are_sets_of_columns() {
        let spans = |columns: &BTreeSet<Column>| Span::compress(columns.iter().copied());
        for bits in (0..1 << 20).step_by(7) {
            let (a, b) = (columns(bits & 1023), columns(bits >> 10));
            let (union, rest) = (&a | &b, &a - &b);
            assert_eq!(Span::union(&spans(&a), &spans(&b)), spans(&union), "{a:?} {b:?}");
            assert_eq!(Span::difference(&spans(&a), &spans(&b)), spans(&rest), "{a:?} {b:?}");
        }
    }
}
