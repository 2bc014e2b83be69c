//! Reference rows of real executions satisfy every constraint and balance.

use traceloom_abi::io::Io;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::Program;
use traceloom_bytecode::execute::{Limits, execute};
use traceloom_bytecode::system::build_system;
use traceloom_runtime::check::check;
use traceloom_runtime::witness::reference_witness;

fn outputs_of_checked_run(program: Program, args: &[u64], input: &[u8]) -> Vec<u64> {
    let program = CheckedProgram::new(program).unwrap();
    let entry = program.function_ids().find(|&id| program.function(id).entry).unwrap();
    let mut io = Io::default();
    let words: Vec<u64> = input.iter().map(|&byte| byte.into()).collect();
    io.add_input(0, &[], &words).unwrap();
    let run = execute(&program, &[(entry, args.to_vec())], io, &Limits::default()).unwrap();
    let system = build_system(&program);
    let outputs = run.outputs(0);
    let witness = reference_witness(&program, &system, &run.record, run.claims).unwrap();
    let report = check(&system, &[witness]);
    assert!(report.is_ok(), "{report}");
    outputs
}

#[test]
fn blake3_rows_hold() {
    for len in [0, 1, 64, 65, 1024, 1025, 3000] {
        let input: Vec<u8> = (0..len).map(|i| (i % 251) as u8).collect();
        let program = traceloom_programs::blake3::program().unwrap();
        let outputs = outputs_of_checked_run(program, &[len], &input);
        let digest: Vec<u64> =
            blake3::hash(&input).as_bytes().iter().map(|&byte| byte.into()).collect();
        assert_eq!(outputs, digest, "length {len}");
    }
}

#[test]
fn fibonacci_rows_hold() {
    let program = traceloom_programs::fibonacci::program().unwrap();
    assert_eq!(outputs_of_checked_run(program, &[50], &[]), [12_586_269_025]);
}
