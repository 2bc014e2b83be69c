//! Opened values and reduced openings from matrices on the committed domain.
//!
//! Everything is in storage (bit-reversed) order, so the domain of a shorter matrix is a
//! prefix of that of a taller one, and a trace-sized coset is a prefix of both.

use p3_field::{
    Field, PackedFieldExtension, PackedValue, TwoAdicField, batch_multiplicative_inverse,
    dot_product,
};
use p3_matrix::Matrix;
use p3_matrix::dense::RowMajorMatrix;
use p3_matrix::interpolation::{Interpolate, compute_adjusted_weights};
use p3_maybe_rayon::prelude::*;
use p3_util::reverse_slice_index_bits;
use traceloom_air::field::PrimeCharacteristicRing;
use traceloom_verifier::proof::OpenedValues;
use traceloom_verifier::scheme::{Extension, F};
use traceloom_verifier::shape::{MatrixShape, Round};

use crate::evaluator::Packed;
use crate::rows::PackedExt;

/// The points of an opening.
pub struct CpuPoints<E> {
    zeta: E,
    bound: Option<E>,
    distinct: Vec<Point<E>>,
}

struct Point<E> {
    point: E,
    /// `1/(point - x)` on the committed domain of the tallest matrix opened here.
    inverses: Vec<E>,
}

/// A matrix as it is opened.
#[derive(Clone, Copy)]
pub(super) struct OpenedMatrix<'a> {
    pub(super) shape: &'a MatrixShape,
    /// Committed values, storage order.
    pub(super) values: &'a RowMajorMatrix<F>,
}

impl<E: Extension> CpuPoints<E> {
    /// The points of these rounds: zeta, zeta·g, and where the shard is bound.
    pub(super) fn new(rounds: &[Round], zeta: E, bound: Option<E>, log_blowup: usize) -> Self {
        let mut tallest: Vec<(E, usize)> = Vec::new();
        for shape in rounds.iter().flat_map(|round| &round.matrices) {
            for point in shape.points(zeta, bound) {
                match tallest.iter_mut().find(|(known, _)| *known == point) {
                    Some((_, log_height)) => *log_height = shape.log_height.max(*log_height),
                    None => tallest.push((point, shape.log_height)),
                }
            }
        }
        let log_max = tallest.iter().map(|&(_, log_height)| log_height).max().unwrap_or(0);
        let domain = coset(log_max + log_blowup);
        let point = |(point, log_height): (E, usize)| {
            let domain = &domain[..1 << (log_height + log_blowup)];
            Point { point, inverses: inverses(point, domain) }
        };
        Self { zeta, bound, distinct: tallest.into_iter().map(point).collect() }
    }

    fn inverses(&self, point: E) -> &[E] {
        let known = self.distinct.iter().find(|known| known.point == point);
        &known.expect("points of the same shape").inverses
    }

    /// Values by round, matrix, point and column, but those where the shard is bound, by
    /// barycentric interpolation on the prefix of a committed matrix that determines its
    /// polynomials.
    pub(super) fn values(
        &self,
        rounds: &[Vec<OpenedMatrix<'_>>],
        log_blowup: usize,
    ) -> OpenedValues<E> {
        let is_opened = |known: &&Point<E>| {
            let shapes = rounds.iter().flatten().map(|matrix| matrix.shape);
            shapes.into_iter().any(|shape| shape.points(self.zeta, None).contains(&known.point))
        };
        let weights: Vec<(E, Vec<E>)> = (self.distinct.iter().filter(is_opened))
            .map(|Point { point, inverses }| {
                let prefix = &inverses[..inverses.len() >> log_blowup];
                (*point, compute_adjusted_weights(*point, prefix))
            })
            .collect();
        let at = |matrix: &OpenedMatrix<'_>, point: E| {
            let weights = weights.iter().find(|(known, _)| *known == point);
            let weights = &weights.expect("points of the same shape").1;
            interpolate(matrix.values, 1 << matrix.shape.log_height, point, weights)
        };
        let opened = |matrix: &OpenedMatrix<'_>| {
            let points = matrix.shape.points(self.zeta, None);
            points.into_iter().map(|point| at(matrix, point)).collect()
        };
        rounds.iter().map(|round| round.iter().map(opened).collect()).collect()
    }

    /// One codeword per distinct height, the tallest first.
    pub(super) fn reduce(
        &self,
        rounds: &[Vec<OpenedMatrix<'_>>],
        opened: &OpenedValues<E>,
        alpha: E,
    ) -> Vec<Vec<E>> {
        let widths = rounds.iter().flatten().map(|matrix| matrix.shape.width);
        let widest = widths.max().unwrap_or(0);
        let powers: Vec<PackedExt<E>> =
            PackedExt::<E>::packed_ext_powers_capped(alpha, widest).collect();
        let mut codewords: Vec<Codeword<E>> = Vec::new();
        for (matrix, opened) in rounds.iter().flatten().zip(opened.iter().flatten()) {
            let height = matrix.values.height();
            let known = codewords.iter().position(|codeword| codeword.values.len() == height);
            let index = known.unwrap_or_else(|| {
                codewords.push(Codeword { values: E::zero_vec(height), weight: E::ONE });
                codewords.len() - 1
            });
            let points = matrix.shape.points(self.zeta, self.bound).into_iter().zip(opened);
            let points = points.map(|(point, values)| (self.inverses(point), values.as_slice()));
            codewords[index].add(matrix.values, points, alpha, &powers);
        }
        codewords.sort_by_key(|codeword| std::cmp::Reverse(codeword.values.len()));
        codewords.into_iter().map(|codeword| codeword.values).collect()
    }
}

