//! Stage 2 and quotients of the CPU backend, and launches of the same on other matrices of
//! words: on the host or on a device.

use p3_dft::{Radix2DitParallel, TwoAdicSubgroupDft};
use p3_matrix::Matrix;
use p3_matrix::bitrev::BitReversibleMatrix;
use p3_matrix::dense::RowMajorMatrix;
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use traceloom_air::field::{Goldilocks, MODULUS, element, word};
use traceloom_air::system::{Circuit, System};
use traceloom_air::trace::Trace;
use traceloom_cuda::prover_kernels::Launch;
use traceloom_cuda::prover_kernels::constraints::{
    Quotient, QuotientParameters, QuotientPlaces, SlicePlaces, SliceTransform,
};
use traceloom_cuda::prover_kernels::evaluator::{Evaluator, RowPlaces, WordsAt};
use traceloom_cuda::prover_kernels::messages::{MessagePlaces, Messages};
use traceloom_cuda::prover_kernels::transform::ColumnsAt;
use traceloom_prover::backend::{Backend, QuotientChallenges, ShardInput};
use traceloom_prover::cpu::{CpuBackend, CpuCommitted};
use traceloom_prover::{ProveError, ProvingKey};
use traceloom_verifier::layout::CircuitLayout;
use traceloom_verifier::scheme::Extension;
use traceloom_verifier::shape::{RoundKind, ShardShape};
use traceloom_verifier::{LookupChallenges, Params};

/// No canonical word.
pub const POISON: u64 = u64::MAX;
/// Words between columns.
const GAP: usize = 3;

/// Runs launches over buffers of words and gives the buffers afterwards, or says why not.
pub type Runner<'a> = dyn Fn(&[Launch], Vec<Vec<u64>>) -> Ran + 'a;

/// Buffers afterwards, or why there are none.
pub type Ran = Result<Vec<Vec<u64>>, String>;

/// Traces of a system.
pub struct Case {
    pub name: String,
    pub system: System,
    pub params: Params,
    /// One per circuit; `None` where it is inactive.
    pub traces: Vec<Option<Trace>>,
    pub publics: Vec<Vec<Goldilocks>>,
}

/// What a circuit of a case gives on a device.
struct Active<'a> {
    circuit: &'a Circuit,
    layout: &'a CircuitLayout,
    publics: &'a [Goldilocks],
    log_height: usize,
    log_blowup: usize,
    /// Main and fixed columns on the trace domain and on the committed one.
    main: [Vec<u64>; 2],
    fixed: [Vec<u64>; 2],
}

/// Columns of `height` words, `GAP` words apart, behind two words.
fn spread(columns: &[u64], height: usize) -> (Vec<u64>, usize) {
    let mut words = vec![POISON; 2];
    for column in columns.chunks(height) {
        words.extend_from_slice(column);
        words.extend([POISON; GAP]);
    }
    (words, height + GAP)
}

fn gathered(words: &[u64], height: usize) -> Vec<u64> {
    words[2..].chunks(height + GAP).flat_map(|column| &column[..height]).copied().collect()
}

fn at(buffer: usize, height: usize) -> ColumnsAt {
    ColumnsAt { buffer, first: 2, stride: (height + GAP) as u64 }
}

const fn whole(buffer: usize) -> WordsAt {
    WordsAt { buffer, first: 0 }
}

pub fn row_major(words: &[u64], height: usize, width: usize) -> RowMajorMatrix<Goldilocks> {
    let cell = |index: usize| element(words[index % width * height + index / width]);
    RowMajorMatrix::new((0..height * width).map(cell).collect(), width)
}

fn columns_of(cells: &[Goldilocks], width: usize) -> Vec<u64> {
    let height = cells.len() / width.max(1);
    let cell = |index: usize| word(cells[index % height * width + index / height]);
    (0..cells.len()).map(cell).collect()
}

/// Columns of `height` words as they are committed.
pub fn extended(words: &[u64], height: usize, log_blowup: usize) -> Vec<u64> {
    let width = words.len() / height;
    if width == 0 {
        return Vec::new();
    }
    let values = row_major(words, height, width);
    let extended = Radix2DitParallel::default().coset_lde_batch(values, log_blowup, element(7));
    columns_of(&extended.bit_reverse_rows().to_row_major_matrix().values, width)
}

