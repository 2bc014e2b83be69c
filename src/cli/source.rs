//! Programs, arguments and input files as the commands name them.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use traceloom_abi::io::Io;
use traceloom_air::claim::Claim;
use traceloom_air::field::{Goldilocks, MODULUS, is_canonical, word as word_of};
use traceloom_bytecode::execute::{Execution, execute};
use traceloom_bytecode::limits::MAX_INPUT_BYTES;
use traceloom_bytecode::model::FunctionId;
use traceloom_bytecode::{CheckedProgram, Program, json, text};
use traceloom_programs::{self as programs, Example, Inputs};
use traceloom_verifier::codec::{self, MAGIC};
use traceloom_verifier::{Profile, Proof};

use super::{Failure, RunArgs};

/// The io channel of `--input`.
const INPUT_CHANNEL: u64 = 0;

/// A program that is ready to run, and its description if it is built in.
pub struct Source {
    /// The program.
    pub program: CheckedProgram,
    /// What its claims mean, for built-in programs.
    pub builtin: Option<&'static Example>,
}

/// Loads a built-in program by name, or a program file.
pub fn load(name: &str) -> Result<Source, Failure> {
    if let Some(builtin) = programs::find(name) {
        let program = builtin.build();
        let program = program.map_err(|error| Failure::Refused(format!("{name}: {error}")))?;
        let program = check(name, program)?;
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
    let program = parse(name, &read_program(path)?)?;
    Ok(Source { program: check(name, program)?, builtin: None })
}

/// Parses program text or JSON; JSON starts with a brace.
pub fn parse(name: &str, bytes: &[u8]) -> Result<Program, Failure> {
    let is_json = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    let program = if is_json { json::parse(bytes) } else { text::parse(bytes) };
    program.map_err(|error| {
        // Another compiler's JSON states no format of ours.
        let is_ours = bytes.windows(json::FORMAT.len()).any(|part| part == json::FORMAT.as_bytes());
        let hint = match is_json && !is_ours {
            true => "\nnested JSON of another compiler is read by `traceloom import`",
            false => "",
        };
        Failure::Malformed(format!("{name} is no program:\n{error}{hint}"))
    })
}

/// Checks a program as a whole.
pub fn check(name: &str, program: Program) -> Result<CheckedProgram, Failure> {
    CheckedProgram::new(program).map_err(|error| Failure::Refused(format!("{name}: {error}")))
}

/// Bytes of an input file; each becomes a word of io.
const MAX_INPUT: usize = 1 << 32;

/// Reads an input file.
pub fn read_input(path: &Path) -> Result<Vec<u8>, Failure> {
    read_bounded(path, |_| ("an input", MAX_INPUT))
}

/// Reads a file with a program.
pub fn read_program(path: &Path) -> Result<Vec<u8>, Failure> {
    read_bounded(path, |_| ("a program", MAX_INPUT_BYTES))
}

/// Reads a proof. Of a file that does not begin like one, no more is read.
pub fn read_proof(path: &Path) -> Result<Proof, Failure> {
    let limit = |head: &[u8]| ("a proof", if head == MAGIC { codec::MAX_BYTES } else { 0 });
    decode(path, &read_bounded(path, limit)?)
}

/// Reads a file that may be a proof or a program, as its first bytes say.
pub fn read_either(path: &Path) -> Result<Vec<u8>, Failure> {
    read_bounded(path, |head| match head == MAGIC {
        true => ("a proof", codec::MAX_BYTES),
        false => ("a program", MAX_INPUT_BYTES),
    })
}

/// Decodes the bytes of a proof file.
pub fn decode(path: &Path, bytes: &[u8]) -> Result<Proof, Failure> {
    Proof::decode(bytes).map_err(|error| Failure::Malformed(format!("{}: {error}", path.display())))
}

/// Reads a file whole, if it has at most as many bytes as `limit` says of what is read,
/// given its first bytes. Files that are longer are refused unread, streams as soon as
/// they are. At a limit of 0 the first bytes are all that is read.
fn read_bounded(
    path: &Path,
    limit: impl FnOnce(&[u8]) -> (&'static str, usize),
) -> Result<Vec<u8>, Failure> {
    let failure = |error: std::io::Error| Failure::file("read", path, &error);
    let mut file = File::open(path).map_err(failure)?;
    let mut bytes = Vec::new();
    file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut bytes).map_err(failure)?;
    let (what, most) = limit(&bytes);
    if most == 0 {
        return Ok(bytes);
    }
    let too_long = |length: &str| {
        let path = path.display();
        Failure::Malformed(format!("{path}: {length} bytes, {what} has at most {most}"))
    };
    let metadata = file.metadata().map_err(failure)?;
    let length = if metadata.is_file() { metadata.len() } else { 0 };
    let expected = usize::try_from(length).ok().filter(|&length| length <= most);
    let expected = expected.ok_or_else(|| too_long(&length.to_string()))?;
    bytes.try_reserve_exact(expected.saturating_sub(bytes.len())).map_err(|_| {
        let path = path.display();
        Failure::Refused(format!("{path}: there is no memory for its {length} bytes"))
    })?;
    let rest = (most - bytes.len()) as u64 + 1;
    file.take(rest).read_to_end(&mut bytes).map_err(failure)?;
    if bytes.len() > most {
        return Err(too_long(&format!("more than {most}")));
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

impl Source {
    /// What a claim says, in words, where the program is built in.
    pub fn in_words(&self, claim: &Claim) -> Option<String> {
        let words =
            |elements: &[Goldilocks]| elements.iter().map(|&x| word_of(x)).collect::<Vec<_>>();
        let entry = self.program.find(self.builtin?.name)?;
        let claimed = claim.function == entry.0;
        claimed.then(|| self.builtin?.phrase(&words(&claim.inputs), &words(&claim.outputs)))?
    }
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
    let execution = execute(&source.program, &[(entry, inputs)], io, &args.limits)
        .map_err(|error| Failure::Refused(format!("{}: {error}", args.program)))?;
    Ok(Run { source, execution })
}

fn arguments(source: &Source, args: &RunArgs) -> Result<(FunctionId, Vec<u64>, Io), Failure> {
    let program = &source.program;
    let entry = entry(program, args.entry.as_deref())?;
    let num_inputs = program.function(entry).num_inputs as usize;
    let mut io = Io::default();
    let mut inputs = None;
    if let Some(path) = &args.input {
        let failure = |error: String| Failure::Malformed(format!("{}: {error}", path.display()));
        let bytes = read_input(path)?;
        let words: Vec<u64> = bytes.iter().map(|&byte| byte.into()).collect();
        io.add_input(INPUT_CHANNEL, &[], &words).map_err(|error| failure(error.to_string()))?;
        // Programs over a file claim its length.
        let len = words.len() as u64;
        inputs = match source.builtin.map(|builtin| builtin.claimed_input(len)) {
            Some(item) => Some(vec![item.map_err(|error| failure(error.to_string()))?]),
            None if num_inputs == 1 => Some(vec![len]),
            None => None,
        };
    }
    if let Some(list) = &args.args {
        inputs = Some(words("--args", list)?);
    }
    let inputs = inputs.unwrap_or_default();
    if num_inputs != inputs.len() {
        let name = &program.function(entry).name;
        let hint = source.builtin.map_or_else(|| list_usage(num_inputs), usage);
        let got = inputs.len();
        return Err(Failure::Malformed(format!(
            "{name} has {num_inputs} inputs, got {got}; {hint}"
        )));
    }
    Ok((entry, inputs, io))
}

/// How to give a built-in program what it takes.
pub fn usage(example: &Example) -> String {
    match example.inputs {
        Inputs::File { .. } => "takes --input FILE".into(),
        Inputs::Args(names) => format!("takes --args {}", names.join(",")),
    }
}

fn list_usage(num_inputs: usize) -> String {
    format!("give {num_inputs} numbers separated by commas with --args")
}

/// The entry function of this name, or the only one.
pub fn entry(program: &CheckedProgram, name: Option<&str>) -> Result<FunctionId, Failure> {
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
