//! Figures of stage 2 and quotients of BLAKE3's compression, over cells that mean nothing.

use traceloom_air::system::{Circuit, System};
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::system::build_system;
use traceloom_cuda::prover_kernels::Launch;
use traceloom_cuda::prover_kernels::constraints::{
    Quotient, QuotientParameters, QuotientPlaces, SlicePlaces, SliceTransform,
};
use traceloom_cuda::prover_kernels::evaluator::{Evaluator, RowPlaces, WordsAt};
use traceloom_cuda::prover_kernels::messages::{MessagePlaces, Messages};
use traceloom_cuda::prover_kernels::transform::ColumnsAt;
use traceloom_verifier::layout::CircuitLayout;
use traceloom_verifier::scheme::{Cubic, Extension, Quadratic};
use traceloom_verifier::{LookupChallenges, Profile};

use crate::bench::{report, times};
use crate::kit::{Kit, Outcome};

const CIRCUIT: &str = "blake3_compress";

pub fn run(kit: &Kit) -> Outcome {
    let example = traceloom_programs::find("blake3").ok_or("no program blake3")?;
    let system = build_system(&CheckedProgram::new(example.build()?)?);
    for log_height in [16, 20] {
        of_degree::<Cubic>(kit, &system, log_height)?;
        of_degree::<Quadratic>(kit, &system, log_height)?;
    }
    Ok(())
}

fn of_degree<E: Extension>(kit: &Kit, system: &System, log_height: u32) -> Outcome {
    let circuit = system.circuits.iter().find(|circuit| circuit.name == CIRCUIT);
    let circuit = circuit.ok_or("no circuit of that name")?;
    let mut params = Profile::Standard.params();
    params.extension_degree = E::DEGREE;
    let layout = CircuitLayout::new(circuit, &params)?;
    let challenges =
        LookupChallenges { beta: E::GENERATOR, gamma: E::GENERATOR + E::from_u64(1 << 40) };
    messages(kit, circuit, &layout, &challenges, log_height)?;
    quotient(kit, circuit, &layout, &challenges, [log_height, params.log_blowup as u32])
}

fn subject(what: &str, circuit: &Circuit, evaluator: &Evaluator, log_height: u32) -> String {
    let Evaluator::Tape(tape) = evaluator;
    format!(
        "what={what} circuit={} rows=2^{log_height} columns={} instructions={} registers={}",
        circuit.name,
        circuit.width,
        tape.num_instructions(),
        tape.num_registers()
    )
}

const fn columns(buffer: usize, log_height: u32) -> ColumnsAt {
    ColumnsAt { buffer, first: 0, stride: 1 << log_height }
}

const fn whole(buffer: usize) -> WordsAt {
    WordsAt { buffer, first: 0 }
}

/// Places of buffers 0 to 3, of which the last is scratch memory.
fn rows(scratch_words: u64, log_height: u32) -> RowPlaces {
    RowPlaces {
        tape: whole(0),
        parameters: whole(1),
        main: columns(2, log_height),
        fixed: None,
        scratch: whole(3),
        scratch_words,
    }
}

fn messages<E: Extension>(
    kit: &Kit,
    circuit: &Circuit,
    layout: &CircuitLayout,
    challenges: &LookupChallenges<E>,
    log_height: u32,
) -> Outcome {
    let messages = Messages::new(circuit, layout, E::DEGREE)?;
    let evaluator = messages.evaluator();
    let scratch_words = evaluator.scratch_words(1 << log_height);
    let publics = vec![Default::default(); circuit.num_publics];
    let width = circuit.width as u64;
    let buffers = [
        kit.upload("tape", evaluator.words())?,
        kit.upload("parameters", &messages.parameters(challenges, &publics, log_height))?,
        kit.buffer("main", width << log_height)?,
        kit.buffer("registers", scratch_words)?,
        kit.buffer("to", messages.num_columns() << log_height)?,
        kit.buffer("sums", messages.sum_words(log_height))?,
        kit.buffer("result", messages.result_words())?,
    ];
    kit.stream.fill(&buffers[2], 0x5a)?;
    let places = MessagePlaces {
        rows: rows(scratch_words, log_height),
        to: columns(4, log_height),
        sums: whole(5),
        result: whole(6),
    };
    let launches = messages.launches(&places, log_height)?;
    let subject = |what: &str| {
        let subject = subject(what, circuit, evaluator, log_height);
        format!("{subject} degree={} sums={}", E::DEGREE, messages.num_columns())
    };
    let buffers = buffers.each_ref();
    let samples = times(kit, &launches, &buffers)?;
    report(&subject("stage_two"), &samples, messages.bytes(width, log_height), 0.0);
    for launch in &launches {
        let samples = times(kit, std::slice::from_ref(launch), &buffers)?;
        let words = match launch.kernel.as_str() {
            name if name.contains("add") => 2 * messages.num_columns(),
            name if name.contains("local") || name.contains("scratch") => {
                width + messages.num_columns()
            }
            _ => 0,
        };
        report(&subject(&launch.kernel), &samples, (8 * words) << log_height, 0.0);
    }
    Ok(())
}

