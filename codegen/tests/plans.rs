//! Plans against the reference builder, cell by cell, and what they promise.

mod common;

use common::{Tally, fixtures};
use traceloom_abi::io::Io;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::builder::ProgramBuilder;
use traceloom_bytecode::execute::{Hooks, Limits, execute_with};
use traceloom_bytecode::lower::{contract, plan_program};
use traceloom_bytecode::model::{Control, FunctionId, Op, Program, ValueId};
use traceloom_codegen::compile;
use traceloom_codegen::digest::unit_digest;
use traceloom_plan::verify;
use traceloom_plan::{Cell, Fixed, FunctionPlan, ReadSource, Region};

/// Runs claims of `entry` and compares every row; `None` where no run is possible.
fn run(program: &CheckedProgram, entry: &str, claims: &[Vec<u64>], input: &[u64]) -> Tally {
    let mut io = Io::default();
    io.add_input(0, &[], input).unwrap();
    let id = program.find(entry).expect("the entry");
    let claims: Vec<_> = claims.iter().map(|claim| (id, claim.clone())).collect();
    let hooks = Hooks { debug: Some(&mut |_| {}), progress: None, calls: None };
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
        let plan = plan_program(program);
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
    permute_inputs(
        &mut other,
        moved(compress),
        |i| if i == 0 { 0 } else { 1 + (i - 1) * 37 % 128 },
    );
    let other = CheckedProgram::new(other).unwrap();
    assert_eq!(strides(&other, moved(compress)), usual);
}

/// Moves input `i` of `function` to `to(i)`, in its body and in every call.
fn permute_inputs(program: &mut Program, function: FunctionId, to: impl Fn(u32) -> u32) {
    for (number, caller) in program.functions.iter_mut().enumerate() {
        let num_inputs = caller.num_inputs;
        for block in &mut caller.blocks {
            for op in &mut block.ops {
                if number == function.index() {
                    for_each_operand(op, |value| {
                        if value.0 < num_inputs {
                            value.0 = to(value.0);
                        }
                    });
                }
                if let Op::Call { function: callee, args, .. } = op
                    && *callee == function
                {
                    let old = args.clone();
                    old.iter().zip(0..).for_each(|(&arg, i)| args[to(i) as usize] = arg);
                }
            }
            let own = number == function.index();
            if let Control::Return { values, .. } = &mut block.control {
                let inputs = values.iter_mut().filter(|value| own && value.0 < num_inputs);
                inputs.for_each(|value| value.0 = to(value.0));
            }
        }
    }
}

/// The operations of the compression; its matches are on input 0, which stays.
fn for_each_operand(op: &mut Op, visit: impl FnMut(&mut ValueId)) {
    match op {
        Op::Const(_) => {}
        Op::Add(a, b) | Op::Sub(a, b) | Op::Mul(a, b) | Op::Binary(_, a, b) => {
            [a, b].into_iter().for_each(visit);
        }
        Op::Call { args, .. } => args.iter_mut().for_each(visit),
        Op::AssertEq { lhs, rhs, .. } => lhs.iter_mut().chain(rhs).for_each(visit),
        Op::U32ToField(bytes) => bytes.iter_mut().for_each(visit),
        Op::HintU32Add(words) => words.iter_mut().flatten().for_each(visit),
        Op::HintU32Add3(words) => words.iter_mut().flatten().for_each(visit),
        other => panic!("{} is not expected here", other.name()),
    }
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
                // A name cannot be broken, and those of kernels have two names in them.
                let breakable = |line: &&str| line.split('"').all(|part| part.len() < 70);
                let mut lines = text.lines().filter(breakable);
                let long = lines.find(|line| line.chars().count() > 100);
                assert_eq!(long, None, "{name}");
            }
        }
    }
}

