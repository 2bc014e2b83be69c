//! From a request to a proof that was verified once.

use std::time::{Duration, Instant};

use traceloom_prover::{Metrics, ProveError, ProveOptions, Stage, prove};
use traceloom_verifier::proof::Proof;
use traceloom_verifier::{VerifyingKey, verify};

use super::backend::{Decision, decide};
use super::progress::Tracker;
use super::verify::profile_name;
use super::{Executed, Proved, Request, Session, SessionError, Step};
use crate::device::{DeviceProofError, ProofDevice};
use crate::provider::Choices;
use crate::report::{ProofReport, TraceReport};

/// A proof and how it was made.
struct Made {
    proof: Proof,
    metrics: Metrics,
    rows: Duration,
    trace: TraceReport,
}

impl Session {
    /// Runs the program and proves the claims of the request. The proof is verified before it is
    /// returned, so that a fault of traceloom, of the memory or of a device gives no proof.
    ///
    /// # Errors
    /// [`SessionError`]: the request does not fit the program, the execution stops, or rows
    /// or proof cannot be made as asked for.
    pub fn prove(&self, request: Request) -> Result<Proved, SessionError> {
        let settings = &self.settings;
        let backend = decide(settings.backend, settings.provider, &settings.devices)?;
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
        let record = &executed.execution.record;
        let choices = self.choose(record, backend.provider, Some(key), &tracker)?;
        tracker.begin(Step::Rows);
        let made = match backend.device {
            Some(device) => self.prove_on(device, key, &executed, &choices, &tracker)?,
            None => self.prove_on_cpu(&executed, &choices, &tracker)?,
        };
        tracker.begin(Step::Verify);
        verify(key, &executed.claims(), &made.proof).map_err(|error| SessionError::SelfCheck {
            place: self.place.clone(),
            error: Box::new(error),
        })?;
        let Made { proof, metrics, rows, trace } = made;
        let bytes = proof.encode();
        let times = [("execution", executed.time), ("rows", rows)];
        let report = self.report(backend, times, &metrics, bytes.len(), trace);
        Ok(Proved { executed, proof, bytes, report, metrics })
    }

    fn prove_on_cpu(
        &self,
        executed: &Executed,
        choices: &Choices<'_>,
        tracker: &Tracker<'_>,
    ) -> Result<Made, SessionError> {
        let start = Instant::now();
        let (witness, trace) = self.rows(executed, choices)?;
        let rows = start.elapsed();
        let progress = |progress| tracker.prove(progress);
        let options = ProveOptions { progress: Some(&progress), ..ProveOptions::default() };
        let (proof, metrics) = prove(self.proving_key()?, vec![witness], &options)
            .map_err(|error| self.not_proved(error))?;
        Ok(Made { proof, metrics, rows, trace })
    }

    /// Traces stay where they are; those of the host go to the device.
    fn prove_on(
        &self,
        device: &dyn ProofDevice,
        key: &VerifyingKey,
        executed: &Executed,
        choices: &Choices<'_>,
        tracker: &Tracker<'_>,
    ) -> Result<Made, SessionError> {
        let start = Instant::now();
        let (traces, mut trace) = self.traces(executed, choices)?;
        let rows = start.elapsed();
        let progress = |progress| tracker.prove(progress);
        let options = ProveOptions { progress: Some(&progress), ..ProveOptions::default() };
        let proved = device.prove(key, vec![traces], &options, choices.ledger());
        let (proof, metrics) = proved.map_err(|error| match error {
            DeviceProofError::Setup(error) => {
                SessionError::Key { place: self.place.clone(), error: Box::new(error) }
            }
            DeviceProofError::Prove(error) => self.not_proved(error),
        })?;
        trace.ledger = choices.ledger().entries();
        Ok(Made { proof, metrics, rows, trace })
    }

    fn not_proved(&self, error: ProveError) -> SessionError {
        SessionError::Prove { place: self.place.clone(), error: Box::new(error) }
    }

    fn report(
        &self,
        backend: Decision<'_>,
        times: [(&'static str, Duration); 2],
        metrics: &Metrics,
        proof_bytes: usize,
        trace: TraceReport,
    ) -> ProofReport {
        let stages = Stage::ALL.map(|stage| (stage.name(), metrics.stage(stage)));
        ProofReport {
            program: self.program.program().name.clone(),
            profile: profile_name(&self.settings.params),
            proof_bytes,
            backend: backend.name.to_owned(),
            backend_reason: backend.reason,
            stages: times.into_iter().chain(stages).collect(),
            peak_memory: peak_memory(),
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
