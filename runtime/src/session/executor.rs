//! Who executes: emitted executors or the interpreter, chosen once.

use traceloom_abi::execute::FunctionExecutor;
use traceloom_abi::registry::ProgramUnit;
use traceloom_bytecode::CheckedProgram;

use crate::bind::{self, BindError};

/// Who runs the program. The record is the same either way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Executor {
    /// Emitted executors where the registry has some of the program, else the interpreter.
    #[default]
    Auto,
    /// The interpreter.
    Interpreted,
    /// Emitted executors; where there are none, the interpreter, with a notice.
    Generated,
}

impl Executor {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Interpreted, Self::Generated, Self::Auto];

    /// Its name in options.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Interpreted => "interpreted",
            Self::Generated => "generated",
        }
    }

    /// The one of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|executor| executor.name() == name)
    }
}

/// Who ran a program, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutedBy {
    /// `generated` or `interpreted`; `machine` if a guest was executed.
    pub name: &'static str,
    /// Why it was the interpreter, unless it was asked for.
    pub reason: Option<String>,
}

impl ExecutedBy {
    pub(super) fn generated() -> Self {
        Self { name: Executor::Generated.name(), reason: None }
    }

    /// A machine executes its guest itself.
    pub(super) fn machine() -> Self {
        Self { name: "machine", reason: None }
    }

    pub(super) fn interpreted(reason: Option<String>) -> Self {
        Self { name: Executor::Interpreted.name(), reason }
    }
}

/// The reason where executors stopped and the interpreter went through to the end.
pub(super) const STOPPED: &str = "executors stopped, as they may before a limit";

/// What a session has of executors.
#[derive(Clone, Debug)]
pub(super) enum Chosen {
    /// These, compared with the program.
    Generated(&'static [FunctionExecutor]),
    /// The interpreter, since it was asked for, or since executors cannot be used.
    Interpreted(Option<Box<BindError>>),
}

impl Chosen {
    /// Chooses.
    pub fn new(
        executor: Executor,
        program: &CheckedProgram,
        registry: &[&'static ProgramUnit],
    ) -> Self {
        match executor {
            Executor::Interpreted => Self::Interpreted(None),
            Executor::Auto | Executor::Generated => match bind::executors(program, registry) {
                Ok(executors) => Self::Generated(executors),
                Err(error) => Self::Interpreted(Some(Box::new(error))),
            },
        }
    }
}
