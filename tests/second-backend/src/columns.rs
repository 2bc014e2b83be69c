//! Committed matrices as polynomials, a column at a time.

use traceloom_air::bytes::ByteTable;
use traceloom_air::field::element;
use traceloom_verifier::scheme::F;

use crate::transform::{interpolate, on_coset, reversed};
use crate::tree::Tree;

/// The columns of a matrix.
pub struct Matrix {
    /// Log of the number of committed rows.
    pub log_size: usize,
    /// Coefficients by column, lowest first.
    pub coefficients: Vec<Vec<F>>,
    /// Values by column at `7·w^0, 7·w^1, ...`.
    pub values: Vec<Vec<F>>,
}

impl Matrix {
    /// From values on the trace domain.
    pub fn from_values(columns: Vec<Vec<F>>, log_blowup: usize) -> Self {
        let coefficients = columns.into_iter().map(|column| interpolate(column, element(1)));
        Self::from_coefficients(coefficients.collect(), log_blowup)
    }

    /// From coefficients.
    pub fn from_coefficients(coefficients: Vec<Vec<F>>, log_blowup: usize) -> Self {
        let log_size = coefficients[0].len().ilog2() as usize + log_blowup;
        let values = coefficients.iter().map(|column| on_coset(column, log_size)).collect();
        Self { log_size, coefficients, values }
    }

    /// Appends storage row `at`.
    fn push_row(&self, at: usize, row: &mut Vec<F>) {
        let at = reversed(at, self.log_size);
        row.extend(self.values.iter().map(|column| column[at]));
    }
}

/// The tree of a commitment.
pub fn tree(matrices: &[Matrix]) -> Tree {
    Tree::new(log_leaves(matrices), |log_size, at, row| {
        let equal = matrices.iter().filter(|matrix| matrix.log_size == log_size);
        equal.for_each(|matrix| matrix.push_row(at, row));
    })
}

/// The rows of all matrices at a storage row of the tallest.
pub fn rows(matrices: &[Matrix], at: usize) -> Vec<Vec<F>> {
    let row = |matrix: &Matrix| {
        let mut row = Vec::new();
        matrix.push_row(at >> (log_leaves(matrices) - matrix.log_size), &mut row);
        row
    };
    matrices.iter().map(row).collect()
}

fn log_leaves(matrices: &[Matrix]) -> usize {
    matrices.iter().map(|matrix| matrix.log_size).max().expect("a commitment has matrices")
}

/// The columns of a row-major matrix.
pub fn transposed(cells: &[F], width: usize) -> Vec<Vec<F>> {
    (0..width).map(|column| cells.iter().skip(column).step_by(width).copied().collect()).collect()
}

/// The columns of a preprocessed table.
pub fn preprocessed(table: ByteTable) -> Vec<Vec<F>> {
    let cells: Vec<F> = table.preprocessed().into_iter().map(element).collect();
    transposed(&cells, table.preprocessed_width())
}
