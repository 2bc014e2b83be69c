//! Main traces and the witness of one shard.

use crate::claim::{BoundaryMessage, RankedClaim};
use crate::field::Goldilocks;

/// A main trace: `height × width` cells, row-major; `height` is a power of two
/// and rows after the real ones are padding, all zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Number of columns.
    pub width: usize,
    /// `height · width` cells.
    pub values: Vec<Goldilocks>,
}

impl Trace {
    /// An all-zero trace for `num_rows` real rows: `height` is the next power of
    /// two. `num_rows` must not be zero; a circuit without rows has no trace.
    ///
    /// # Panics
    /// If `num_rows` or `width` is zero, or the cells exceed the address space.
    #[must_use]
    pub fn zero(num_rows: usize, width: usize) -> Self {
        assert!(num_rows > 0 && width > 0, "a trace has rows and columns");
        let cells = num_rows.next_power_of_two().checked_mul(width);
        let cells = cells.expect("trace sizes are checked when a shard is planned");
        Self { width, values: vec![Goldilocks::new(0); cells] }
    }

    /// The trace with more padding: it then has `height` rows. `height` is a power of two and not
    /// less than the present height.
    #[must_use]
    pub fn padded(mut self, height: usize) -> Self {
        debug_assert!(height.is_power_of_two() && height >= self.height(), "padding adds rows");
        self.values.resize(height * self.width, Goldilocks::new(0));
        self
    }

    /// Number of rows, padding included.
    #[must_use]
    pub fn height(&self) -> usize {
        self.values.len() / self.width
    }

    /// Row `row`, `width` cells.
    pub fn row(&self, row: usize) -> &[Goldilocks] {
        &self.values[row * self.width..][..self.width]
    }

    /// Row `row`, `width` cells, to write.
    pub fn row_mut(&mut self, row: usize) -> &mut [Goldilocks] {
        &mut self.values[row * self.width..][..self.width]
    }
}

/// What the prover knows of one shard. `T` is the type of main traces: [`Trace`] on the host,
/// or the type that a prover's backend computes with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardWitness<T = Trace> {
    /// One entry per circuit of the system: its main trace, or `None` where the
    /// circuit has no rows and is inactive.
    pub traces: Vec<Option<T>>,
    /// One list per circuit: its public values
    /// ([`crate::system::Circuit::num_publics`] of them; empty when inactive).
    pub publics: Vec<Vec<Goldilocks>>,
    /// The claims that this shard states, in order; only shard 0 may have some.
    pub claims: Vec<RankedClaim>,
    /// Other messages of the batch's claim; only shard 0 may have some.
    pub boundary: Vec<BoundaryMessage>,
}
