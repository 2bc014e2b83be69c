//! Build script of `cuda`: compiles the handwritten kernels of the prover into one fatbin where
//! nvcc is found, as `traceloom_codegen::device` says. Without nvcc the list of images is empty.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use std::{env, fs};

use traceloom_codegen::device::{
    ARCHITECTURES, DeviceProgram, Environment, Job, MODE, Mode, Outcome, Toolkit, Triggers,
};

#[path = "src/prover_kernels/digest.rs"]
mod digest;

/// The folder of the kernels.
const KERNELS: &str = "kernels";

/// What is compiled for where no variable says it, as far as the compiler knows it: one
/// processor of each generation since 2020 that the kernels were written for.
const USUAL: [&str; 3] = ["80", "90", "120"];

/// Builds that spend longer than this on device code say so.
const LONG: Duration = Duration::from_secs(20);

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            for line in error.to_string().lines() {
                println!("cargo::error={line}");
            }
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let environment = Environment::of_process();
    println!("cargo::rerun-if-changed={KERNELS}");
    let Triggers { variables, paths } = Triggers::of(&environment);
    for name in variables {
        println!("cargo::rerun-if-env-changed={name}");
    }
    for path in paths {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set; cargo sets it")?);
    let environment = with_usual(environment);
    let progress = |line: &str| println!("{line}");
    let job = Job { environment: &environment, folder: &out, progress: &progress };
    let outcome = job.run(&[program(Path::new(KERNELS))?])?;
    println!("{outcome}");
    match outcome {
        Outcome::Compiled(report) if report.duration >= LONG => println!(
            "cargo::warning=kernels of the prover: {}; {MODE}=off builds without",
            report.summary()
        ),
        // The crate `generated` says that there is no compiler.
        Outcome::Compiled(_) | Outcome::Off | Outcome::NoCompiler => {}
    }
    Ok(())
}

/// The same with the usual architectures where nothing else is asked for.
fn with_usual(environment: Environment) -> Environment {
    let is_asked = env::var_os(ARCHITECTURES).is_some_and(|list| !list.is_empty());
    if is_asked || environment.mode() == Ok(Mode::Off) {
        return environment;
    }
    // What is wrong with the compiler is said where it is used.
    let Ok(Some(toolkit)) = Toolkit::find(&environment) else { return environment };
    let is_known = |number: &&str| toolkit.known.contains(&format!("compute_{number}"));
    let usual: Vec<&str> = USUAL.into_iter().filter(is_known).collect();
    environment.with(ARCHITECTURES, usual.join(","))
}

/// All files of the folder, as a program of their own.
fn program(folder: &Path) -> Result<DeviceProgram, Box<dyn Error>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let is_code = path.extension().is_some_and(|kind| kind == "cu" || kind == "cuh");
        if let (Some(name), true) = (name, is_code) {
            files.insert(name, fs::read_to_string(&path)?);
        }
    }
    let texts = files.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    let digest = blake3::Hash::from_bytes(digest::of(texts)).to_hex().to_string();
    let folder = format!("cuda/{}", folder.display());
    Ok(DeviceProgram { name: "prover".into(), digest, folder, files })
}