fn quotient<E: Extension>(
    kit: &Kit,
    circuit: &Circuit,
    layout: &CircuitLayout,
    challenges: &LookupChallenges<E>,
    [log_height, log_blowup]: [u32; 2],
) -> Outcome {
    let quotient = Quotient::new(circuit, layout, E::DEGREE)?;
    let slices = SliceTransform::new(log_height, quotient.log_slices())?;
    let evaluator = quotient.evaluator();
    let (num_rows, committed) =
        (1 << (log_height + quotient.log_slices()), log_height + log_blowup);
    let scratch_words = evaluator.scratch_words(num_rows);
    let publics = vec![Default::default(); circuit.num_publics];
    let (terminal, alpha) = (E::GENERATOR, E::GENERATOR + E::from_u64(1 << 50));
    let of = QuotientParameters { lookup: challenges, terminal, alpha, publics: &publics };
    let (width, sums) = (circuit.width as u64, (layout.groups.len() * E::DEGREE) as u64);
    let chunk = E::DEGREE as u64;
    let buffers = [
        kit.upload("tape", evaluator.words())?,
        kit.upload("parameters", &quotient.parameters(&of, log_height))?,
        kit.buffer("main", width << committed)?,
        kit.buffer("registers", scratch_words)?,
        kit.buffer("stage two", sums << committed)?,
        kit.buffer("columns", quotient.num_columns() << log_height)?,
        kit.buffer("parts", quotient.num_columns() << log_height)?,
        kit.upload("matrix", &slices.matrix())?,
        kit.upload("tables", slices.tables())?,
        kit.buffer("factors", slices.factor_words())?,
        kit.buffer("scratch", chunk * slices.scratch_words())?,
    ];
    kit.stream.fill(&buffers[2], 0x5a)?;
    kit.stream.fill(&buffers[4], 0x5a)?;
    let places = QuotientPlaces {
        rows: rows(scratch_words, committed),
        stage_two: (sums > 0).then_some(columns(4, committed)),
        to: columns(5, log_height),
    };
    let slice_places = SlicePlaces {
        columns: columns(5, log_height),
        scratch: columns(6, log_height),
        matrix: whole(7),
        tables: 8,
        factors: 9,
        transform_scratch: 10,
        chunk,
    };
    let subject = |what: &str| {
        let subject = subject(what, circuit, evaluator, log_height);
        format!("{subject} degree={} sums={sums} slices={}", E::DEGREE, layout.num_slices)
    };
    let buffers = buffers.each_ref();
    let time = |what: &str, launches: &[Launch], bytes: u64| -> Outcome {
        report(&subject(what), &times(kit, launches, &buffers)?, bytes, 0.0);
        Ok(())
    };
    let of_rows = [quotient.launch(&places, log_height)?];
    time("quotient", &of_rows, quotient.bytes(width, log_height))?;
    time("slice_factors", &slices.prepare(&slice_places), 8 * slices.factor_words())?;
    let of_slices = slices.launches(&slice_places, E::DEGREE as u64)?;
    time("slices", &of_slices, (8 * 10 * quotient.num_columns()) << log_height)
}
