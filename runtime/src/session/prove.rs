//! From a request to a proof that was verified once.

use std::time::Duration;

use traceloom_prover::cpu::CpuBackend;
use traceloom_prover::{Metrics, ProveError, ProveOptions, Retention, Stage, prove_shards};
use traceloom_verifier::proof::Proof;
use traceloom_verifier::{VerifyingKey, verify};

use super::backend::{Backend, Decision, Early, decide};
use super::progress::Tracker;
use super::shards::{BornShards, RecordShards};
use super::verify::profile_name;
use super::{Executed, Proved, Request, Session, SessionError, Step};
use crate::device::{DeviceProof, DeviceProofError, ProofDevice};
use crate::ledger::Ledger;
use crate::report::{ProofReport, TraceReport};
use crate::shards::Planned;

impl Session {
    /// Runs the program and proves the claims of the request. The proof is verified before it is
    /// returned, so that a fault of traceloom, of the memory or of a device gives no proof.
    ///
    /// # Errors
    /// [`SessionError`]: the request does not fit the program, the execution stops, or rows
    /// or proof cannot be made as asked for.
    pub fn prove(&self, request: Request) -> Result<Proved, SessionError> {
        let settings = &self.settings;
        settings.shards.check()?;
        let early = decide(settings.backend, settings.provider, &settings.devices)?;
        let tracker = Tracker::new(self, Step::Execute);
        let executed = self.run(request, &tracker)?;
        tracker.begin(Step::SetUp);
        let (backend, planned) = self.placed(early, &executed)?;
        if let (Some(reason), true) = (&backend.reason, settings.backend == Backend::Auto) {
            let place = if backend.device.is_some() { "a GPU" } else { "the CPU" };
            tracker.notice(&format!("proving on {place}: {reason}"));
        }
        let key = match backend.device {
            Some(_) => self.verifying_key()?,
            None => self.proving_key()?.verifying_key(),
        };
        let record = &executed.execution.record;
        // All memory of a proof on a device was planned, that of rows included.
        let rows = backend.device.and_then(|_| settings.devices.planned());
        let choices = self.choose(record, backend.provider, Some(key), rows.as_ref(), &tracker)?;
        let mut source = RecordShards::new(self, &executed, &planned, &choices, &tracker);
        let (proof, metrics, device) = match backend.device {
            Some(device) => {
                let retention = planned.retention;
                let proved =
                    self.prove_on(device, key, &mut source, retention, &tracker, choices.ledger());
                let DeviceProof { proof, metrics, report } = proved?;
                (proof, metrics, Some(report))
            }
            None => {
                let (proof, metrics) =
                    self.prove_on_cpu(&mut source, planned.retention, &tracker)?;
                (proof, metrics, None)
            }
        };
        let rows = source.report();
        tracker.begin(Step::Verify);
        verify(key, &executed.claims(), &proof).map_err(|error| SessionError::SelfCheck {
            place: self.place.clone(),
            error: Box::new(error),
        })?;
        let bytes = proof.encode();
        let report = self.report(&executed, backend, rows, &metrics, bytes.len(), planned);
        let report = ProofReport { device, ..report };
        Ok(Proved { executed, proof, bytes, report, metrics })
    }

    fn prove_on_cpu(
        &self,
        source: &mut RecordShards<'_>,
        retention: Retention,
        tracker: &Tracker<'_>,
    ) -> Result<(Proof, Metrics), SessionError> {
        let (key, backend) = (self.proving_key()?, CpuBackend::default());
        let progress = |progress| tracker.prove(progress);
        let options = ProveOptions { progress: Some(&progress), ..ProveOptions::default() };
        let proved = prove_shards(&backend, key, source, retention, &options);
        proved.map_err(|error| match source.failure() {
            Some(rows) => SessionError::Rows(rows),
            None => self.not_proved(error),
        })
    }

    /// Where a proof is computed, and its shards. `auto` stays on the CPU where a device has too
    /// little memory.
    fn placed<'a>(
        &'a self,
        early: Early<'a>,
        executed: &Executed,
    ) -> Result<(Decision<'a>, Planned), SessionError> {
        let (key, settings) = (self.verifying_key()?, &self.settings);
        let decision = match early {
            Early::Made(decision) => decision,
            Early::Open => {
                let cells = self.extended_cells(executed, key);
                Decision::compare(&settings.devices, settings.provider, cells)
            }
        };
        let Some(device) = decision.device else {
            let planned = self.planned(executed, key, &settings.shards)?;
            return Ok((decision, planned));
        };
        match self.planned_on(device, executed, key, &settings.shards) {
            Err(error) if settings.backend == Backend::Auto => {
                let planned = self.planned(executed, key, &settings.shards)?;
                Ok((Decision::on_cpu(Some(error.to_string()), settings.provider), planned))
            }
            planned => Ok((decision, planned?)),
        }
    }

    /// Traces stay where they are written; those of the host go to the device.
    fn prove_on(
        &self,
        device: &dyn ProofDevice,
        key: &VerifyingKey,
        source: &mut RecordShards<'_>,
        retention: Retention,
        tracker: &Tracker<'_>,
        ledger: &Ledger,
    ) -> Result<DeviceProof, SessionError> {
        let progress = |progress| tracker.prove(progress);
        let options = ProveOptions { progress: Some(&progress), ..ProveOptions::default() };
        let proved = device.prove(key, &mut BornShards(source), retention, &options, ledger);
        proved.map_err(|error| match (source.failure(), error) {
            (Some(rows), _) => SessionError::Rows(rows),
            (None, DeviceProofError::Setup(error)) => {
                SessionError::Key { place: self.place.clone(), error: Box::new(error) }
            }
            (None, DeviceProofError::Prove(error)) => self.not_proved(error),
        })
    }

    fn not_proved(&self, error: ProveError) -> SessionError {
        SessionError::Prove { place: self.place.clone(), error: Box::new(error) }
    }

    fn report(
        &self,
        executed: &Executed,
        backend: Decision<'_>,
        (trace, rows): (TraceReport, Duration),
        metrics: &Metrics,
        proof_bytes: usize,
        shards: Planned,
    ) -> ProofReport {
        let times = [("execution", executed.time), ("rows", rows)];
        let stages = Stage::ALL.map(|stage| (stage.name(), metrics.stage(stage)));
        ProofReport {
            program: self.program.program().name.clone(),
            profile: profile_name(&self.settings.params),
            proof_bytes,
            backend: backend.name.to_owned(),
            backend_reason: backend.reason,
            device: None,
            executed_by: executed.by.clone(),
            stages: times.into_iter().chain(stages).collect(),
            peak_memory: peak_memory(),
            shards,
            trace,
        }
    }
}

/// Peak of this process's memory so far, in bytes, if the system states it.
#[must_use]
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    kibibytes.checked_mul(1024)
}
