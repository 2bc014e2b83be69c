//! Opened values from coefficients, reduced openings and folds.
//!
//! Codewords are in natural order: element `i` belongs to `w^i`, which stands for the
//! point `7·w^i` of the committed coset.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use traceloom_air::field::{Field, PrimeCharacteristicRing, element};
use traceloom_prover::backend::LayerRows;
use traceloom_verifier::proof::OpenedValues;
use traceloom_verifier::scheme::{Extension, F, Root};
use traceloom_verifier::shape::{MatrixShape, Round};

use crate::columns::Matrix;
use crate::transform::{SHIFT, inverses, reversed, root};
use crate::tree::Tree;

/// zeta, and the point of the next row where it is opened too.
fn points<E: Extension>(zeta: E, shape: &MatrixShape) -> Vec<E> {
    if shape.opens_next { vec![zeta, zeta * root(shape.log_height)] } else { vec![zeta] }
}

/// The value of a column at a point.
fn at<E: Extension>(column: &[F], point: E) -> E {
    column.iter().rev().fold(E::ZERO, |sum, &coefficient| sum * point + coefficient)
}

/// Values by matrix and column.
pub fn values_at<E: Extension>(matrices: &[Matrix], point: E) -> Vec<Vec<E>> {
    let values = |matrix: &Matrix| matrix.coefficients.iter().map(|c| at(c, point)).collect();
    matrices.iter().map(values).collect()
}

/// Values at zeta and the point of the next row, by round, matrix, point and column.
pub fn values<E: Extension>(rounds: &[Round], committed: &[&[Matrix]], zeta: E) -> OpenedValues<E> {
    let opened = rounds.iter().zip(committed).map(|(round, matrices)| {
        let opened = round.matrices.iter().zip(*matrices).map(|(shape, matrix)| {
            let points = points(zeta, shape).into_iter();
            let columns = &matrix.coefficients;
            points.map(|point| columns.iter().map(|c| at(c, point)).collect()).collect()
        });
        opened.collect()
    });
    opened.collect()
}

/// One codeword per size, the longest first.
pub fn reduced<E: Extension>(
    rounds: &[Round],
    committed: &[&[Matrix]],
    opened: &OpenedValues<E>,
    (zeta, bound): (E, Option<E>),
    alpha: E,
) -> Vec<Vec<E>> {
    let mut codewords: BTreeMap<Reverse<usize>, (Vec<E>, E)> = BTreeMap::new();
    let shapes = rounds.iter().flat_map(|round| &round.matrices);
    let matrices = committed.iter().copied().flatten();
    for ((shape, matrix), opened) in shapes.zip(matrices).zip(opened.iter().flatten()) {
        let size = 1 << matrix.log_size;
        let entry = codewords.entry(Reverse(matrix.log_size));
        let (codeword, power) = entry.or_insert_with(|| (vec![E::ZERO; size], E::ONE));
        let mut points = points(zeta, shape);
        if shape.opens_bound {
            points.extend(bound);
        }
        for (point, opened) in points.into_iter().zip(opened) {
            let mut numerators = vec![E::ZERO; size];
            for (column, &value) in matrix.values.iter().zip(opened) {
                for (numerator, &cell) in numerators.iter_mut().zip(column) {
                    *numerator += *power * (value - cell);
                }
                *power *= alpha;
            }
            let domain = root(matrix.log_size).shifted_powers(element(SHIFT)).take(size);
            let differences: Vec<E> = domain.map(|x| point - x).collect();
            let terms = numerators.into_iter().zip(inverses(&differences));
            for (sum, (numerator, inverse)) in codeword.iter_mut().zip(terms) {
                *sum += numerator * inverse;
            }
        }
    }
    codewords.into_values().map(|(codeword, _)| codeword).collect()
}

/// A codeword with the tree of its fold groups.
pub struct Layer<E> {
    codeword: Vec<E>,
    log_arity: usize,
    tree: Tree,
}

impl<E: Extension> Layer<E> {
    pub fn new(codeword: Vec<E>, log_arity: usize) -> Self {
        let log_groups = codeword.len().ilog2() as usize - log_arity;
        let tree = Tree::new(log_groups, |log_size, at, row| {
            if log_size == log_groups {
                for element in group(&codeword, log_arity, at) {
                    row.extend(element.as_basis_coefficients_slice());
                }
            }
        });
        Self { codeword, log_arity, tree }
    }

    pub fn root(&self) -> Root {
        self.tree.root()
    }

    /// Every group as its interpolating polynomial's value at `beta`.
    pub fn folded(&self, beta: E, joined: Option<&[E]>) -> Vec<E> {
        let arity = 1 << self.log_arity;
        let num_groups = self.codeword.len() / arity;
        let step = root(self.codeword.len().ilog2() as usize).inverse();
        let twist = root(self.log_arity).inverse();
        let scale = element(arity as u64).inverse();
        let mut folded = Vec::with_capacity(num_groups);
        for (index, inverse) in step.powers().take(num_groups).enumerate() {
            // Members are at x·t^0, x·t^1, ..., t of order `arity`, and 1/x is `inverse`.
            let ratio = beta * inverse;
            let mut value = E::ZERO;
            for (member, twist) in twist.powers().take(arity).enumerate() {
                let weight: E = (ratio * twist).powers().take(arity).sum();
                value += self.codeword[index + member * num_groups] * weight;
            }
            folded.push(value * scale);
        }
        let weight = beta.exp_u64(arity as u64);
        for (value, &other) in folded.iter_mut().zip(joined.unwrap_or_default()) {
            *value += weight * other;
        }
        folded
    }

    /// The groups at `positions`.
    pub fn open(&self, positions: &[usize]) -> LayerRows<E> {
        let rows = positions.iter().map(|&at| group(&self.codeword, self.log_arity, at));
        LayerRows { rows: rows.collect(), path: self.tree.path(positions) }
    }
}

/// The fold group in storage row `at`: neighbours in storage order.
fn group<E: Copy>(codeword: &[E], log_arity: usize, at: usize) -> Vec<E> {
    let bits = codeword.len().ilog2() as usize;
    let members = (0..1 << log_arity).map(|member| at << log_arity | member);
    members.map(|index| codeword[reversed(index, bits)]).collect()
}
