//! Plans against the reference builder, cell by cell, and what they promise.

mod common;

use common::{Tally, fixtures};
use traceloom_abi::io::Io;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::execute::{Hooks, Limits, execute_with};
use traceloom_bytecode::model::{FunctionId, Op};
use traceloom_codegen::compile;

/// Runs claims of `entry` and compares every row; `None` where no run is possible.
fn run(program: &CheckedProgram, entry: &str, claims: &[Vec<u64>], input: &[u64]) -> Tally {
    let mut io = Io::default();
    io.add_input(0, &[], input).unwrap();
    let id = program.find(entry).expect("the entry");
    let claims: Vec<_> = claims.iter().map(|claim| (id, claim.clone())).collect();
    let hooks = Hooks { debug: Some(&mut |_| {}), progress: None };
    let execution = execute_with(program, &claims, io, &Limits::default(), hooks).unwrap();
    let units = compile(program).unwrap_or_else(|faults| panic!("{faults}"));
    common::compare(program, &units.plan, &execution.record)
}

fn blake3() -> CheckedProgram {
    CheckedProgram::new(traceloom_programs::blake3::program().unwrap()).unwrap()
}

#[test]
fn every_operation_and_control_form_equals_the_reference() {
    let mut wide = 0;
    for fixture in fixtures::all() {
        let program = CheckedProgram::new(fixture.program).unwrap();
        println!("{:?}", program.program().name);
        let tally = run(&program, "main", &fixture.claims, &fixture.input);
        assert!(tally.rows >= fixture.claims.len());
        wide += tally.wide_rows;
    }
    assert!(wide > 0, "some rows are too wide for their typed seed");
}

#[test]
fn blake3_rows_equal_the_reference_and_its_rounds_are_narrow() {
    let program = blake3();
    let input: Vec<u64> = (0..1500_u64).map(|i| (i * 7) & 255).collect();
    let tally = run(&program, "blake3", &[vec![1500]], &input);
    println!("{tally:?}");
    assert_eq!(tally.wide_rows, 0);
}

/// 8 bytes of multiplicity, 8 of the stage, 128 of the inputs, 32 of the outputs,
/// and two ranks; found by bounds alone, so names and order must not matter.
#[test]
fn a_round_of_blake3_is_packed_in_at_most_192_bytes() {
    let strides = |program: &CheckedProgram, compress: FunctionId| {
        let plan = traceloom_codegen::plan::plan_program(program);
        let plan = plan.functions.into_iter().find(|f| f.function == compress.0).unwrap();
        plan.paths.iter().map(|path| path.schema.stride).collect::<Vec<_>>()
    };
    let program = blake3();
    let compress = program.find("blake3_compress").expect("the compression");
    let usual = strides(&program, compress);
    println!("{usual:?}");
    assert!(usual.iter().all(|&stride| stride <= 192), "{usual:?}");
    let mut other = program.program().clone();
    let count = other.functions.len() as u32;
    let moved = |id: FunctionId| FunctionId(count - 1 - id.0);
    other.functions.reverse();
    for (number, function) in other.functions.iter_mut().enumerate() {
        function.name = format!("g{number}");
        for op in function.blocks.iter_mut().flat_map(|block| &mut block.ops) {
            if let Op::Call { function, .. } = op {
                *function = moved(*function);
            }
        }
    }
    other.circuits.iter_mut().flatten().for_each(|member| *member = moved(*member));
    let other = CheckedProgram::new(other).unwrap();
    assert_eq!(strides(&other, moved(compress)), usual);
}

#[test]
fn the_other_programs_equal_the_reference() {
    let sha256 = CheckedProgram::new(traceloom_programs::sha256::program().unwrap()).unwrap();
    let tally = run(&sha256, "sha256", &[vec![100]], &[7; 100]);
    println!("{tally:?}");
    let fibonacci = CheckedProgram::new(traceloom_programs::fibonacci::program().unwrap()).unwrap();
    run(&fibonacci, "fibonacci", &[vec![90]], &[]);
}

#[test]
fn text_is_a_function_of_the_program() {
    for fixture in fixtures::all() {
        let program = CheckedProgram::new(fixture.program).unwrap();
        let (first, second) = (compile(&program).unwrap(), compile(&program).unwrap());
        assert_eq!(first.files, second.files);
        assert_eq!(first.digest, second.digest);
        for (name, text) in &first.files {
            assert!(name.is_ascii() && !text.contains('\0'), "{name}");
            if name.ends_with(".rs") {
                assert!(text.starts_with("// @generated"), "{name}");
                let long = text.lines().find(|line| line.chars().count() > 100);
                assert_eq!(long, None, "{name}");
            }
        }
    }
}
