//! Plans and emitted text of small programs, one per operation and control form.
//!
//! `snapshots/NAME.tla` is a program; beside it lie what is made of it, one file per
//! product, and `snapshots/refused/NAME.tla` has the message that it is refused
//! with. `INSTA_UPDATE=always cargo test --package traceloom-codegen --test snapshots`
//! writes them all; review the difference.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use libtest_mimic::{Arguments, Failed, Trial};
use traceloom_air::bytes::ByteOp;
use traceloom_bytecode::contract::contract_digest;
use traceloom_bytecode::model::{Op, Program};
use traceloom_bytecode::{CheckedProgram, text};
use traceloom_codegen::compile;
use traceloom_codegen::evaluator::{self, NamedCircuit};
use traceloom_plan::Expr;
use traceloom_plan::hex;
use traceloom_plan::names::Ident;

/// What is made of a program: the end of its snapshot's name, and its text.
type Product = (&'static str, fn(&CheckedProgram) -> String);

/// One line per target.
const PRODUCTS: [Product; 6] = [
    ("plan", plan),
    ("rust", |program| file(program, "f_main.rs")),
    ("cuda", |program| file(program, "UNIT_f_main.cuh")),
    ("evaluator_rust", |program| evaluator::rust::module_text(&circuit(program).1.circuit)),
    ("evaluator_cuda", evaluator_cuda),
    ("executor", |program| file(program, "execute.rs")),
];

/// Rust text cuts operations after this many characters.
const MAX_NOTE: usize = 70;

fn main() {
    let args = Arguments::from_args();
    let mut trials = Vec::new();
    for name in fixtures("") {
        for product in PRODUCTS {
            let fixture = name.clone();
            trials.push(Trial::test(format!("{name}_{}", product.0), move || {
                accepted(&fixture, product);
                Ok(())
            }));
        }
    }
    for name in fixtures("") {
        trials.push(Trial::test(format!("{name}_targets_number_alike"), move || {
            targets_number_alike(&name);
            Ok(())
        }));
    }
    for name in fixtures("refused") {
        let fixture = name.clone();
        trials.push(Trial::test(format!("refused_{name}"), move || {
            refused(&fixture);
            Ok(())
        }));
    }
    trials.push(Trial::test("no_snapshot_is_unreferenced", no_snapshot_is_unreferenced));
    trials.push(Trial::test(
        "no_snapshot_elsewhere_is_unreferenced",
        no_snapshot_elsewhere_is_unreferenced,
    ));
    trials.push(Trial::test("every_form_has_a_fixture", every_form_has_a_fixture));
    libtest_mimic::run(&args, trials).exit();
}

fn folder(sub: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../snapshots").join(sub)
}

/// Files of a folder with this ending, without it.
fn names(sub: &str, ending: &str) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder(sub)).expect("the folder of snapshots");
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter_map(|name| name.strip_suffix(ending).map(str::to_owned)).collect()
}

fn fixtures(sub: &str) -> BTreeSet<String> {
    names(sub, ".tla")
}

fn read(sub: &str, name: &str) -> String {
    std::fs::read_to_string(folder(sub).join(format!("{name}.tla"))).unwrap()
}

