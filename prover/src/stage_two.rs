//! Stage 2: chained partial sums of the lookup argument.
//!
//! Column g of row r holds the sum of all fractions of earlier rows and of groups
//! before g in row r; the sum of all of them is the circuit's terminal. No inverse
//! is committed: `denominator·(next + L·terminal - current) = numerator`.

use p3_field::{
    Field, PackedFieldExtension, PackedValue, TwoAdicField, batch_multiplicative_inverse,
};
use p3_matrix::dense::RowMajorMatrix;
use p3_maybe_rayon::prelude::*;
use traceloom_air::field::PrimeCharacteristicRing;

use crate::evaluator::{Packed, Part};
use crate::rows::{Fractions, LANES, RowContext};
use traceloom_verifier::LookupChallenges;
use traceloom_verifier::scheme::{Extension, F};

/// Rows per task.
const CHUNK: usize = 256;

/// The stage 2 trace of a circuit with lookups, `height × (groups · DEGREE)`, and
/// its terminal.
///
/// # Errors
/// A row on which a denominator is zero.
pub(crate) fn stage_two<E: Extension>(
    context: &RowContext<'_>,
    challenges: &LookupChallenges<E>,
) -> Result<(RowMajorMatrix<F>, E), usize> {
    let groups = context.layout.groups.len();
    let height = context.main.len() / context.circuit.width;
    let fractions = Fractions::new(context.circuit, context.layout, challenges);
    let mut cells = E::zero_vec(height * groups);
    let sums: Result<Vec<E>, usize> = cells
        .par_chunks_mut(CHUNK * groups)
        .enumerate()
        .map(|(chunk, cells)| {
            let first_row = chunk * CHUNK;
            fill_chunk(context, &fractions, first_row, height, cells)?;
            Ok(cells.iter().copied().sum())
        })
        .collect();
    let mut terminal = E::ZERO;
    let starts: Vec<E> = (sums?.into_iter())
        .map(|sum| {
            let start = terminal;
            terminal += sum;
            start
        })
        .collect();
    cells.par_chunks_mut(CHUNK * groups).zip(starts).for_each(|(cells, start)| {
        let mut sum = start;
        for cell in cells {
            let fraction = *cell;
            *cell = sum;
            sum += fraction;
        }
    });
    Ok((RowMajorMatrix::new(E::flatten_to_base(cells), groups * E::DEGREE), terminal))
}

/// Writes the fractions of the rows from `first_row` on, `groups` per row.
fn fill_chunk<E: Extension>(
    context: &RowContext<'_>,
    fractions: &Fractions<E>,
    first_row: usize,
    height: usize,
    cells: &mut [E],
) -> Result<(), usize> {
    let groups = context.layout.groups.len();
    let num_rows = cells.len() / groups;
    let mut workspace = context.workspace::<E>();
    let mut denominators = E::zero_vec(cells.len());
    for pack in (0..num_rows).step_by(LANES) {
        let lanes = LANES.min(num_rows - pack);
        // Traces shorter than a pack repeat rows in the surplus lanes.
        let rows = std::array::from_fn(|lane| (first_row + pack + lane) % height);
        let next = |row: usize| (row + 1) % height;
        context.load(&mut workspace, rows, next, trace_selectors(rows, height));
        context.evaluate(&mut workspace, Part::Lookups);
        fractions.fold(&mut workspace);
        for (group, (numerator, denominator)) in workspace.fractions.iter().enumerate() {
            for lane in 0..lanes {
                let position = (pack + lane) * groups + group;
                cells[position] = numerator.extract(lane);
                denominators[position] = denominator.extract(lane);
            }
        }
    }
    if let Some(zero) = denominators.iter().position(|denominator| denominator.is_zero()) {
        return Err(first_row + zero / groups);
    }
    let inverses = batch_multiplicative_inverse(&denominators);
    for (cell, inverse) in cells.iter_mut().zip(inverses) {
        *cell *= inverse;
    }
    Ok(())
}

/// First-row and transition selectors on the trace domain itself: the height on
/// row 0, else 0; and `g^row - g^-1`.
pub(crate) fn trace_selectors(rows: [usize; LANES], height: usize) -> [Packed; 2] {
    let log_height = height.ilog2() as usize;
    let generator = F::two_adic_generator(log_height);
    let last = generator.inverse();
    let first = |lane: usize| if rows[lane] == 0 { F::from_u64(height as u64) } else { F::ZERO };
    let transition = |lane: usize| generator.exp_u64(rows[lane] as u64) - last;
    [Packed::from_fn(first), Packed::from_fn(transition)]
}

#[cfg(test)]
mod tests {
    use traceloom_air::system::{Arena, Circuit, CircuitKind, Direction, Lookup};

    use super::*;
    use crate::evaluator::CompiledEvaluator;
    use traceloom_verifier::layout::CircuitLayout;
    use traceloom_verifier::params::Profile;
    use traceloom_verifier::scheme::Quadratic;

    /// One column, which is both the message and, as a pull, its multiplicity.
    fn circuit() -> Circuit {
        let mut arena = Arena::default();
        let value = arena.main(0);
        let direction = Direction::Pull;
        let lookup =
            Lookup { direction, multiplicity: value, arguments: vec![value], label: String::new() };
        Circuit {
            name: "toy".into(),
            kind: CircuitKind::Memory { width: 1 },
            width: 1,
            column_names: vec!["value".into()],
            num_publics: 1,
            arena,
            constraints: vec![],
            lookups: vec![lookup],
        }
    }

    fn run(values: &[u64], beta: Quadratic) -> Result<(RowMajorMatrix<F>, Quadratic), usize> {
        let circuit = circuit();
        let layout = CircuitLayout::new(&circuit, &Profile::Fast.params()).unwrap();
        let evaluator = CompiledEvaluator::new(&circuit, &layout);
        let main: Vec<F> = values.iter().map(|&value| F::from_u64(value)).collect();
        let context = RowContext {
            circuit: &circuit,
            layout: &layout,
            evaluator: &evaluator,
            publics: &[F::ZERO],
            main: &main,
            fixed: &[],
        };
        stage_two(&context, &LookupChallenges { beta, gamma: Quadratic::TWO })
    }

    #[test]
    fn a_zero_denominator_is_an_error_with_its_row() {
        let minus = -Quadratic::from_u64(1001);
        let values: Vec<u64> = (0..2048).collect();
        assert_eq!(run(&values, minus).unwrap_err(), 1001);
        assert_eq!(run(&[1001], minus).unwrap_err(), 0);
    }

    #[test]
    fn partial_sums_end_in_the_terminal() {
        let beta = Quadratic::from_u64(99);
        for height in [1, 2, 4, 1024] {
            let values: Vec<u64> = (0..height).map(|row| row + 5).collect();
            let (matrix, terminal) = run(&values, beta).unwrap();
            let mut sum = Quadratic::ZERO;
            for (&value, cells) in values.iter().zip(matrix.values.chunks(2)) {
                assert_eq!(Quadratic::new([cells[0], cells[1]]), sum);
                let value = Quadratic::from_u64(value);
                sum -= value * (beta + value).inverse();
            }
            assert_eq!(sum, terminal);
        }
    }
}
