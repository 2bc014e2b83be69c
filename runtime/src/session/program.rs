//! Where the program of a session comes from.

use std::path::PathBuf;

use traceloom_bytecode::{CheckedProgram, Program, json, text};

use super::SessionError;
use super::file::read_program;

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
            Self::File(path) => parse(place, &read_program(&path)?)?,
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
        // JSON of another compiler does not state traceloom's format.
        let is_ours = bytes.windows(json::FORMAT.len()).any(|part| part == json::FORMAT.as_bytes());
        let place = place.to_owned();
        SessionError::NoProgram { place, is_foreign: is_json && !is_ours, error }
    })
}