fn program(name: &str) -> Program {
    text::parse(read("", name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// What the generator makes of the program.
fn accepted(name: &str, (ending, product): Product) {
    let program = CheckedProgram::new(program(name)).unwrap_or_else(|error| panic!("{error}"));
    assert_snapshot("", &format!("{name}.{ending}"), &product(&program));
}

/// The plan, as it is checked in beside programs; without the unit digest, which
/// every version of the generator changes.
fn plan(program: &CheckedProgram) -> String {
    let unit = compile(program).unwrap();
    unit.files["plan.json"].replace(&hex(&unit.digest), "(unit digest)")
}

/// The unit's symbol, and the circuit of function `main`.
fn circuit(program: &CheckedProgram) -> (Ident, NamedCircuit) {
    let unit = compile(program).unwrap();
    let mut circuits = evaluator::circuits(program, &unit.plan).into_iter();
    let main = circuits.find(|circuit| circuit.symbol == "c_main");
    (unit.symbol, main.expect("every fixture has a circuit of main"))
}

fn evaluator_cuda(program: &CheckedProgram) -> String {
    let (unit, circuit) = circuit(program);
    evaluator::cuda::evaluators(&unit, &circuit, &[]).swap_remove(0).text
}

/// A file of function `main` or of its circuit; without the contract digest, which
/// every version of the generator changes.
fn file(program: &CheckedProgram, name: &str) -> String {
    let unit = compile(program).unwrap();
    let main = program.find("main").expect("every fixture has a function main");
    let contract = hex(&contract_digest(program, main));
    unit.files[&name.replace("UNIT", unit.symbol.as_str())].replace(&contract, "(contract digest)")
}

/// Text that both targets print from one plan can be read side by side: every operation
/// that computes has a note in both, of one number and one text, and so has every
/// constraint and lookup.
fn targets_number_alike(name: &str) {
    let program = CheckedProgram::new(program(name)).unwrap();
    let of = |product: usize| PRODUCTS[product].1(&program);
    let expected = computing_ops(&program);
    for product in [1, 2] {
        let noted = noted_ops(&of(product));
        let missing: Vec<_> = expected.difference(&noted).collect();
        assert!(missing.is_empty(), "{name}, {}: no notes of {missing:?}", PRODUCTS[product].0);
    }
    let [rust, cuda] = [of(1), of(2)].map(|text| notes(&text, "op"));
    for (number, text) in &cuda {
        let text: String = text.chars().take(MAX_NOTE).collect();
        assert_eq!(rust.get(number), Some(&text), "{name}: op {number}");
    }
    let circuit = circuit(&program).1.circuit;
    let counts = [("constraint", circuit.constraints.len()), ("lookup", circuit.lookups.len())];
    for (kind, count) in counts {
        let [rust, cuda] = [of(3), of(4)].map(|text| notes(&text, kind));
        assert_eq!(rust, cuda, "{name}");
        assert!(rust.keys().copied().eq(0..count), "{name}: all of them, in order");
    }
}

/// Operations of function `main` with a value that its writers compute: neither a word of
/// the seed nor a constant.
fn computing_ops(program: &CheckedProgram) -> BTreeSet<u32> {
    let unit = compile(program).unwrap();
    let main = unit.plan.functions.iter().find(|function| function.name == "main").unwrap();
    let paths = main.paths.iter().flat_map(|path| &path.values);
    let values = paths.chain(&main.generic.values).filter(|value| value.need.writer);
    let computed = values.filter(|value| !matches!(value.expr, Expr::Constant(_) | Expr::Seed(_)));
    computed.filter_map(|value| value.op).collect()
}

/// Operations that have a note, alone (`// op 3: …`) or with others (`// ops 3 to 5: …`).
fn noted_ops(text: &str) -> BTreeSet<u32> {
    let notes = text.lines().filter_map(|line| line.trim_start().strip_prefix("// op"));
    let range = |note: &str| -> Option<std::ops::RangeInclusive<u32>> {
        let (numbers, _) = note.strip_prefix('s').unwrap_or(note).trim_start().split_once(':')?;
        let (first, last) = numbers.split_once(" to ").unwrap_or((numbers, numbers));
        Some(first.parse().ok()?..=last.parse().ok()?)
    };
    notes.filter_map(range).flatten().collect()
}

/// Texts by number of the comments `// KIND 3: text`.
fn notes(text: &str, kind: &str) -> BTreeMap<usize, String> {
    // CUDA text breaks long comments.
    let joined = text.lines().fold(String::new(), |mut joined, line| {
        let comment = line.trim_start().strip_prefix("// ");
        let starts = |comment: &str| {
            let words = ["op ", "ops ", "constraint ", "lookup ", "unused", "field"];
            words.iter().any(|word| comment.starts_with(word))
        };
        match comment {
            Some(comment) if !starts(comment) => joined.push(' '),
            _ => joined.push('\n'),
        }
        joined + comment.unwrap_or("")
    });
    let notes = joined.lines().filter_map(|line| {
        let (number, text) = line.strip_prefix(kind)?.strip_prefix(' ')?.split_once(": ")?;
        Some((number.parse().ok()?, text.to_owned()))
    });
    notes.collect()
}

/// The message about a program that cannot be.
fn refused(name: &str) {
    let message = match text::parse(read("refused", name)) {
        Err(malformed) => malformed.to_string(),
        Ok(program) => CheckedProgram::new(program).expect_err("a program at fault").to_string(),
    };
    let printable = |c: char| c == '\n' || !c.is_control();
    assert!(message.chars().all(printable), "nothing of a program reaches a terminal raw");
    assert_snapshot("refused", &format!("{name}.message"), &message);
}

fn assert_snapshot(sub: &str, name: &str, text: &str) {
    insta::with_settings!({
        snapshot_path => folder(sub),
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, {
        insta::assert_snapshot!(name, text);
    });
}

/// A fixture that is gone, or renamed, takes its snapshots with it.
fn no_snapshot_is_unreferenced() -> Result<(), Failed> {
    let products = |name: String| PRODUCTS.map(|(ending, _)| format!("{name}.{ending}"));
    let expected: BTreeSet<String> = fixtures("").into_iter().flat_map(products).collect();
    let refused = fixtures("refused").into_iter().map(|name| format!("{name}.message"));
    for (sub, expected) in [("", expected), ("refused", refused.collect())] {
        let found = names(sub, ".snap");
        let unreferenced: Vec<_> = found.difference(&expected).collect();
        if !unreferenced.is_empty() {
            return Err(format!("snapshots/{sub}: no fixture has {unreferenced:?}").into());
        }
    }
    Ok(())
}

/// The same of tests that keep snapshots beside them, wherever they are: one of the file
/// that a snapshot's name has, `BINARY__MODULE__NAME.snap`, asserts it by this name.
fn no_snapshot_elsewhere_is_unreferenced() -> Result<(), Failed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?;
    let (mut num_found, mut unreferenced) = (0, Vec::new());
    for path in files_under(&root, &["target", ".git"]) {
        let folder = path.parent().unwrap();
        if path.extension().is_none_or(|end| end != "snap")
            || folder.starts_with(root.join("snapshots"))
        {
            continue;
        }
        num_found += 1;
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let mut parts: Vec<&str> = stem.split("__").collect();
        let name = parts.pop().unwrap();
        let module = parts.pop().unwrap_or_default();
        let asserts = |source: &PathBuf| {
            let is_module = source.file_stem().is_some_and(|stem| stem == module)
                || source.ends_with(Path::new(module).join("mod.rs"));
            let text = std::fs::read_to_string(source).unwrap_or_default();
            is_module && text.contains(&format!("assert_snapshot!(\"{name}\","))
        };
        if !files_under(folder.parent().unwrap(), &["target"]).iter().any(asserts) {
            unreferenced.push(path);
        }
    }
    if num_found < 5 || !unreferenced.is_empty() {
        return Err(format!("{num_found} snapshots, no test has {unreferenced:?}").into());
    }
    Ok(())
}

/// All files under a folder but those in folders of these names.
fn files_under(folder: &Path, but: &[&str]) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let is_left_out = but.iter().any(|name| entry.file_name() == *name);
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && !is_left_out => folders.push(entry.path()),
                Ok(kind) if kind.is_file() => files.push(entry.path()),
                _ => {}
            }
        }
    }
    files
}

/// Nothing that a program may say is missing here.
fn every_form_has_a_fixture() -> Result<(), Failed> {
    let (mut ops, mut controls) = (BTreeSet::new(), BTreeSet::new());
    for program in fixtures("").iter().map(|name| program(name)) {
        for block in program.functions.iter().flat_map(|function| &function.blocks) {
            ops.extend(block.ops.iter().map(Op::name));
            controls.insert(block.control.name());
        }
    }
    let bytes = ByteOp::UNARY.len() + ByteOp::BINARY.len();
    // All others than byte operations, calls of both kinds among them.
    let expected = 23 + bytes;
    if ops.len() != expected || controls.len() != 4 {
        return Err(format!("{} of {expected} operations, {controls:?}: {ops:?}", ops.len()).into());
    }
    Ok(())
}
