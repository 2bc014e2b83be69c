//! From a request to a proof that was verified once.

use std::time::Duration;

use traceloom_prover::cpu::CpuBackend;
use traceloom_prover::{Metrics, ProveError, ProveOptions, Retention, Stage, prove_shards};
use traceloom_verifier::proof::Proof;
use traceloom_verifier::{VerifyingKey, verify};

use super::backend::{Decision, decide};
use super::memory::{free_memory, too_little};
use super::progress::Tracker;
use super::shards::RecordShards;
use super::verify::profile_name;
use super::{Executed, Proved, Request, Session, SessionError, Step};
use crate::device::{DeviceProofError, ProofDevice};
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
        let backend = decide(settings.backend, settings.provider, &settings.devices)?;
        let shards = match backend.device {
            Some(_) => settings.shards.on_device()?,
            None => settings.shards,
        };
        let tracker = Tracker::new(self, Step::Execute);
        if let Some(reason) = &backend.reason {
            tracker.notice(&format!("proving on the CPU: {reason}"));
        }
        let executed = self.run(request, &tracker)?;
        tracker.begin(Step::SetUp);
        let key = match backend.device {
            Some(_) => self.verifying_key()?,
            None => self.proving_key()?.verifying_key(),
        };
        let planned = self.planned(&executed, key, &shards)?;
        // What was planned is the memory of a proof on the CPU.
        if backend.device.is_none()
            && let Some(notice) = too_little(planned.estimate.peak(), free_memory())
        {
            tracker.notice(&notice);
        }
        let record = &executed.execution.record;
        let choices = self.choose(record, backend.provider, Some(key), &tracker)?;
        let mut source = RecordShards::new(self, &executed, &planned, &choices, &tracker);
        let (proof, metrics) = match backend.device {
            Some(device) => self.prove_on(device, key, &mut source, &tracker, choices.ledger())?,
            None => self.prove_on_cpu(&mut source, planned.retention, &tracker)?,
        };
        let rows = source.report();
        tracker.begin(Step::Verify);
        verify(key, &executed.claims(), &proof).map_err(|error| SessionError::SelfCheck {
            place: self.place.clone(),
            error: Box::new(error),
        })?;
        let bytes = proof.encode();
        let report = self.report(&executed, backend, rows, &metrics, bytes.len(), planned);
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

    /// Traces of all shards stay where they are; those of the host go to the device.
    fn prove_on(
        &self,
        device: &dyn ProofDevice,
        key: &VerifyingKey,
        source: &mut RecordShards<'_>,
        tracker: &Tracker<'_>,
        ledger: &Ledger,
    ) -> Result<(Proof, Metrics), SessionError> {
        let shards = source.all()?;
        let progress = |progress| tracker.prove(progress);
        let options = ProveOptions { progress: Some(&progress), ..ProveOptions::default() };
        device.prove(key, shards, &options, ledger).map_err(|error| match error {
            DeviceProofError::Setup(error) => {
                SessionError::Key { place: self.place.clone(), error: Box::new(error) }
            }
            DeviceProofError::Prove(error) => self.not_proved(error),
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
