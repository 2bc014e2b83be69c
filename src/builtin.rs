//! The programs that this process has: those built in, those of a project that gave its own to the
//! command line, and files beside them.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use traceloom_abi::registry::{DeviceImage, ProgramSource, ProgramUnit};
use traceloom_bytecode::near::nearest;
use traceloom_programs::{self as programs, Example, Inputs};
use traceloom_runtime::session::{Description, Session, SessionBuilder, SessionError};

/// What a project has given to the command line, with what is built in.
struct Given {
    sources: &'static [ProgramSource],
    registry: Vec<&'static ProgramUnit>,
    images: Vec<DeviceImage>,
}

static GIVEN: OnceLock<Given> = OnceLock::new();

/// Gives the programs of a project to this process, with their units and device code. Only the
/// first call counts: a process has one command line.
pub(crate) fn give(
    sources: &'static [ProgramSource],
    registry: &'static [&'static ProgramUnit],
    images: &'static [DeviceImage],
) {
    let _ = GIVEN.set(Given {
        sources,
        registry: [registry, traceloom_generated::PROGRAMS].concat(),
        images: [images, traceloom_generated::IMAGES, traceloom_guest::IMAGES].concat(),
    });
}

/// What was generated for the built-in programs, and for those of a project that runs
/// [`cli::main`](crate::cli::main).
#[must_use]
pub fn registry() -> &'static [&'static ProgramUnit] {
    GIVEN.get().map_or(traceloom_generated::PROGRAMS, |given| &given.registry)
}

/// Compiled device code of the same programs.
pub(crate) fn images() -> &'static [DeviceImage] {
    GIVEN.get().map_or(traceloom_generated::IMAGES, |given| &given.images)
}

/// The programs of a project, without those that are built in.
pub(crate) fn sources() -> &'static [ProgramSource] {
    GIVEN.get().map_or(&[], |given| given.sources)
}

/// Whether a program of a project or a built-in one has this name.
pub(crate) fn is_known(name: &str) -> bool {
    sources().iter().any(|source| source.name == name) || programs::find(name).is_some()
}

/// A session of a program of this project, of a built-in program, or of a file: program text,
/// JSON, or an ELF file of RV64IM. Of those with the same name the first one is taken, in this order.
///
/// # Errors
/// [`SessionError::UnknownProgram`]: none has this name.
pub fn session(name: impl AsRef<Path>) -> Result<SessionBuilder, SessionError> {
    let path = name.as_ref();
    if let Some(found) = path.to_str().map(named).transpose()?.flatten() {
        return Ok(found);
    }
    if traceloom_guest::is_elf(path) {
        return traceloom_guest::session(path, &traceloom_riscv::Limits::default());
    }
    if path.exists() {
        return Ok(Session::of_file(path).registry(registry()));
    }
    let name = path.display().to_string();
    let known: Vec<&'static str> = names().collect();
    let near = nearest(&name, known.iter().copied());
    Err(SessionError::UnknownProgram { near, name, known })
}

/// Names of the programs of this project and of the built-in ones.
fn names() -> impl Iterator<Item = &'static str> {
    let own = sources().iter().map(|source| source.name);
    own.chain(programs::ALL.iter().map(|example| example.name))
}

fn named(name: &str) -> Result<Option<SessionBuilder>, SessionError> {
    if let Some(source) = sources().iter().find(|source| source.name == name) {
        return Ok(Some(of_source(source)));
    }
    programs::find(name).map(of_example).transpose()
}

/// A session of the program of this project, or the built-in one, that has this fingerprint, with
/// its name.
///
/// # Errors
/// Only if one of these programs is wrong.
pub fn session_of(
    fingerprint: &[u8; 32],
) -> Result<Option<(&'static str, SessionBuilder)>, SessionError> {
    for name in names() {
        let Some(builder) = named(name)? else { continue };
        if builder.build()?.program().fingerprint() == *fingerprint {
            return Ok(named(name)?.map(|builder| (name, builder)));
        }
    }
    Ok(None)
}

fn of_source(source: &'static ProgramSource) -> SessionBuilder {
    Session::of_bytes(source.name, source.bytes).registry(registry())
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
