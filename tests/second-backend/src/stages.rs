//! Stage 2 and quotient of one circuit.

use traceloom_air::field::{Field, PrimeCharacteristicRing, element};
use traceloom_prover::ProveError;
use traceloom_prover::backend::{QuotientChallenges, ShardInput};
use traceloom_verifier::LookupChallenges;
use traceloom_verifier::scheme::{Extension, F};

use crate::columns::Matrix;
use crate::rows::{Row, fractions, of};
use crate::transform::{SHIFT, interpolate, inverses, root};

/// The committed matrices of one circuit.
pub struct Committed<'a> {
    pub main: &'a Matrix,
    pub fixed: Option<&'a Matrix>,
    pub sums: Option<&'a Matrix>,
}

/// Base columns of the partial sums, none without lookups, and the terminal.
///
/// # Errors
/// [`ProveError::ZeroDenominator`].
pub fn partial_sums<K, E: Extension>(
    input: ShardInput<'_, K>,
    circuit: usize,
    main: &[Vec<F>],
    fixed: &[Vec<F>],
    challenges: &LookupChallenges<E>,
) -> Result<(Vec<Vec<F>>, E), ProveError> {
    let key = input.key.verifying_key();
    let (data, layout) = (&key.system().circuits[circuit], &key.layouts()[circuit]);
    let (height, groups) = (main[0].len(), layout.groups.len());
    if groups == 0 {
        return Ok((vec![], E::ZERO));
    }
    let step = root(height.ilog2() as usize);
    let last = step.inverse();
    let (mut nodes, mut numerators, mut denominators) = (Vec::new(), Vec::new(), Vec::new());
    for (at, x) in step.powers().take(height).enumerate() {
        let first = if at == 0 { element(height as u64) } else { F::ZERO };
        let (publics, next) = (&input.publics[circuit], (at + 1) % height);
        let row = Row { main, fixed, publics, at, next, first, transition: x - last };
        row.nodes(data, &mut nodes);
        for (numerator, denominator) in fractions::<E>(data, layout, challenges, &nodes) {
            if denominator == E::ZERO {
                let (shard, circuit) = (input.shard, data.name.clone());
                return Err(ProveError::ZeroDenominator { shard, circuit, row: at });
            }
            numerators.push(numerator);
            denominators.push(denominator);
        }
    }
    let mut columns = vec![Vec::with_capacity(height); groups * E::DEGREE];
    let mut sum = E::ZERO;
    for (cell, (numerator, inverse)) in numerators.iter().zip(inverses(&denominators)).enumerate() {
        let coefficients: &[F] = sum.as_basis_coefficients_slice();
        for (coefficient, &value) in coefficients.iter().enumerate() {
            columns[cell % groups * E::DEGREE + coefficient].push(value);
        }
        sum += *numerator * inverse;
    }
    Ok((columns, sum))
}

/// The quotient slices of the active circuit at `position`.
pub fn quotient<K, E: Extension>(
    input: ShardInput<'_, K>,
    position: usize,
    committed: &Committed<'_>,
    challenges: &QuotientChallenges<'_, E>,
) -> Matrix {
    let key = input.key.verifying_key();
    let active = input.shape.active[position];
    let (height, slices) = (1usize << active.log_height, key.layouts()[active.circuit].num_slices);
    let size = height * slices;
    let step = root(size.ilog2() as usize);
    let points: Vec<F> = step.shifted_powers(element(SHIFT)).take(size).collect();
    let selectors = Selectors::new(&points, height);
    let mut columns = vec![Vec::with_capacity(size); E::DEGREE];
    let mut nodes = Vec::new();
    for at in 0..size {
        let folded =
            folded_constraints(input, position, committed, challenges, &selectors, at, &mut nodes);
        let value = folded * selectors.inverse_vanishing[at];
        let coefficients: &[F] = value.as_basis_coefficients_slice();
        for (column, &coefficient) in columns.iter_mut().zip(coefficients) {
            column.push(coefficient);
        }
    }
    let columns = columns.into_iter().map(|column| interpolate(column, element(SHIFT)));
    let columns: Vec<Vec<F>> = columns.collect();
    let slice = |slice: usize| {
        columns.iter().map(move |column| column[slice * height..][..height].to_vec())
    };
    let sliced = (0..slices).flat_map(slice).collect();
    Matrix::from_coefficients(sliced, key.params().log_blowup)
}

/// Selectors on the quotient domain.
struct Selectors {
    first: Vec<F>,
    transition: Vec<F>,
    last: Vec<F>,
    inverse_vanishing: Vec<F>,
}

impl Selectors {
    fn new(points: &[F], height: usize) -> Self {
        let step = root(height.ilog2() as usize);
        let vanishing: Vec<F> = points.iter().map(|x| x.exp_u64(height as u64) - F::ONE).collect();
        let transition: Vec<F> = points.iter().map(|&x| x - step.inverse()).collect();
        let from_first: Vec<F> = points.iter().map(|&x| x - F::ONE).collect();
        let over = |denominators: &[F], scale: F| {
            let inverses = inverses(denominators).into_iter().zip(&vanishing);
            inverses.map(|(inverse, &vanishing)| inverse * vanishing * scale).collect()
        };
        Self {
            first: over(&from_first, F::ONE),
            last: over(&transition, (element(height as u64) * step).inverse()),
            inverse_vanishing: inverses(&vanishing),
            transition,
        }
    }
}

fn folded_constraints<K, E: Extension>(
    input: ShardInput<'_, K>,
    position: usize,
    committed: &Committed<'_>,
    challenges: &QuotientChallenges<'_, E>,
    selectors: &Selectors,
    at: usize,
    nodes: &mut Vec<F>,
) -> E {
    let key = input.key.verifying_key();
    let active = input.shape.active[position];
    let (data, layout) = (&key.system().circuits[active.circuit], &key.layouts()[active.circuit]);
    // The quotient domain is every `spread`-th point of the committed one.
    let size = layout.num_slices << active.log_height;
    let spread = (1 << committed.main.log_size) / size;
    let (row, next) = (at * spread, (at + layout.num_slices) % size * spread);
    let (first, transition) = (selectors.first[at], selectors.transition[at]);
    Row {
        main: &committed.main.values,
        fixed: committed.fixed.map_or(&[], |matrix| &matrix.values),
        publics: &input.publics[active.circuit],
        at: row,
        next,
        first,
        transition,
    }
    .nodes(data, nodes);
    let mut values: Vec<E> =
        data.constraints.iter().map(|constraint| E::from(of(nodes, constraint.expr))).collect();
    if let Some(sums) = committed.sums {
        let cell = |group: usize, at: usize| {
            E::from_basis_coefficients_fn(|i| sums.values[group * E::DEGREE + i][at])
        };
        values.push(cell(0, row) * first);
        let groups = layout.groups.len();
        let fractions = fractions::<E>(data, layout, challenges.lookup, nodes);
        for (group, (numerator, denominator)) in fractions.enumerate() {
            let end = if group + 1 < groups {
                cell(group + 1, row)
            } else {
                cell(0, next) + challenges.terminals[position] * selectors.last[at]
            };
            values.push(denominator * (end - cell(group, row)) - numerator);
        }
    }
    values.into_iter().rev().fold(E::ZERO, |sum, value| sum * challenges.alpha + value)
}
