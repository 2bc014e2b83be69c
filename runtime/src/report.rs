//! What happened in a proof, as data: who wrote which rows, from how many bytes, in
//! what time. Written as JSON by `prove --report`; docs/report.md describes it.
//!
//! - `circuit`: rows and stages of a circuit; `device`: what a device did;
//! - `timeline`: what was computed when, and the memory meanwhile;
//! - `machine`: where it was computed, and by which version.

mod circuit;
mod device;
mod machine;
mod timeline;

use std::time::Duration;

use serde_json::{Value, json};
use traceloom_prover::WorkerReport;

use crate::ledger::Entries;
use crate::provider::Provider;
use crate::session::ExecutedBy;
use crate::shards::Planned;
use crate::shards::cache::CacheReport;

pub use circuit::{CircuitReport, RunReport, encoding_name};
pub use device::{DeviceReport, DeviceStep};
pub use machine::Machine;
pub use timeline::{Sample, Span};

/// Version of the JSON form.
const FORMAT: &str = "traceloom-report/1";

/// A whole proof.
#[derive(Clone, Debug, PartialEq)]
pub struct ProofReport {
    /// Name of the program.
    pub program: String,
    /// Name of the profile.
    pub profile: String,
    /// Size of the proof file.
    pub proof_bytes: usize,
    /// Name of the backend.
    pub backend: String,
    /// Why the proof is computed there: what `auto` compared, or why it had no choice.
    pub backend_reason: Option<String>,
    /// What it took on each device that computed to the end.
    pub devices: Vec<DeviceReport>,
    /// Who ran the program.
    pub executed_by: ExecutedBy,
    /// Stages by name, in order.
    pub stages: Vec<(&'static str, Duration)>,
    /// Time of constraints, keys, and the choice of shards.
    pub setup: Duration,
    /// Time of the verification that ends every proof.
    pub verification: Duration,
    /// Time from the request to the proof. Stages of several workers overlap, and the start of a
    /// device belongs to no stage, so the other times do not add up to it.
    pub total: Duration,
    /// What was computed when, by time of begin.
    pub spans: Vec<Span>,
    /// The memory of the process over time; empty unless it was asked for.
    pub memory: Vec<Sample>,
    /// Where it was computed, and by which version.
    pub machine: Machine,
    /// Peak of the process's memory so far, in bytes, if the system states it.
    pub peak_memory: Option<u64>,
    /// The shards, with the memory that was planned for them.
    pub shards: Planned,
    /// When the record was freed, since the request began; `None` where it stayed to the end,
    /// because another worker might have needed it.
    pub record_freed: Option<Duration>,
    /// Who computed which shards.
    pub workers: Vec<WorkerReport>,
    /// What a cache was good for, if there is one.
    pub cache: Option<CacheReport>,
    /// The main traces of all shards together, those that were reused left out.
    pub trace: TraceReport,
}

/// All main traces of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceReport {
    /// The provider that was asked for.
    pub requested: &'static str,
    /// Whether fallbacks were forbidden.
    pub strict: bool,
    /// Fingerprint of the program, hexadecimal.
    pub fingerprint: String,
    /// Digest of the units in use, hexadecimal.
    pub unit_digest: Option<String>,
    /// The device that wrote rows.
    pub device: Option<String>,
    /// In the system's order.
    pub circuits: Vec<CircuitReport>,
    /// Time to bring device-born traces to the host.
    pub downloading: Duration,
    /// Every transfer and launch.
    pub ledger: Entries,
}

impl TraceReport {
    /// Adds what another worker wrote of the same record.
    pub(crate) fn add(&mut self, other: Self) {
        for (all, part) in self.circuits.iter_mut().zip(other.circuits) {
            // Rows of one worker may fall back where those of another do not.
            if all.height == 0 && part.height > 0 {
                (all.provider, all.reason) = (part.provider, part.reason.clone());
            }
            all.add(part, false);
        }
        if self.device != other.device {
            let names: Vec<String> = self.device.take().into_iter().chain(other.device).collect();
            self.device = (!names.is_empty()).then(|| names.join(", "));
        }
        self.downloading += other.downloading;
        self.ledger.add(&other.ledger);
    }

    /// As JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        let sum = |of: fn(&CircuitReport) -> usize| self.circuits.iter().map(of).sum::<usize>();
        json!({
            "requested": self.requested,
            "strict": self.strict,
            "fingerprint": self.fingerprint,
            "unit_digest": self.unit_digest,
            "device": self.device,
            "downloading_seconds": self.downloading.as_secs_f64(),
            "ledger": self.ledger.json(),
            "rows": sum(|circuit| circuit.rows),
            "cells": sum(CircuitReport::cells),
            "circuits": self.circuits.iter().map(CircuitReport::json).collect::<Vec<_>>(),
        })
    }

    /// Number of active circuits of this kind.
    fn count(&self, which: impl Fn(&CircuitReport) -> bool) -> usize {
        self.circuits.iter().filter(|circuit| circuit.height > 0 && which(circuit)).count()
    }

    /// `scalar rows`, or every provider with the number of its active circuits.
    #[must_use]
    pub fn providers(&self) -> String {
        let count = |provider: &Provider| self.count(|circuit| circuit.provider == *provider);
        let all = [Provider::Device, Provider::Scalar, Provider::Reference];
        let used: Vec<Provider> = all.into_iter().filter(|provider| count(provider) > 0).collect();
        match &used[..] {
            [] => "no rows of functions".into(),
            [only] => format!("{} rows", only.name()),
            several => {
                let several = several.iter();
                let parts: Vec<String> = several
                    .map(|provider| format!("{} rows of {}", provider.name(), count(provider)))
                    .collect();
                format!("{} circuits", parts.join(", "))
            }
        }
    }
}

fn worker_json(worker: &WorkerReport) -> Value {
    json!({
        "name": worker.name,
        "committed": worker.committed,
        "kept": worker.kept,
        "proven": worker.proven,
        "failure": worker.failure,
    })
}

fn cache_json(cache: &CacheReport) -> Value {
    json!({
        "folder": cache.folder.display().to_string(),
        "reused_roots": cache.reused_roots,
        "reused_proofs": cache.reused_proofs,
        "ignored": cache.ignored,
        "failure": cache.failure,
    })
}

impl ProofReport {
    /// As JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        let stage = |(name, time): &(&str, Duration)| json!({ "name": name, "seconds": time.as_secs_f64() });
        json!({
            "format": FORMAT,
            "program": self.program,
            "profile": self.profile,
            "proof_bytes": self.proof_bytes,
            "backend": { "name": self.backend, "reason": self.backend_reason },
            "execution": { "name": self.executed_by.name, "reason": self.executed_by.reason },
            "machine": self.machine.json(),
            "total_seconds": self.total.as_secs_f64(),
            "setup_seconds": self.setup.as_secs_f64(),
            "verification_seconds": self.verification.as_secs_f64(),
            "stages": self.stages.iter().map(stage).collect::<Vec<_>>(),
            "spans": self.spans.iter().map(Span::json).collect::<Vec<_>>(),
            "memory": self.memory.iter().map(Sample::json).collect::<Vec<_>>(),
            "peak_memory_bytes": self.peak_memory,
            "shards": self.shards.json(&self.trace),
            "record_freed_seconds": self.record_freed.map(|time| time.as_secs_f64()),
            "workers": self.workers.iter().map(worker_json).collect::<Vec<_>>(),
            "cache": self.cache.as_ref().map(cache_json),
            "devices": self.devices.iter().map(DeviceReport::json).collect::<Vec<_>>(),
            "trace": self.trace.json(),
        })
    }
}
