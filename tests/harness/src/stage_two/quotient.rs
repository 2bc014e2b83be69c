//! A quotient from its definition, with one check of stage 2 left out.
//!
//! Everything takes the square of the height, so it is for short traces.

use traceloom_air::field::{Goldilocks, PrimeCharacteristicRing, element, inverse_or_zero};
use traceloom_air::trace::Trace;
use traceloom_prover::backend::{QuotientChallenges, ShardInput};
use traceloom_prover::cpu::CpuKey;
use traceloom_verifier::scheme::Extension;

use super::Omitted;
use super::rows::{Row, flat, fractions, generator, nodes};

/// Generates the coset on which constraints are divided.
const SHIFT: u64 = 7;

/// The slices of the active circuit at `position`, on its trace domain: one column of E
/// per slice.
///
/// # Panics
/// If the circuit has fixed columns: byte tables are too long for this.
pub fn slices<E: Extension>(
    input: ShardInput<'_, CpuKey>,
    position: usize,
    main: &Trace,
    stage_two: Option<&Trace>,
    challenges: &QuotientChallenges<'_, E>,
    omitted: Omitted,
) -> Trace {
    let circuit = input.shape.active[position].circuit;
    let key = input.key.verifying_key();
    assert_eq!(key.system().circuits[circuit].preprocessed_width(), 0, "no byte tables here");
    let (height, num_slices) = (main.height(), key.layouts()[circuit].num_slices);
    let (main, stage_two) = (columns(main), stage_two.map_or(vec![], columns));
    let size = height * num_slices;
    let (step, row) = (generator(size.ilog2() as usize), generator(height.ilog2() as usize));
    let mut x = element(SHIFT);
    let mut values = Vec::new();
    for _ in 0..size {
        let point = Point {
            x,
            height,
            main: [at(&main, x), at(&main, x * row)],
            stage_two: [elements(&at(&stage_two, x)), elements(&at(&stage_two, x * row))],
        };
        let constraints = point.constraints(input, circuit, challenges, position, omitted);
        let folded = constraints.into_iter().rev();
        let folded = folded.fold(E::ZERO, |sum, value| sum * challenges.alpha + value);
        values.push(folded * inverse_or_zero(point.vanishing()));
        x *= step;
    }
    let mut coefficients = interpolate(&values);
    let mut scale = Goldilocks::ONE;
    for coefficient in &mut coefficients {
        *coefficient *= scale;
        scale *= inverse_or_zero(element(SHIFT));
    }
    let mut cells = Vec::new();
    for x in row.powers().take(height) {
        cells.extend(coefficients.chunks(height).map(|slice| horner(slice, x)));
    }
    Trace { width: num_slices * <E as Extension>::DEGREE, values: flat(&cells) }
}

/// Columns at one point of the coset and at the point of the next row.
struct Point<E> {
    x: Goldilocks,
    height: usize,
    main: [Vec<Goldilocks>; 2],
    stage_two: [Vec<E>; 2],
}

impl<E: Extension> Point<E> {
    fn vanishing(&self) -> Goldilocks {
        self.x.exp_u64(self.height as u64) - Goldilocks::ONE
    }

    /// All constraints in folding order, what is left out being zero.
    fn constraints(
        &self,
        input: ShardInput<'_, CpuKey>,
        circuit: usize,
        challenges: &QuotientChallenges<'_, E>,
        position: usize,
        omitted: Omitted,
    ) -> Vec<E> {
        let key = input.key.verifying_key();
        let (data, layout) = (&key.system().circuits[circuit], &key.layouts()[circuit]);
        let root = generator(self.height.ilog2() as usize);
        let transition = self.x - inverse_or_zero(root);
        let first = self.vanishing() * inverse_or_zero(self.x - Goldilocks::ONE);
        let row = Row {
            main: &self.main[0],
            next: &self.main[1],
            fixed: &[],
            publics: &input.publics[circuit],
            first,
            transition,
        };
        let values = nodes(data, &row);
        let own = data.constraints.iter().map(|c| E::from(values[c.expr.0 as usize]));
        let mut all: Vec<E> = own.collect();
        let [current, next] = &self.stage_two;
        if layout.groups.is_empty() {
            return all;
        }
        all.push(if omitted == Omitted::First { E::ZERO } else { current[0] * first });
        let scale = inverse_or_zero(element(self.height as u64) * root * transition);
        let terminal = challenges.terminals[position] * (self.vanishing() * scale);
        let groups = fractions(data, layout, challenges.lookup, &values);
        for (group, (numerator, denominator)) in groups.into_iter().enumerate() {
            let end = current.get(group + 1).copied();
            let is_last = end.is_none();
            let end = end.unwrap_or_else(|| next[0] + terminal);
            let step = denominator * (end - current[group]) - numerator;
            all.push(match omitted {
                Omitted::Group(other) if other == group => E::ZERO,
                Omitted::Last if is_last => step * transition,
                _ => step,
            });
        }
        all
    }
}

/// Coefficients of every column.
fn columns(trace: &Trace) -> Vec<Vec<Goldilocks>> {
    let column = |column: usize| trace.values.iter().skip(column).step_by(trace.width).copied();
    (0..trace.width).map(|index| interpolate(&column(index).collect::<Vec<_>>())).collect()
}

fn at(columns: &[Vec<Goldilocks>], x: Goldilocks) -> Vec<Goldilocks> {
    columns.iter().map(|coefficients| horner(coefficients, x)).collect()
}

fn elements<E: Extension>(columns: &[Goldilocks]) -> Vec<E> {
    let join = |columns: &[Goldilocks]| E::from_basis_coefficients_fn(|i| columns[i]);
    columns.chunks(<E as Extension>::DEGREE).map(join).collect()
}

/// Coefficients, lowest first, of the polynomial with these values on a subgroup.
fn interpolate<V>(values: &[V]) -> Vec<V>
where
    V: PrimeCharacteristicRing + Copy + std::ops::Mul<Goldilocks, Output = V>,
{
    let height = values.len();
    let inverse = inverse_or_zero(generator(height.ilog2() as usize));
    let scale = inverse_or_zero(element(height as u64));
    inverse.powers().take(height).map(|x| horner(values, x) * scale).collect()
}

fn horner<V>(coefficients: &[V], x: Goldilocks) -> V
where
    V: PrimeCharacteristicRing + Copy + std::ops::Mul<Goldilocks, Output = V>,
{
    coefficients.iter().rev().fold(V::ZERO, |sum, &coefficient| sum * x + coefficient)
}
