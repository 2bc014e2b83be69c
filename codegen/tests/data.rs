//! Plans of a real program of another project, if it is there.
//!
//! It is not part of this repository: it is looked for in `../shared/data`, or in
//! the folder that `TRACELOOM_DATA` names.

mod common;

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use traceloom_abi::io::Io;
use traceloom_air::field::element;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::execute::{Limits, execute};
use traceloom_bytecode::import::import;
use traceloom_bytecode::json;
use traceloom_bytecode::model::{
    Block, BlockId, Control, Function, FunctionId, Match, Op, Program, ValueId,
};
use traceloom_codegen::{compile, executor};
use traceloom_plan::inventory;

const FILE: &str = "multi_stark.bytecode.json";
const HASH: usize = 62;
const COMPRESS: u32 = 73;

fn main() {
    let args = Arguments::from_args();
    let folder = std::env::var_os("TRACELOOM_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"),
        PathBuf::from,
    );
    let source = Arc::new(std::fs::read(folder.join(FILE)).ok());
    let trial = |name: &str, test: fn(&[u8])| {
        let source = Arc::clone(&source);
        Trial::ignorable_test(name, move || -> Result<Completion, Failed> {
            match &*source {
                Some(source) => {
                    test(source);
                    Ok(Completion::Completed)
                }
                None => Ok(Completion::ignored_with(format!(
                    "because {FILE} is neither in ../shared/data nor in TRACELOOM_DATA"
                ))),
            }
        })
    };
    let trials = vec![
        trial("the_whole_program_has_plans", the_whole_program_has_plans),
        trial("blake3_rows_equal_the_reference", blake3_rows_equal_the_reference),
        trial("blake3_executors_equal_the_interpreter", blake3_executors_equal_the_interpreter),
    ];
    libtest_mimic::run(&args, trials).exit();
}

fn read(source: &[u8]) -> Program {
    import(source).unwrap_or_else(|error| panic!("{error}")).program
}

fn the_whole_program_has_plans(source: &[u8]) {
    let program = CheckedProgram::new(read(source)).unwrap();
    let units = compile(&program).unwrap_or_else(|faults| panic!("{faults}"));
    let table = inventory::table(&units.plan, None);
    println!("{table}");
    let text: usize = units.files.values().map(String::len).sum();
    println!("{} files, {text} bytes of text", units.files.len());
    let compress = units.plan.functions.iter().find(|f| f.function == COMPRESS).unwrap();
    let strides: Vec<u32> = compress.paths.iter().map(|path| path.schema.stride).collect();
    println!("function {COMPRESS}: {strides:?} of {} columns", compress.layout.width());
    assert!(strides.iter().all(|&stride| stride <= 192), "{strides:?}");
    let rust: usize =
        units.files.iter().filter(|(name, _)| name.ends_with(".rs")).map(|(_, t)| t.len()).sum();
    println!("{rust} bytes of Rust");
    // No typed seed is wider than the canonical one, up to its padding.
    for line in inventory::lines(&units.plan, None) {
        let typed = line.typed_bytes.map_or(line.canonical_bytes, u64::from);
        assert!(typed <= line.canonical_bytes, "{line:?}");
    }
}

fn blake3_rows_equal_the_reference(source: &[u8]) {
    let (program, main) = with_main(read(source));
    let program = CheckedProgram::new(program).unwrap();
    let units = compile(&program).unwrap_or_else(|faults| panic!("{faults}"));
    for len in [0, 1, 63, 64, 65, 1023, 1025, 2100_u64] {
        let bytes: Vec<u8> = (0..len).map(|i| (i * 31 % 251) as u8).collect();
        let mut io = Io::default();
        let words: Vec<u64> = bytes.iter().map(|&byte| byte.into()).collect();
        io.add_input(0, &[], &words).unwrap();
        let claims = [(main, vec![len])];
        let execution = execute(&program, &claims, io, &Limits::default()).unwrap();
        let expected: Vec<u64> =
            blake3::hash(&bytes).as_bytes().iter().map(|&byte| byte.into()).collect();
        assert_eq!(execution.outputs(0), expected);
        let tally = common::compare(&program, &units.plan, &execution.record);
        println!("{len} bytes: {tally:?}");
        assert_eq!(tally.wide_rows, 0);
    }
}

