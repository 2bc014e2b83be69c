//! Plans against the reference builder, on the example programs.

mod common;

use traceloom_abi::io::Io;
use traceloom_abi::seed::Width;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::execute::{Limits, execute};
use traceloom_codegen::plan::{ProgramPlan, plan_program};

fn run(
    program: &CheckedProgram,
    entry: &str,
    args: Vec<u64>,
    input: &[u8],
) -> (ProgramPlan, common::Tally) {
    let mut io = Io::default();
    let words: Vec<u64> = input.iter().map(|&byte| byte.into()).collect();
    io.add_input(0, &[], &words).unwrap();
    let claims = [(program.find(entry).expect("the entry"), args)];
    let execution = execute(program, &claims, io, &Limits::default()).unwrap();
    let plan = plan_program(program);
    let tally = common::compare(program, &plan, &execution.record);
    (plan, tally)
}

#[test]
fn blake3_rows_equal_the_reference_and_its_rounds_are_narrow() {
    let program = CheckedProgram::new(traceloom_programs::blake3::program().unwrap()).unwrap();
    let input: Vec<u8> = (0..1500_u32).map(|i| (i * 7) as u8).collect();
    let (plan, tally) = run(&program, "blake3", vec![1500], &input);
    println!("{tally:?}");
    assert_eq!(tally.wide_rows, 0);
    let compress = plan.functions.iter().find(|f| f.name == "blake3_compress").unwrap();
    for path in &compress.paths {
        let bytes = path.schema.words.iter().filter(|word| word.width == Width::U8).count();
        println!("{:?}: {} bytes, {bytes} byte words", path.leaves, path.schema.stride);
    }
    let widest = compress.paths.iter().map(|path| path.schema.stride).max();
    assert!(widest.unwrap() <= 192);
}

#[test]
fn sha256_and_fibonacci_rows_equal_the_reference() {
    let program = CheckedProgram::new(traceloom_programs::sha256::program().unwrap()).unwrap();
    let (_, tally) = run(&program, "sha256", vec![100], &[7; 100]);
    println!("{tally:?}");
    let program = CheckedProgram::new(traceloom_programs::fibonacci::program().unwrap()).unwrap();
    let entry = program.program().functions.iter().find(|f| f.entry).unwrap().name.clone();
    let inputs = program.program().functions.iter().find(|f| f.entry).unwrap().num_inputs;
    let (_, tally) = run(&program, &entry, vec![9; inputs as usize], &[]);
    println!("{tally:?}");
}
