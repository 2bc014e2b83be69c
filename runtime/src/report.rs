//! What happened in a proof, as data: who wrote which rows, from how many bytes, in
//! what time. Written as JSON by `prove --report`.

use std::time::Duration;

use serde_json::{Value, json};
use traceloom_air::system::Circuit;
use traceloom_prover::WorkerReport;

pub use crate::device_report::{DeviceReport, DeviceStep};
use crate::ledger::Entries;
use crate::provider::{Evaluation, Provider};
use crate::seeds::{Encoding, RunSeeds, Why};
use crate::session::ExecutedBy;
use crate::shards::Planned;
use crate::shards::cache::CacheReport;
use crate::source::SourceRun;

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

/// One circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CircuitReport {
    /// Its name.
    pub name: String,
    /// Who wrote its rows.
    pub provider: Provider,
    /// Why the rows come from another provider than was asked for, if they do.
    pub reason: Option<String>,
    /// What evaluates its constraints and lookups.
    pub evaluation: Evaluation,
    /// Rows without padding.
    pub rows: usize,
    /// Rows with padding, of all shards; 0 for an inactive circuit.
    pub height: usize,
    /// Number of columns.
    pub width: usize,
    /// Runs of rows from seeds; empty for other providers.
    pub runs: Vec<RunReport>,
    /// Time to pack seeds.
    pub packing: Duration,
    /// Time to write rows.
    pub writing: Duration,
}

/// One run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunReport {
    /// Position among the members of the circuit.
    pub member: usize,
    /// Path number.
    pub path: u32,
    /// Number of rows.
    pub rows: usize,
    /// How its seeds are written.
    pub encoding: Encoding,
    /// Bytes of all its seeds.
    pub seed_bytes: usize,
}

impl RunReport {
    pub(crate) fn new(run: &RunSeeds) -> Self {
        Self {
            member: run.member,
            path: run.path,
            rows: run.rows.len(),
            encoding: run.encoding,
            seed_bytes: run.bytes.len(),
        }
    }

    pub(crate) fn of_device(run: &SourceRun, (encoding, bytes): (Encoding, u64)) -> Self {
        Self {
            member: run.member,
            path: run.path,
            rows: run.rows.len(),
            encoding,
            seed_bytes: bytes as usize,
        }
    }
}

impl CircuitReport {
    pub(crate) fn new(circuit: &Circuit, provider: Provider) -> Self {
        Self {
            name: circuit.name.clone(),
            provider,
            reason: None,
            evaluation: Evaluation::System,
            rows: 0,
            height: 0,
            width: circuit.width,
            runs: Vec::new(),
            packing: Duration::ZERO,
            writing: Duration::ZERO,
        }
    }

    /// Adds the rows of another shard, or the time of a shard that was made again.
    pub(crate) fn add(&mut self, part: Self, is_again: bool) {
        self.packing += part.packing;
        self.writing += part.writing;
        if !is_again {
            self.rows += part.rows;
            self.height += part.height;
            self.runs.extend(part.runs);
        }
    }

    /// Bytes of typed seeds.
    #[must_use]
    pub fn typed_bytes(&self) -> usize {
        self.bytes(|encoding| encoding == Encoding::Typed)
    }

    /// Bytes of full seeds.
    #[must_use]
    pub fn full_bytes(&self) -> usize {
        self.bytes(|encoding| encoding != Encoding::Typed)
    }

    fn bytes(&self, which: impl Fn(Encoding) -> bool) -> usize {
        self.runs.iter().filter(|run| which(run.encoding)).map(|run| run.seed_bytes).sum()
    }

    fn json(&self) -> Value {
        let runs: Vec<Value> = self
            .runs
            .iter()
            .map(|run| {
                json!({
                    "member": run.member,
                    "path": run.path,
                    "rows": run.rows,
                    "encoding": encoding_name(run.encoding),
                    "seed_bytes": run.seed_bytes,
                })
            })
            .collect();
        json!({
            "name": self.name,
            "provider": self.provider.name(),
            "reason": self.reason,
            "evaluator": self.evaluation.name(),
            "rows": self.rows,
            "height": self.height,
            "width": self.width,
            "typed_seed_bytes": self.typed_bytes(),
            "full_seed_bytes": self.full_bytes(),
            "packing_seconds": self.packing.as_secs_f64(),
            "writing_seconds": self.writing.as_secs_f64(),
            "runs": runs,
        })
    }
}

/// The encoding, and why, in one word.
#[must_use]
pub fn encoding_name(encoding: Encoding) -> &'static str {
    match encoding {
        Encoding::Typed => "typed",
        Encoding::Full(Why::Widened) => "widened",
        Encoding::Full(Why::Short) => "short",
        Encoding::Full(Why::ManyPaths) => "many-paths",
    }
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
        json!({
            "requested": self.requested,
            "strict": self.strict,
            "fingerprint": self.fingerprint,
            "unit_digest": self.unit_digest,
            "device": self.device,
            "downloading_seconds": self.downloading.as_secs_f64(),
            "ledger": self.ledger.json(),
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
            "stages": self.stages.iter().map(stage).collect::<Vec<_>>(),
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
