//! The shards of one proof: the plan, and traces made from the record one shard after the
//! other.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use traceloom_air::claim::{BoundaryMessage, RankedClaim};
use traceloom_air::trace::Trace;
use traceloom_prover::{ProveError, Retention, ShardSource};
use traceloom_verifier::VerifyingKey;
use traceloom_verifier::proof::ShardStatement;
use traceloom_verifier::shape::ShardShape;

use super::workers::Work;
use super::{Executed, Request, Session, SessionError};
use crate::device::{DeviceMemory, MainTrace, ProofDevice, ShardTraces};
use crate::heights::row_counts;
use crate::provider::{Builder, Choices, KeptPieces, WitnessError};
use crate::report::{CircuitReport, TraceReport};
use crate::shards::planner::Rows;
use crate::shards::{
    BatchPlan, DevicePlanError, HostBytes, Planned, RetentionChoice, ShardOptions, ShardPlan,
    choose, choose_on_device,
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
        let counts = row_counts(self.front(), self.system(), record);
        let num_claims = executed.num_stated();
        Ok(choose(key, &counts, num_claims, HostBytes::new(record), options)?)
    }

    /// The same for devices, whose memory is one more cap: what a plan takes has to fit each of
    /// them, as any of them may do all shards. Where that was left to them, those that cannot
    /// keep all shards write rows again, if others can.
    pub(super) fn planned_on(
        &self,
        devices: &[(String, &dyn ProofDevice)],
        executed: &Executed,
        key: &VerifyingKey,
        options: &ShardOptions,
    ) -> Result<Planned, SessionError> {
        let record = &executed.execution.record;
        let counts = row_counts(self.front(), self.system(), record);
        let rows = Rows { key, counts: &counts, num_claims: executed.num_stated() };
        let memory = |plan: &BatchPlan, retention| {
            let num_shards = plan.shards.len();
            let shape = |shard: &ShardPlan| ShardShape::new(key, &shard.log_heights(), num_shards);
            let shapes: Vec<ShardShape> = plan.shards.iter().map(shape).collect();
            let least = |retention| tightest(devices, key, &shapes, retention);
            let all = least(retention)?;
            let may_differ = options.retention == RetentionChoice::Auto && devices.len() > 1;
            if all.need <= all.have || retention == Retention::Regenerate || !may_differ {
                return Ok(all);
            }
            for (_, device) in devices {
                let kept = device.memory(key, &shapes, retention)?;
                if kept.need <= kept.have {
                    return least(Retention::Regenerate);
                }
            }
            Ok(all)
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
        let counts = row_counts(self.front(), self.system(), &executed.execution.record);
        let rows = Rows { key, counts: &counts, num_claims: executed.num_stated() };
        rows.whole_cells() << key.params().log_blowup
    }
}

/// The memory of the device that has the least to spare.
fn tightest(
    devices: &[(String, &dyn ProofDevice)],
    key: &VerifyingKey,
    shapes: &[ShardShape],
    retention: Retention,
) -> Result<DeviceMemory, ProveError> {
    let all = devices.iter().map(|(_, device)| device.memory(key, shapes, retention));
    let all = all.collect::<Result<Vec<_>, _>>()?;
    let spare = |of: &DeviceMemory| i128::from(of.have) - i128::from(of.need);
    Ok(all.into_iter().min_by_key(spare).expect("there are devices"))
}

/// By shard, whether its rows were counted in a report. Several sources may make one shard.
pub(super) struct Counted(Mutex<Vec<bool>>);

impl Counted {
    pub(super) fn new(num_shards: usize) -> Self {
        Self(Mutex::new(vec![false; num_shards]))
    }

    /// Counts a shard; returns whether it was counted before.
    fn count(&self, shard: usize) -> bool {
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut counted[shard], true)
    }
}

/// What every shard of a plan states: main roots are zero.
pub(super) fn statements(
    session: &Session,
    claims: &[RankedClaim],
    boundary: &[BoundaryMessage],
    planned: &Planned,
) -> Vec<ShardStatement> {
    let system = session.system();
    let shards = planned.plan.shards.iter().enumerate();
    let statements = shards.map(|(shard, plan)| ShardStatement {
        log_heights: plan.log_heights(),
        main: [0; 32],
        publics: plan.publics(system),
        claims: if shard == 0 { claims.to_vec() } else { Vec::new() },
        boundary: if shard == 0 { boundary.to_vec() } else { Vec::new() },
        bound: Vec::new(),
    });
    statements.collect()
}

