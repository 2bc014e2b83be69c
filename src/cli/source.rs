//! Programs, arguments and input files as the commands name them.

use traceloom_air::field::{MODULUS, is_canonical};
use traceloom_bytecode::CheckedProgram;
use traceloom_programs::{Example, Inputs};
use traceloom_runtime::session::{Executor, Request, SessionBuilder};
use traceloom_verifier::Profile;

use super::{Failure, RunArgs, riscv};

/// A built-in program by name, or a program file, alone.
pub fn load(name: &str) -> Result<CheckedProgram, Failure> {
    Ok(crate::session(name)?.build()?.program().clone())
}

/// The builder of the session that a command line asks for.
pub fn session(args: &RunArgs) -> Result<SessionBuilder, Failure> {
    riscv::refuse(&args.program)?;
    Ok(crate::session(&args.program)?.execute(args.execute).limits(args.limits.clone()))
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
    Profile::from_name(name).ok_or_else(|| {
        let names = Profile::ALL.map(Profile::name);
        format!("{name:?} is not a profile; choose one of {}", names.join(", "))
    })
}

/// The options that give a built-in program its input.
pub fn usage(example: &Example) -> String {
    match example.inputs {
        Inputs::File { .. } => "takes --input FILE".into(),
        Inputs::Args(names) => format!("takes --args {}", names.join(",")),
    }
}
