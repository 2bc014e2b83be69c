//! From a request to a proof that was verified once.

use std::time::Duration;

use traceloom_prover::cpu::CpuBackend;
use traceloom_prover::{Metrics, ProveOptions, Stage, prove_shards};
use traceloom_verifier::verify;

use super::backend::{Decision, decide};
use super::progress::Tracker;
use super::shards::RecordShards;
use super::verify::profile_name;
use super::{Proved, Request, Session, SessionError, Step};
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
        let backend =
            decide(settings.backend, settings.provider, settings.strict, &settings.devices)?;
        let tracker = Tracker::new(self, Step::Execute);
        if let Some(reason) = &backend.reason {
            tracker.notice(&format!("proving on the CPU: {reason}"));
        }
        let executed = self.run(request, &tracker)?;
        tracker.begin(Step::SetUp);
        let key = self.proving_key()?;
        let planned = self.planned(&executed, key.verifying_key())?;
        let (record, padded) = (&executed.execution.record, Some(key.verifying_key()));
        let choices = self.choose(record, backend.provider, padded, &tracker)?;
        let mut source = RecordShards::new(self, &executed, &planned, &choices, &tracker);
        let progress = |progress| tracker.prove(progress);
        let options = ProveOptions { progress: Some(&progress), ..ProveOptions::default() };
        let place = || self.place.clone();
        let backend_of_cpu = CpuBackend::default();
        let proved = prove_shards(&backend_of_cpu, key, &mut source, planned.retention, &options);
        let (proof, metrics) = proved.map_err(|error| match source.failure() {
            Some(rows) => SessionError::Rows(rows),
            None => SessionError::Prove { place: place(), error: Box::new(error) },
        })?;
        let (trace, rows) = source.report();
        tracker.begin(Step::Verify);
        verify(key.verifying_key(), &executed.claims(), &proof)
            .map_err(|error| SessionError::SelfCheck { place: place(), error: Box::new(error) })?;
        let bytes = proof.encode();
        let times = [("execution", executed.time), ("rows", rows)];
        let report = self.report(backend, times, &metrics, bytes.len(), trace, planned);
        Ok(Proved { executed, proof, bytes, report, metrics })
    }

    fn report(
        &self,
        backend: Decision,
        times: [(&'static str, Duration); 2],
        metrics: &Metrics,
        proof_bytes: usize,
        trace: TraceReport,
        shards: Planned,
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
