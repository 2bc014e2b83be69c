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

#[test]
fn sha256_rows_hold() {
    let program = traceloom_programs::sha256::program().unwrap();
    let expected = [
        // The digest of nothing starts so.
        (0, [0xe3, 0xb0, 0xc4, 0x42]),
        (56, [0xb3, 0x54, 0x39, 0xa4]),
    ];
    for (len, start) in expected {
        let input = vec![b'a'; len];
        let outputs = outputs_of_checked_run(program.clone(), &[len as u64], &input);
        assert_eq!(outputs[..4], start, "length {len}");
    }
}

#[test]
fn merge_sort_rows_hold() {
    let program = traceloom_programs::merge_sort::program().unwrap();
    let words: [u32; 7] = [5, 3, u32::MAX, 0, 3, 9, 1];
    let input: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let outputs = outputs_of_checked_run(program, &[7], &input);
    assert_eq!(outputs, [0, 3, u64::from(u32::MAX)]);
}

#[test]
fn div_rem_rows_hold() {
    let program = traceloom_programs::div_rem::program().unwrap();
    let outputs = outputs_of_checked_run(program.clone(), &[7, 0, 0, 9, 0, 2, 0, 0], &[]);
    // 9 · 2^96 / 2^33 = 4 · 2^64 + 2^63.
    assert_eq!(outputs, [0, 0x8000_0000, 4, 0, 7, 0, 0, 0]);
    let outputs = outputs_of_checked_run(program, &[7, 0, 0, 9, 0, 0, 0, 0], &[]);
    assert_eq!(outputs, [0, 0, 0, 0, 7, 0, 0, 9]);
}
