//! Programs, arguments and input files as the commands name them.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use traceloom_abi::field::{MODULUS, is_canonical};
use traceloom_abi::io::Io;
use traceloom_bytecode::execute::{Execution, Limits, execute};
use traceloom_bytecode::model::FunctionId;
use traceloom_bytecode::{CheckedProgram, Program, json, text};
use traceloom_programs as programs;
use traceloom_prover::Profile;

use super::{Failure, RunArgs};

/// The io channel of `--input`.
const INPUT_CHANNEL: u64 = 0;

/// A program that is ready to run, and its description if it is built in.
pub struct Source {
    /// The program.
    pub program: CheckedProgram,
    /// What its claims mean, for built-in programs.
    pub builtin: Option<&'static programs::Builtin>,
}

/// Loads a built-in program by name, or a program file.
pub fn load(name: &str) -> Result<Source, Failure> {
    if let Some(builtin) = programs::find(name) {
        let program = check(name, builtin.build())?;
        return Ok(Source { program, builtin: Some(builtin) });
    }
    let path = Path::new(name);
    if !path.exists() {
        let names: Vec<&str> = programs::ALL.iter().map(|builtin| builtin.name).collect();
        return Err(Failure::Malformed(format!(
            "{name}: no such program file, and the built-in programs are {}",
            names.join(", ")
        )));
    }
    let program = parse(name, &read(path)?)?;
    Ok(Source { program: check(name, program)?, builtin: None })
}

/// Parses program text or JSON; JSON starts with a brace.
pub fn parse(name: &str, bytes: &[u8]) -> Result<Program, Failure> {
    let is_json = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    let program = if is_json { json::parse(bytes) } else { text::parse(bytes) };
    program.map_err(|error| Failure::Malformed(format!("{name} is no program:\n{error}")))
}

fn check(name: &str, program: Program) -> Result<CheckedProgram, Failure> {
    CheckedProgram::new(program).map_err(|error| Failure::Refused(format!("{name}: {error}")))
}

/// Reads a file whole; larger ones than any input may be are refused unread.
pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    const MOST: u64 = 1 << 32;
    let failure = |error: std::io::Error| Failure::file("read", path, &error);
    let file = File::open(path).map_err(failure)?;
    let mut bytes = Vec::new();
    file.take(MOST + 1).read_to_end(&mut bytes).map_err(failure)?;
    if bytes.len() as u64 > MOST {
        return Err(Failure::Malformed(format!("{}: larger than {MOST} bytes", path.display())));
    }
    Ok(bytes)
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

/// Parses `--profile`.
pub fn profile(name: &str) -> Result<Profile, String> {
    Profile::from_name(name).ok_or_else(|| {
        let names = Profile::ALL.map(Profile::name);
        format!("{name:?} is no profile; there are {}", names.join(", "))
    })
}

/// A finished run of what the command line names.
pub struct Run {
    /// The program.
    pub source: Source,
    /// What happened.
    pub execution: Execution,
}

/// Loads and executes.
pub fn run(args: &RunArgs) -> Result<Run, Failure> {
    let source = load(&args.program)?;
    let (entry, inputs, io) = arguments(&source, args)?;
    let execution = execute(&source.program, &[(entry, inputs)], io, &Limits::default())
        .map_err(|error| Failure::Refused(format!("{}: {error}", args.program)))?;
    Ok(Run { source, execution })
}

fn arguments(source: &Source, args: &RunArgs) -> Result<(FunctionId, Vec<u64>, Io), Failure> {
    let program = &source.program;
    let entry = entry(program, args.entry.as_deref())?;
    let mut io = Io::default();
    let mut len = None;
    if let Some(path) = &args.input {
        let bytes = read(path)?;
        let words: Vec<u64> = bytes.iter().map(|&byte| byte.into()).collect();
        io.add_input(INPUT_CHANNEL, &[], &words)
            .map_err(|error| Failure::Malformed(format!("{}: {error}", path.display())))?;
        len = Some(words.len() as u64);
    }
    let inputs = match (&args.args, len) {
        (Some(list), _) => words("--args", list)?,
        // Programs over a file claim its length.
        (None, Some(len)) if program.function(entry).num_inputs == 1 => vec![len],
        (None, _) => Vec::new(),
    };
    let (expected, got) = (program.function(entry).num_inputs as usize, inputs.len());
    if expected != got {
        let name = &program.function(entry).name;
        let hint = match source.builtin {
            Some(builtin) => format!("; {}", builtin.usage),
            None => format!("; give them with --args, {expected} numbers separated by commas"),
        };
        return Err(Failure::Malformed(format!("{name} has {expected} inputs, got {got}{hint}")));
    }
    Ok((entry, inputs, io))
}

fn entry(program: &CheckedProgram, name: Option<&str>) -> Result<FunctionId, Failure> {
    let entries: Vec<FunctionId> =
        program.function_ids().filter(|&id| program.function(id).entry).collect();
    let names: Vec<&str> = entries.iter().map(|&id| &program.function(id).name[..]).collect();
    let found: Vec<FunctionId> = match name {
        None => entries.clone(),
        Some(name) => {
            entries.iter().copied().filter(|&id| program.function(id).name == name).collect()
        }
    };
    match found[..] {
        [entry] => Ok(entry),
        _ => Err(Failure::Malformed(format!(
            "name one entry function with --entry; this program has {names:?}"
        ))),
    }
}
