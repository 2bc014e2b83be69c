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
use traceloom_abi::evaluate::{Cells, Evaluator, Outputs, Value};
use traceloom_abi::field::{Goldilocks, MODULUS, Packed, element, word};
use traceloom_abi::system::{Circuit, Node};
use traceloom_bytecode::CheckedProgram;
use traceloom_codegen::cuda::ident::Ident;
use traceloom_codegen::evaluator::{self, NamedCircuit, cuda};
use traceloom_codegen::plan::plan_program;
use traceloom_host_kernels::evaluation::interpret;
use traceloom_host_kernels::executable::{EvaluatorSource, Executable, Sources};
use traceloom_host_kernels::fixtures::{self, BOUNDARY};
use traceloom_host_kernels::job::{EvaluateJob, FoldJob, FoldPart, Job};

/// Rows of every domain.
const HEIGHT: usize = 8;

/// A domain of random cells, some of them at the boundaries of representations.
struct Domain {
    height: usize,
    main: Vec<Goldilocks>,
    fixed: Vec<Goldilocks>,
    publics: Vec<Goldilocks>,
    selectors: Vec<[Goldilocks; 2]>,
}

impl Domain {
    fn random(circuit: &Circuit, height: usize, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut draw = || match rng.next_u32() % 3 {
            0 => element(BOUNDARY[rng.next_u32() as usize % BOUNDARY.len()]),
            _ => element(rng.next_u64() % MODULUS),
        };
        let mut cells = |count: usize| (0..count).map(|_| draw()).collect::<Vec<_>>();
        let main = cells(circuit.width * height);
        let fixed = cells(circuit.preprocessed_width() * height);
        let publics = cells(circuit.num_publics);
        let selectors = (0..height).map(|_| [draw(), draw()]).collect();
        Self { height, main, fixed, publics, selectors }
    }

    /// One row of column-major cells.
    fn row(&self, cells: &[Goldilocks], row: usize) -> Vec<Goldilocks> {
        (0..cells.len() / self.height).map(|column| cells[column * self.height + row]).collect()
    }

