//! Values at points, reduced openings, layers and folds, from their definitions.

use p3_commit::Mmcs as _;
use p3_matrix::dense::RowMajorMatrix;
use traceloom_air::field::{Field, PrimeCharacteristicRing, TwoAdicField, element, word};
use traceloom_cuda::prover_kernels::Launch;
use traceloom_cuda::prover_kernels::layers::{FoldPlaces, LayerShape};
use traceloom_cuda::prover_kernels::openings::{
    MOST_POINTS, ReducedPoint, Reduction, ReductionPlaces, ValuePlaces, Values, inverses, roots,
};
use traceloom_cuda::prover_kernels::tree::MatrixAt;
use traceloom_verifier::scheme::{Cubic, Extension, F, FriMmcs, Quadratic, mmcs};

use crate::host::{Host, Job};
use crate::{POISON, columns};

fn run(host: &Host, launches: &[Launch], buffers: Vec<Vec<u64>>, turned: bool) -> Vec<Vec<u64>> {
    host.run(&Job { launches, buffers, is_descending: turned })
}

fn poison(words: u64) -> Vec<u64> {
    vec![POISON; words as usize]
}

/// Elements with random coefficients, or with 0, 1, p - 1 and neighbours alone.
fn elements<E: Extension>(seed: u64, count: usize, boundary: bool) -> Vec<E> {
    let words = columns(seed, count * E::DEGREE, 1, boundary);
    words.chunks(E::DEGREE).map(of_words).collect()
}

fn of_words<E: Extension>(words: &[u64]) -> E {
    E::from_basis_coefficients_fn(|index| element(words[index]))
}

fn words_of<E: Extension>(elements: &[E]) -> Vec<u64> {
    let all = elements.iter().flat_map(|element| element.as_basis_coefficients_slice());
    all.map(|&coefficient| word(coefficient)).collect()
}

/// Point `index` of a subgroup in storage order.
fn point(log_size: u32, index: usize) -> F {
    let reversed = if log_size == 0 { 0 } else { index.reverse_bits() >> (64 - log_size) };
    F::two_adic_generator(log_size as usize).exp_u64(reversed as u64)
}

/// A point outside of the base field, so in no domain.
fn outside<E: Extension>(seed: u64) -> E {
    elements::<E>(seed, 1, false)[0] + E::from_basis_coefficients_fn(|i| F::from_bool(i == 1))
}

fn check_inverses<E: Extension>(host: &Host, log_size: u32) {
    let z = outside::<E>(log_size.into());
    let launch = inverses(&words_of(&[z]), log_size, 0, 1);
    let buffers = vec![poison((E::DEGREE as u64) << log_size), roots()];
    let after = run(host, &[launch], buffers, log_size.is_multiple_of(2));
    for (index, words) in after[0].chunks(E::DEGREE).enumerate() {
        let x = element(7) * point(log_size, index);
        assert_eq!(of_words::<E>(words) * (z - x), E::ONE, "2^{log_size}, {index}");
    }
}

/// A matrix in the middle of a buffer, with words between its columns.
fn matrix(height: usize, width: usize, boundary: bool) -> (Vec<u64>, MatrixAt, Vec<u64>) {
    let cells = columns((height * width) as u64, height, width, boundary);
    let stride = height + 3;
    let mut words = vec![POISON; 2 + stride * width];
    for (column, cells) in cells.chunks(height).enumerate() {
        words[2 + column * stride..][..height].copy_from_slice(cells);
    }
    let [width, stride, height] = [width, stride, height].map(|number| number as u64);
    (words, MatrixAt { first: 2, width, stride, height }, cells)
}

fn check_values<E: Extension>(host: &Host, height: usize, width: usize, boundary: bool) {
    let (words, at, cells) = matrix(height, width, boundary);
    let weights = elements::<E>(9, height, boundary);
    let values = Values { matrix: at, degree: E::DEGREE as u64 };
    let places = ValuePlaces { matrix: 0, inverses: 1, partial: 2, to: 3, first: 5 };
    let buffers =
        vec![words, words_of(&weights), poison(values.partial_words()), poison(5 + values.words())];
    let after = run(host, &values.launches(&places), buffers, boundary);
    assert_eq!(after[3][..5], [POISON; 5]);
    for (column, sums) in after[3][5..].chunks(E::DEGREE + 1).enumerate() {
        let cells = cells[column * height..][..height].iter().map(|&cell| element(cell));
        let weighted: E = cells.clone().zip(&weights).map(|(cell, &weight)| weight * cell).sum();
        let plain: F = cells.sum();
        assert_eq!(of_words::<E>(sums), weighted, "{height} x {width}, column {column}");
        assert_eq!(element(sums[E::DEGREE]), plain, "{height} x {width}, column {column}");
    }
}