/// The executors of all functions, compiled in a crate of their own.
fn blake3_executors_equal_the_interpreter(source: &[u8]) {
    let (program, _) = with_main(read(source));
    let program = CheckedProgram::new(program).unwrap();
    let workspace = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let write = |file: &str, text: &str| std::fs::write(folder.path().join(file), text).unwrap();
    std::fs::create_dir(folder.path().join("src")).unwrap();
    write("src/execute.rs", &executor::program_file(&program));
    write("src/executor.rs", include_str!("emitted/executor.rs"));
    write("src/program.json", &json::print(program.program()));
    write("src/main.rs", MAIN);
    let mut manifest = "[package]\nname = \"executors\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\
                        \n[workspace]\n\n[dependencies]\n"
        .to_owned();
    for name in ["abi", "bytecode"] {
        manifest += &format!("traceloom-{name} = {{ path = {:?} }}\n", workspace.join(name));
    }
    // The workspace's profiles, so that its dependencies are those built already.
    let own = std::fs::read_to_string(workspace.join("Cargo.toml")).unwrap();
    let profiles = own.find("[profile.dev]").expect("profiles");
    write("Cargo.toml", &(manifest + "\n" + &own[profiles..]));
    std::fs::copy(workspace.join("Cargo.lock"), folder.path().join("Cargo.lock")).unwrap();
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| workspace.join("target"), PathBuf::from);
    let output = Command::new(env!("CARGO"))
        .current_dir(&workspace)
        .args(["run", "--offline", "--quiet", "--manifest-path"])
        .arg(folder.path().join("Cargo.toml"))
        .env("CARGO_TARGET_DIR", target)
        .output()
        .unwrap();
    print!("{}", String::from_utf8_lossy(&output.stdout));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Hashes inputs of several lengths both ways, and meets limits.
const MAIN: &str = r#"
mod execute;
#[allow(dead_code)]
mod executor;

use executor::Case;
use traceloom_abi::io::Io;
use traceloom_bytecode::execute::Limits;
use traceloom_bytecode::{CheckedProgram, json};

fn main() {
    let program = json::parse(include_bytes!("program.json")).unwrap();
    let program = CheckedProgram::new(program).unwrap();
    let main = program.find("main").unwrap();
    let case = |len: u64| {
        let words: Vec<u64> = (0..len).map(|i| i * 31 % 251).collect();
        let mut io = Io::default();
        io.add_input(0, &[], &words).unwrap();
        let executors = execute::EXECUTORS;
        Case { program: &program, executors, claims: vec![(main, vec![len])], io }
    };
    for len in [0, 1, 63, 64, 65, 1023, 1025, 2100, 5000] {
        println!("{len} bytes: {:?}", case(len).outputs()[0]);
    }
    let limits = Limits { steps: 1 << 20, ..Limits::default() };
    let (limited, altered) = (case(65).limited(20), case(130).altered(&limits));
    println!("{limited:?}, {altered:?}");
    assert!(limited.failed > 50 && altered.failed > 0);
}
"#;

/// Adds `main(len)`, which hashes the words of io channel 0 by the program's own
/// functions, and `list(i, len)`, which reads them into a list in memory.
fn with_main(mut program: Program) -> (Program, FunctionId) {
    let first = program.functions.len() as u32;
    let (list, main) = (FunctionId(first), FunctionId(first + 1));
    let value = ValueId;
    let zero = Op::Const(element(0));
    let one = Op::Const(element(1));
    program.functions.push(Function {
        name: "list".into(),
        num_inputs: 2,
        num_outputs: 1,
        entry: false,
        constrained: true,
        blocks: vec![
            Block {
                ops: vec![Op::Sub(value(1), value(0))],
                control: Control::Match(Match {
                    value: value(2),
                    cases: vec![(element(0), BlockId(1))],
                    default: Some(BlockId(2)),
                }),
            },
            Block {
                ops: vec![one.clone(), Op::Store { values: vec![value(3); 3] }],
                control: Control::Return { selector: 0, values: vec![value(4)] },
            },
            Block {
                ops: vec![
                    zero.clone(),
                    one.clone(),
                    Op::IoRead { channel: value(3), index: value(0), len: 1 },
                    Op::Add(value(0), value(4)),
                    Op::Call {
                        function: list,
                        args: vec![value(6), value(1)],
                        num_outputs: 1,
                        constrained: true,
                    },
                    Op::Store { values: vec![value(3), value(5), value(7)] },
                ],
                control: Control::Return { selector: 1, values: vec![value(8)] },
            },
        ],
    });
    program.functions.push(Function {
        name: "main".into(),
        num_inputs: 1,
        num_outputs: 32,
        entry: true,
        constrained: true,
        blocks: vec![Block {
            ops: vec![
                zero,
                Op::Call {
                    function: list,
                    args: vec![value(1), value(0)],
                    num_outputs: 1,
                    constrained: true,
                },
                Op::Call {
                    function: FunctionId(HASH as u32),
                    args: vec![value(2)],
                    num_outputs: 32,
                    constrained: true,
                },
            ],
            control: Control::Return { selector: 0, values: (3..35).map(value).collect() },
        }],
    });
    program.functions[HASH].constrained = true;
    let added = [FunctionId(HASH as u32), list, main];
    program.circuits.extend(added.map(|function| vec![function]));
    (program, main)
}
