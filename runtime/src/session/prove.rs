//! From a request to a proof that was verified once.

use traceloom_air::field::{Goldilocks, word};
use traceloom_prover::{Finished, Metrics, ProveError, Stage, WorkerReport};
use traceloom_verifier::{VerifyingKey, verify};

use super::backend::{Decision, decide};
use super::memory::{free_memory, too_little};
use super::progress::Tracker;
use super::verify::profile_name;
use super::workers::{Rows, Work};
use super::{Executed, Proved, Request, Session, SessionError, Step};
use crate::report::ProofReport;
use crate::shards::Planned;
use crate::shards::cache::{Cache, CacheReport, KeptShards, Subject};

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
        let cache = settings.cache.as_deref().map(Cache::open).transpose()?;
        let backend = decide(settings.backend, settings.provider, &settings.devices)?;
        let is_on_device = !backend.devices.is_empty();
        let shards = if is_on_device { settings.shards.on_device() } else { settings.shards };
        let tracker = Tracker::new(self, Step::Execute);
        if let Some(reason) = &backend.reason {
            tracker.notice(&format!("proving on the CPU: {reason}"));
        }
        let executed = self.run(request, &tracker)?;
        tracker.begin(Step::SetUp);
        let key = match is_on_device {
            true => self.verifying_key()?,
            false => self.proving_key()?.verifying_key(),
        };
        let planned = self.planned(&executed, key, &shards)?;
        // What was planned is the memory of a proof on the CPU.
        if !is_on_device && let Some(notice) = too_little(planned.estimate.peak(), free_memory()) {
            tracker.notice(&notice);
        }
        let work = Work {
            session: self,
            executed: &executed,
            planned: &planned,
            key,
            tracker: &tracker,
            store: None,
        };
        let (Finished { proof, metrics, report }, rows, cache) =
            self.make(work, &backend, cache)?;
        tracker.begin(Step::Verify);
        verify(key, &executed.claims(), &proof).map_err(|error| SessionError::SelfCheck {
            place: self.place.clone(),
            error: Box::new(error),
        })?;
        let bytes = proof.encode();
        let workers = report.workers;
        let parts = Parts { backend, rows, metrics: &metrics, planned, workers, cache };
        let report = self.report(&executed, bytes.len(), parts);
        Ok(Proved { executed, proof, bytes, report, metrics })
    }

    /// Makes the proof, with what a cache has.
    fn make(
        &self,
        work: Work<'_>,
        backend: &Decision<'_>,
        cache: Option<Cache>,
    ) -> Result<(Finished, Rows, Option<CacheReport>), SessionError> {
        let Some(cache) = cache else {
            let (finished, rows) = work.run(backend)?;
            return Ok((finished, rows, None));
        };
        let Work { executed, key, planned, tracker, .. } = work;
        let notice = |notice: &str| tracker.notice(notice);
        let kept = KeptShards::open(&cache, self.subject(executed, key, planned), &notice)?;
        let (finished, rows) = Work { store: Some(&kept), ..work }.run(backend)?;
        let report = kept.report(finished.report.reused_roots, finished.report.reused_proofs);
        tracker.notice(&reused(&report, planned.plan.shards.len()));
        Ok((finished, rows, Some(report)))
    }

    /// What the shards of a proof depend on.
    fn subject(&self, executed: &Executed, key: &VerifyingKey, planned: &Planned) -> Subject {
        let program = self.program.program();
        let claims = &executed.execution.claims;
        let claim = claims.first().map_or_else(String::new, |ranked| {
            let name = &program.functions[ranked.claim.function as usize].name;
            let phrase = self.in_words(&ranked.claim);
            phrase.unwrap_or_else(|| format!("{name}, claim {}", words(&ranked.claim.inputs)))
        });
        let names = [program.name.clone(), profile_name(&self.settings.params), claim];
        Subject::new(key, names, claims, &executed.execution.record.io, &planned.plan)
    }

    pub(super) fn not_proved(&self, error: ProveError) -> SessionError {
        SessionError::Prove { place: self.place.clone(), error: Box::new(error) }
    }

    fn report(&self, executed: &Executed, proof_bytes: usize, parts: Parts<'_>) -> ProofReport {
        let Parts { backend, rows: (trace, rows), metrics, planned, workers, cache } = parts;
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
            shards: planned,
            workers,
            cache,
            trace,
        }
    }
}

/// What a report is made of.
struct Parts<'a> {
    backend: Decision<'a>,
    rows: Rows,
    metrics: &'a Metrics,
    planned: Planned,
    workers: Vec<WorkerReport>,
    cache: Option<CacheReport>,
}

/// How much of a proof a cache had.
fn reused(report: &CacheReport, shards: usize) -> String {
    let CacheReport { folder, reused_roots, reused_proofs, .. } = report;
    let folder = folder.display();
    format!(
        "reused {reused_roots} of {shards} roots and {reused_proofs} of {shards} shard proofs from {folder}"
    )
}

/// The first numbers of a list.
fn words(elements: &[Goldilocks]) -> String {
    let first = elements.iter().take(4).map(|&x| word(x).to_string());
    let rest = if elements.len() > 4 { ", …" } else { "" };
    format!("({}{rest})", first.collect::<Vec<_>>().join(", "))
}

/// Peak of this process's memory so far, in bytes, if the system states it.
#[must_use]
pub fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    kibibytes.checked_mul(1024)
}
