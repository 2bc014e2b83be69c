//! Execution, rows, and their check.

use std::time::Instant;

use traceloom_abi::io::Io;
use traceloom_abi::record::Record;
use traceloom_air::trace::ShardWitness;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::execute::{
    DebugHook, DebugLine, ExecuteError, Execution, Hooks, Stats, execute_generated, execute_with,
};
use traceloom_bytecode::model::FunctionId;
use traceloom_verifier::VerifyingKey;

use super::executor::{Chosen, STOPPED};
use super::program::Subject;
use super::progress::Tracker;
use super::{Checked, Executed, ExecutedBy, Executor, Request, Session, SessionError, Step};
use crate::check::{MAX_DESCRIBED, Options, Poke, check_with};
use crate::device::DeviceOption;
use crate::machine::{Machine, MachineRun, finish, whole};
use crate::provider::{Choices, TraceOptions, TraceProvider, witness};
use crate::report::TraceReport;
use crate::shards::BatchPlan;

/// How a check is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckOptions {
    /// Failures of each kind that are described.
    pub show: usize,
    /// Cells that are changed before the check, in order.
    pub pokes: Vec<Poke>,
}

impl Default for CheckOptions {
    fn default() -> Self {
        Self { show: MAX_DESCRIBED, pokes: Vec::new() }
    }
}

/// Operations between two reports of progress: some tens of milliseconds.
const STEPS_PER_REPORT: u64 = 1 << 22;

impl Session {
    /// Runs the program.
    ///
    /// # Errors
    /// [`SessionError`]: the request does not fit the program, or the execution stops.
    pub fn execute(&self, request: Request) -> Result<Executed, SessionError> {
        self.run(request, &Tracker::new(self, Step::Execute))
    }

    /// Runs the program, evaluates every constraint on every row and balances every lookup.
    /// Failed constraints and lookups are in the report; they are not an error.
    ///
    /// # Errors
    /// As [`Session::execute`], and where rows cannot be written as asked for.
    pub fn check(&self, request: Request) -> Result<Checked, SessionError> {
        self.check_with(request, &CheckOptions::default())
    }

    /// The same with other options: how much is described, and cells that are changed before.
    ///
    /// # Errors
    /// As [`Session::check`], and [`SessionError::Poke`].
    pub fn check_with(
        &self,
        request: Request,
        options: &CheckOptions,
    ) -> Result<Checked, SessionError> {
        let tracker = Tracker::new(self, Step::Execute);
        let executed = self.run(request, &tracker)?;
        tracker.begin(Step::SetUp);
        let mut executed = executed;
        let (front, stated) = (self.front(), executed.num_stated());
        let plan = whole(front, self.system(), &executed.execution.record, None, stated);
        self.finish(&mut executed, &plan)?;
        let record = &executed.execution.record;
        let provider = self.settings.provider;
        let choices = self.choose(self.device(record, provider), provider, None, &tracker)?;
        tracker.begin(Step::Rows);
        let (mut witness, trace) = self.rows(&executed, &choices)?;
        witness.boundary.clone_from(&executed.boundary);
        tracker.begin(Step::Check);
        let words = self.words();
        let poke = |poke: &Poke| {
            let done = poke.apply(self.system(), &words, &mut witness);
            done.map_err(|error| SessionError::Poke {
                place: self.place.clone(),
                error: Box::new(error),
            })
        };
        let poked = options.pokes.iter().map(poke).collect::<Result<_, _>>()?;
        let place = |circuit: usize, row: usize| {
            self.machine()?.place(&executed.execution.record, circuit, row)
        };
        let described = Options { show: options.show, words, place: &place };
        let report = check_with(self.system(), std::slice::from_ref(&witness), &described);
        Ok(Checked { executed, trace, report, poked })
    }

    /// Runs the program as the first step of a request.
    pub(super) fn run(
        &self,
        request: Request,
        tracker: &Tracker<'_>,
    ) -> Result<Executed, SessionError> {
        tracker.begin(Step::Execute);
        let start = Instant::now();
        let program = match &self.subject {
            Subject::Functions(program) => program,
            Subject::Machine(machine) => return self.run_machine(&**machine, request, tracker),
        };
        let (claims, io) = self.resolve(program, request)?;
        let began = io.mark();
        let mut progress = |stats: &Stats| tracker.report(stats.steps, None);
        let debug = self.settings.debug.as_ref();
        let mut print = |line: DebugLine<'_>| {
            if let Some(take) = debug {
                take(line);
            }
        };
        let hooks = Hooks {
            debug: debug.is_some().then_some(&mut print as DebugHook<'_>),
            progress: Some((STEPS_PER_REPORT, &mut progress)),
            calls: None,
        };
        let by = self.executed_by(program, tracker)?;
        match self.run_claims(program, &claims, io, hooks, by) {
            Ok((execution, by)) => {
                let time = tracker.span("execution", None, None, start);
                Ok(Executed { execution, boundary: Vec::new(), by, time, began })
            }
            Err(error) => Err(self.not_executed(error)),
        }
    }