/// The matrices of a commitment, column after column.
fn matrices(backend: &CpuBackend, committed: &CpuCommitted, logs: &[usize]) -> Vec<Vec<u64>> {
    let Some(&tallest) = logs.iter().max() else { return Vec::new() };
    let positions: Vec<usize> = (0..1 << tallest).collect();
    let rows = backend.open_rows(committed, &positions).expect("the CPU opens rows").rows;
    let matrix = |(index, &log): (usize, &usize)| {
        let rows = rows.iter().step_by(1 << (tallest - log));
        let cells: Vec<Goldilocks> = rows.flat_map(|row| row[index].clone()).collect();
        columns_of(&cells, cells.len() >> log)
    };
    logs.iter().enumerate().map(matrix).collect()
}

/// An element of which nothing is zero.
pub fn random<E: Extension>(rng: &mut ChaCha8Rng) -> E {
    E::from_basis_coefficients_fn(|_| element(rng.next_u64() % MODULUS))
}

/// What the CPU computes of a case.
struct Expected<E> {
    terminals: Vec<E>,
    stage_two: Vec<Vec<u64>>,
    quotient: Vec<Vec<u64>>,
}

/// Compares stage 2 and quotient of all circuits with the CPU's. `tight`: as little scratch
/// memory as there may be.
///
/// # Errors
/// What differs.
pub fn check<E: Extension>(
    runner: &Runner<'_>,
    case: &Case,
    seed: u64,
    tight: bool,
) -> Result<(), String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let challenges = LookupChallenges::<E> { beta: random(&mut rng), gamma: random(&mut rng) };
    let alpha: E = random(&mut rng);
    let backend = CpuBackend::default();
    let key = ProvingKey::new(&case.system, &case.params).map_err(|error| error.to_string())?;
    let shape = shape(case, &key);
    let input = ShardInput { key: &key, shard: 0, shape: &shape, publics: &case.publics };
    let traces: Vec<Trace> = case.traces.iter().flatten().cloned().collect();
    let (main, expected) = expected(&backend, input, traces, &challenges, alpha)?;
    let mut stage_two = expected.stage_two.iter();
    for (position, active) in shape.active.iter().enumerate() {
        let circuit = &case.system.circuits[active.circuit];
        let log_blowup = case.params.log_blowup;
        let trace = case.traces[active.circuit].as_ref().expect("it is active");
        let fixed = circuit.fixed().and_then(|fixed| fixed.cells()).unwrap_or_default();
        let fixed = columns_of(&fixed, circuit.preprocessed_width());
        let active = Active {
            circuit,
            layout: &key.verifying_key().layouts()[active.circuit],
            publics: &case.publics[active.circuit],
            log_height: active.log_height,
            log_blowup,
            main: [columns_of(&trace.values, trace.width), main[position].clone()],
            fixed: [fixed.clone(), extended(&fixed, 1 << active.log_height, log_blowup)],
        };
        let committed = if active.layout.groups.is_empty() { None } else { stage_two.next() };
        let terminal = expected.terminals[position];
        let place = format!("{}, circuit {}, degree {}", case.name, circuit.name, E::DEGREE);
        if let Some(committed) = committed {
            let (columns, found) = messages(runner, &active, &challenges, tight)?;
            let differs = |what: &str| Err(format!("{place}: {what} of stage 2 differs"));
            if found != Ok(terminal) {
                return differs("the terminal");
            }
            if &extended(&columns, 1 << active.log_height, log_blowup) != committed {
                return differs("a column");
            }
        }
        let of =
            QuotientParameters { lookup: &challenges, terminal, alpha, publics: active.publics };
        let slices = quotient(runner, &active, &of, committed, tight)?;
        if extended(&slices, 1 << active.log_height, log_blowup) != expected.quotient[position] {
            return Err(format!("{place}: a slice of the quotient differs"));
        }
    }
    Ok(())
}

fn shape(case: &Case, key: &ProvingKey) -> ShardShape {
    let log_height = |trace: &Trace| (trace.values.len() / trace.width).ilog2() as usize;
    let log_heights: Vec<_> =
        case.traces.iter().map(|trace| trace.as_ref().map(log_height)).collect();
    ShardShape::new(key.verifying_key(), &log_heights, 1)
}

