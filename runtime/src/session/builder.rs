//! What a session is made of.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use traceloom_abi::registry::ProgramUnit;
use traceloom_bytecode::execute::{DebugLine, Limits};
use traceloom_bytecode::{CheckedProgram, Program};
use traceloom_verifier::{Params, Profile};

use super::program::ProgramSource;
use super::{Backend, Description, Devices, Executor, Progress, Session, SessionError};
use crate::machine::Machine;
use crate::provider::TraceProvider;
use crate::shards::ShardOptions;

/// Makes a [`Session`]. Everything but the program has a default.
pub struct SessionBuilder {
    source: ProgramSource,
    place: Option<String>,
    settings: Settings,
}

type Observer = Option<Box<dyn Fn(&Progress) + Send + Sync>>;
type Notices = Option<Box<dyn Fn(&str) + Send + Sync>>;
type DebugLines = Option<Box<dyn Fn(DebugLine<'_>) + Send + Sync>>;

/// Everything but the program.
pub(super) struct Settings {
    pub description: Option<Arc<dyn Description>>,
    pub params: Params,
    pub executor: Executor,
    pub provider: TraceProvider,
    pub backend: Backend,
    pub strict: bool,
    pub shards: ShardOptions,
    pub registry: &'static [&'static ProgramUnit],
    pub devices: Devices,
    pub cpu_takes_over: bool,
    pub cache: Option<PathBuf>,
    pub limits: Limits,
    pub memory_samples: Option<Duration>,
    pub observer: Observer,
    pub notices: Notices,
    pub debug: DebugLines,
}

impl Session {
    /// A session of a program that was checked.
    #[must_use]
    pub fn of(program: CheckedProgram) -> SessionBuilder {
        SessionBuilder::new(ProgramSource::Checked(Box::new(program)))
    }

    /// A session of a program that is checked when the session is built.
    #[must_use]
    pub fn of_program(program: Program) -> SessionBuilder {
        SessionBuilder::new(ProgramSource::Program(Box::new(program)))
    }

    /// A session of a program as text or JSON. `name` is what errors call it.
    #[must_use]
    pub fn of_bytes(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> SessionBuilder {
        SessionBuilder::new(ProgramSource::Bytes { name: name.into(), bytes: bytes.into() })
    }

    /// A session of a file with text or JSON, which is read when the session is built.
    #[must_use]
    pub fn of_file(path: impl Into<PathBuf>) -> SessionBuilder {
        SessionBuilder::new(ProgramSource::File(path.into()))
    }

    /// A session of a machine of op tables with its guest. A request has io and no calls; claims
    /// are messages at the boundary.
    #[must_use]
    pub fn of_machine(machine: Arc<dyn Machine>) -> SessionBuilder {
        SessionBuilder::new(ProgramSource::Machine(machine))
    }

    /// A session of the text or JSON that units were generated from, and these units.
    #[must_use]
    pub fn of_units(
        source: impl Into<Vec<u8>>,
        registry: &'static [&'static ProgramUnit],
    ) -> SessionBuilder {
        Self::of_bytes("the program of the units", source).registry(registry)
    }
}

impl SessionBuilder {
    fn new(source: ProgramSource) -> Self {
        let settings = Settings {
            description: None,
            params: Profile::Standard.params(),
            executor: Executor::Auto,
            provider: TraceProvider::Auto,
            backend: Backend::Auto,
            strict: false,
            shards: ShardOptions::default(),
            registry: &[],
            devices: Devices::NotAsked,
            cpu_takes_over: false,
            cache: None,
            limits: Limits::default(),
            memory_samples: None,
            observer: None,
            notices: None,
            debug: None,
        };
        Self { source, place: None, settings }
    }

    /// What errors call the program; by default its file or its name.
    #[must_use]
    pub fn named(mut self, place: impl Into<String>) -> Self {
        self.place = Some(place.into());
        self
    }