/// The values of all columns of committed matrices at one point outside their domains.
pub(super) fn values_at<E: Extension>(
    matrices: &[&RowMajorMatrix<F>],
    point: E,
    log_blowup: usize,
) -> Vec<Vec<E>> {
    let rows = |matrix: &RowMajorMatrix<F>| matrix.height() >> log_blowup;
    let tallest = matrices.iter().map(|matrix| rows(matrix)).max().unwrap_or(1);
    let weights =
        compute_adjusted_weights(point, &inverses(point, &coset(tallest.ilog2() as usize)));
    let values = |matrix: &&RowMajorMatrix<F>| interpolate(matrix, rows(matrix), point, &weights);
    matrices.iter().map(values).collect()
}

/// The values of all columns at `point`, from the first `rows` committed rows; `weights` are
/// those of the point on a domain of which theirs is a prefix.
fn interpolate<E: Extension>(
    matrix: &RowMajorMatrix<F>,
    rows: usize,
    point: E,
    weights: &[E],
) -> Vec<E> {
    let (low, _) = matrix.split_rows(rows);
    low.interpolate_coset_with_precomputation(F::GENERATOR, point, &weights[..rows])
}

/// The elements of the coset `7·K`, K of order `2^log_size`, in storage order.
fn coset(log_size: usize) -> Vec<F> {
    let step = F::two_adic_generator(log_size);
    let mut domain = step.shifted_powers(F::GENERATOR).collect_n(1 << log_size);
    reverse_slice_index_bits(&mut domain);
    domain
}

/// `1/(point - x)` for all x of a domain that `point` is not in.
fn inverses<E: Extension>(point: E, domain: &[F]) -> Vec<E> {
    let differences: Vec<E> = domain.iter().map(|&x| point - x).collect();
    batch_multiplicative_inverse(&differences)
}

/// A reduced opening in the making.
struct Codeword<E> {
    values: Vec<E>,
    /// The power of alpha of the next column.
    weight: E,
}

impl<E: Extension> Codeword<E> {
    /// Adds a matrix at all its points, given by `1/(point - x)` and the opened values.
    fn add<'a>(
        &mut self,
        matrix: &RowMajorMatrix<F>,
        points: impl Iterator<Item = (&'a [E], &'a [E])>,
        alpha: E,
        powers: &[PackedExt<E>],
    ) {
        let width = matrix.width();
        let packs = &powers[..width.div_ceil(Packed::WIDTH)];
        let weighted: Vec<PackedExt<E>> = packs.iter().map(|&power| power * self.weight).collect();
        // The columns of a row, weighted for the first point; other points rescale it.
        let rows: Vec<E> = matrix.rowwise_packed_dot_product::<E>(&weighted).collect();
        let step = alpha.exp_u64(width as u64);
        let mut rescale = E::ONE;
        for (inverses, opened) in points {
            let value: E = dot_product(alpha.powers(), opened.iter().copied());
            let value = value * self.weight;
            let sums = self.values.par_iter_mut().zip(&rows).zip(inverses);
            if rescale == E::ONE {
                sums.for_each(|((sum, &row), &inverse)| *sum += (value - row) * inverse);
            } else {
                sums.for_each(|((sum, &row), &inverse)| *sum += (value - rescale * row) * inverse);
            }
            rescale *= step;
            self.weight *= step;
        }
    }
}
