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
use traceloom_abi::field::{Field, Goldilocks, MODULUS, element, word};
use traceloom_abi::system::{Circuit, Node};
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::system::build_system;
use traceloom_codegen::cuda::ident::Ident;
use traceloom_codegen::cuda::print::print;
use traceloom_codegen::cuda::writer::TextFile;
use traceloom_codegen::evaluator;
use traceloom_host_kernels::evaluation::interpret;
use traceloom_host_kernels::executable::{EvaluatorSource, Executable, Sources};
use traceloom_host_kernels::fixtures::{self, BOUNDARY};
use traceloom_host_kernels::job::{EvaluateJob, Job};

/// As many elements as the processor's vectors hold.
type Packed = <Goldilocks as Field>::Packing;

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

    fn with_cells<R>(&self, row: usize, act: impl FnOnce(&Cells<'_, Goldilocks>) -> R) -> R {
        let [is_first_row, is_transition] = self.selectors[row];
        act(&Cells {
            main: &self.row(&self.main, row),
            next: &self.row(&self.main, (row + 1) % self.height),
            fixed: &self.row(&self.fixed, row),
            publics: &self.publics,
            is_first_row,
            is_transition,
        })
    }
}

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
fn cuda_evaluators_compute_the_system() {
    const HEIGHT: usize = 8;
    let circuits = circuits();
    let mut sources = Sources::default();
    let mut jobs = Vec::new();
    let mut domains = Vec::new();
    for (index, (name, circuit)) in circuits.iter().enumerate() {
        let namespace = Ident::new(name.clone());
        let header = evaluator::cuda::header(circuit, &namespace, Vec::new());
        sources.files.push(TextFile { name: format!("{name}.cuh"), text: print(&header) });
        let mut first_arguments = vec![0];
        for lookup in &circuit.lookups {
            first_arguments.push(first_arguments.last().unwrap_or(&0) + lookup.arguments.len());
        }
        let num_arguments = *first_arguments.last().unwrap_or(&0);
        sources.evaluators.push(EvaluatorSource { namespace: name.clone(), first_arguments });
        let domain = Domain::random(circuit, HEIGHT, index as u64);
        let words = |cells: &[Goldilocks]| cells.iter().map(|&cell| word(cell)).collect();
        jobs.push(Job::Evaluate(EvaluateJob {
            evaluator: index,
            height: HEIGHT,
            main: words(&domain.main),
            fixed: words(&domain.fixed),
            publics: words(&domain.publics),
            selectors: domain.selectors.iter().map(|pair| pair.map(word)).collect(),
            outputs: [circuit.constraints.len(), circuit.lookups.len(), num_arguments],
        }));
        domains.push(domain);
    }
    let outputs = Executable::compile(&sources).run(&jobs);
    for (((name, circuit), domain), output) in circuits.iter().zip(&domains).zip(outputs) {
        for (row, found) in output.chunks(output.len() / HEIGHT).enumerate() {
            let values = domain.with_cells(row, |cells| interpret(circuit, cells));
            let parts = [values.constraints, values.multiplicities, values.arguments];
            let expected: Vec<u64> = parts.concat().into_iter().map(word).collect();
            assert_eq!(found, expected, "{name}, row {row}");
        }
    }
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
        let domain = Domain::random(&circuit, 8, 7);
        for row in 0..domain.height {
            let expected = domain.with_cells(row, |cells| interpret(&circuit, cells));
            let scalar = emitted_evaluator::<Goldilocks>(&name);
            let found = domain.with_cells(row, |cells| run(&circuit, &scalar, cells));
            assert_eq!(found, expected_outputs(&circuit, &expected), "{name}, row {row}");
            let packed = emitted_evaluator::<Packed>(&name);
            let found = domain.with_cells(row, |cells| run_packed(&circuit, &packed, cells));
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