/// Traces of the shards of an execution, made when they are asked for.
pub(super) struct RecordShards<'a> {
    work: Work<'a>,
    choices: &'a Choices<'a>,
    /// Who computes the shards.
    worker: String,
    /// Seeds that a device keeps, where rows are made again.
    kept: Option<KeptPieces>,
    /// By circuit, summed over the shards that were made.
    circuits: Vec<CircuitReport>,
    counted: &'a Counted,
    rows: Duration,
    downloading: Duration,
    /// What failed: the prover keeps its message only.
    error: Option<WitnessError>,
}

impl<'a> RecordShards<'a> {
    pub(super) fn new(
        work: Work<'a>,
        choices: &'a Choices<'a>,
        counted: &'a Counted,
        worker: String,
    ) -> Self {
        let is_again = work.planned.retention == Retention::Regenerate;
        Self {
            work,
            choices,
            worker,
            kept: is_again.then(KeptPieces::default),
            circuits: choices.circuits(work.session.system()),
            counted,
            rows: Duration::ZERO,
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
        let mut report = self.choices.report(self.work.session.system(), self.circuits);
        report.downloading = self.downloading;
        (report, self.rows)
    }

    /// The traces of a shard, where they were born.
    fn born(&mut self, shard: usize) -> Result<ShardTraces, WitnessError> {
        let Work { session, claims, planned, tracker, rows, .. } = self.work;
        tracker.rows(shard, planned.plan.shards.len());
        let start = Instant::now();
        let claims = if shard == 0 { claims.to_vec() } else { Vec::new() };
        let ordered = rows.get().expect("rows are freed when the batch asks for none any more");
        let builder = Builder {
            front: session.front(),
            system: session.system(),
            record: &ordered.record,
            runs: &ordered.runs,
            choices: self.choices,
            kept: self.kept.as_ref(),
        };
        let (traces, circuits) = builder.shard(&planned.plan.shards[shard], claims)?;
        self.add(shard, circuits);
        self.rows += tracker.span("rows", Some(&self.worker), Some(shard), start);
        Ok(traces)
    }

    fn download(
        &mut self,
        shard: usize,
        traces: ShardTraces,
    ) -> Result<Vec<Option<Trace>>, WitnessError> {
        let circuits = self.work.session.system().circuits.iter();
        let names: Vec<String> = circuits.map(|circuit| circuit.name.clone()).collect();
        let start = Instant::now();
        let witness = traces.download(&names, self.choices.ledger())?;
        let time = self.work.tracker.span("rows", Some(&self.worker), Some(shard), start);
        self.downloading += time;
        self.rows += time;
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
        let is_again = self.counted.count(shard);
        for (all, part) in self.circuits.iter_mut().zip(circuits) {
            all.add(part, is_again);
        }
    }
}

impl ShardSource for RecordShards<'_> {
    type Trace = Trace;

    fn statements(&self) -> Result<Vec<ShardStatement>, ProveError> {
        let Work { session, claims, boundary, planned, .. } = self.work;
        Ok(statements(session, claims, boundary, planned))
    }

    fn traces(&mut self, shard: usize) -> Result<Vec<Option<Trace>>, ProveError> {
        let made = self.born(shard).and_then(|traces| self.download(shard, traces));
        made.map_err(|error| self.failed(shard, error))
    }
}

/// The same traces where they were born.
pub(super) struct Born<'s, 'a>(pub &'s mut RecordShards<'a>);

impl ShardSource for Born<'_, '_> {
    type Trace = MainTrace;

    fn statements(&self) -> Result<Vec<ShardStatement>, ProveError> {
        self.0.statements()
    }

    fn traces(&mut self, shard: usize) -> Result<Vec<Option<MainTrace>>, ProveError> {
        let made = self.0.born(shard).map(|shard| shard.traces);
        made.map_err(|error| self.0.failed(shard, error))
    }
}
