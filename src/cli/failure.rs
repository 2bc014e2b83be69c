//! Why a command failed, and its exit code.

use std::path::Path;

use traceloom_programs as programs;
use traceloom_runtime::session::{Kind, SessionError};

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
        SessionError::Entry { wanted, entries, .. } => {
            let found = match wanted {
                Some(name) => format!("no entry function is called {name:?}; "),
                None => String::new(),
            };
            format!("{found}name one entry function with --entry; this program has {entries:?}")
        }
        SessionError::Arity { place, function, expected, got, .. } => {
            let list = || format!("give {expected} numbers separated by commas with --args");
            let hint = programs::find(place).map_or_else(list, usage);
            format!("{function} has {expected} inputs, got {got}; {hint}")
        }
        SessionError::Profile { found, expected } => format!(
            "the proof has profile {found}, expected {expected}; choose another one with --profile"
        ),
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
