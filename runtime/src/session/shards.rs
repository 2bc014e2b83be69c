//! The shards of one proof: the plan, and traces made from the record one shard after the
//! other.

use std::time::{Duration, Instant};

use traceloom_air::trace::Trace;
use traceloom_prover::{ProveError, ShardSource};
use traceloom_verifier::VerifyingKey;
use traceloom_verifier::proof::ShardStatement;

use super::progress::Tracker;
use super::{Executed, Request, Session, SessionError, Step};
use crate::device::ShardTraces;
use crate::heights::row_counts;
use crate::ledger::Ledger;
use crate::provider::{Builder, Choices, WitnessError};
use crate::report::{CircuitReport, TraceReport};
use crate::shards::{HostBytes, Planned, ShardOptions, choose};

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

    /// The traces of all shards, where they were born.
    pub(super) fn all(&mut self) -> Result<Vec<ShardTraces>, WitnessError> {
        (0..self.planned.plan.shards.len()).map(|shard| self.born(shard)).collect()
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
        made.map_err(|error| {
            let reason = error.to_string();
            self.error = Some(error);
            ProveError::Traces { shard, reason }
        })
    }
}