    /// A row, and the row one step of the trace further.
    fn with_cells<R>(
        &self,
        [row, next]: [usize; 2],
        act: impl FnOnce(&Cells<'_, Goldilocks>) -> R,
    ) -> R {
        let [is_first_row, is_transition] = self.selectors[row];
        act(&Cells {
            main: &self.row(&self.main, row),
            next: &self.row(&self.main, next),
            fixed: &self.row(&self.fixed, row),
            publics: &self.publics,
            is_first_row,
            is_transition,
        })
    }
}

/// The circuits of all fixtures and of two large programs, with their program's unit.
fn circuits() -> Vec<(String, NamedCircuit)> {
    let mut circuits = Vec::new();
    let programs = fixtures::all().into_iter().map(|fixture| (fixture.name, fixture.program));
    let checked = |program| CheckedProgram::new(program).expect("programs are valid");
    let blake3 = traceloom_programs::blake3::program().expect("programs build");
    let sha256 = traceloom_programs::sha256::program().expect("programs build");
    let large = [("blake3", checked(blake3)), ("sha256", checked(sha256))];
    for (name, program) in programs.chain(large) {
        let of_program = evaluator::circuits(&program, &plan_program(&program));
        circuits.extend(of_program.into_iter().map(|circuit| (name.to_owned(), circuit)));
    }
    circuits
}

/// The text of all circuits, as one executable.
fn compile(circuits: &[(String, NamedCircuit)]) -> Executable {
    let mut sources = Sources::default();
    for (unit, named) in circuits {
        let symbol = &named.symbol;
        let unit = Ident::new(unit.clone());
        // Sources include the headers, which are included once.
        sources.files.extend(cuda::evaluators(&unit, named, &[]));
        let mut first_arguments = vec![0];
        for lookup in &named.circuit.lookups {
            first_arguments.push(first_arguments.last().unwrap_or(&0) + lookup.arguments.len());
        }
        sources.evaluators.push(EvaluatorSource {
            namespace: format!("{unit}::{symbol}"),
            kernels: [
                cuda::constraints_kernel_name(&unit, symbol),
                cuda::lookups_kernel_name(&unit, symbol),
            ],
            first_arguments,
        });
    }
    Executable::compile(&sources)
}

/// The job that evaluates all of `domain`.
fn evaluate(evaluator: usize, circuit: &Circuit, domain: &Domain) -> EvaluateJob {
    let words = |cells: &[Goldilocks]| cells.iter().map(|&cell| word(cell)).collect();
    let arguments = circuit.lookups.iter().map(|lookup| lookup.arguments.len()).sum();
    EvaluateJob {
        evaluator,
        height: domain.height,
        main: words(&domain.main),
        fixed: words(&domain.fixed),
        publics: words(&domain.publics),
        selectors: domain.selectors.iter().map(|pair| pair.map(word)).collect(),
        outputs: [circuit.constraints.len(), circuit.lookups.len(), arguments],
    }
}

#[test]
fn cuda_evaluators_compute_and_fold_the_system() {
    let circuits = circuits();
    let mut jobs = Vec::new();
    let mut expected = Vec::new();
    for (index, (unit, named)) in circuits.iter().enumerate() {
        let domain = Domain::random(&named.circuit, HEIGHT, index as u64);
        let evaluate = evaluate(index, &named.circuit, &domain);
        let rows = (0..HEIGHT).flat_map(|row| {
            let next = (row + 1) % HEIGHT;
            let values = domain.with_cells([row, next], |cells| interpret(&named.circuit, cells));
            [values.constraints, values.multiplicities, values.arguments].concat()
        });
        expected.push((format!("{unit}, {}", named.symbol), rows.map(word).collect()));
        jobs.push(Job::Evaluate(evaluate.clone()));
        for job in fold_jobs(&evaluate, &named.circuit) {
            let name = format!("{unit}, {}, {:?}, step {}", named.symbol, job.part, job.step);
            expected.push((name, folded(&named.circuit, &domain, &job)));
            jobs.push(Job::Fold(job));
        }
    }
    let outputs = compile(&circuits).run(&jobs);
    assert_eq!(outputs.len(), expected.len());
    for ((name, expected), found) in expected.iter().zip(&outputs) {
        assert!(expected == found, "{name}: expected {expected:?}, found {found:?}");
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
        let values =
            domain.with_cells([row, next_row(job, row)], |cells| interpret(circuit, cells));
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
    let mut numbered = Vec::new();
    let mut last = String::new();
    let mut index = 0;
    for (unit, named) in circuits() {
        index = if unit == last { index + 1 } else { 0 };
        numbered.push((format!("{unit}_{index}"), named.circuit));
        last = unit;
    }
    numbered.retain(|(name, _)| small.contains(&&name[..]));
    numbered
}

#[test]
fn checked_in_rust_evaluators_are_current() {
    let mut text = String::from("// @generated by `TRACELOOM_BLESS=1 cargo test`; do not edit.\n");
    for (name, circuit) in checked_in() {
        let file = syn::parse2(evaluator::rust::module(&circuit)).expect("emitted text is Rust");
        text.push_str(&format!("\npub mod {name} {{\n"));
        for line in prettyplease::unparse(&file).lines() {
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
        for row in 0..HEIGHT {
            let rows = [row, (row + 1) % HEIGHT];
            let expected = domain.with_cells(rows, |cells| interpret(&circuit, cells));
            let scalar = emitted_evaluator::<Goldilocks>(&name);
            let found = domain.with_cells(rows, |cells| run(&circuit, &scalar, cells));
            assert_eq!(found, expected_outputs(&circuit, &expected), "{name}, row {row}");
            let packed = emitted_evaluator::<Packed>(&name);
            let found = domain.with_cells(rows, |cells| run_packed(&circuit, &packed, cells));
            let lifted = expected_outputs(&circuit, &expected)
                .map(|values| values.into_iter().map(Packed::from).collect::<Vec<_>>());
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

/// Expected values, with zero for the arguments that evaluators leave alone.
fn expected_outputs(
    circuit: &Circuit,
    values: &traceloom_host_kernels::evaluation::Values,
) -> [Vec<Goldilocks>; 3] {
    let arguments = circuit.lookups.iter().flat_map(|lookup| &lookup.arguments);
    let arguments = arguments.zip(&values.arguments).map(|(&expr, &value)| {
        let is_constant = matches!(circuit.arena.node(expr), Node::Constant(_));
        if is_constant { element(0) } else { value }
    });
    [values.constraints.clone(), values.multiplicities.clone(), arguments.collect()]
}

fn run<T: Value>(circuit: &Circuit, of: &Evaluator<T>, cells: &Cells<'_, T>) -> [Vec<T>; 3] {
    let zero = T::from(element(0));
    let num_arguments = circuit.lookups.iter().map(|lookup| lookup.arguments.len()).sum();
    let mut constraints = vec![zero; circuit.constraints.len()];
    let mut multiplicities = vec![zero; circuit.lookups.len()];
    let mut arguments = vec![zero; num_arguments];
    let mut scratch = vec![zero; of.scratch_len];
    let mut outputs = Outputs {
        constraints: &mut constraints,
        multiplicities: &mut multiplicities,
        arguments: &mut arguments,
    };
    (of.constraints)(cells, &mut scratch, &mut outputs);
    (of.lookups)(cells, &mut scratch, &mut outputs);
    [constraints, multiplicities, arguments]
}

/// The same row in every lane.
fn run_packed(
    circuit: &Circuit,
    of: &Evaluator<Packed>,
    cells: &Cells<'_, Goldilocks>,
) -> [Vec<Packed>; 3] {
    let lift = |cells: &[Goldilocks]| cells.iter().map(|&c| Packed::from(c)).collect::<Vec<_>>();
    let [main, next, fixed, publics] =
        [cells.main, cells.next, cells.fixed, cells.publics].map(lift);
    let cells = Cells {
        main: &main,
        next: &next,
        fixed: &fixed,
        publics: &publics,
        is_first_row: cells.is_first_row.into(),
        is_transition: cells.is_transition.into(),
    };
    run(circuit, of, &cells)
}
