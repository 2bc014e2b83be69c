//! Opened values and reduced openings.

use traceloom_air::field::{Field, PrimeCharacteristicRing, element, word};
use traceloom_verifier::proof::OpenedValues;
use traceloom_verifier::scheme::{Extension, F};
use traceloom_verifier::shape::{MatrixShape, Round};

use super::clock::Step;
use super::commit::CudaCommitted;
use super::context::Work;
use super::error::Failure;
use super::fold::CudaCodeword;
use crate::device::Buffer;
use crate::prover_kernels::openings::{
    ReducedPoint, Reduction, ReductionPlaces, ValuePlaces, Values, inverses,
};
use crate::prover_kernels::tree::MatrixAt;

/// Generator of the coset of committed values.
const SHIFT: u64 = 7;

/// The distinct points of an opening, with `1/(point - x)` for the tallest committed domain
/// that is opened there.
#[derive(Debug)]
pub struct CudaPoints<E> {
    zeta: E,
    /// Where the shard is bound.
    bound: Option<E>,
    points: Vec<(E, Buffer)>,
}

/// The words of an element.
pub(super) fn words_of<E: Extension>(element: E) -> Vec<u64> {
    element.as_basis_coefficients_slice().iter().map(|&coefficient| word(coefficient)).collect()
}

/// The element of these words.
pub(super) fn element_of<E: Extension>(words: &[u64]) -> E {
    E::from_basis_coefficients_fn(|index| element(words[index]))
}

impl<E: Extension> CudaPoints<E> {
    /// Inverses for the points of these matrices.
    pub(super) fn new<'s>(
        work: Work<'_>,
        shapes: impl IntoIterator<Item = &'s MatrixShape>,
        (zeta, bound): (E, Option<E>),
        log_blowup: usize,
    ) -> Result<Self, Failure> {
        let mut tallest: Vec<(E, usize)> = Vec::new();
        for shape in shapes {
            for point in shape.points(zeta, bound) {
                match tallest.iter_mut().find(|(known, _)| *known == point) {
                    Some((_, log_height)) => *log_height = shape.log_height.max(*log_height),
                    None => tallest.push((point, shape.log_height)),
                }
            }
        }
        let inverted = |(point, log_height)| Self::inverted(work, point, log_height + log_blowup);
        let points = tallest.into_iter().map(inverted).collect::<Result<_, Failure>>()?;
        Ok(Self { zeta, bound, points })
    }

    /// A point with its inverses on a committed domain.
    fn inverted(work: Work<'_>, point: E, log_size: usize) -> Result<(E, Buffer), Failure> {
        let to = work.buffer("inverses of points", (E::DEGREE as u64) << log_size)?;
        let launch = inverses(&words_of(point), log_size as u32, 0, 1);
        work.run((Step::Inverses, to.bytes()), &[launch], &[&to, work.roots()])?;
        Ok((point, to))
    }

    /// The values of all columns of a commitment at one point, by matrix.
    pub(super) fn values_at(
        work: Work<'_>,
        committed: &CudaCommitted,
        point: E,
        log_blowup: usize,
    ) -> Result<Vec<Vec<E>>, Failure> {
        // The first rows of a committed matrix determine it.
        let low = |matrix: &MatrixAt| MatrixAt { height: matrix.height >> log_blowup, ..*matrix };
        let log_height = committed.log_leaves as usize - log_blowup;
        let points = vec![Self::inverted(work, point, log_height)?];
        let matrices = committed.matrices.iter().map(low);
        let asked = matrices.map(|matrix| Asked { cells: &committed.cells, matrix, point });
        Self { zeta: point, bound: None, points }.evaluate(work, &asked.collect::<Vec<_>>())
    }

    fn inverses(&self, point: E) -> Result<&Buffer, Failure> {
        let known = self.points.iter().find(|(known, _)| *known == point);
        let missing = || Failure::Fault("a point is opened that no matrix has".into());
        known.map(|(_, inverses)| inverses).ok_or_else(missing)
    }

    /// Values by round, matrix, point and column, but those where the shard is bound.
    pub(super) fn values(
        &self,
        work: Work<'_>,
        rounds: &[Round],
        committed: &[&CudaCommitted],
    ) -> Result<OpenedValues<E>, Failure> {
        let (mut asked, mut matrices) = (Vec::new(), Vec::new());
        for (round, committed) in rounds.iter().zip(committed) {
            for (shape, &matrix) in round.matrices.iter().zip(&committed.matrices) {
                let points = shape.points(self.zeta, None);
                matrices.push(points.len());
                for point in points {
                    let matrix = MatrixAt { height: 1 << shape.log_height, ..matrix };
                    asked.push(Asked { cells: &committed.cells, matrix, point });
                }
            }
        }
        let mut values = self.evaluate(work, &asked)?.into_iter();
        let mut counts = matrices.into_iter();
        let opened = rounds.iter().map(|round| {
            let of_matrix = |_| values.by_ref().take(counts.next().unwrap_or(0)).collect();
            round.matrices.iter().map(of_matrix).collect()
        });
        Ok(opened.collect())
    }

    /// The values of matrices at points that this has inverses for.
    pub(super) fn evaluate(
        &self,
        work: Work<'_>,
        asked: &[Asked<'_, E>],
    ) -> Result<Vec<Vec<E>>, Failure> {
        let degree = E::DEGREE as u64;
        let plan = |asked: &Asked<'_, E>| Values { matrix: asked.matrix, degree };
        let total = asked.iter().map(|asked| plan(asked).words()).sum();
        let partial = asked.iter().map(|asked| plan(asked).partial_words()).max().unwrap_or(0);
        let sums = work.buffer("sums at points", total)?;
        let partial = work.buffer("partial sums at points", partial)?;
        let mut first = 0;
        for asked in asked {
            let places = ValuePlaces { matrix: 0, inverses: 1, partial: 2, to: 3, first };
            let buffers = [asked.cells, self.inverses(asked.point)?, &partial, &sums];
            let bytes = 8 * asked.matrix.height * (asked.matrix.width + degree);
            work.run((Step::Values, bytes), &plan(asked).launches(&places), &buffers)?;
            first += plan(asked).words();
        }
        let words = work.read(&sums, 0, total)?;
        let mut words = words.as_slice();
        let mut values = Vec::new();
        for asked in asked {
            let (of_matrix, rest) = words.split_at(plan(asked).words() as usize);
            words = rest;
            values.push(asked.finish(of_matrix));
        }
        Ok(values)
    }
}

