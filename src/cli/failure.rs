//! Why a command failed, and its exit code.

use std::path::Path;

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
}
