//! Why a command failed, and its exit code.

use std::path::Path;

use traceloom_bytecode::execute::{ExecuteError, Fault};
use traceloom_bytecode::near::did_you_mean;
use traceloom_programs as programs;
use traceloom_runtime::session::{Kind, SessionError, entry_functions};

use super::riscv;
use super::source::usage;

/// A failed command. The message says what is wrong, where, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// A well-formed proof, claim or program was refused.
    #[error("{0}")]
    Refused(String),
    /// Usage, or input that is unreadable or malformed.
    #[error("{0}")]
    Malformed(String),
}

impl Failure {
    /// The exit code: 1 for a refusal, 2 otherwise.
    #[must_use]
    pub const fn code(&self) -> u8 {
        match self {
            Self::Refused(_) => 1,
            Self::Malformed(_) => 2,
        }
    }

    /// What `--json` calls the kind of failure.
    pub(super) const fn kind(&self) -> &'static str {
        match self {
            Self::Refused(_) => "refused",
            Self::Malformed(_) => "malformed",
        }
    }

    /// A file that cannot be read or written.
    pub(super) fn file(verb: &str, path: &Path, error: &std::io::Error) -> Self {
        Self::Malformed(format!("cannot {verb} {}: {error}", path.display()))
    }

    /// What a session says about a file, with the file's name.
    pub(super) fn about(path: &Path, error: &SessionError) -> Self {
        Self::new(error.kind(), format!("{}: {}", path.display(), worded(error)))
    }

    fn new(kind: Kind, message: String) -> Self {
        match kind {
            Kind::Refused => Self::Refused(message),
            Kind::Malformed => Self::Malformed(message),
        }
    }
}

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Self {
        Self::new(error.kind(), worded(&error))
    }
}

/// The message, with remedies in words of the command line.
fn worded(error: &SessionError) -> String {
    match error {
        SessionError::NoProgram { place, is_foreign: true, error } => format!(
            "{place} is not a program:\n{error}\n`traceloom import` reads nested JSON of another \
             compiler"
        ),
        SessionError::Entry { wanted, is_function, entries, .. } => {
            let has = entry_functions(entries);
            let Some(name) = wanted else {
                return match &entries[..] {
                    [] => format!("{has}; an entry function says `entry` after its outputs"),
                    _ => format!("name one entry function with --entry; {has}"),
                };
            };
            let near = did_you_mean(name, entries.iter().map(String::as_str));
            let found = match is_function {
                true => format!("{name:?} is a function and no entry"),
                false => format!("no function is called {name:?}"),
            };
            format!("{found}{near}; name one entry function with --entry; {has}")
        }
        SessionError::Arity { place, function, expected, got, .. } => {
            let list = || format!("give {expected} numbers separated by commas with --args");
            let hint = programs::find(place).map_or_else(list, usage);
            format!("{function} has {expected} inputs, got {got}; {hint}")
        }
        SessionError::Profile { found, expected } => format!(
            "the proof has profile {found}, expected {expected}; choose another one with --profile"
        ),
        SessionError::Execute { error: stopped, .. } => {
            let message = error.to_string();
            let ExecuteError::Failed(failure) = &**stopped else { return message };
            let Fault::Limit(limit) = &failure.fault else { return message };
            let field = limit.limit.field();
            message.replace(&format!("`Limits::{field}`"), &format!("--limit-{field}"))
        }
        SessionError::Machine { place, error } => riscv::worded(place, error),
        SessionError::Plan(error) => dashed(&error.to_string()),
        SessionError::Backend(error) => format!("--backend cuda{error}"),
        other => other.to_string(),
    }
}

/// Options as the command line has them.
fn dashed(message: &str) -> String {
    let options = ["max_shard_cells", "max_log_height", "max_memory", "retention", "shards"];
    options.into_iter().fold(message.to_owned(), |message, option| {
        let dashed = option.replace('_', "-");
        message.replace(&format!("{option}: "), &format!("--{dashed}: "))
    })
}
