//! The shards of one proof: the plan, and traces made from the record one shard after the
//! other.

use std::time::{Duration, Instant};

use traceloom_air::trace::Trace;
use traceloom_prover::{ProveError, Retention, ShardSource};
use traceloom_verifier::VerifyingKey;
use traceloom_verifier::proof::ShardStatement;
use traceloom_verifier::shape::ShardShape;

use super::progress::Tracker;
use super::{Executed, Request, Session, SessionError, Step};
use crate::device::{MainTrace, ProofDevice, ShardTraces};
use crate::heights::row_counts;
use crate::ledger::Ledger;
use crate::provider::{Builder, Choices, WitnessError};
use crate::report::{CircuitReport, TraceReport};
use crate::shards::planner::Rows;
use crate::shards::{
    BatchPlan, DevicePlanError, HostBytes, Planned, ShardOptions, ShardPlan, choose,
    choose_on_device,
};

impl Session {
    /// Runs the program and plans the shards of its proof, which is not made.
    ///
    /// # Errors
    /// [`SessionError`]: the request does not fit the program, the execution stops, or no
    /// plan obeys what was asked for.
    pub fn plan(&self, request: Request) -> Result<(Executed, Planned), SessionError> {
        self.settings.shards.check()?;
        let executed = self.execute(request)?;
        let planned = self.planned(&executed, self.verifying_key()?, &self.settings.shards)?;
        Ok((executed, planned))
    }

    pub(super) fn planned(
        &self,
        executed: &Executed,
        key: &VerifyingKey,
        options: &ShardOptions,
    ) -> Result<Planned, SessionError> {
        let record = &executed.execution.record;
        let counts = row_counts(&self.program, self.system(), record);
        let num_claims = executed.execution.claims.len();
        Ok(choose(key, &counts, num_claims, HostBytes::new(record), options)?)
    }

    /// The same for a device, whose memory is one more cap.
    pub(super) fn planned_on(
        &self,
        device: &dyn ProofDevice,
        executed: &Executed,
        key: &VerifyingKey,
        options: &ShardOptions,
    ) -> Result<Planned, SessionError> {
        let record = &executed.execution.record;
        let counts = row_counts(&self.program, self.system(), record);
        let rows = Rows { key, counts: &counts, num_claims: executed.execution.claims.len() };
        let memory = |plan: &BatchPlan, retention| {
            let num_shards = plan.shards.len();
            let shape = |shard: &ShardPlan| ShardShape::new(key, &shard.log_heights(), num_shards);
            let shapes: Vec<ShardShape> = plan.shards.iter().map(shape).collect();
            device.memory(key, &shapes, retention)
        };
        choose_on_device(rows, HostBytes::new(record), options, &memory)
            .map_err(|error| self.not_placed(error))
    }

    fn not_placed(&self, error: DevicePlanError) -> SessionError {
        match error {
            DevicePlanError::Plan(error) => error.into(),
            DevicePlanError::Device(error) => {
                SessionError::Prove { place: self.place.clone(), error: Box::new(error) }
            }
        }
    }

    /// Cells that a proof of one shard commits to, extended ones: what its time depends on.
    pub(super) fn extended_cells(&self, executed: &Executed, key: &VerifyingKey) -> u128 {
        let counts = row_counts(&self.program, self.system(), &executed.execution.record);
        let rows = Rows { key, counts: &counts, num_claims: executed.execution.claims.len() };
        rows.whole_cells() << key.params().log_blowup
    }
}

/// Traces of the shards of an execution, made when they are asked for.
pub(super) struct RecordShards<'a> {
    session: &'a Session,
    executed: &'a Executed,
    planned: &'a Planned,
    builder: Builder<'a>,
    ledger: &'a Ledger,
    tracker: &'a Tracker<'a>,
    /// By circuit, summed over the shards that were made.
    circuits: Vec<CircuitReport>,
    /// By shard, whether its rows were counted.
    is_counted: Vec<bool>,
    rows: Duration,
    downloading: Duration,
    /// What failed: the prover keeps its message only.
    error: Option<WitnessError>,
}

