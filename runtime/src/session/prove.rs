//! From a request to a proof that was verified once.

use std::time::{Duration, Instant};

use traceloom_air::field::{Goldilocks, word};
use traceloom_prover::{Finished, ProveError, Stage};
use traceloom_verifier::VerifyingKey;
use traceloom_verifier::verify::{Expected, verify_expected};

use super::backend::{Backend, Decision, Early, decide};
use super::memory::{Sampler, free_memory, peak_memory, too_little};
use super::program::Subject as Of;
use super::progress::Tracker;
use super::rows::Rows;
use super::verify::profile_name;
use super::workers::{Made, Work};
use super::{Devices, Executed, Proved, Request, Session, SessionError, Step, Summary};
use crate::heights::row_counts;
use crate::report::{Machine, ProofReport, Sample};
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
        let every = settings.memory_samples;
        let sampler = every.and_then(|every| Sampler::start(tracker.start(), every));
        let mut executed = self.run(request, &tracker)?;
        tracker.begin(Step::SetUp);
        let began = Instant::now();
        let (backend, planned) = self.placed(early, &executed)?;
        self.finish(&mut executed, &planned.plan)?;
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
        let subject = cache.as_ref().map(|_| self.subject(&executed, key, &planned));
        let counts = row_counts(self.front(), self.system(), &executed.execution.record);
        let (summary, record) = executed.summary(counts);
        let setup = tracker.span("setup", None, None, began);
        let ordering = Instant::now();
        let rows = Rows::new(self, record);
        let ordering = tracker.span("rows", None, None, ordering);
        let work = Work {
            session: self,
            claims: &summary.claims,
            boundary: &summary.boundary,
            rows: &rows,
            planned: &planned,
            key,
            tracker: &tracker,
            store: None,
        };
        let (mut made, cache) = self.make(work, &backend, cache.zip(subject))?;
        // Whatever is left of them.
        drop(rows);
        made.rows.1 += ordering;
        tracker.begin(Step::Verify);
        let began = Instant::now();
        let proof = &made.finished.proof;
        let expected = Expected { claims: &summary.claims(), boundary: &summary.boundary };
        verify_expected(key, &expected, proof).map_err(|error| SessionError::SelfCheck {
            place: self.place.clone(),
            error: Box::new(error),
        })?;
        let verification = tracker.span("verification", None, None, began);
        let bytes = proof.encode();
        let memory = sampler.map_or_else(Vec::new, Sampler::stop);
        let parts = Parts {
            backend,
            made: &made,
            planned,
            cache,
            setup,
            verification,
            memory,
            tracker: &tracker,
        };
        let report = self.report(&summary, bytes.len(), parts);
        let Finished { proof, metrics, .. } = made.finished;
        Ok(Proved { summary, proof, bytes, report, metrics })
    }

    /// Makes the proof, with what a cache has.
    fn make(
        &self,
        work: Work<'_>,
        backend: &Decision<'_>,
        cache: Option<(Cache, Subject)>,
    ) -> Result<(Made, Option<CacheReport>), SessionError> {
        let Some((cache, subject)) = cache else {
            return Ok((work.run(backend)?, None));
        };
        let Work { planned, tracker, .. } = work;
        let notice = |notice: &str| tracker.notice(notice);
        let kept = KeptShards::open(&cache, subject, &notice)?;
        let made = Work { store: Some(&kept), ..work }.run(backend)?;
        let of_batch = &made.finished.report;
        let report = kept.report(of_batch.reused_roots, of_batch.reused_proofs);
        tracker.notice(&reused(&report, planned.plan.shards.len()));
        Ok((made, Some(report)))
    }

    /// What the shards of a proof depend on.
    fn subject(&self, executed: &Executed, key: &VerifyingKey, planned: &Planned) -> Subject {
        let claims = &executed.execution.claims;
        let claim = match &self.subject {
            Of::Machine(machine) => machine.phrase(&executed.boundary),
            Of::Functions(program) => claims.first().map(|ranked| {
                let name = &program.program().functions[ranked.claim.function as usize].name;
                let phrase = self.in_words(&ranked.claim);
                phrase.unwrap_or_else(|| format!("{name}, claim {}", words(&ranked.claim.inputs)))
            }),
        };
        let name = self.front().name().to_owned();
        let names = [name, profile_name(&self.settings.params), claim.unwrap_or_default()];
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

    fn report(&self, summary: &Summary, proof_bytes: usize, parts: Parts<'_>) -> ProofReport {
        let Parts { backend, made, planned, cache, tracker, .. } = parts;
        let Made { finished, rows: (trace, rows), devices, record_freed } = made;
        let mut trace = trace.clone();
        for (position, circuit) in trace.circuits.iter_mut().enumerate() {
            let of = |stage| finished.metrics.circuits.get(&(stage, position)).copied();
            let times = Stage::ALL.into_iter().filter_map(|stage| Some((stage, of(stage)?)));
            circuit.stages = times.collect();
        }
        let times = [("execution", summary.time), ("rows", *rows)];
        let stages = Stage::ALL.map(|stage| (stage.name(), finished.metrics.stage(stage)));
        ProofReport {
            program: self.front().name().to_owned(),
            profile: profile_name(&self.settings.params),
            proof_bytes,
            backend: backend.name.to_owned(),
            backend_reason: backend.reason,
            devices: devices.clone(),
            executed_by: summary.by.clone(),
            stages: times.into_iter().chain(stages).collect(),
            setup: parts.setup,
            verification: parts.verification,
            total: tracker.start().elapsed(),
            spans: tracker.spans(&finished.metrics.spans),
            memory: parts.memory,
            machine: Machine::this(),
            peak_memory: peak_memory(),
            shards: planned,
            record_freed: *record_freed,
            workers: finished.report.workers.clone(),
            cache,
            trace,
        }
    }
}

/// What a report is made of.
struct Parts<'a> {
    backend: Decision<'a>,
    made: &'a Made,
    planned: Planned,
    cache: Option<CacheReport>,
    setup: Duration,
    verification: Duration,
    memory: Vec<Sample>,
    tracker: &'a Tracker<'a>,
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
