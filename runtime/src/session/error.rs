//! Why a session refused something: where, what, and what to do.

use std::io;
use std::path::PathBuf;

use traceloom_abi::io::IoError;
use traceloom_bytecode::builder::BuildErrors;
use traceloom_bytecode::execute::ExecuteError;
use traceloom_bytecode::{InvalidProgram, Malformed};
use traceloom_prover::{ProveError, SetupError};
use traceloom_verifier::{DecodeError, VerifyError};

use super::{BackendError, FileKind, Mismatch};
use crate::bind::{BindError, hex};
use crate::check::PokeError;
use crate::machine::MachineError;
use crate::provider::{ChoiceError, WitnessError};
use crate::shards::PlanError;
use crate::shards::cache::CacheError;

/// What a failure says about the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A well-formed proof, claim or program was refused.
    Refused,
    /// The request or a file is unreadable or malformed.
    Malformed,
}

/// Everything that can go wrong in a session. `place` names the program as its builder did.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// A file cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A file is longer than any of its kind may be.
    #[error(
        "{}: {} bytes, {} has at most {}",
        path.display(),
        len.map_or_else(|| format!("more than {}", kind.max_bytes()), |len| len.to_string()),
        kind.name(),
        kind.max_bytes()
    )]
    TooLong {
        /// The file.
        path: PathBuf,
        /// What it was to be read as.
        kind: FileKind,
        /// Its length in bytes; `None` of a stream.
        len: Option<u64>,
    },
    /// There is no memory for a file of admissible length.
    #[error("{}: there is no memory for its {len} bytes", path.display())]
    NoMemory {
        /// The file.
        path: PathBuf,
        /// Its length in bytes.
        len: u64,
    },
    /// Neither a built-in program nor a file has this name.
    #[error(
        "{name}: no such program file, and the programs with a name are {}{}",
        known.join(", "),
        near.map_or_else(String::new, |near| format!("; did you mean {near}?"))
    )]
    UnknownProgram {
        /// The name.
        name: String,
        /// The name that was probably meant.
        near: Option<&'static str>,
        /// Names of the programs that are known without a file.
        known: Vec<&'static str>,
    },
    /// A program made with the builder has mistakes.
    #[error("{place}: {error}")]
    Unbuilt {
        /// The program.
        place: String,
        /// Its mistakes.
        error: BuildErrors,
    },
    /// Bytes that are not a program.
    #[error(
        "{place} is not a program:\n{error}{}",
        if *is_foreign { "\nimport nested JSON of another compiler first" } else { "" }
    )]
    NoProgram {
        /// The program.
        place: String,
        /// Whether they look like the JSON of another compiler.
        is_foreign: bool,
        /// What is wrong, by line and column.
        error: Malformed,
    },
    /// A program that breaks rules.
    #[error("{place}: {error}")]
    InvalidProgram {
        /// The program.
        place: String,
        /// The rules, with their places.
        error: InvalidProgram,
    },
    /// No entry function of this name, or several and no name.
    #[error("{place}: name one entry function; {}", entry_functions(entries))]
    Entry {
        /// The program.
        place: String,
        /// The name that was asked for.
        wanted: Option<String>,
        /// Whether a function that is no entry has this name.
        is_function: bool,
        /// Names of its entry functions.
        entries: Vec<String>,
    },
    /// A cell that is to be changed before a check and that is not there.
    #[error("{place}: {error}")]
    Poke {
        /// The program.
        place: String,
        /// What is missing.
        error: Box<PokeError>,
    },
    /// Executors cannot be used, and fallbacks are forbidden.
    #[error("{place}: would be executed by the interpreter: {error}")]
    Executors {
        /// The program.
        place: String,
        /// Why.
        error: Box<BindError>,
    },
    /// Too many arguments, or too few.
    #[error("{function} has {expected} inputs, got {got}; it takes {takes}")]
    Arity {
        /// The program.
        place: String,
        /// The entry function.
        function: String,
        /// Its number of inputs.
        expected: usize,
        /// Number of arguments.
        got: usize,
        /// What it takes.
        takes: String,
    },
    /// A file or bytes that are not an input of the program.
    #[error("{input}: {reason}")]
    Input {
        /// The file, or what the bytes are called.
        input: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Io that is not an input.
    #[error("input: {0}")]
    Io(#[from] IoError),
    /// The execution stopped.
    #[error("{place}: {error}")]
    Execute {
        /// The program.
        place: String,
        /// Where and why.
        error: Box<ExecuteError>,
    },
    /// A call was asked of a guest.
    #[error("{place} is a guest and has no functions; give it --input and no arguments or entry")]
    Calls {
        /// The guest.
        place: String,
    },
    /// A file that is no guest.
    #[error("{place}: {error}")]
    NoGuest {
        /// The file.
        place: String,
        /// What is wrong with it, where, and what to do.
        error: MachineError,
    },
    /// A profile was asked of a guest.
    #[error("{place} is a guest: a profile is one of a program of functions")]
    NoProfile {
        /// The guest.
        place: String,
    },
    /// The guest stopped.
    #[error("{place}: {error}")]
    Machine {
        /// The guest.
        place: String,
        /// Where and why.
        error: MachineError,
    },
    /// What a proof states of a guest is no statement of its machine.
    #[error("the proof does not state what a run of this machine states: {0}")]
    Statement(String),
    /// The proof cannot be computed where it was asked for.
    #[error("the backend of a device{0}")]
    Backend(#[from] BackendError),
    /// The cache cannot be used.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// The rows cannot be cut into shards as asked for.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A circuit would fall back although that is forbidden, or system and program differ.
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    /// Rows cannot be written.
    #[error(transparent)]
    Rows(#[from] WitnessError),
    /// The program has no key with these parameters.
    #[error("{place}: {error}")]
    Key {
        /// The program.
        place: String,
        /// Why.
        error: Box<SetupError>,
    },
    /// The prover failed.
    #[error("{place}: {error}")]
    Prove {
        /// The program.
        place: String,
        /// Why.
        error: Box<ProveError>,
    },
    /// A finished proof does not verify: a fault of traceloom, of the memory or of a device.
    #[error("{place}: the finished proof does not verify: {error}")]
    SelfCheck {
        /// The program.
        place: String,
        /// What its verification says.
        error: Box<VerifyError>,
    },
    /// Bytes that are not a proof.
    #[error(transparent)]
    NoProof(#[from] DecodeError),
    /// The proof has other parameters than the session.
    #[error("the proof has profile {found}, expected {expected}; build a session with its profile")]
    Profile {
        /// Name of the proof's profile.
        found: String,
        /// Name of the session's.
        expected: String,
    },
    /// The proof is about another program.
    #[error(
        "the proof was made for another program: its fingerprint is {}, expected {}",
        hex(found),
        hex(expected)
    )]
    OtherProgram {
        /// Fingerprint that the proof states.
        found: [u8; 32],
        /// Fingerprint of the session's program.
        expected: [u8; 32],
    },
    /// The claims of the proof are not the expected ones.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// The proof is refused.
    #[error(transparent)]
    Verify(Box<VerifyError>),
}

/// The entry functions of a program, in words.
#[must_use]
pub fn entry_functions(entries: &[String]) -> String {
    match entries {
        [] => "this program has none, so nothing of it can be claimed".to_owned(),
        entries => format!("this program has {entries:?}"),
    }
}

impl SessionError {
    /// Whether something well-formed was refused, or something is malformed.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Plan(error) if !error.is_malformed() => Kind::Refused,
            Self::Unreadable { .. }
            | Self::TooLong { .. }
            | Self::UnknownProgram { .. }
            | Self::NoProgram { .. }
            | Self::Entry { .. }
            | Self::Arity { .. }
            | Self::Calls { .. }
            | Self::NoGuest { .. }
            | Self::NoProfile { .. }
            | Self::Input { .. }
            | Self::Io(_)
            | Self::Cache(_)
            | Self::Plan(_)
            | Self::NoProof(_)
            | Self::Poke { .. } => Kind::Malformed,
            Self::NoMemory { .. }
            | Self::Unbuilt { .. }
            | Self::InvalidProgram { .. }
            | Self::Execute { .. }
            | Self::Machine { .. }
            | Self::Statement(_)
            | Self::Executors { .. }
            | Self::Backend(BackendError::NoDevice(_))
            | Self::Choice(_)
            | Self::Rows(_)
            | Self::Key { .. }
            | Self::Prove { .. }
            | Self::SelfCheck { .. }
            | Self::Profile { .. }
            | Self::OtherProgram { .. }
            | Self::Mismatch(_)
            | Self::Verify(_) => Kind::Refused,
        }
    }
}