impl<'a> RecordShards<'a> {
    pub(super) fn new(
        session: &'a Session,
        executed: &'a Executed,
        planned: &'a Planned,
        choices: &'a Choices<'a>,
        tracker: &'a Tracker<'a>,
    ) -> Self {
        let record = &executed.execution.record;
        let start = Instant::now();
        let builder = Builder::new(&session.program, session.system(), record, choices);
        let builder = match planned.retention {
            Retention::Retain => builder,
            Retention::Regenerate => builder.keeping_seeds(),
        };
        let is_counted = vec![false; planned.plan.shards.len()];
        Self {
            session,
            executed,
            planned,
            builder,
            ledger: choices.ledger(),
            tracker,
            circuits: Vec::new(),
            is_counted,
            rows: start.elapsed(),
            downloading: Duration::ZERO,
            error: None,
        }
    }

    /// What failed, of which the prover knows the message only.
    pub(super) fn failure(&mut self) -> Option<WitnessError> {
        self.error.take()
    }

    /// Who wrote which rows, and the time that it took.
    pub(super) fn report(self) -> (TraceReport, Duration) {
        let mut report = self.builder.report(self.circuits);
        report.downloading = self.downloading;
        (report, self.rows)
    }

    /// The traces of a shard, where they were born.
    fn born(&mut self, shard: usize) -> Result<ShardTraces, WitnessError> {
        self.tracker.begin(Step::Rows);
        let start = Instant::now();
        let claims = if shard == 0 { self.executed.execution.claims.clone() } else { Vec::new() };
        let (traces, circuits) = self.builder.shard(&self.planned.plan.shards[shard], claims)?;
        self.add(shard, circuits);
        self.rows += start.elapsed();
        Ok(traces)
    }

    fn download(&mut self, traces: ShardTraces) -> Result<Vec<Option<Trace>>, WitnessError> {
        let circuits = self.session.system().circuits.iter();
        let names: Vec<String> = circuits.map(|circuit| circuit.name.clone()).collect();
        let start = Instant::now();
        let witness = traces.download(&names, self.ledger)?;
        self.downloading += start.elapsed();
        self.rows += start.elapsed();
        Ok(witness.traces)
    }

    /// Remembers what failed.
    fn failed(&mut self, shard: usize, error: WitnessError) -> ProveError {
        let reason = error.to_string();
        self.error = Some(error);
        ProveError::Traces { shard, reason }
    }

    /// A shard that is made again takes time, and its rows are counted already.
    fn add(&mut self, shard: usize, circuits: Vec<CircuitReport>) {
        let is_again = std::mem::replace(&mut self.is_counted[shard], true);
        if self.circuits.is_empty() {
            self.circuits = circuits;
            return;
        }
        for (all, part) in self.circuits.iter_mut().zip(circuits) {
            all.add(part, is_again);
        }
    }
}

impl ShardSource for RecordShards<'_> {
    type Trace = Trace;

    fn statements(&self) -> Result<Vec<ShardStatement>, ProveError> {
        let system = self.session.system();
        let shards = self.planned.plan.shards.iter().enumerate();
        let statements = shards.map(|(shard, plan)| ShardStatement {
            log_heights: plan.log_heights(),
            main: [0; 32],
            publics: plan.publics(system),
            claims: match shard {
                0 => self.executed.execution.claims.clone(),
                _ => Vec::new(),
            },
            boundary: Vec::new(),
            bound: Vec::new(),
        });
        Ok(statements.collect())
    }

    fn traces(&mut self, shard: usize) -> Result<Vec<Option<Trace>>, ProveError> {
        let made = self.born(shard).and_then(|traces| self.download(traces));
        made.map_err(|error| self.failed(shard, error))
    }
}

/// The same shards with their traces where they were born, for a prover there.
pub(super) struct BornShards<'s, 'a>(pub(super) &'s mut RecordShards<'a>);

impl ShardSource for BornShards<'_, '_> {
    type Trace = MainTrace;

    fn statements(&self) -> Result<Vec<ShardStatement>, ProveError> {
        self.0.statements()
    }

    fn traces(&mut self, shard: usize) -> Result<Vec<Option<MainTrace>>, ProveError> {
        let born = self.0.born(shard);
        born.map(|shard| shard.traces).map_err(|error| self.0.failed(shard, error))
    }
}
