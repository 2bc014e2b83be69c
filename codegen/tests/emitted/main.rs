//! Emitted Rust, compiled and run: one offline build for all fixtures. The example
//! programs are compared in `generated`.

#[path = "../common/fixtures.rs"]
mod fixtures;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use traceloom_bytecode::CheckedProgram;
use traceloom_codegen::compile;
use traceloom_codegen::rust::checked;

#[test]
fn emitted_packers_and_writers_equal_the_reference() {
    let workspace = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::create_dir_all(root.join("src")).unwrap();
    let mut modules = String::new();
    let mut calls = String::new();
    for (number, fixture) in fixtures::all().into_iter().enumerate() {
        add(root, &format!("fixture{number}"), fixture.program, &mut modules);
        calls.push_str(&format!(
            "    let fixture = fixtures.next().unwrap();\n    \
             let program = CheckedProgram::new(fixture.program).unwrap();\n    \
             let emitted = (&fixture{number}::PROGRAM, fixture{number}_checked::CHECKED);\n    \
             let tally = runner::run(&program, emitted, \"main\", &fixture.claims, \
             &fixture.input);\n    \
             println!(\"{{:?}}: {{tally:?}}\", program.program().name);\n"
        ));
    }
    let fixtures = workspace.join("codegen/tests/common/fixtures.rs");
    let main = format!(
        "#[path = {fixtures:?}]\nmod fixtures;\nmod executor;\nmod provider;\nmod runner;\n{modules}\n\
         use traceloom_bytecode::CheckedProgram;\n\nfn main() {{\n    \
         let mut fixtures = fixtures::all().into_iter();\n{calls}    \
         provider::finish();\n}}\n"
    );
    fs::write(root.join("src/main.rs"), main).unwrap();
    fs::write(root.join("src/runner.rs"), include_str!("runner.rs")).unwrap();
    fs::write(root.join("src/executor.rs"), include_str!("executor.rs")).unwrap();
    fs::write(root.join("src/provider.rs"), include_str!("provider.rs")).unwrap();
    fs::write(root.join("Cargo.toml"), manifest(&workspace)).unwrap();
    fs::copy(workspace.join("Cargo.lock"), root.join("Cargo.lock")).unwrap();
    // The workspace's own target folder and settings, so that dependencies are
    // those that this test was built with.
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| workspace.join("target"), PathBuf::from);
    let output = Command::new(env!("CARGO"))
        .current_dir(&workspace)
        .args(["run", "--offline", "--quiet", "--manifest-path"])
        .arg(root.join("Cargo.toml"))
        .env("CARGO_TARGET_DIR", target)
        .output()
        .unwrap();
    print!("{}", String::from_utf8_lossy(&output.stdout));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Writes the unit of a program into a folder, and its checked packers beside it.
fn add(root: &Path, name: &str, program: traceloom_bytecode::Program, modules: &mut String) {
    let program = CheckedProgram::new(program).unwrap();
    let units = compile(&program).unwrap_or_else(|faults| panic!("{faults}"));
    let folder = root.join("src").join(name);
    fs::create_dir(&folder).unwrap();
    for (file, text) in &units.files {
        fs::write(folder.join(file), text).unwrap();
    }
    let checked = checked::program_text(&units.plan);
    fs::write(root.join(format!("src/{name}_checked.rs")), checked).unwrap();
    modules.push_str(&format!("mod {name};\nmod {name}_checked;\n"));
}

fn manifest(workspace: &Path) -> String {
    let mut text = "[package]\nname = \"emitted\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
                    [workspace]\n\n[dependencies]\n"
        .to_owned();
    for name in ["abi", "air", "bytecode", "runtime", "verifier"] {
        text.push_str(&format!("traceloom-{name} = {{ path = {:?} }}\n", workspace.join(name)));
    }
    // The workspace's profiles, so that its dependencies are those built already.
    let own = fs::read_to_string(workspace.join("Cargo.toml")).unwrap();
    let profiles = own.find("[profile.dev]").expect("profiles");
    text + "\n" + &own[profiles..]
}
