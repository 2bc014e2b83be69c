//! From a request to a proof that was verified once.

use traceloom_air::field::{Goldilocks, word};
use traceloom_prover::{Finished, Metrics, ProveError, Stage, WorkerReport};
use traceloom_verifier::{VerifyingKey, verify};

use super::backend::{Backend, Decision, Early, decide};
use super::memory::{free_memory, too_little};
use super::progress::Tracker;
use super::verify::profile_name;
use super::workers::{Made, Rows, Work};
use super::{Devices, Executed, Proved, Request, Session, SessionError, Step};
use crate::report::{DeviceReport, ProofReport};
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
        let early = decide(settings.backend, settings.provider, &settings.devices)?;
        let tracker = Tracker::new(self, Step::Execute);
        let executed = self.run(request, &tracker)?;
        tracker.begin(Step::SetUp);
        let (backend, planned) = self.placed(early, &executed)?;
        // A machine without a GPU needs no note: nobody asked for one.
        let was_chosen = settings.backend == Backend::Auto
            && !matches!(settings.devices, Devices::Unavailable(_));
        if let (Some(reason), true) = (&backend.reason, was_chosen) {
            let place = match backend.devices.len() {
                0 => "the CPU".to_owned(),
                1 => "a GPU".to_owned(),
                several => format!("{several} GPUs"),
            };
            tracker.notice(&format!("proving on {place}: {reason}"));
        }
        let key = match backend.devices.is_empty() {
            false => self.verifying_key()?,
            true => self.proving_key()?.verifying_key(),
        };
        // What was planned is the memory of a proof on the CPU.
        if backend.devices.is_empty()
            && let Some(notice) = too_little(planned.estimate.peak(), free_memory())
        {
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
        let (Made { finished, rows, devices }, cache) = self.make(work, &backend, cache)?;
        let Finished { proof, metrics, report } = finished;
        tracker.begin(Step::Verify);
        verify(key, &executed.claims(), &proof).map_err(|error| SessionError::SelfCheck {
            place: self.place.clone(),
            error: Box::new(error),
        })?;
        let bytes = proof.encode();
        let workers = report.workers;
        let parts = Parts { backend, rows, devices, metrics: &metrics, planned, workers, cache };
        let report = self.report(&executed, bytes.len(), parts);
        Ok(Proved { executed, proof, bytes, report, metrics })
    }

    /// Makes the proof, with what a cache has.
    fn make(
        &self,
        work: Work<'_>,
        backend: &Decision<'_>,
        cache: Option<Cache>,
    ) -> Result<(Made, Option<CacheReport>), SessionError> {
        let Some(cache) = cache else {
            return Ok((work.run(backend)?, None));
        };
        let Work { executed, key, planned, tracker, .. } = work;
        let notice = |notice: &str| tracker.notice(notice);
        let kept = KeptShards::open(&cache, self.subject(executed, key, planned), &notice)?;
        let made = Work { store: Some(&kept), ..work }.run(backend)?;
        let of_batch = &made.finished.report;
        let report = kept.report(of_batch.reused_roots, of_batch.reused_proofs);
        tracker.notice(&reused(&report, planned.plan.shards.len()));
        Ok((made, Some(report)))
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
        if decision.devices.is_empty() {
            let planned = self.planned(executed, key, &settings.shards)?;
            return Ok((decision, planned));
        }
        match self.planned_on(&decision.devices, executed, key, &settings.shards) {
            Err(error) if settings.backend == Backend::Auto => {
                let planned = self.planned(executed, key, &settings.shards)?;
                Ok((Decision::on_cpu(Some(error.to_string()), settings.provider), planned))
            }
            planned => Ok((decision, planned?)),
        }
    }

    pub(super) fn not_proved(&self, error: ProveError) -> SessionError {
        SessionError::Prove { place: self.place.clone(), error: Box::new(error) }
    }

    fn report(&self, executed: &Executed, proof_bytes: usize, parts: Parts<'_>) -> ProofReport {
        let Parts { backend, rows: (trace, rows), devices, metrics, planned, workers, cache } =
            parts;
        let times = [("execution", executed.time), ("rows", rows)];
        let stages = Stage::ALL.map(|stage| (stage.name(), metrics.stage(stage)));
        ProofReport {
            program: self.program.program().name.clone(),
            profile: profile_name(&self.settings.params),
            proof_bytes,
            backend: backend.name.to_owned(),
            backend_reason: backend.reason,
            devices,
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
    devices: Vec<DeviceReport>,
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
