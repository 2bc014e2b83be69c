//! Where the program of a session comes from.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use traceloom_bytecode::{CheckedProgram, Program, json, text};

use super::SessionError;

/// Longest file that is read, in bytes.
pub const MAX_FILE_BYTES: u64 = 1 << 32;

/// A program, or what it is read from.
pub(super) enum ProgramSource {
    Checked(Box<CheckedProgram>),
    Program(Box<Program>),
    Bytes { name: String, bytes: Vec<u8> },
    File(PathBuf),
}

impl ProgramSource {
    /// What errors call it.
    pub fn place(&self) -> String {
        match self {
            Self::Checked(program) => program.program().name.clone(),
            Self::Program(program) => program.name.clone(),
            Self::Bytes { name, .. } => name.clone(),
            Self::File(path) => path.display().to_string(),
        }
    }

    /// Reads and checks it; errors call it `place`.
    pub fn load(self, place: &str) -> Result<CheckedProgram, SessionError> {
        let program = match self {
            Self::Checked(program) => return Ok(*program),
            Self::Program(program) => *program,
            Self::Bytes { bytes, .. } => parse(place, &bytes)?,
            Self::File(path) => parse(place, &read_file(&path)?)?,
        };
        CheckedProgram::new(program)
            .map_err(|error| SessionError::InvalidProgram { place: place.to_owned(), error })
    }
}

/// Parses program text or JSON; JSON starts with a brace.
fn parse(place: &str, bytes: &[u8]) -> Result<Program, SessionError> {
    let is_json = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    let program = if is_json { json::parse(bytes) } else { text::parse(bytes) };
    program.map_err(|error| {
        // Another compiler's JSON states no format of ours.
        let is_ours = bytes.windows(json::FORMAT.len()).any(|part| part == json::FORMAT.as_bytes());
        let place = place.to_owned();
        SessionError::NoProgram { place, is_foreign: is_json && !is_ours, error }
    })
}

/// Reads a file whole; larger ones than any input may be are refused unread.
///
/// # Errors
/// [`SessionError::Unreadable`], [`SessionError::TooLarge`].
pub fn read_file(path: &Path) -> Result<Vec<u8>, SessionError> {
    let failure = |error| SessionError::Unreadable { path: path.to_owned(), error };
    let file = File::open(path).map_err(failure)?;
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(failure)?;
    match bytes.len() as u64 > MAX_FILE_BYTES {
        true => Err(SessionError::TooLarge { path: path.to_owned() }),
        false => Ok(bytes),
    }
}
