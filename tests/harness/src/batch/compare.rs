//! Not a module of the harness: `rust.rs` writes it into the crate that it builds.

use std::panic::{AssertUnwindSafe, catch_unwind};

use traceloom_abi::evaluate::Evaluator;
use traceloom_air::field::{Field, Goldilocks};
use traceloom_abi::io::Io;
use traceloom_air::system::Circuit;
use traceloom_bytecode::execute::{Hooks, Limits, execute_with};
use traceloom_bytecode::model::FunctionId;
use traceloom_bytecode::system::build_system;
use traceloom_bytecode::{CheckedProgram, json};
use traceloom_host_kernels::evaluation::{Domain, interpret, run};

use crate::runner::{self, Emitted};

/// As many elements as the processor's vectors hold.
type Packed = <Goldilocks as Field>::Packing;

/// Panics are reported by [`case`].
pub fn quiet() {
    std::panic::set_hook(Box::new(|_| {}));
}

/// Compares everything of one program, and prints a line.
#[allow(clippy::too_many_arguments)]
pub fn case(
    number: usize,
    program: &[u8],
    claims: &[(u32, &[u64])],
    input: &[(u64, &[u64])],
    emitted: Emitted,
    scalar: &[Evaluator<Goldilocks>],
    packed: &[Evaluator<Packed>],
    height: usize,
    seed: u64,
) {
    let run = || {
        let program = CheckedProgram::new(json::parse(program).unwrap()).unwrap();
        assert_eq!(emitted.0.fingerprint, program.fingerprint());
        let mut io = Io::default();
        for (channel, words) in input {
            io.add_input(*channel, &[], words).unwrap();
        }
        let claims: Vec<_> =
            claims.iter().map(|(id, args)| (FunctionId(*id), args.to_vec())).collect();
        let hooks = Hooks { debug: Some(&mut |_| {}), progress: None, calls: None };
        let run = execute_with(&program, &claims, io.clone(), &Limits::default(), hooks).unwrap();
        let mut tally = runner::run_record(&program, emitted, run.record);
        tally.ends = runner::executors(&program, emitted, claims, io);
        let circuits = build_system(&program).circuits;
        assert!(circuits.len() == scalar.len() && circuits.len() == packed.len());
        for (position, circuit) in circuits.iter().enumerate() {
            let domain = Domain::random(circuit, height, seed + position as u64);
            values(circuit, &domain, &scalar[position], &packed[position]);
        }
        (tally, circuits.len())
    };
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok((tally, circuits)) => {
            let (narrow, widened, ends) = (tally.narrow, tally.widened, tally.ends);
            let (generated, failed) = (ends.generated, ends.failed);
            println!("program {number} {narrow} {widened} {circuits} {generated} {failed}");
        }
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string));
            let text = text.unwrap_or_else(|| "a panic".into());
            println!("difference {number} {}", text.replace('\n', " "));
        }
    }
}

fn values(
    circuit: &Circuit,
    domain: &Domain,
    scalar: &Evaluator<Goldilocks>,
    packed: &Evaluator<Packed>,
) {
    for row in 0..domain.height {
        let expected = domain.with_cells(row, |cells| interpret(circuit, cells)).written(circuit);
        let found = domain.with_cells(row, |cells| run(circuit, scalar, cells));
        assert_eq!(found, expected, "evaluators of {:?}, row {row}", circuit.name);
        let found = domain.with_cells(row, |cells| run(circuit, packed, cells));
        let expected = expected.map(|v| v.into_iter().map(Packed::from).collect::<Vec<_>>());
        assert_eq!(found, expected, "packed evaluators of {:?}, row {row}", circuit.name);
    }
}
