//! What the checker found.

use std::fmt;

use super::words::signed;

/// Everything that does not hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// The first constraints that do not vanish, by circuit and row.
    pub constraints: Vec<ConstraintFailure>,
    /// Number of (constraint, row) pairs that do not vanish.
    pub num_constraints: usize,
    /// The first messages that do not balance, by first use.
    pub messages: Vec<Imbalance>,
    /// Number of distinct messages that do not balance.
    pub num_messages: usize,
}

impl CheckReport {
    /// Whether everything holds.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.num_constraints == 0 && self.num_messages == 0
    }
}

/// A constraint that does not vanish on a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstraintFailure {
    /// Name of the circuit.
    pub circuit: String,
    /// The row.
    pub row: usize,
    /// What the row is about, if its front end says that.
    pub place: Option<String>,
    /// Position of the constraint in its circuit.
    pub constraint: usize,
    /// What it says.
    pub label: String,
    /// The expression.
    pub expr: String,
    /// Its value, not zero.
    pub value: u64,
    /// The cells that it reads, the first ones.
    pub cells: Vec<Cell>,
}

/// A cell of the row of a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Name of the column; `next.` and the name of a column of the row behind.
    pub column: String,
    /// What it holds.
    pub value: u64,
    /// What the column is for in this row, as far as that is known.
    pub role: String,
}

/// A message that is not pushed as often as it is pulled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imbalance {
    /// The message in words.
    pub message: String,
    /// How often it is used, a field element.
    pub pushed: u64,
    /// How often it is provided, a field element.
    pub pulled: u64,
    /// First use, if any.
    pub pushed_by: Option<String>,
    /// First provider, if any.
    pub pulled_by: Option<String>,
    /// Another message that does not balance and that it may have been meant to be.
    pub near: Option<Near>,
}

/// A message that differs little from another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    /// The message in words.
    pub message: String,
    /// How often it is used.
    pub pushed: u64,
    /// How often it is provided.
    pub pulled: u64,
    /// Its first use or provider.
    pub by: Option<String>,
    /// What differs: name of the field, here, there.
    pub differences: Vec<(String, u64, u64)>,
}

/// Differences of two messages that are printed.
const MAX_DIFFERENCES: usize = 4;

impl fmt::Display for CheckReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_ok() {
            return write!(f, "all constraints hold, all messages balance");
        }
        write!(
            f,
            "{} constraint failures, {} unbalanced messages",
            self.num_constraints, self.num_messages
        )?;
        for failure in &self.constraints {
            write!(f, "\n{failure}")?;
        }
        more(f, self.num_constraints - self.constraints.len(), "constraint failures")?;
        for imbalance in &self.messages {
            write!(f, "\n{imbalance}")?;
        }
        more(f, self.num_messages - self.messages.len(), "unbalanced messages")
    }
}

fn more(f: &mut fmt::Formatter<'_>, number: usize, what: &str) -> fmt::Result {
    if number == 0 { Ok(()) } else { write!(f, "\n… and {number} more {what}") }
}

impl fmt::Display for ConstraintFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { circuit, row, place, constraint, label, expr, value, cells } = self;
        let place = place.as_ref().map_or_else(String::new, |place| format!(" ({place})"));
        write!(f, "circuit {circuit:?}, row {row}{place}, constraint {constraint}: {label}")?;
        write!(f, "\n  {expr} = {}, expected 0", signed(*value))?;
        let width = cells.iter().map(|cell| cell.column.len()).max().unwrap_or(0);
        let number = |cell: &Cell| signed(cell.value);
        let digits = cells.iter().map(|cell| number(cell).len()).max().unwrap_or(0);
        for cell in cells {
            let text = format!("{:width$} = {:digits$}  {}", cell.column, number(cell), cell.role);
            write!(f, "\n    {}", text.trim_end())?;
        }
        Ok(())
    }
}

impl fmt::Display for Imbalance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by = |by: &Option<String>| by.clone().unwrap_or_else(|| "nothing".into());
        write!(f, "{}", self.message)?;
        write!(f, "\n  used {} times, first by {};", signed(self.pushed), by(&self.pushed_by))?;
        write!(f, " provided {} times, first by {}", signed(self.pulled), by(&self.pulled_by))?;
        let Some(near) = &self.near else { return Ok(()) };
        write!(f, "\n  nearly the same: {}", near.message)?;
        write!(
            f,
            "\n    used {} times, provided {} times, by {}",
            signed(near.pushed),
            signed(near.pulled),
            by(&near.by)
        )?;
        for (field, here, there) in near.differences.iter().take(MAX_DIFFERENCES) {
            write!(f, "\n    {field}: {} and {}", signed(*here), signed(*there))?;
        }
        match near.differences.len().saturating_sub(MAX_DIFFERENCES) {
            0 => Ok(()),
            left => write!(f, "\n    and {left} more differences"),
        }
    }
}