type Input<'a> = ShardInput<'a, <CpuBackend as Backend>::Key>;

/// Committed main columns, and what is made of them.
fn expected<E: Extension>(
    backend: &CpuBackend,
    input: Input<'_>,
    traces: Vec<Trace>,
    challenges: &LookupChallenges<E>,
    alpha: E,
) -> Result<(Vec<Vec<u64>>, Expected<E>), String> {
    let log_blowup = input.key.verifying_key().params().log_blowup;
    let all = |kind| {
        let round = input.shape.round(kind).expect("it is committed");
        let logs = round.matrices.iter().map(|matrix| matrix.log_height + log_blowup);
        logs.collect::<Vec<usize>>()
    };
    let text = |error: ProveError| error.to_string();
    let (_, main) = backend.commit_main(input, &traces).map_err(text)?;
    let stage_two = backend.stage_two(input, traces, challenges).map_err(text)?;
    let committed = stage_two.committed.as_ref().map(|(_, committed)| committed);
    let terminals = stage_two.terminals.clone();
    let of = QuotientChallenges { lookup: challenges, terminals: &terminals, alpha };
    let (_, quotient) = backend.quotient(input, &main, committed, &of).map_err(text)?;
    let stage_two = committed
        .map_or(vec![], |committed| matrices(backend, committed, &all(RoundKind::StageTwo)));
    let quotient = matrices(backend, &quotient, &all(RoundKind::Quotient));
    let main = matrices(backend, &main, &all(RoundKind::Main));
    Ok((main, Expected { terminals, stage_two, quotient }))
}

/// Buffers 0 to 4 of both stages.
fn rows(
    active: &Active<'_>,
    evaluator: &Evaluator,
    parameters: Vec<u64>,
    is_committed: bool,
    [num_rows, height]: [usize; 2],
    tight: bool,
) -> (RowPlaces, Vec<Vec<u64>>) {
    let scratch = evaluator.scratch_words(if tight { 1 } else { num_rows as u64 });
    let (main, _) = spread(&active.main[usize::from(is_committed)], height);
    let (fixed, _) = spread(&active.fixed[usize::from(is_committed)], height);
    let buffers =
        vec![evaluator.words().to_vec(), parameters, main, fixed, vec![POISON; scratch as usize]];
    let places = RowPlaces {
        tape: whole(0),
        parameters: whole(1),
        main: at(2, height),
        fixed: (active.circuit.preprocessed_width() > 0).then(|| at(3, height)),
        scratch: whole(4),
        scratch_words: scratch,
    };
    (places, buffers)
}

fn run(
    runner: &Runner<'_>,
    launches: &[Launch],
    buffers: Vec<Vec<u64>>,
) -> Result<Vec<Vec<u64>>, String> {
    let before = buffers[..4].to_vec();
    let after = runner(launches, buffers)?;
    match after.iter().zip(&before).all(|(after, before)| after.starts_with(before)) {
        true => Ok(after),
        false => Err("what is only read was written to".into()),
    }
}

/// Columns of stage 2 on the trace domain, and the terminal or the row without one.
fn messages<E: Extension>(
    runner: &Runner<'_>,
    active: &Active<'_>,
    challenges: &LookupChallenges<E>,
    tight: bool,
) -> Result<(Vec<u64>, Result<E, u64>), String> {
    let log_height = active.log_height as u32;
    let height = 1 << log_height;
    let messages = Messages::new(active.circuit, active.layout, E::DEGREE)
        .map_err(|error| error.to_string())?;
    let parameters = messages.parameters(challenges, active.publics, log_height);
    assert_eq!(parameters.len() as u64, messages.parameter_words());
    let evaluator = messages.evaluator();
    let (rows, mut buffers) = rows(active, evaluator, parameters, false, [height; 2], tight);
    let columns = vec![POISON; messages.num_columns() as usize * height];
    buffers.extend([
        spread(&columns, height).0,
        vec![POISON; messages.sum_words(log_height) as usize],
        vec![POISON - 1; messages.result_words() as usize],
    ]);
    let places = MessagePlaces { rows, to: at(5, height), sums: whole(6), result: whole(7) };
    let launches = messages.launches(&places, log_height).map_err(|error| error.to_string())?;
    let after = run(runner, &launches, buffers)?;
    let terminal = E::from_basis_coefficients_fn(|k| element(after[7][k]));
    let zero_row = after[7][E::DEGREE];
    let found = if zero_row == u64::MAX { Ok(terminal) } else { Err(zero_row) };
    Ok((gathered(&after[5], height), found))
}

