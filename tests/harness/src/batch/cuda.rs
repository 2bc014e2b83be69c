//! CUDA text on the host: rows from seeds that are read off reference rows, and
//! evaluators on random domains.

use traceloom_abi::record::Record;
use traceloom_air::trace::Trace;
use traceloom_host_kernels::evaluation::Domain;
use traceloom_host_kernels::executable::{Executable, Sources};
use traceloom_host_kernels::job::{Job, RowsJob};
use traceloom_host_kernels::launches::{Encoding, Executed};
use traceloom_plan::names::Ident;
use traceloom_runtime::reference::function_trace;

use super::{DOMAIN, Difference, Sample, Tally};

/// What the answer to a job has to be.
enum Expected {
    Rows(Trace, Encoding),
    /// Position of the circuit.
    Values(Domain, usize),
}

/// Compiles all samples into one executable and runs it.
///
/// # Panics
/// If the text does not compile, or the process does not end well.
#[must_use]
pub fn compare(samples: &[Sample]) -> (Tally, Vec<Difference>) {
    let mut sources = Sources { is_run_once: true, ..Sources::default() };
    let mut work = Vec::new();
    let mut tally = Tally { programs: samples.len(), ..Tally::default() };
    for (number, sample) in samples.iter().enumerate() {
        let unit = Ident::new(format!("p{number}"));
        sources.add_rows(&unit, &sample.plan);
        let mut add = |job, expected| work.push((number, job, expected));
        for (position, circuit) in sample.system.circuits.iter().enumerate() {
            let evaluator = sources.add_evaluator(&format!("e{number}_{position}"), circuit);
            let domain = Domain::random(circuit, DOMAIN, sample.case.seed + position as u64);
            let job = Job::Evaluate(domain.job(circuit, evaluator));
            add(job, Expected::Values(domain, position));
            tally.evaluators += 1;
        }
        let record = sample.extreme_record();
        for circuit in 0..sample.program.program().circuits.len() {
            rows(sample, &record, &sources, &unit, circuit, &mut tally, &mut add);
        }
    }
    let jobs: Vec<Job> = work.iter().map(|(_, job, _)| job.clone()).collect();
    let outputs = Executable::compile(&sources).run(&jobs);
    let mut differences = Vec::new();
    for ((number, job, expected), output) in work.iter().zip(outputs) {
        let system = &samples[*number].system;
        let same = match (job, expected) {
            (Job::Rows(job), Expected::Rows(trace, encoding)) => {
                let same = job.compare(&output, trace);
                same.map_err(|message| format!("{encoding:?} seeds, {message}"))
            }
            (_, Expected::Values(domain, position)) => {
                domain.compare(&system.circuits[*position], &output)
            }
            _ => unreachable!("jobs and expectations were made in pairs"),
        };
        if let Err(message) = same {
            differences.push(Difference { sample: Some(*number), message });
        }
    }
    (tally, differences)
}

/// Both encodings of a circuit's rows.
fn rows(
    sample: &Sample,
    record: &Record,
    sources: &Sources,
    unit: &Ident,
    circuit: usize,
    tally: &mut Tally,
    add: &mut impl FnMut(Job, Expected),
) {
    let trace = function_trace(&sample.program, record, circuit);
    let Some(trace) = trace.expect("the record is the program's") else { return };
    let executed = Executed { program: &sample.program, plan: &sample.plan, record };
    for encoding in [Encoding::Typed, Encoding::Full] {
        let (jobs, typed): (Vec<RowsJob>, usize) =
            executed.jobs(sources, unit, circuit, &trace, encoding);
        let launches = &jobs[0].launches;
        let rows: usize = launches.iter().rev().skip(1).map(|launch| launch.num_rows).sum();
        tally.typed_rows += typed;
        tally.full_rows += rows - typed;
        jobs.into_iter()
            .for_each(|job| add(Job::Rows(job), Expected::Rows(trace.clone(), encoding)));
    }
}