    /// The error of an execution that stopped, with its line if the program was text.
    pub(super) fn not_executed(&self, error: ExecuteError) -> SessionError {
        let error = match &self.text {
            Some(text) => error.in_text(text),
            None => error,
        };
        SessionError::Execute { place: self.place.clone(), error: Box::new(error) }
    }

    /// Runs the guest of a machine.
    fn run_machine(
        &self,
        machine: &dyn Machine,
        request: Request,
        tracker: &Tracker<'_>,
    ) -> Result<Executed, SessionError> {
        let start = Instant::now();
        let io = self.resolve_io(request)?;
        let began = io.mark();
        let ran = machine.run(io, &mut |steps| tracker.report(steps, None));
        let ran =
            ran.map_err(|error| SessionError::Machine { place: self.place.clone(), error })?;
        let MachineRun { record, boundary, steps } = ran;
        let stats = Stats { steps, ..Stats::default() };
        let execution = Execution { claims: Vec::new(), record, stats };
        let (by, time) = (ExecutedBy::machine(), tracker.span("execution", None, None, start));
        Ok(Executed { execution, boundary, by, time, began })
    }

    /// Finishes the record of a machine for a plan, before any row is written.
    pub(super) fn finish(
        &self,
        executed: &mut Executed,
        plan: &BatchPlan,
    ) -> Result<(), SessionError> {
        if let Some(machine) = self.machine() {
            let (record, registry) = (&mut executed.execution.record, self.settings.registry);
            finish(machine, self.system(), registry, record, plan)?;
        }
        Ok(())
    }

    /// Who will run a program. Reports a fallback to the tracker.
    fn executed_by(
        &self,
        program: &CheckedProgram,
        tracker: &Tracker<'_>,
    ) -> Result<ExecutedBy, SessionError> {
        let Chosen::Interpreted(error) = self.chosen(program) else {
            return Ok(ExecutedBy::generated());
        };
        let reason = error.as_ref().map(ToString::to_string);
        if let (Executor::Generated, Some(error)) = (self.settings.executor, error) {
            if self.settings.strict {
                let (place, error) = (self.place.clone(), error.clone());
                return Err(SessionError::Executors { place, error });
            }
            tracker.notice(&format!("executed by the interpreter: {error}"));
        }
        Ok(ExecutedBy::interpreted(reason))
    }

    fn run_claims<'a>(
        &'a self,
        program: &'a CheckedProgram,
        claims: &[(FunctionId, Vec<u64>)],
        io: Io,
        hooks: Hooks<'a>,
        by: ExecutedBy,
    ) -> Result<(Execution, ExecutedBy), ExecuteError> {
        let limits = &self.settings.limits;
        let Chosen::Generated(executors) = self.chosen(program) else {
            return Ok((execute_with(program, claims, io, limits, hooks)?, by));
        };
        let run = execute_generated(program, executors, claims, io, limits, hooks)?;
        let by = match run.was_interpreted {
            true => ExecutedBy::interpreted(Some(STOPPED.to_owned())),
            false => by,
        };
        Ok((run.execution, by))
    }

    /// The device that writes the rows of a record which are not proven there.
    pub(super) fn device<'a>(
        &'a self,
        record: &'a Record,
        provider: TraceProvider,
    ) -> DeviceOption<'a> {
        match provider {
            TraceProvider::Device => self.settings.devices.option(record),
            // Nobody opens a device that is not asked for.
            _ => DeviceOption::NotAsked,
        }
    }

    /// Chooses who writes rows, a device if one may, and whether they are padded for a key.
    /// Reports fallbacks to the tracker.
    pub(super) fn choose<'a>(
        &'a self,
        device: DeviceOption<'a>,
        provider: TraceProvider,
        key: Option<&'a VerifyingKey>,
        tracker: &Tracker<'_>,
    ) -> Result<Choices<'a>, SessionError> {
        let options = TraceOptions {
            provider,
            strict: self.settings.strict,
            device,
            key,
            ..TraceOptions::new(self.settings.registry)
        };
        let choices = Choices::new(self.front(), self.system(), &options)?;
        if let Some(notice) = choices.notice() {
            tracker.notice(&notice);
        }
        Ok(choices)
    }

    /// Writes all main traces, those of a device to the host.
    pub(super) fn rows(
        &self,
        executed: &Executed,
        choices: &Choices<'_>,
    ) -> Result<(ShardWitness, TraceReport), SessionError> {
        let (record, claims) = (&executed.execution.record, executed.execution.claims.clone());
        Ok(witness(self.front(), self.system(), record, claims, choices)?)
    }
}
