//! Emitted evaluators against the interpreted arena, on random and boundary values,
//! for all circuits of all fixtures. The Rust text of a few circuits is checked in
//! (`emitted/`), so that this test can compile it; it is compared with what the
//! generator makes now, and `TRACELOOM_BLESS=1` rewrites it.

// Compared with emitted text, byte for byte.
#[rustfmt::skip]
#[path = "emitted/evaluators.rs"]
mod emitted;

use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use traceloom_abi::evaluate::{Evaluator, Value};
use traceloom_abi::field::{Goldilocks, MODULUS, Packed, element, word};
use traceloom_abi::system::Circuit;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::system::build_system;
use traceloom_codegen::evaluator;
use traceloom_host_kernels::evaluation::{Domain, interpret, run};
use traceloom_host_kernels::executable::{Executable, Sources};
use traceloom_host_kernels::fixtures;
use traceloom_host_kernels::job::{EvaluateJob, FoldJob, FoldPart, Job};

/// Rows of every domain.
const HEIGHT: usize = 8;

/// The circuits of all fixtures and of two large programs.
fn circuits() -> Vec<(String, Circuit)> {
    let mut circuits = Vec::new();
    let programs = fixtures::all().into_iter().map(|fixture| (fixture.name, fixture.program));
    let checked = |program| CheckedProgram::new(program).expect("programs are valid");
    let blake3 = traceloom_programs::blake3::program().expect("programs build");
    let sha256 = traceloom_programs::sha256::program().expect("programs build");
    let large = [("blake3", checked(blake3)), ("sha256", checked(sha256))];
    for (name, program) in programs.chain(large) {
        for (index, circuit) in build_system(&program).circuits.into_iter().enumerate() {
            circuits.push((format!("{name}_{index}"), circuit));
        }
    }
    circuits
}

#[test]
fn cuda_evaluators_compute_and_fold_the_system() {
    let circuits = circuits();
    let mut sources = Sources::default();
    let mut jobs = Vec::new();
    let mut checks: Vec<Box<dyn Fn(&[u64]) -> Result<(), String>>> = Vec::new();
    for (index, (name, circuit)) in circuits.iter().enumerate() {
        let evaluator = sources.add_evaluator(name, circuit);
        let domain = Domain::random(circuit, HEIGHT, index as u64);
        let evaluate = domain.job(circuit, evaluator);
        for job in fold_jobs(&evaluate, circuit) {
            let expected = folded(circuit, &domain, &job);
            let name = format!("{name}, {:?}, step {}", job.part, job.step);
            checks.push(Box::new(move |found| match found == expected {
                true => Ok(()),
                false => Err(format!("{name}: expected {expected:?}, found {found:?}")),
            }));
            jobs.push(Job::Fold(job));
        }
        jobs.push(Job::Evaluate(evaluate));
        checks.push(Box::new(move |found| domain.compare(circuit, found)));
    }
    let outputs = Executable::compile(&sources).run(&jobs);
    assert_eq!(outputs.len(), checks.len());
    for (check, output) in checks.iter().zip(&outputs) {
        assert_eq!(check(output), Ok(()));
    }
}

/// Both kernels over both orders of rows, whole and in part, in extensions of all
/// degrees.
fn fold_jobs(domain: &EvaluateJob, circuit: &Circuit) -> Vec<FoldJob> {
    let mut rng = ChaCha8Rng::seed_from_u64(domain.evaluator as u64);
    let mut draw = |count: usize| (0..count).map(|_| rng.next_u64() % MODULUS).collect::<Vec<_>>();
    let mut jobs = Vec::new();
    for part in [FoldPart::Constraints, FoldPart::Lookups] {
        for (step, bit_reversed, first, count, degree) in [
            (1, false, 0, HEIGHT, 2),
            (4, true, 0, HEIGHT, 3),
            (2, true, 3, 4, 1),
            (HEIGHT, true, 7, 1, 2),
        ] {
            let num_powers = match part {
                FoldPart::Constraints => circuit.constraints.len(),
                FoldPart::Lookups => {
                    circuit.lookups.iter().map(|lookup| lookup.arguments.len()).max().unwrap_or(0)
                }
            };
            let (powers, shift) = (draw(num_powers * degree), draw(degree));
            let domain = domain.clone();
            jobs.push(FoldJob { part, domain, step, bit_reversed, first, count, powers, shift });
        }
    }
    jobs
}