    /// What the claims of the program mean, which its bytecode does not say.
    #[must_use]
    pub fn description(mut self, description: Arc<dyn Description>) -> Self {
        self.settings.description = Some(description);
        self
    }

    /// Parameters of proofs: those of a profile with a name.
    #[must_use]
    pub fn profile(self, profile: Profile) -> Self {
        self.params(profile.params())
    }

    /// Parameters of proofs.
    #[must_use]
    pub fn params(mut self, params: Params) -> Self {
        self.settings.params = params;
        self
    }

    /// Who executes the program.
    #[must_use]
    pub fn execute(mut self, executor: Executor) -> Self {
        self.settings.executor = executor;
        self
    }

    /// Who writes the rows of functions.
    #[must_use]
    pub fn trace(mut self, provider: TraceProvider) -> Self {
        self.settings.provider = provider;
        self
    }

    /// Where proofs are computed.
    #[must_use]
    pub fn backend(mut self, backend: Backend) -> Self {
        self.settings.backend = backend;
        self
    }

    /// Refuse where rows would be written by another provider than the one asked for, or
    /// where the interpreter would run a program whose executors were asked for.
    #[must_use]
    pub fn strict(mut self, strict: bool) -> Self {
        self.settings.strict = strict;
        self
    }

    /// How many shards a proof has, the caps that choose it, and what is kept of shards.
    #[must_use]
    pub fn shards(mut self, shards: ShardOptions) -> Self {
        self.settings.shards = shards;
        self
    }

    /// Generated code. It may contain units of other programs.
    #[must_use]
    pub fn registry(mut self, registry: &'static [&'static ProgramUnit]) -> Self {
        self.settings.registry = registry;
        self
    }

    /// Whether the CPU goes on with a proof that no device is left for. By default that is an
    /// error.
    #[must_use]
    pub fn cpu_takes_over(mut self, allowed: bool) -> Self {
        self.settings.cpu_takes_over = allowed;
        self
    }

    /// Keeps finished parts of proofs in this folder and goes on from what is there. Proofs have
    /// the same bytes with it.
    #[must_use]
    pub fn cache(mut self, folder: impl Into<PathBuf>) -> Self {
        self.settings.cache = Some(folder.into());
        self
    }

    /// The devices that may write rows and prove.
    #[must_use]
    pub fn devices(mut self, devices: Devices) -> Self {
        self.settings.devices = devices;
        self
    }

    /// What one execution may use.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.settings.limits = limits;
        self
    }

    /// Looks at the memory of the process about as often as this while a proof is made, for its
    /// report. A thread of its own does that.
    #[must_use]
    pub fn memory_samples(mut self, every: Duration) -> Self {
        self.settings.memory_samples = Some(every);
        self
    }

    /// Calls `observer` when a step begins and while it goes on.
    #[must_use]
    pub fn progress(mut self, observer: impl Fn(&Progress) + Send + Sync + 'static) -> Self {
        self.settings.observer = Some(Box::new(observer));
        self
    }

    /// Calls `notices` with one line for everything that the user should know at once: that
    /// circuits fall back, or that the proof is computed elsewhere than asked for. Reports say
    /// the same.
    #[must_use]
    pub fn notices(mut self, notices: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.settings.notices = Some(Box::new(notices));
        self
    }

    /// Calls `lines` with the `debug` lines of the program. By default they go to standard error.
    #[must_use]
    pub fn debug(mut self, lines: impl Fn(DebugLine<'_>) + Send + Sync + 'static) -> Self {
        self.settings.debug = Some(Box::new(lines));
        self
    }

    /// Reads and checks the program.
    ///
    /// # Errors
    /// [`SessionError`]: the file cannot be read, is not a program, or has an invalid program.
    pub fn build(self) -> Result<Session, SessionError> {
        let place = self.place.unwrap_or_else(|| self.source.place());
        let (subject, text) = self.source.load(&place)?;
        Ok(Session::new(place, subject, text, self.settings))
    }
}

impl fmt::Debug for SessionBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "builder of a session of {}", self.source.place())
    }
}