/// Each of these would be a wrong row or a wrong read; each is found, and named.
#[test]
fn a_broken_plan_is_reported_as_our_fault() {
    type Break = fn(&mut FunctionPlan);
    let breaks: [(&str, Break); 14] = [
        ("is not written", |f| f.paths[0].writes.truncate(9)),
        ("is written twice", |f| {
            let again = f.paths[0].writes[0];
            f.paths[0].writes.push(again);
        }),
        ("should be", |f| {
            let selector = f.layout.num_inputs as usize;
            f.paths[0].writes[selector].cell = Cell::Constant(2);
        }),
        ("the program's layout", |f| f.layout.num_auxiliaries += 1),
        ("is not aligned or overlaps", |f| f.paths[0].schema.words[1].offset -= 1),
        ("exactly the words", |f| f.paths[0].schema.words.truncate(2)),
        ("no source", |f| {
            f.paths[0].reads[0].source = ReadSource::Fetched { fetch: 99, result: 0 };
        }),
        ("is not output", |f| f.paths[0].reads[0].alias = Some(0)),
        ("may reach", |f| f.paths[0].values[1].bound = 1),
        ("the branching plan writes", |f| f.generic.blocks[0].writes.truncate(3)),
        ("1 paths, 2 plans", |f| f.paths.push(f.paths[0].clone())),
        ("the path has leaves", |f| f.paths[0].leaves[0] += 1),
        ("the plan returns", |f| f.paths[0].outputs.clear()),
        ("has no table for", |f| f.paths[0].fetches[0].num_results += 1),
    ];
    let program = CheckedProgram::new(fixtures::all().swap_remove(0).program).unwrap();
    let (plan, contract) = (plan_program(&program), contract(&program));
    assert_eq!(verify(&contract, &plan), Ok(()));
    for (expected, damage) in breaks {
        let mut broken = plan.clone();
        damage(&mut broken.functions[0]);
        let faults = verify(&contract, &broken).expect_err(expected).to_string();
        assert!(faults.contains(expected), "{expected}: {faults}");
        assert!(faults.contains("fault of traceloom") && faults.contains("main"), "{faults}");
        assert_ne!(unit_digest(&plan), unit_digest(&broken), "{expected}");
    }
}

/// A path that returns inside of a match with continuation has entered the match, so
/// its merge columns are the sum of no yields: zero, and nothing else.
#[test]
fn merge_columns_of_a_match_that_is_left_early_are_determined() {
    let continuations = CheckedProgram::new(fixtures::all().swap_remove(4).program).unwrap();
    let plan = plan_program(&continuations);
    let function = &plan.functions[0];
    let layout = continuations.layout(FunctionId(function.function));
    let blocks = &continuations.function(FunctionId(function.function)).blocks;
    // The first match with continuation is the body's, so every path enters it.
    let Control::MatchContinue { continuation, num_outputs, .. } = &blocks[0].control else {
        panic!("the body ends in a match with continuation");
    };
    let end = layout.blocks[continuation.index()].first_auxiliary;
    let merged = end - *num_outputs as usize..end;
    for path in &function.paths {
        for write in path.writes.iter().filter(|write| write.column.region == Region::Auxiliary) {
            if merged.contains(&(write.column.index as usize)) {
                assert_eq!(write.fixed, Fixed::Determined, "path {:?} {write:?}", path.leaves);
            }
        }
    }
    let early = |leaves: &[u32]| leaves.len() == 1;
    assert!(function.paths.iter().any(|path| early(&path.leaves)), "some path returns early");
}

/// Each of n arms leaves out what the other n write: as columns that would be n².
#[test]
fn the_plan_of_a_wide_match_is_linear_in_its_arms() {
    let mut p = ProgramBuilder::new("wide");
    let main = p.entry("main", 1, 1);
    p.define(main, |f, x| {
        f.match_value(x[0], |arms| {
            for key in 0..15_000 {
                arms.case(key, |f| f.ret(&[x[0]]));
            }
            arms.default(|f| f.ret(&[x[0]]));
        })
    });
    let program = CheckedProgram::new(p.finish().unwrap()).unwrap();
    let plan = plan_program(&program);
    let zeros = plan.functions[0].generic.blocks.iter().map(|block| block.zeros.len());
    assert!(zeros.max().unwrap() <= 3);
}

/// Unread advice, the `d` of an eq_zero and columns of other paths are free.
#[test]
fn free_cells_have_a_reason() {
    let mut fixtures = fixtures::all();
    let continuations = CheckedProgram::new(fixtures.swap_remove(4).program).unwrap();
    let arithmetic = CheckedProgram::new(fixtures.swap_remove(0).program).unwrap();
    let count = |program: &CheckedProgram, is: fn(Fixed) -> bool| {
        let plan = plan_program(program);
        let writes = plan.functions[0].paths.iter().flat_map(|path| &path.writes);
        writes.filter(|write| is(write.fixed)).count()
    };
    assert_eq!(count(&arithmetic, |fixed| fixed == Fixed::FreeAdvice), 8);
    assert_eq!(count(&arithmetic, |fixed| matches!(fixed, Fixed::FreeWhenZero(_))), 2);
    assert_eq!(count(&arithmetic, |fixed| fixed == Fixed::FreeUnused), 0);
    assert!(count(&continuations, |fixed| fixed == Fixed::FreeUnused) > 0);
}
