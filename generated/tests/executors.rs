//! Executors of the example programs against the interpreter. `tests/harness` compares those
//! of random programs, `codegen/tests/emitted` those of small ones.

#[path = "../../codegen/tests/emitted/executor.rs"]
mod executor;

use executor::{Case, End};
use traceloom_abi::io::Io;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::execute::Limits;
use traceloom_bytecode::model::FunctionId;
use traceloom_generated::find;

fn program(name: &str) -> CheckedProgram {
    let program = traceloom_programs::find(name).expect("an example").build().unwrap();
    CheckedProgram::new(program).unwrap()
}

fn case<'a>(program: &'a CheckedProgram, claims: &[&[u64]]) -> Case<'a> {
    let entry = program.find(&program.program().name).expect("the entry");
    let claims = claims.iter().map(|args| (entry, args.to_vec())).collect();
    let executors = find(&program.fingerprint()).expect("a unit").executors;
    Case { program, executors, claims, io: Io::default() }
}

fn of_bytes<'a>(program: &'a CheckedProgram, bytes: &[u8]) -> Case<'a> {
    let example = traceloom_programs::find(&program.program().name).unwrap();
    let items = example.claimed_input(bytes.len() as u64).unwrap();
    let mut case = case(program, &[&[items]]);
    let words: Vec<u64> = bytes.iter().map(|&byte| byte.into()).collect();
    case.io.add_input(0, &[], &words).unwrap();
    case
}

fn bytes(len: usize) -> Vec<u8> {
    (0..len as u64).map(|i| ((i * i * 2_654_435_761) >> 13) as u8).collect()
}

#[test]
fn hashes_of_many_lengths() {
    let programs = ["blake3", "sha256"].map(program);
    for len in [0, 1, 3, 55, 56, 63, 64, 65, 119, 128, 1023, 1024, 1025, 2049, 5000, 20_000] {
        for program in &programs {
            let outputs = of_bytes(program, &bytes(len)).outputs();
            assert_eq!(outputs[0].len(), 32, "{} of {len} bytes", program.program().name);
        }
    }
}

#[test]
fn equal_blocks_are_found_again() {
    for name in ["blake3", "sha256"] {
        of_bytes(&program(name), &[0; 9_000]).outputs();
    }
}

#[test]
fn lists_numbers_and_divisions() {
    let merge_sort = program("merge_sort");
    for items in [0, 1, 2, 3, 50, 257] {
        of_bytes(&merge_sort, &bytes(4 * items)).outputs();
    }
    let outputs = case(&program("fibonacci"), &[&[0], &[30], &[7], &[90]]).outputs();
    assert_eq!(outputs, [[0], [832_040], [13], [2_880_067_194_370_816_120]]);
    let most = u64::from(u32::MAX);
    let claims: [&[u64]; 4] = [
        &[7, 0, 0, 0, 2, 0, 0, 0],
        &[most, most, most, most, 3, most, 0, 0],
        &[1, 2, 3, 4, 0, 0, 0, 0],
        &[1, 2, 3, 4, 1, 2, 3, 4],
    ];
    case(&program("div_rem"), &claims).outputs();
}

#[test]
fn a_million_calls_nest() {
    assert_eq!(case(&program("fibonacci"), &[&[1_000_000]]).outputs().len(), 1);
}

#[test]
fn failures_are_the_interpreter_s() {
    let programs = ["blake3", "sha256", "merge_sort", "div_rem", "fibonacci"].map(program);
    let [blake3, sha256, merge_sort, div_rem, fibonacci] = &programs;
    let mut cases = [
        of_bytes(blake3, &bytes(700)),
        of_bytes(sha256, &bytes(200)),
        of_bytes(merge_sort, &bytes(40)),
        case(div_rem, &[&[1 << 32, 0, 0, 0, 1, 0, 0, 0]]),
        case(div_rem, &[&[5, 0, 0, 0, 1, 0, 0, 0], &[1, 2]]),
        // It counts down from there.
        case(fibonacci, &[&[5], &[u64::MAX - (1 << 33)]]),
    ];
    cases[0].claims[0].1 = vec![701];
    cases[1].io = Io::default();
    cases[1].io.add_input(0, &[], &[300; 200]).unwrap();
    cases[2].claims.push((FunctionId(0), vec![3]));
    let limits = Limits { steps: 1 << 16, ..Limits::default() };
    for case in &cases {
        let end = case.end(&limits);
        assert!(matches!(end, End::Failed(_)), "{end:?}");
    }
    for case in &cases {
        assert!(case.altered(&limits).failed > 0);
    }
}

#[test]
fn every_limit_is_met_where_the_interpreter_meets_it() {
    let ends = [
        case(&program("fibonacci"), &[&[12], &[14]]).limited(400),
        of_bytes(&program("merge_sort"), &bytes(20)).limited(400),
        case(&program("div_rem"), &[&[9, 8, 7, 6, 5, 4, 0, 0], &[9, 8, 7, 6, 5, 0, 0, 0]])
            .limited(400),
    ];
    for ends in ends {
        assert!(ends.failed > 100, "{ends:?}");
    }
}
