//! Programs, arguments and input files as the commands name them.

use std::path::{Path, PathBuf};

use traceloom_air::field::{MODULUS, is_canonical};
use traceloom_bytecode::CheckedProgram;
use traceloom_programs::{Example, Inputs};
use traceloom_runtime::session::{Executor, Request, SessionBuilder};
use traceloom_verifier::Profile;

use super::log::Progress;
use super::{Failure, RunArgs, riscv};

/// A file for an io channel, as `--io` has it.
#[derive(Clone, Debug)]
pub struct IoFile {
    channel: u64,
    key: Vec<u64>,
    path: PathBuf,
}

/// Parses `--io`: `CHANNEL:KEY=FILE`, where the key is a list of numbers and may be empty.
pub fn io_file(text: &str) -> Result<IoFile, String> {
    let parts = text.split_once('=').and_then(|(place, path)| Some((place.split_once(':')?, path)));
    let Some(((channel, key), path)) = parts.filter(|(_, path)| !path.is_empty()) else {
        return Err(format!("{text:?} is no CHANNEL:KEY=FILE, such as 1:7,8=words or 1:=words"));
    };
    let number = |item| word("--io", 0, item).map_err(|error| error.to_string());
    let key = words("--io", key).map_err(|error| error.to_string())?;
    Ok(IoFile { channel: number(channel)?, key, path: path.into() })
}

/// A built-in program by name, or a program file, alone.
pub fn load(name: impl AsRef<Path>) -> Result<CheckedProgram, Failure> {
    Ok(open(name)?.build()?.program().clone())
}

/// The builder of the session of a program. A file with the name of a known program is not read,
/// and a note says so.
pub fn open(name: impl AsRef<Path>) -> Result<SessionBuilder, Failure> {
    let path = name.as_ref();
    if path.to_str().is_some_and(crate::is_known) && path.is_file() {
        let name = path.display();
        Progress::new().note(&format!(
            "{name} is a program with a name; the file of the same name is ./{name}"
        ));
    }
    Ok(crate::session(path)?)
}

/// The builder of the session that a command line asks for.
pub fn session(args: &RunArgs) -> Result<SessionBuilder, Failure> {
    if riscv::is_elf(&args.program) {
        return riscv::session(args);
    }
    riscv::refuse_options(args)?;
    Ok(open(&args.program)?.execute(args.execute).limits(args.limits.limits()))
}

/// The execution that a command line asks for.
pub fn request(args: &RunArgs) -> Result<Request, Failure> {
    let mut request = Request::new();
    if let Some(name) = &args.entry {
        request = request.entry(name);
    }
    if let Some(path) = &args.input {
        request = request.with_file(path)?;
    }
    for io in &args.io {
        request = request.with_io_file(io.channel, &io.key, &io.path)?;
    }
    if let Some(list) = &args.args {
        request = request.with_args(words("--args", list)?);
    }
    Ok(request)
}

/// Numbers separated by commas, each canonical decimal below p.
pub fn words(option: &str, list: &str) -> Result<Vec<u64>, Failure> {
    if list.trim().is_empty() {
        return Ok(Vec::new());
    }
    list.split(',').enumerate().map(|(index, item)| word(option, index, item.trim())).collect()
}

fn word(option: &str, index: usize, item: &str) -> Result<u64, Failure> {
    let canonical = item == "0" || (!item.starts_with('0') && !item.is_empty());
    let digits = item.bytes().all(|byte| byte.is_ascii_digit());
    let word = item.parse::<u64>().ok().filter(|&word| canonical && digits && is_canonical(word));
    word.ok_or_else(|| {
        Failure::Malformed(format!(
            "{option}, number {index}: {item:?} is not a decimal number from 0 to {}",
            MODULUS - 1
        ))
    })
}

/// Parses `--execute`.
pub fn executor(name: &str) -> Result<Executor, String> {
    Executor::from_name(name).ok_or_else(|| {
        let names = Executor::ALL.map(Executor::name);
        format!("{name:?} is no executor; there are {}", names.join(", "))
    })
}

/// Parses `--profile`.
pub fn profile(name: &str) -> Result<Profile, String> {
    traceloom_expect::expectation::profile(name)
}

/// The options that give a built-in program its input.
pub fn usage(example: &Example) -> String {
    match example.inputs {
        Inputs::File { .. } => "takes --input FILE".into(),
        Inputs::Args(names) => format!("takes --args {}", names.join(",")),
    }
}