/// A matrix that is evaluated at a point.
pub(super) struct Asked<'a, E> {
    pub(super) cells: &'a Buffer,
    /// Its first rows, as many as its trace has.
    pub(super) matrix: MatrixAt,
    pub(super) point: E,
}

impl<E: Extension> Asked<'_, E> {
    /// Values from the sums of the kernel: `values.cuh` has the formula.
    fn finish(&self, sums: &[u64]) -> Vec<E> {
        let log_height = self.matrix.height.ilog2() as usize;
        let coset = F::from_u64(SHIFT).exp_power_of_2(log_height);
        let scale = (coset * F::from_u64(self.matrix.height)).inverse();
        let scale = (self.point.exp_power_of_2(log_height) - coset) * scale;
        let value = |sums: &[u64]| {
            let (weighted, plain) = sums.split_at(E::DEGREE);
            (self.point * element_of::<E>(weighted) - element(plain[0])) * scale
        };
        sums.chunks(E::DEGREE + 1).map(value).collect()
    }
}

/// A matrix with its opened values, as it joins a codeword.
struct Joining<'a, E> {
    cells: &'a Buffer,
    matrix: MatrixAt,
    opened: Vec<(E, &'a [E])>,
}

/// Reduces everything that was opened, the tallest codeword first.
pub(super) fn reduce<E: Extension>(
    work: Work<'_>,
    rounds: &[Round],
    committed: &[&CudaCommitted],
    opened: &OpenedValues<E>,
    points_of: &CudaPoints<E>,
    alpha: E,
    shard: usize,
) -> Result<Vec<CudaCodeword<E>>, Failure> {
    let mut joining: Vec<Joining<'_, E>> = Vec::new();
    for ((round, committed), opened) in rounds.iter().zip(committed).zip(opened) {
        let matrices = round.matrices.iter().zip(&committed.matrices).zip(opened);
        joining.extend(matrices.map(|((shape, &matrix), opened)| {
            let points = shape.points(points_of.zeta, points_of.bound);
            let opened = points.into_iter().zip(opened.iter().map(Vec::as_slice)).collect();
            Joining { cells: &committed.cells, matrix, opened }
        }));
    }
    let widest = joining.iter().map(|joining| joining.matrix.width).max().unwrap_or(0);
    let powers: Vec<E> = alpha.powers().take(widest as usize).collect();
    let powers_at: Vec<u64> = powers.iter().flat_map(|&power| words_of(power)).collect();
    let powers_at = work.upload("powers of alpha", &powers_at)?;
    let mut heights: Vec<u64> = joining.iter().map(|joining| joining.matrix.height).collect();
    heights.sort_unstable_by_key(|&height| std::cmp::Reverse(height));
    heights.dedup();
    let mut codewords = Vec::new();
    for height in heights {
        let to = work.buffer("codeword", E::DEGREE as u64 * height)?;
        let (mut weight, mut is_first) = (E::ONE, true);
        for joining in joining.iter().filter(|joining| joining.matrix.height == height) {
            let points = joining.weighted(&powers, alpha, &mut weight);
            let reduction = Reduction { matrix: joining.matrix, points, is_first };
            let places = ReductionPlaces { matrix: 0, powers: 1, codeword: 2 };
            let mut buffers = vec![joining.cells, &powers_at, &to];
            for (point, _) in &joining.opened {
                buffers.push(points_of.inverses(*point)?);
            }
            // Columns and inverses are read; the codeword is written, and read where it has
            // something.
            let elements = joining.opened.len() as u64 + if is_first { 1 } else { 2 };
            let words = joining.matrix.width + E::DEGREE as u64 * elements;
            let step = (Step::Reduction, 8 * words * height);
            work.run(step, &[reduction.launch(&places)], &buffers)?;
            is_first = false;
        }
        codewords.push(CudaCodeword::new(to, height.ilog2(), shard));
    }
    Ok(codewords)
}

impl<E: Extension> Joining<'_, E> {
    /// Its points, whose inverses lie behind the three buffers of [`ReductionPlaces`]; moves
    /// `weight` behind its columns.
    fn weighted(&self, powers: &[E], alpha: E, weight: &mut E) -> Vec<ReducedPoint> {
        let step = alpha.exp_u64(self.matrix.width);
        let point = |(index, (_, values)): (usize, &(E, &[E]))| {
            let sum: E = values.iter().zip(powers).map(|(&value, &power)| value * power).sum();
            let (of, value) = (words_of(*weight), words_of(sum * *weight));
            *weight *= step;
            ReducedPoint { inverses: 3 + index, weight: of, value }
        };
        self.opened.iter().enumerate().map(point).collect()
    }
}
