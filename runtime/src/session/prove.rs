//! From a request to a proof that was verified once.

use std::time::{Duration, Instant};

use traceloom_prover::{Metrics, ProveOptions, Stage, prove};
use traceloom_verifier::verify;

use super::backend::{Decision, decide};
use super::progress::Tracker;
use super::verify::profile_name;
use super::{Proved, Request, Session, SessionError, Step};
use crate::report::{ProofReport, TraceReport};

impl Session {
    /// Runs the program and proves the claims of the request. The proof is verified before it is
    /// returned, so that a fault of traceloom, of the memory or of a device gives no proof.
    ///
    /// # Errors
    /// [`SessionError`]: the request does not fit the program, the execution stops, or rows
    /// or proof cannot be made as asked for.
    pub fn prove(&self, request: Request) -> Result<Proved, SessionError> {
        let settings = &self.settings;
        let backend =
            decide(settings.backend, settings.provider, settings.strict, &settings.devices)?;
        let tracker = Tracker::new(self, Step::Execute);
        if let Some(reason) = &backend.reason {
            tracker.notice(&format!("proving on the CPU: {reason}"));
        }
        let executed = self.run(request, &tracker)?;
        tracker.begin(Step::SetUp);
        let key = self.proving_key()?;
        let (record, padded) = (&executed.execution.record, Some(key.verifying_key()));
        let choices = self.choose(record, backend.provider, padded, &tracker)?;
        tracker.begin(Step::Rows);
        let start = Instant::now();
        let (witness, trace) = self.rows(&executed, &choices)?;
        let rows = start.elapsed();
        let progress = |progress| tracker.prove(progress);
        let options = ProveOptions { progress: Some(&progress), ..ProveOptions::default() };
        let place = || self.place.clone();
        let (proof, metrics) = prove(key, vec![witness], &options)
            .map_err(|error| SessionError::Prove { place: place(), error: Box::new(error) })?;
        tracker.begin(Step::Verify);
        verify(key.verifying_key(), &executed.claims(), &proof)
            .map_err(|error| SessionError::SelfCheck { place: place(), error: Box::new(error) })?;
        let bytes = proof.encode();
        let times = [("execution", executed.time), ("rows", rows)];
        let report = self.report(backend, times, &metrics, bytes.len(), trace);
        Ok(Proved { executed, proof, bytes, report, metrics })
    }

    fn report(
        &self,
        backend: Decision,
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
