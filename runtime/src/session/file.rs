//! Files from outside. Each kind has a greatest length, which is checked before a file is read.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use traceloom_bytecode::limits::MAX_INPUT_BYTES;
use traceloom_verifier::codec::{self, MAGIC};

use super::SessionError;

/// What a file is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A program as text or JSON, this format's or another compiler's.
    Program,
    /// A proof.
    Proof,
    /// Words of io, a byte each.
    Input,
}

impl FileKind {
    /// Longest file of this kind, in bytes.
    #[must_use]
    pub const fn max_bytes(self) -> usize {
        match self {
            Self::Program => MAX_INPUT_BYTES,
            Self::Proof => codec::MAX_BYTES,
            Self::Input => 1 << 32,
        }
    }

    /// With its article, for messages.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Program => "a program",
            Self::Proof => "a proof",
            Self::Input => "an input",
        }
    }
}

/// Reads a file with a program.
///
/// # Errors
/// [`SessionError::Unreadable`], [`SessionError::TooLong`], [`SessionError::NoMemory`].
pub fn read_program(path: &Path) -> Result<Vec<u8>, SessionError> {
    read(path, |_| Some(FileKind::Program))
}

/// Reads a file with a proof. If it does not begin like a proof, only its first bytes are read.
///
/// # Errors
/// As [`read_program`].
pub fn read_proof(path: &Path) -> Result<Vec<u8>, SessionError> {
    read(path, |head| (head == MAGIC).then_some(FileKind::Proof))
}

/// Reads a file that may be a proof or a program, as its first bytes say.
///
/// # Errors
/// As [`read_program`].
pub fn read_proof_or_program(path: &Path) -> Result<Vec<u8>, SessionError> {
    let kind = |is_proof| if is_proof { FileKind::Proof } else { FileKind::Program };
    read(path, |head| Some(kind(head == MAGIC)))
}

/// Reads a file whose bytes are words of io.
///
/// # Errors
/// As [`read_program`].
pub fn read_input(path: &Path) -> Result<Vec<u8>, SessionError> {
    read(path, |_| Some(FileKind::Input))
}

/// Reads a whole file, unless it is longer than its kind allows. `kind` gets the first bytes and
/// returns the kind. A longer file is refused before it is read, a stream as soon as it exceeds
/// the length. If `kind` returns none, only the first bytes are read.
fn read(
    path: &Path,
    kind: impl FnOnce(&[u8]) -> Option<FileKind>,
) -> Result<Vec<u8>, SessionError> {
    let failure = |error| SessionError::Unreadable { path: path.to_owned(), error };
    let mut file = File::open(path).map_err(failure)?;
    let mut bytes = Vec::new();
    file.by_ref().take(MAGIC.len() as u64).read_to_end(&mut bytes).map_err(failure)?;
    let Some(kind) = kind(&bytes) else { return Ok(bytes) };
    let too_long = |len| SessionError::TooLong { path: path.to_owned(), kind, len };
    let metadata = file.metadata().map_err(failure)?;
    let len = if metadata.is_file() { metadata.len() } else { 0 };
    let expected = usize::try_from(len).ok().filter(|&len| len <= kind.max_bytes());
    let expected = expected.ok_or_else(|| too_long(Some(len)))?;
    bytes
        .try_reserve_exact(expected.saturating_sub(bytes.len()))
        .map_err(|_| SessionError::NoMemory { path: path.to_owned(), len })?;
    let rest = (kind.max_bytes() - bytes.len()) as u64 + 1;
    file.take(rest).read_to_end(&mut bytes).map_err(failure)?;
    match bytes.len() > kind.max_bytes() {
        true => Err(too_long(None)),
        false => Ok(bytes),
    }
}
