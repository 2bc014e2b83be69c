//! Stage 2 and the quotient of one circuit, before they are extended.

use traceloom_air::field::Goldilocks;
use traceloom_verifier::LookupChallenges;
use traceloom_verifier::scheme::Extension;

use super::clock::Step;
use super::commit::{CudaCommitted, chunk};
use super::context::Work;
use super::error::Failure;
use super::key::Evaluated;
use crate::device::Buffer;
use crate::prover_kernels::constraints::{
    Quotient, QuotientParameters, QuotientPlaces, SlicePlaces,
};
use crate::prover_kernels::evaluator::{Evaluator, RowPlaces, WordsAt};
use crate::prover_kernels::messages::{MessagePlaces, Messages};
use crate::prover_kernels::transform::ColumnsAt;
use crate::prover_kernels::tree::MatrixAt;

/// Words of registers that evaluators may use at once.
const REGISTER_WORDS: u64 = 1 << 26;

/// Word 0 of a buffer.
const fn begin(buffer: usize) -> WordsAt {
    WordsAt { buffer, first: 0 }
}

/// Columns side by side from the begin of a buffer on.
const fn columns(buffer: usize, stride: u64) -> ColumnsAt {
    ColumnsAt { buffer, first: 0, stride }
}

/// A committed matrix as columns.
const fn committed(buffer: usize, matrix: MatrixAt) -> ColumnsAt {
    ColumnsAt { buffer, first: matrix.first, stride: matrix.stride }
}

pub(super) fn register_words(evaluator: &Evaluator, num_rows: u64) -> u64 {
    let least = evaluator.scratch_words(1);
    evaluator.scratch_words(num_rows).min(REGISTER_WORDS).max(least)
}

/// The columns of a circuit that stage 2 reads.
#[derive(Clone, Copy)]
pub(super) struct StageInput<'a> {
    /// Main columns on the trace domain.
    pub(super) main: &'a Buffer,
    /// Fixed columns on the trace domain.
    pub(super) fixed: Option<&'a Buffer>,
    pub(super) publics: &'a [Goldilocks],
    pub(super) log_height: u32,
}

/// Queues stage 2 of a circuit. Its terminal and, behind it, the first row with a
/// denominator of zero go to word `first` of `result`.
pub(super) fn stage_two<E: Extension>(
    work: Work<'_>,
    of: Evaluated<'_, Messages>,
    input: StageInput<'_>,
    challenges: &LookupChallenges<E>,
    (result, first): (&Buffer, u64),
) -> Result<Buffer, Failure> {
    let (messages, height) = (of.launches, 1_u64 << input.log_height);
    let parameters = messages.parameters(challenges, input.publics, input.log_height);
    let parameters = work.upload("parameters of stage 2", &parameters)?;
    let scratch_words = register_words(messages.evaluator(), height);
    let registers = work.buffer("registers", scratch_words)?;
    let sums = work.buffer("sums of rows", messages.sum_words(input.log_height))?;
    let to = work.buffer("columns of stage 2", messages.num_columns() * height)?;
    let places = MessagePlaces {
        rows: RowPlaces {
            tape: begin(0),
            parameters: begin(1),
            main: columns(2, height),
            fixed: input.fixed.map(|_| columns(3, height)),
            scratch: begin(4),
            scratch_words,
        },
        to: columns(5, height),
        sums: begin(6),
        result: WordsAt { buffer: 7, first },
    };
    let launches = messages.launches(&places, input.log_height)?;
    let fixed = input.fixed.unwrap_or(input.main);
    let buffers = [of.tape, &parameters, input.main, fixed, &registers, &to, &sums, result];
    let fixed_words = input.fixed.map_or(0, |fixed| fixed.bytes() / 8);
    let width = (input.main.bytes() / 8 + fixed_words) / height;
    let step = (Step::Messages, messages.bytes(width, input.log_height));
    work.run(step, &launches, &buffers)?;
    Ok(to)
}

/// The committed columns of a circuit that its quotient reads.
#[derive(Clone, Copy)]
pub(super) struct QuotientInput<'a> {
    pub(super) main: (&'a CudaCommitted, MatrixAt),
    pub(super) fixed: Option<&'a CudaCommitted>,
    pub(super) stage_two: Option<(&'a CudaCommitted, MatrixAt)>,
    pub(super) log_height: u32,
}

/// Queues the quotient of a circuit: its slices on the trace domain.
pub(super) fn quotient<E: Extension>(
    work: Work<'_>,
    of: Evaluated<'_, Quotient>,
    input: QuotientInput<'_>,
    parameters: &QuotientParameters<'_, E>,
) -> Result<Buffer, Failure> {
    let (quotient, height) = (of.launches, 1_u64 << input.log_height);
    let parameters = quotient.parameters(parameters, input.log_height);
    let parameters = work.upload("parameters of a quotient", &parameters)?;
    let scratch_words = register_words(quotient.evaluator(), height << quotient.log_slices());
    let registers = work.buffer("registers", scratch_words)?;
    let to = work.buffer("columns of a quotient", quotient.num_columns() * height)?;
    let (main, matrix) = input.main;
    let fixed = input.fixed.and_then(|fixed| Some((fixed, *fixed.matrices.first()?)));
    let places = QuotientPlaces {
        rows: RowPlaces {
            tape: begin(0),
            parameters: begin(1),
            main: committed(2, matrix),
            fixed: fixed.map(|(_, matrix)| committed(3, matrix)),
            scratch: begin(4),
            scratch_words,
        },
        stage_two: input.stage_two.map(|(_, matrix)| committed(5, matrix)),
        to: columns(6, height),
    };
    let launch = quotient.launch(&places, input.log_height)?;
    let width = matrix.width + fixed.map_or(0, |(_, matrix)| matrix.width);
    let fixed = fixed.map_or(main, |(fixed, _)| fixed);
    let stage_two = input.stage_two.map_or(main, |(stage_two, _)| stage_two);
    let buffers =
        [of.tape, &parameters, &main.cells, &fixed.cells, &registers, &stage_two.cells, &to];
    let step = (Step::Constraints, quotient.bytes(width, input.log_height));
    work.run(step, &[launch], &buffers)?;
    slices(work, quotient, to, input.log_height, E::DEGREE as u64)
}

/// Turns quotient values into slices, in place.
fn slices(
    work: Work<'_>,
    quotient: &Quotient,
    values: Buffer,
    log_height: u32,
    degree: u64,
) -> Result<Buffer, Failure> {
    let height = 1_u64 << log_height;
    let tables = work.slice_tables(log_height, quotient.log_slices())?;
    let chunk = chunk(height, degree);
    let scratch = work.buffer("slices", quotient.num_columns() * height)?;
    let of_transform = chunk * tables.transform.scratch_words();
    let of_transform = work.buffer("scratch of transforms", of_transform)?;
    let places = SlicePlaces {
        columns: columns(0, height),
        scratch: columns(1, height),
        matrix: begin(2),
        tables: 3,
        factors: 4,
        transform_scratch: 5,
        chunk,
    };
    let launches = tables.transform.launches(&places, degree)?;
    let buffers =
        [&values, &scratch, &tables.matrix, &tables.tables, &tables.factors, &of_transform];
    // Values are read, and slices written.
    let step = (Step::Slices, 16 * quotient.num_columns() * height);
    work.run(step, &launches, &buffers)?;
    Ok(values)
}
