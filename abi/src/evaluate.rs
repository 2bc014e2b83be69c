//! What emitted evaluators read, and where their values go.
//!
//! An evaluator computes exactly the values of a circuit's expressions in its
//! [`traceloom_air::system::System`], on one row or on as many rows as a packed field
//! element has lanes.

use p3_field::Algebra;

use crate::field::Goldilocks;

/// Field elements that an evaluator computes with: Goldilocks or a pack of them.
pub trait Value: Algebra<Goldilocks> + Copy + Send + Sync + 'static {}

impl<T: Algebra<Goldilocks> + Copy + Send + Sync + 'static> Value for T {}

/// One row of an evaluation domain, or one pack of rows.
#[derive(Clone, Copy, Debug)]
pub struct Cells<'a, T> {
    /// Main columns.
    pub main: &'a [T],
    /// Main columns of the next row; empty where no expression reads them.
    pub next: &'a [T],
    /// Preprocessed columns.
    pub fixed: &'a [T],
    /// Public values.
    pub publics: &'a [T],
    /// First-row selector.
    pub is_first_row: T,
    /// Transition selector.
    pub is_transition: T,
}

/// The values of one row, or one pack of rows.
#[derive(Debug)]
pub struct Outputs<'a, T> {
    /// One value per constraint, in order.
    pub constraints: &'a mut [T],
    /// One multiplicity per lookup, without its sign.
    pub multiplicities: &'a mut [T],
    /// The arguments of all lookups, one lookup after the other. Those that are
    /// constants of the system are not written.
    pub arguments: &'a mut [T],
}

/// The emitted evaluator of one circuit.
#[derive(Clone, Copy, Debug)]
pub struct Evaluator<T> {
    /// Number of scratch elements that the functions need; their content does not
    /// matter.
    pub scratch_len: usize,
    /// Computes all constraints.
    pub constraints: EvaluateFn<T>,
    /// Computes multiplicities and arguments of all lookups.
    pub lookups: EvaluateFn<T>,
}

/// Reads cells, uses scratch, writes outputs.
pub type EvaluateFn<T> = fn(&Cells<'_, T>, &mut [T], &mut Outputs<'_, T>);
