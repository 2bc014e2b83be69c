//! Long and deeply nested functions, on a small stack: nothing recurses over a
//! program, neither here nor in the compilers that read what is emitted. The generator
//! itself parses its Rust text; its CUDA text is given to a compiler of C++.

use std::process::Command;
use std::thread;

use traceloom_abi::cuda::HEADERS;
use traceloom_air::field::element;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::model::{
    Block, BlockId, Control, Function, FunctionId, Match, Program, ValueId,
};
use traceloom_codegen::cuda::writer::row_writers;
use traceloom_codegen::evaluator::circuits;
use traceloom_codegen::evaluator::cuda::evaluators;
use traceloom_codegen::{Planned, compile, planned};
use traceloom_plan::names::Ident;

const STACK: usize = 1 << 20;

fn returns(selector: u32) -> Block {
    let control = Control::Return { selector, values: vec![ValueId(0)] };
    Block { ops: vec![], control }
}

fn arms(first: u32, second: u32) -> Match {
    Match {
        value: ValueId(0),
        cases: vec![(element(1), BlockId(first))],
        default: Some(BlockId(second)),
    }
}

/// `depth` matches, each in the default arm of the one before.
fn nested(depth: u32) -> Vec<Block> {
    let mut blocks = Vec::new();
    for i in 0..depth {
        blocks.push(Block { ops: vec![], control: Control::Match(arms(2 * i + 1, 2 * i + 2)) });
        blocks.push(returns(i));
    }
    blocks.push(returns(depth));
    blocks
}

/// `count` matches one after the other, each in the continuation of the one before.
fn in_a_row(count: u32) -> Vec<Block> {
    let yields = |selector| Block {
        ops: vec![],
        control: Control::Yield { selector, values: vec![ValueId(0)] },
    };
    let mut blocks = Vec::new();
    for i in 0..count {
        let control = Control::MatchContinue {
            arms: arms(3 * i + 1, 3 * i + 2),
            num_outputs: 1,
            continuation: BlockId(3 * i + 3),
        };
        blocks.push(Block { ops: vec![], control });
        blocks.extend([yields(2 * i), yields(2 * i + 1)]);
    }
    blocks.push(returns(2 * count));
    blocks
}

fn program(blocks: Vec<Block>) -> Program {
    let main = Function {
        name: "main".into(),
        num_inputs: 1,
        num_outputs: 1,
        entry: true,
        constrained: true,
        blocks,
    };
    Program {
        name: "deep".into(),
        functions: vec![main],
        memory_sizes: vec![],
        circuits: vec![vec![FunctionId(0)]],
    }
}

/// Deepest nesting of brackets in `text`.
fn depth(text: &str) -> usize {
    let (mut now, mut most) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => now += 1,
            b')' | b']' | b'}' => now = now.saturating_sub(1),
            _ => {}
        }
        most = most.max(now);
    }
    most
}

#[test]
fn deep_functions_are_generated_flat_on_a_small_stack() {
    for blocks in [nested(1500), in_a_row(1500)] {
        let work = move || {
            let program = CheckedProgram::new(program(blocks)).unwrap();
            let unit = compile(&program).unwrap_or_else(|faults| panic!("{faults}"));
            unit.files.values().map(|text| depth(text)).max().unwrap()
        };
        let thread = thread::Builder::new().stack_size(STACK).spawn(work).unwrap();
        let deepest = thread.join().expect("no overflow of the stack");
        assert!(deepest < 200, "{deepest}");
    }
}

/// Row writers and evaluators of five thousand matches are flat, and a compiler reads them.
#[test]
fn emitted_headers_of_deep_functions_are_compiled() {
    for (shape, blocks) in [("nested", nested(5000)), ("row", in_a_row(5000))] {
        let program = CheckedProgram::new(program(blocks)).unwrap();
        let Planned { plan, digest } = planned(&program).unwrap();
        let unit = Ident::new("unit");
        let mut files = row_writers(&plan, &unit, &digest);
        for circuit in &circuits(&program, &plan) {
            files.extend(evaluators(&unit, circuit, &[]));
        }
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in HEADERS {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let mut includes = String::new();
        for file in &files {
            assert!(depth(&file.text) < 200, "{shape}: {}", file.name);
            std::fs::write(folder.path().join(&file.name), &file.text).unwrap();
            if file.name.ends_with(".cuh") {
                includes += &format!("#include \"{}\"\n", file.name);
            }
        }
        assert!(includes.lines().count() >= 2, "{includes}");
        std::fs::write(folder.path().join("all.cpp"), includes).unwrap();
        let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".into());
        let mut command = Command::new(&compiler);
        command.args(["-std=c++17", "-fsyntax-only", "all.cpp"]).current_dir(folder.path());
        let done = command.output().unwrap_or_else(|error| panic!("{compiler}: {error}"));
        let said = String::from_utf8_lossy(&done.stderr).chars().take(1000).collect::<String>();
        assert!(done.status.success(), "{shape}: {said}");
    }
}

/// Twice as deep is twice as long, and not four times.
#[test]
fn text_grows_with_the_program() {
    for blocks in [nested, in_a_row] {
        let bytes = |count| {
            let program = CheckedProgram::new(program(blocks(count))).unwrap();
            let unit = compile(&program).unwrap_or_else(|faults| panic!("{faults}"));
            unit.files.values().map(String::len).sum::<usize>()
        };
        let (once, twice) = (bytes(700), bytes(1400));
        assert!(2 * twice < 5 * once, "{once} bytes, then {twice}");
    }
}

/// More than a circuit can have is refused before anything is planned.
#[test]
fn what_no_circuit_can_hold_is_refused_on_a_small_stack() {
    for blocks in [nested(400_000), in_a_row(400_000)] {
        let work = move || {
            let error = CheckedProgram::new(program(blocks)).map(drop).unwrap_err().to_string();
            assert!(error.contains("columns"), "{error}");
        };
        let thread = thread::Builder::new().stack_size(STACK).spawn(work).unwrap();
        thread.join().expect("no overflow of the stack");
    }
}
