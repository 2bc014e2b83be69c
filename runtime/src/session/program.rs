//! Where the program of a session comes from.

use std::path::PathBuf;
use std::sync::Arc;

use traceloom_bytecode::{CheckedProgram, Program, json, text};

use super::SessionError;
use super::file::read_program;
use crate::machine::{FrontEnd, Machine};

/// A program, or what it is read from.
pub(super) enum ProgramSource {
    Checked(Box<CheckedProgram>),
    Program(Box<Program>),
    Bytes { name: String, bytes: Vec<u8> },
    File(PathBuf),
    Machine(Arc<dyn Machine>),
}

/// What a session is of.
pub(super) enum Subject {
    /// A program of functions.
    Functions(Box<CheckedProgram>),
    /// A machine with its guest.
    Machine(Arc<dyn Machine>),
}

impl Subject {
    pub fn front(&self) -> FrontEnd<'_> {
        match self {
            Self::Functions(program) => FrontEnd::Functions(program),
            Self::Machine(machine) => FrontEnd::Tables(&**machine),
        }
    }
}

impl ProgramSource {
    /// What errors call it.
    pub fn place(&self) -> String {
        match self {
            Self::Checked(program) => program.program().name.clone(),
            Self::Program(program) => program.name.clone(),
            Self::Bytes { name, .. } => name.clone(),
            Self::File(path) => path.display().to_string(),
            Self::Machine(machine) => machine.name().to_owned(),
        }
    }

    /// Reads and checks it; errors call it `place`. Returns also the text that it was read from,
    /// if it was text: errors find their lines in it.
    pub fn load(self, place: &str) -> Result<(Subject, Option<Vec<u8>>), SessionError> {
        let functions = |program| (Subject::Functions(Box::new(program)), None);
        let invalid = |error| SessionError::InvalidProgram { place: place.to_owned(), error };
        let bytes = match self {
            Self::Machine(machine) => return Ok((Subject::Machine(machine), None)),
            Self::Checked(program) => return Ok(functions(*program)),
            Self::Program(program) => {
                return CheckedProgram::new(*program).map(functions).map_err(invalid);
            }
            Self::Bytes { bytes, .. } => bytes,
            Self::File(path) => read_program(&path)?,
        };
        let text = (!is_json(&bytes)).then_some(&bytes);
        let program = CheckedProgram::new(parse(place, &bytes)?).map_err(|error| {
            invalid(match text {
                Some(text) => error.in_text(text),
                None => error,
            })
        })?;
        Ok((Subject::Functions(Box::new(program)), text.is_some().then_some(bytes)))
    }
}

/// Whether bytes are JSON, which begins with a brace. A byte order mark before it is an error of
/// the JSON, not a sign of text.
#[must_use]
pub fn is_json(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{')
}

/// Parses program text or JSON.
fn parse(place: &str, bytes: &[u8]) -> Result<Program, SessionError> {
    let is_json = is_json(bytes);
    let program = if is_json { json::parse(bytes) } else { text::parse(bytes) };
    program.map_err(|error| {
        // JSON of another compiler does not state traceloom's format.
        let is_ours = bytes.windows(json::FORMAT.len()).any(|part| part == json::FORMAT.as_bytes());
        let place = place.to_owned();
        SessionError::NoProgram { place, is_foreign: is_json && !is_ours, error }
    })
}
