//! Emitted Rust builds with debug information, in dev and in release, however large a function
//! is. Every `let` opens a scope for what follows, and compilers recurse over scopes
//! (rust-lang/rust#122357): 3,000 in one body overflow the stack of rustc.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::builder::ProgramBuilder;
use traceloom_codegen::compile;
use traceloom_plan::script::{MOST_STEPS, Script};

/// One function of 3,000 operations `mul`.
fn products() -> CheckedProgram {
    let mut p = ProgramBuilder::new("products");
    let main = p.entry("main", 2, 1);
    p.define(main, |f, x| {
        let last = (0..3000).fold(x[0], |last, _| f.mul(last, x[1]));
        f.ret(&[last])
    });
    CheckedProgram::new(p.finish().unwrap()).unwrap()
}

/// The same of operations and operands in no order: nothing repeats that a function could be.
fn mixed() -> CheckedProgram {
    let mut p = ProgramBuilder::new("mixed");
    let main = p.entry("main", 3, 1);
    p.define(main, |f, x| {
        let mut values = x.to_vec();
        let mut state = 1_u64;
        let mut next = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_041);
            (state >> 33) as usize % below
        };
        for _ in 0..3000 {
            let [a, b] = [0, 1].map(|_| values[next(values.len())]);
            let value = match next(4) {
                0 => f.add(a, b),
                1 => f.sub(a, b),
                2 => f.eq_zero(a),
                _ => f.mul(a, b),
            };
            values.push(value);
        }
        let all = values.iter().copied().reduce(|sum, value| f.mul(sum, value));
        f.ret(&[all.unwrap()])
    });
    CheckedProgram::new(p.finish().unwrap()).unwrap()
}

/// A match of 2,000 cases with two operations each.
fn cases() -> CheckedProgram {
    let mut p = ProgramBuilder::new("cases");
    let main = p.entry("main", 2, 1);
    p.define(main, |f, x| {
        f.match_value(x[0], |arms| {
            for key in 0..2000 {
                arms.case(key, |f| {
                    let square = f.mul(x[1], x[1]);
                    let cube = f.mul(square, x[key as usize % 2]);
                    f.ret(&[cube])
                });
            }
            arms.default(|f| f.ret(&[x[1]]));
        })
    });
    CheckedProgram::new(p.finish().unwrap()).unwrap()
}

/// A crate with the units of `programs`, whose own code has debug information in all profiles.
fn write_crate(root: &Path, workspace: &Path, programs: &[(&str, CheckedProgram)]) {
    fs::create_dir_all(root.join("src")).unwrap();
    let mut modules = String::new();
    for (name, program) in programs {
        let unit = compile(program).unwrap_or_else(|faults| panic!("{faults}"));
        let folder = root.join("src").join(name);
        fs::create_dir(&folder).unwrap();
        for (file, text) in unit.files.iter().filter(|(file, _)| *file != "execute.rs") {
            // Executors have tests of their own.
            let text = text.replace("mod execute;\n", "").replace("execute::EXECUTORS", "&[]");
            fs::write(folder.join(file), text).unwrap();
        }
        modules += &format!("pub mod {name};\n");
    }
    fs::write(root.join("src/lib.rs"), modules).unwrap();
    let abi = workspace.join("abi");
    let own = fs::read_to_string(workspace.join("Cargo.toml")).unwrap();
    let profiles = own.find("[profile.dev]").expect("profiles");
    let manifest = format!(
        "[package]\nname = \"emitted-debug\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [workspace]\n\n[dependencies]\ntraceloom-abi = {{ path = {abi:?} }}\n\n{}\n\
         [profile.dev.package.emitted-debug]\ndebug = 2\n\n\
         [profile.release.package.emitted-debug]\ndebug = 2\n",
        &own[profiles..]
    );
    fs::write(root.join("Cargo.toml"), manifest).unwrap();
    fs::copy(workspace.join("Cargo.lock"), root.join("Cargo.lock")).unwrap();
}

#[test]
fn large_functions_build_with_debug_information() {
    let workspace = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("crate");
    let programs = [("products", products()), ("mixed", mixed()), ("cases", cases())];
    write_crate(&root, &workspace, &programs);
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| workspace.join("target"), PathBuf::from);
    for (profile, args) in [("debug", &[][..]), ("release", &["--release"][..])] {
        let output = Command::new(env!("CARGO"))
            .current_dir(&workspace)
            .args(["build", "--offline", "--quiet", "--manifest-path"])
            .arg(root.join("Cargo.toml"))
            .args(args)
            .env("CARGO_TARGET_DIR", &target)
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{profile}: {error}");
        let library = fs::read(target.join(profile).join("libemitted_debug.rlib")).unwrap();
        let has = |name: &[u8]| library.windows(name.len()).any(|bytes| bytes == name);
        assert!(has(b"debug_info"), "{profile}: the build had no debug information");
    }
}

/// The bound that makes the above true, of every program: also of one whose code does not repeat.
#[test]
fn bodies_and_functions_are_bounded() {
    for (name, program) in [("products", products()), ("mixed", mixed()), ("cases", cases())] {
        let plan = traceloom_bytecode::lower::plan_program(&program);
        for function in &plan.functions {
            let writers = Script::of_writers(function);
            assert!(name != "mixed" || !writers.functions.is_empty(), "nothing was divided");
            for script in [writers, Script::of_packers(function, false)] {
                let of_functions = script.functions.iter().map(|function| function.steps.len());
                let of_mains = script.mains.iter().map(|main| main.steps.len());
                let most = of_functions.chain(of_mains).max().unwrap_or(0);
                assert!(most <= MOST_STEPS, "{name}: {most} steps");
            }
        }
    }
}