/// The row one step of the trace further, by the definition of the order.
fn next_row(job: &FoldJob, row: usize) -> usize {
    let reversed = |row: usize| match job.bit_reversed {
        true => row.reverse_bits() >> (usize::BITS - HEIGHT.ilog2()),
        false => row,
    };
    reversed((reversed(row) + job.step) % HEIGHT)
}

/// What a kernel must write.
fn folded(circuit: &Circuit, domain: &Domain, job: &FoldJob) -> Vec<u64> {
    let (count, degree) = (job.count, job.shift.len());
    let is_lookups = job.part == FoldPart::Lookups;
    let num_sums = if is_lookups { circuit.lookups.len() } else { 1 };
    let mut sums = vec![element(0); num_sums * degree * count];
    let mut multiplicities = vec![element(0); if is_lookups { num_sums * count } else { 0 }];
    for at in 0..count {
        let row = job.first + at;
        let values = domain.with_rows([row, next_row(job, row)], |cells| interpret(circuit, cells));
        let sum = |values: &[Goldilocks], start: Goldilocks, k: usize| -> Goldilocks {
            let terms = values.iter().enumerate();
            terms.fold(start, |sum, (j, &x)| sum + element(job.powers[j * degree + k]) * x)
        };
        if !is_lookups {
            for k in 0..degree {
                sums[k * count + at] = sum(&values.constraints, element(0), k);
            }
            continue;
        }
        let mut arguments = &values.arguments[..];
        for (index, lookup) in circuit.lookups.iter().enumerate() {
            let (own, others) = arguments.split_at(lookup.arguments.len());
            arguments = others;
            multiplicities[index * count + at] = values.multiplicities[index];
            for k in 0..degree {
                sums[(index * degree + k) * count + at] = sum(own, element(job.shift[k]), k);
            }
        }
    }
    sums.into_iter().chain(multiplicities).map(word).collect()
}

/// The circuits whose Rust text is checked in.
fn checked_in() -> Vec<(String, Circuit)> {
    let small = ["bytes_0", "bytes_1", "bytes_2", "control_0", "calls_1", "calls_3", "group_0"];
    let circuits = circuits().into_iter();
    circuits.filter(|(name, _)| small.contains(&&name[..])).collect()
}

#[test]
fn checked_in_rust_evaluators_are_current() {
    let mut text = String::from("// @generated by `TRACELOOM_BLESS=1 cargo test`; do not edit.\n");
    for (name, circuit) in checked_in() {
        text.push_str(&format!("\npub mod {name} {{\n"));
        for line in evaluator::rust::module_text(&circuit).lines() {
            let indent = if line.is_empty() { "" } else { "    " };
            text.push_str(&format!("{indent}{line}\n"));
        }
        text.push_str("}\n");
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/emitted/evaluators.rs");
    if std::env::var_os("TRACELOOM_BLESS").is_some() {
        std::fs::write(path, text).expect("the tree is writable");
        return;
    }
    let current = std::fs::read_to_string(path).expect("the file is checked in");
    assert!(current == text, "emitted/evaluators.rs is stale; run with TRACELOOM_BLESS=1");
}

#[test]
fn rust_evaluators_compute_the_system() {
    for (name, circuit) in checked_in() {
        let domain = Domain::random(&circuit, HEIGHT, 7);
        for row in 0..domain.height {
            let expected = domain.with_cells(row, |cells| interpret(&circuit, cells));
            let expected = expected.written(&circuit);
            let scalar = emitted_evaluator::<Goldilocks>(&name);
            let found = domain.with_cells(row, |cells| run(&circuit, &scalar, cells));
            assert_eq!(found, expected, "{name}, row {row}");
            // The same row in every lane.
            let packed = emitted_evaluator::<Packed>(&name);
            let found = domain.with_cells(row, |cells| run(&circuit, &packed, cells));
            let lifted = expected.map(|v| v.into_iter().map(Packed::from).collect::<Vec<_>>());
            assert_eq!(found, lifted, "{name}, row {row}, packed");
        }
    }
}

fn emitted_evaluator<T: Value>(name: &str) -> Evaluator<T> {
    match name {
        "bytes_0" => emitted::bytes_0::evaluator(),
        "bytes_1" => emitted::bytes_1::evaluator(),
        "bytes_2" => emitted::bytes_2::evaluator(),
        "control_0" => emitted::control_0::evaluator(),
        "calls_1" => emitted::calls_1::evaluator(),
        "calls_3" => emitted::calls_3::evaluator(),
        _ => emitted::group_0::evaluator(),
    }
}
