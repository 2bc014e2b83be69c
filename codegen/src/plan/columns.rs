//! Columns of a plan, relative to three bases.
//!
//! A function's row is inputs | selectors | auxiliaries. In a circuit of several
//! members the three regions start elsewhere, so plans and evaluators count from
//! the base of each region and get the bases passed in.

use std::fmt;

use traceloom_bytecode::layout::FunctionLayout;

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

/// Sizes of the regions of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanLayout {
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

    /// The sizes of a layout.
    #[must_use]
    pub fn of(layout: &FunctionLayout) -> Self {
        Self {
            num_inputs: layout.num_inputs as u32,
            num_selectors: layout.num_selectors as u32,
            num_auxiliaries: layout.num_auxiliaries as u32,
            num_lookups: layout.num_lookups as u32,
            ranked: layout.ranked,
        }
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