/// Slices on the trace domain.
fn quotient<E: Extension>(
    runner: &Runner<'_>,
    active: &Active<'_>,
    of: &QuotientParameters<'_, E>,
    stage_two: Option<&Vec<u64>>,
    tight: bool,
) -> Result<Vec<u64>, String> {
    let log_height = active.log_height as u32;
    let (height, committed) = (1 << log_height, 1 << (active.log_height + active.log_blowup));
    let text = |error: traceloom_cuda::prover_kernels::ShapeError| error.to_string();
    let quotient = Quotient::new(active.circuit, active.layout, E::DEGREE)
        .map_err(|error| error.to_string())?;
    let slices = SliceTransform::new(log_height, quotient.log_slices()).map_err(text)?;
    let parameters = quotient.parameters(of, log_height);
    assert_eq!(parameters.len() as u64, quotient.parameter_words());
    let num_rows = active.layout.num_slices * height;
    let sizes = [num_rows, committed];
    let (rows, mut buffers) = rows(active, quotient.evaluator(), parameters, true, sizes, tight);
    let poison = |words: u64| vec![POISON; words as usize];
    let columns = poison(quotient.num_columns() * height as u64);
    // Chunks that do not divide the number of columns of a part.
    let chunk = 2;
    buffers.extend([
        spread(stage_two.map_or(&[][..], |columns| columns), committed).0,
        spread(&columns, height).0,
        spread(&columns, height).0,
        slices.matrix(),
        slices.tables().to_vec(),
        poison(slices.factor_words()),
        poison(chunk * slices.scratch_words()),
    ]);
    let stage_two = stage_two.map(|_| at(5, committed));
    let places = QuotientPlaces { rows, stage_two, to: at(6, height) };
    let mut launches = vec![quotient.launch(&places, log_height).map_err(text)?];
    let places = SlicePlaces {
        columns: at(6, height),
        scratch: at(7, height),
        matrix: whole(8),
        tables: 9,
        factors: 10,
        transform_scratch: 11,
        chunk,
    };
    launches.extend(slices.prepare(&places));
    launches.extend(slices.launches(&places, E::DEGREE as u64).map_err(text)?);
    let after = run(runner, &launches, buffers)?;
    Ok(gathered(&after[6], height))
}

/// The row at which stage 2 of the only circuit says that a denominator is zero; compared
/// with the CPU's.
///
/// # Errors
/// What differs.
pub fn check_zero<E: Extension>(
    runner: &Runner<'_>,
    case: &Case,
    challenges: &LookupChallenges<E>,
) -> Result<u64, String> {
    let backend = CpuBackend::default();
    let key = ProvingKey::new(&case.system, &case.params).map_err(|error| error.to_string())?;
    let shape = shape(case, &key);
    let input = ShardInput { key: &key, shard: 0, shape: &shape, publics: &case.publics };
    let trace = case.traces[0].clone().expect("it is active");
    let active = Active {
        circuit: &case.system.circuits[0],
        layout: &key.verifying_key().layouts()[0],
        publics: &case.publics[0],
        log_height: shape.active[0].log_height,
        log_blowup: case.params.log_blowup,
        main: [columns_of(&trace.values, trace.width), Vec::new()],
        fixed: [Vec::new(), Vec::new()],
    };
    let (_, found) = messages(runner, &active, challenges, false)?;
    match (backend.stage_two(input, vec![trace], challenges), found) {
        (Err(ProveError::ZeroDenominator { row, .. }), Err(found)) if row as u64 == found => {
            Ok(found)
        }
        (expected, found) => {
            let expected = expected.map(|stage| stage.terminals);
            Err(format!("stage 2 is {found:?}, expected {expected:?}"))
        }
    }
}
