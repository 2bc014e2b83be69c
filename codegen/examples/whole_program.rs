//! Compiles everything that is emitted for one program of another project: Rust with
//! rustc, device code as C++ on the host and with nvcc. Says what each step took.
//!
//! ```text
//! cargo run -p traceloom-codegen --example whole_program -- BYTECODE.json FOLDER STEP...
//! ```
//!
//! Steps: `rust`, `cpp`, `nvcc`, and `nvcc=N` for the row writers of the N widest
//! functions only. The folder becomes a crate of its own with the unit in
//! `src/imported`; nvcc writes to `device`, with the variables of a build.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{available_parallelism, scope};
use std::time::Instant;

use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::import::import;
use traceloom_codegen::device::{DeviceProgram, Environment, Job, MODE};
use traceloom_codegen::{Unit, compile};
use traceloom_plan::inventory::table;

const USAGE: &str = "usage: whole_program BYTECODE.json FOLDER [rust] [cpp] [nvcc|nvcc=N]";

type Failure = Box<dyn Error>;

#[derive(Clone, Copy)]
enum Step {
    Rust,
    Cpp,
    /// Of at most so many functions.
    Nvcc(Option<usize>),
}

fn step(text: &str) -> Option<Step> {
    match text {
        "rust" => Some(Step::Rust),
        "cpp" => Some(Step::Cpp),
        "nvcc" => Some(Step::Nvcc(None)),
        _ => Some(Step::Nvcc(Some(text.strip_prefix("nvcc=")?.parse().ok()?))),
    }
}

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [bytecode, folder, steps @ ..] = &args[..] else { return Err(USAGE.into()) };
    let steps: Option<Vec<Step>> = steps.iter().map(|text| step(text)).collect();
    let steps = steps.ok_or(USAGE)?;
    fs::create_dir_all(folder)?;
    // Compilers run in other folders than this one.
    let folder = &fs::canonicalize(folder)?;
    let start = Instant::now();
    let program = import(fs::read(bytecode)?.as_slice())?.program;
    let unit = compile(&CheckedProgram::new(program)?)?;
    let sources = folder.join("src/imported");
    fs::create_dir_all(&sources)?;
    for (name, text) in &unit.files {
        fs::write(sources.join(name), text)?;
    }
    say("generated", start, &sizes(&unit));
    // The last line of the inventory sums up.
    println!("{}", table(&unit.plan, None).lines().last().unwrap_or_default());
    for step in steps {
        let start = Instant::now();
        match step {
            Step::Rust => say("rust", start, &rust(folder)?),
            Step::Cpp => say("cpp", start, &cpp(&sources)?),
            Step::Nvcc(limit) => say("nvcc", start, &nvcc(&unit, &folder.join("device"), limit)?),
        }
    }
    Ok(())
}

fn say(step: &str, start: Instant, what: &str) {
    println!("{step}: {:.1} s; {what}", start.elapsed().as_secs_f64());
}

/// Files and bytes by ending.
fn sizes(unit: &Unit) -> String {
    let part = |ending: &str| {
        let files = unit.files.iter().filter(|(name, _)| name.ends_with(ending));
        let lengths: Vec<usize> = files.map(|(_, text)| text.len()).collect();
        let bytes: usize = lengths.iter().sum();
        format!("{} {ending} files of {bytes} bytes", lengths.len())
    };
    [".rs", ".cu", ".cuh"].map(part).join(", ")
}

/// Device code of the unit, or of its widest functions.
fn nvcc(unit: &Unit, folder: &Path, limit: Option<usize>) -> Result<String, Failure> {
    let mut functions: Vec<_> = unit.plan.functions.iter().collect();
    functions.sort_by_key(|function| std::cmp::Reverse(function.layout.width()));
    functions.truncate(limit.unwrap_or(functions.len()));
    let wanted = |name: &str| {
        let is_of = |symbol: &str| name == format!("{}_{symbol}.cu", unit.symbol);
        limit.is_none() || functions.iter().any(|function| is_of(&function.symbol))
    };
    let files = unit.files.iter().filter(|(name, _)| match name.rsplit_once('.') {
        Some((_, "cu")) => wanted(name),
        Some((_, "cuh")) => true,
        _ => false,
    });
    let program = DeviceProgram {
        name: "imported".into(),
        digest: unit.digest.iter().map(|byte| format!("{byte:02x}")).collect(),
        folder: "src/imported".into(),
        files: files.map(|(name, text)| (name.clone(), text.clone())).collect(),
    };
    let environment = Environment::of_process().with(MODE, "require");
    let job = Job { environment: &environment, folder, progress: &|line| eprintln!("{line}") };
    Ok(job.run(&[program])?.to_string())
}

/// Builds the folder as a crate, with the profiles and the target folder of this
/// workspace, whose crates are built already.
fn rust(folder: &Path) -> Result<String, Failure> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()?;
    let own = fs::read_to_string(workspace.join("Cargo.toml"))?;
    let profiles = &own[own.find("[profile.dev]").ok_or("the workspace has profiles")?..];
    let manifest = format!(
        "[package]\nname = \"whole-program\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [workspace]\n\n[dependencies]\ntraceloom-abi = {{ path = {:?} }}\n\n{profiles}",
        workspace.join("abi")
    );
    fs::write(folder.join("Cargo.toml"), manifest)?;
    fs::copy(workspace.join("Cargo.lock"), folder.join("Cargo.lock"))?;
    fs::write(folder.join("src/lib.rs"), "pub mod imported;\n")?;
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| workspace.join("target"), PathBuf::from);
    let status = Command::new("cargo")
        .current_dir(&workspace)
        .args(["build", "--offline", "--quiet", "--manifest-path"])
        .arg(folder.join("Cargo.toml"))
        .env("CARGO_TARGET_DIR", target)
        .status()?;
    if status.success() { Ok("rustc, profile dev".into()) } else { Err("rustc failed".into()) }
}

/// Compiles every source as C++ of the host.
fn cpp(units: &Path) -> Result<String, Failure> {
    let headers = units.join("../../headers");
    fs::create_dir_all(&headers)?;
    for (name, text) in traceloom_abi::cuda::HEADERS {
        fs::write(headers.join(name), text)?;
    }
    let paths = fs::read_dir(units)?.map(|entry| entry.map(|entry| entry.path()));
    let mut sources = paths.collect::<Result<Vec<PathBuf>, _>>()?;
    sources.retain(|path| path.extension().is_some_and(|ending| ending == "cu"));
    let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        while let Some(source) = sources.get(next.fetch_add(1, Ordering::Relaxed)) {
            let status = Command::new(std::env::var_os("CXX").unwrap_or("c++".into()))
                .args(["-std=c++17", "-O1", "-x", "c++", "-o", "/dev/null", "-c"])
                .arg("-I")
                .arg(&headers)
                .arg(source)
                .status();
            if !status.is_ok_and(|status| status.success()) {
                eprintln!("{}: does not compile as C++", source.display());
                failed.fetch_add(1, Ordering::Relaxed);
            }
        }
    };
    scope(|scope| {
        for _ in 0..available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    match failed.into_inner() {
        0 => Ok(format!("{} files as C++ at -O1", sources.len())),
        failed => Err(format!("{failed} of {} files do not compile as C++", sources.len()).into()),
    }
}