fn check_reduction<E: Extension>(host: &Host, height: usize, width: usize, num_points: usize) {
    let boundary = num_points == 2;
    let (words, at, cells) = matrix(height, width, boundary);
    let powers = elements::<E>(3, width, boundary);
    let of_points = |seed| elements::<E>(seed, num_points, boundary);
    let (weights, values) = (of_points(4), of_points(5));
    let inverses: Vec<Vec<E>> =
        (0..num_points as u64).map(|seed| elements(10 + seed, height, boundary)).collect();
    let before = elements::<E>(6, height, boundary);
    for is_first in [true, false] {
        let point = |index: usize| ReducedPoint {
            inverses: 3 + index,
            weight: words_of(&weights[index..=index]),
            value: words_of(&values[index..=index]),
        };
        let points = (0..num_points).map(point).collect();
        let reduction = Reduction { matrix: at, points, is_first };
        let launch = reduction.launch(&ReductionPlaces { matrix: 0, powers: 1, codeword: 2 });
        let codeword =
            if is_first { poison((E::DEGREE * height) as u64) } else { words_of(&before) };
        let mut buffers = vec![words.clone(), words_of(&powers), codeword];
        buffers.extend(inverses.iter().map(|inverses| words_of(inverses)));
        let after = run(host, &[launch], buffers, is_first);
        for (row, found) in after[2].chunks(E::DEGREE).enumerate() {
            let columns = powers.iter().enumerate();
            let sum: E = columns.map(|(c, &power)| power * element(cells[c * height + row])).sum();
            let start = if is_first { E::ZERO } else { before[row] };
            let expected = (0..num_points).fold(start, |total, index| {
                total + (values[index] - weights[index] * sum) * inverses[index][row]
            });
            assert_eq!(of_words::<E>(found), expected, "{height} x {width}, row {row}");
        }
    }
}

/// The value at `beta` of the polynomial through `values` at `points`, by Lagrange.
fn interpolated<E: Extension>(points: &[F], values: &[E], beta: E) -> E {
    let term = |(i, &value): (usize, &E)| {
        let others = points.iter().enumerate().filter(|(j, _)| *j != i);
        others.fold(value, |term, (_, &x)| term * (beta - x) * (points[i] - x).inverse())
    };
    values.iter().enumerate().map(term).sum()
}

fn check_layer<E: Extension>(host: &Host, log_size: u32, log_arity: u32, joins: bool) {
    let codeword = elements::<E>(log_size.into(), 1 << log_size, joins);
    let shape = LayerShape { degree: E::DEGREE as u64, log_size, log_arity };
    let groups = RowMajorMatrix::new(codeword.clone(), 1 << log_arity);
    let (root, _) = FriMmcs::<E>::new(mmcs()).commit_matrix(groups);
    let buffers = vec![words_of(&codeword), poison(shape.digest_bytes() / 8)];
    let after = run(host, &shape.tree(0, 1), buffers, joins);
    let found = after[1][after[1].len() - 4..].iter().flat_map(|word| word.to_le_bytes());
    assert!(found.eq(root.roots()[0]), "2^{log_size}, arity 2^{log_arity}: another root");

    let [beta, weight] = elements::<E>(77, 2, false)[..] else { unreachable!() };
    let joined = elements::<E>(78, 1 << shape.log_rows(), joins);
    let weight_words = words_of(&[weight]);
    let with = joins.then_some((3, weight_words.as_slice()));
    let launch = shape.fold(&words_of(&[beta]), with, &FoldPlaces { from: 0, to: 1, roots: 2 });
    let to = poison((E::DEGREE as u64) << shape.log_rows());
    let buffers = vec![words_of(&codeword), to, roots(), words_of(&joined)];
    let after = run(host, &[launch], buffers, joins);
    for (group, found) in after[1].chunks(E::DEGREE).enumerate() {
        let members = group << log_arity..(group + 1) << log_arity;
        let points: Vec<F> = members.clone().map(|index| point(log_size, index)).collect();
        let folded = interpolated(&points, &codeword[members], beta);
        let expected = if joins { folded + weight * joined[group] } else { folded };
        assert_eq!(of_words::<E>(found), expected, "2^{log_size}, 2^{log_arity}, {group}");
    }
}

fn check_all<E: Extension>(host: &Host) {
    for log_size in [0, 1, 2, 3, 7, 9, 11] {
        check_inverses::<E>(host, log_size);
    }
    for (height, width) in [(1, 1), (2, 129), (128, 9), (256, 2), (2048, 8), (4096, 1)] {
        check_values::<E>(host, height, width, false);
        check_values::<E>(host, height, width, true);
    }
    check_values::<E>(host, 1 << 15, 2, false);
    for num_points in 1..=MOST_POINTS {
        for (height, width) in [(2, 1), (128, 2), (256, 129)] {
            check_reduction::<E>(host, height, width, num_points);
        }
    }
    for log_arity in 1..=4 {
        for log_size in [log_arity, log_arity + 1, 9] {
            check_layer::<E>(host, log_size, log_arity, false);
            check_layer::<E>(host, log_size, log_arity, true);
        }
    }
    check_layer::<E>(host, 13, 1, true);
}

#[test]
fn openings_and_layers_are_what_they_are_defined_as() {
    let host = Host::compile();
    check_all::<Quadratic>(&host);
    check_all::<Cubic>(&host);
}
