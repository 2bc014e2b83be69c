//! Writes the CUDA evaluators of programs, which units do not have, and compiles them with
//! nvcc into a cache by content:
//!
//! ```text
//! cargo run -p traceloom-codegen --example evaluators -- PROGRAMS FOLDER
//! ```
//!
//! `PROGRAMS` is a folder of JSON programs, such as `trace-plans`. The sources of program
//! `NAME` are in `FOLDER/sources/NAME` afterwards, where `scripts/nvrtc-check` finds them.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

use traceloom_bytecode::{CheckedProgram, json};
use traceloom_codegen::compile;
use traceloom_codegen::device::{DeviceProgram, Environment, Job, MODE};
use traceloom_codegen::evaluator::circuits;
use traceloom_codegen::evaluator::cuda::evaluators;
use traceloom_plan::hex;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [programs, folder] = &args[..] else {
        return Err("usage: evaluators PROGRAMS FOLDER".into());
    };
    let mut paths = fs::read_dir(programs)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    let name = |path: &Path| Some(path.file_name()?.to_str()?.strip_suffix(".json")?.to_owned());
    let mut device = Vec::new();
    for path in &paths {
        let Some(name) = name(path).filter(|name| !name.ends_with(".plan")) else { continue };
        let program = program(&name, path)?;
        let sources = Path::new(folder).join("sources").join(&name);
        fs::create_dir_all(&sources)?;
        for (file, text) in &program.files {
            fs::write(sources.join(file), text)?;
        }
        device.push(program);
    }
    // Compilers run in other folders than this one.
    let folder = fs::canonicalize(folder)?;
    let environment = Environment::of_process().with(MODE, "require");
    let progress = |line: &str| eprintln!("{line}");
    let job = Job { environment: &environment, folder: &folder, progress: &progress };
    println!("{}", job.run(&device)?);
    Ok(())
}

/// The evaluators of all circuits of the program in a file.
fn program(name: &str, path: &Path) -> Result<DeviceProgram, Box<dyn Error>> {
    let program = CheckedProgram::new(json::parse(fs::read(path)?)?)?;
    let unit = compile(&program)?;
    let circuits = circuits(&program, &unit.plan);
    let texts = circuits.iter().flat_map(|circuit| evaluators(&unit.symbol, circuit, &[]));
    let files: BTreeMap<String, String> = texts.map(|file| (file.name, file.text)).collect();
    let folder = format!("sources/{name}");
    Ok(DeviceProgram { name: name.to_owned(), digest: hex(&unit.digest), folder, files })
}
