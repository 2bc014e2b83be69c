//! The built-in programs as programs of a session, and files beside them.

use std::path::Path;
use std::sync::Arc;

use traceloom_abi::registry::ProgramUnit;
use traceloom_programs::{self as programs, Example, Inputs};
use traceloom_runtime::session::{Description, Session, SessionBuilder, SessionError};

/// What was generated for the built-in programs.
#[must_use]
pub fn registry() -> &'static [&'static ProgramUnit] {
    traceloom_generated::PROGRAMS
}

/// A session of a built-in program, or of a file with program text or JSON. If a built-in
/// program and a file have the same name, the program is taken.
///
/// # Errors
/// [`SessionError::UnknownProgram`]: neither has this name.
pub fn session(name: &str) -> Result<SessionBuilder, SessionError> {
    if let Some(example) = programs::find(name) {
        return of_example(example);
    }
    if Path::new(name).exists() {
        return Ok(Session::of_file(name).registry(registry()));
    }
    let known = programs::ALL.iter().map(|example| example.name).collect();
    Err(SessionError::UnknownProgram { name: name.to_owned(), known })
}

/// A session of the built-in program that has this fingerprint, with its name.
///
/// # Errors
/// None, unless a built-in program is edited wrongly.
pub fn session_of(
    fingerprint: &[u8; 32],
) -> Result<Option<(&'static str, SessionBuilder)>, SessionError> {
    for example in &programs::ALL {
        if of_example(example)?.build()?.program().fingerprint() == *fingerprint {
            return Ok(Some((example.name, of_example(example)?)));
        }
    }
    Ok(None)
}

fn of_example(example: &'static Example) -> Result<SessionBuilder, SessionError> {
    let place = || example.name.to_owned();
    let program = example.build();
    let program = program.map_err(|error| SessionError::Unbuilt { place: place(), error })?;
    let description = Arc::new(BuiltIn(example));
    Ok(Session::of_program(program).description(description).registry(registry()))
}

/// What the catalogue says of a program.
#[derive(Debug)]
struct BuiltIn(&'static Example);

impl Description for BuiltIn {
    fn claimed_inputs(&self, len: u64) -> Result<Vec<u64>, String> {
        self.0.claimed_input(len).map(|item| vec![item]).map_err(|error| error.to_string())
    }

    fn takes(&self) -> String {
        match self.0.inputs {
            Inputs::File { .. } => "a file".into(),
            Inputs::Args(names) => format!("the arguments {}", names.join(",")),
        }
    }

    fn phrase(&self, function: &str, inputs: &[u64], outputs: &[u64]) -> Option<String> {
        if function == self.0.name { self.0.phrase(inputs, outputs) } else { None }
    }
}
