//! Rust text as a crate of its own, built once for all samples.
//!
//! The crate has the units as they are emitted, checked packers, an evaluator per
//! circuit, and the comparison that the generator's own tests use
//! (`codegen/tests/emitted`). It shares the target folder and the lock file of this
//! workspace, so that nothing but the crate itself is compiled, and needs no network.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use traceloom_bytecode::json;
use traceloom_codegen::rust::checked;
use traceloom_codegen::{compile, evaluator};

use super::{DOMAIN, Difference, Sample, Tally, named};

/// Compiles all samples into one executable and runs it.
///
/// # Panics
/// If files cannot be written, or the executable does not end well.
#[must_use]
pub fn compare(samples: &[Sample]) -> (Tally, Vec<Difference>) {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let workspace = workspace.canonicalize().expect("the workspace is there");
    let folder = tempfile::tempdir().expect("a temporary folder");
    write_crate(folder.path(), &workspace, samples);
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| workspace.join("target"), PathBuf::from);
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .current_dir(&workspace)
        .args(["run", "--offline", "--quiet", "--manifest-path"])
        .arg(folder.path().join("Cargo.toml"))
        .env("CARGO_TARGET_DIR", target)
        .output()
        .expect("cargo starts");
    let (found, errors) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let (tally, differences) = read(&found);
    if !output.status.success() && differences.is_empty() {
        let start: String = errors.chars().take(8_000).collect();
        return (tally, vec![Difference { sample: named(&errors, samples.len()), message: start }]);
    }
    assert_eq!(tally.programs, samples.len(), "every program reports\n{found}\n{errors}");
    (tally, differences)
}

/// Lines `program N NARROW WIDENED EVALUATORS GENERATED FAILED` and `difference N MESSAGE`.
fn read(found: &str) -> (Tally, Vec<Difference>) {
    let (mut tally, mut differences) = (Tally::default(), Vec::new());
    for line in found.lines() {
        let words: Vec<&str> = line.splitn(3, ' ').collect();
        match words[..] {
            ["program", _, counts] => {
                let counts: Vec<usize> =
                    counts.split(' ').map(|count| count.parse().expect("a number")).collect();
                tally.programs += 1;
                tally.narrow_rows += counts[0];
                tally.widened_rows += counts[1];
                tally.evaluators += counts[2];
                tally.executions += counts[3];
                tally.failures += counts[4];
            }
            ["difference", number, message] => {
                tally.programs += 1;
                let sample = Some(number.parse().expect("a number"));
                differences.push(Difference { sample, message: message.to_owned() });
            }
            _ => {}
        }
    }
    (tally, differences)
}

fn write_crate(root: &Path, workspace: &Path, samples: &[Sample]) {
    let write = |file: &str, bytes: &[u8]| {
        let path = root.join(file);
        fs::create_dir_all(path.parent().expect("files are in folders")).expect("a folder");
        fs::write(path, bytes).expect("the temporary folder is writable");
    };
    let (mut modules, mut calls) = (String::new(), String::new());
    for (number, sample) in samples.iter().enumerate() {
        let unit = compile(&sample.program).unwrap_or_else(|faults| panic!("{faults}"));
        for (file, text) in &unit.files {
            write(&format!("src/p{number}/{file}"), text.as_bytes());
        }
        write(&format!("src/k{number}.rs"), checked::program_text(&unit.plan).as_bytes());
        let mut evaluators = String::new();
        for (position, circuit) in sample.system.circuits.iter().enumerate() {
            let text = evaluator::rust::module_text(circuit);
            let _ = writeln!(evaluators, "pub mod c{position} {{\n{text}}}");
        }
        write(&format!("src/e{number}.rs"), evaluators.as_bytes());
        write(&format!("src/p{number}/program.json"), json::print(&sample.case.program).as_bytes());
        let _ = writeln!(modules, "mod p{number};\nmod k{number};\nmod e{number};");
        let of = (0..sample.system.circuits.len()).map(|c| format!("e{number}::c{c}::evaluator()"));
        let of = of.collect::<Vec<_>>().join(", ");
        let claims = sample.case.claims.iter().map(|(id, args)| format!("({}, &{args:?})", id.0));
        let claims = claims.collect::<Vec<_>>().join(", ");
        let input = sample.case.input.iter().map(|(c, words)| format!("({c}, &{words:?})"));
        let input = input.collect::<Vec<_>>().join(", ");
        let _ = writeln!(
            calls,
            "    case({number}, include_bytes!(\"p{number}/program.json\"), &[{claims}], \
             &[{input}], (&p{number}::PROGRAM, k{number}::CHECKED), &[{of}], &[{of}], {DOMAIN}, {});",
            sample.case.seed
        );
    }
    let main = format!(
        "{modules}mod compare;\n#[allow(dead_code)]\nmod executor;\n#[allow(dead_code)]\nmod provider;\n#[allow(dead_code)]\nmod runner;\n\nuse compare::case;\n\n\
         fn main() {{\n    compare::quiet();\n{calls}}}\n"
    );
    write("src/main.rs", main.as_bytes());
    write("src/compare.rs", include_bytes!("compare.rs"));
    write("src/runner.rs", include_bytes!("../../../../codegen/tests/emitted/runner.rs"));
    write("src/executor.rs", include_bytes!("../../../../codegen/tests/emitted/executor.rs"));
    write("src/provider.rs", include_bytes!("../../../../codegen/tests/emitted/provider.rs"));
    write("Cargo.toml", manifest(workspace).as_bytes());
    fs::copy(workspace.join("Cargo.lock"), root.join("Cargo.lock")).expect("a lock file");
}

fn manifest(workspace: &Path) -> String {
    let mut text = "[package]\nname = \"traceloom-batch\"\nversion = \"0.1.0\"\n\
                    edition = \"2024\"\n\n[workspace]\n\n[dependencies]\n"
        .to_owned();
    let crates = [
        ("abi", "abi"),
        ("air", "air"),
        ("bytecode", "bytecode"),
        ("host-kernels", "tests/host-kernels"),
        ("runtime", "runtime"),
        ("verifier", "verifier"),
    ];
    for (name, folder) in crates {
        let _ = writeln!(text, "traceloom-{name} = {{ path = {:?} }}", workspace.join(folder));
    }
    // The workspace's profiles, so that its crates are those that are built already.
    // What is run once is not worth optimising.
    let own = fs::read_to_string(workspace.join("Cargo.toml")).expect("a manifest");
    let profiles = own.find("[profile.dev]").expect("profiles");
    text + "\n" + &own[profiles..] + "\n[profile.dev.package.traceloom-batch]\nopt-level = 0\n"
}
