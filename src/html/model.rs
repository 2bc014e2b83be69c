//! What the page reads of report.json. Keys that it does not read are left alone; a key that an
//! older version did not write has a value of its own, so that old reports have a page, too.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// The form that is read.
const FORMAT: &str = "traceloom-report/1";

#[derive(Deserialize)]
pub struct Report {
    pub program: String,
    pub profile: String,
    pub proof_bytes: u64,
    pub backend: Named,
    pub execution: Named,
    #[serde(default)]
    pub machine: Machine,
    #[serde(default)]
    pub total_seconds: f64,
    #[serde(default)]
    pub setup_seconds: f64,
    #[serde(default)]
    pub verification_seconds: f64,
    pub stages: Vec<Stage>,
    #[serde(default)]
    pub spans: Vec<Span>,
    #[serde(default)]
    pub memory: Vec<Sample>,
    pub peak_memory_bytes: Option<u64>,
    pub shards: Shards,
    pub workers: Vec<Worker>,
    pub devices: Vec<Device>,
    pub trace: Trace,
}

#[derive(Deserialize)]
pub struct Named {
    pub name: String,
    pub reason: Option<String>,
}

impl Named {
    /// The name, and the reason where there is one.
    pub fn said(&self) -> String {
        match &self.reason {
            Some(reason) => format!("{}: {reason}", self.name),
            None => self.name.clone(),
        }
    }
}

#[derive(Default, Deserialize)]
pub struct Machine {
    pub threads: u64,
    pub processor: Option<String>,
    pub cores: Option<u64>,
    pub memory_bytes: Option<u64>,
    pub system: String,
    pub versions: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
pub struct Stage {
    pub name: String,
    pub seconds: f64,
}

#[derive(Deserialize)]
pub struct Span {
    pub step: String,
    pub worker: Option<String>,
    pub shard: Option<u64>,
    pub begin_seconds: f64,
    pub end_seconds: f64,
}

#[derive(Deserialize)]
pub struct Sample {
    pub at_seconds: f64,
    pub bytes: u64,
}

#[derive(Deserialize)]
pub struct Shards {
    pub retention: String,
    pub planned_memory_bytes: Planned,
    pub shards: Vec<Shard>,
}

#[derive(Deserialize)]
pub struct Planned {
    pub peak: u64,
}

#[derive(Deserialize)]
pub struct Shard {
    pub shard: u64,
    /// A number as text, since it may have more than 64 bits.
    pub cells: String,
    pub pieces: Vec<Piece>,
}

#[derive(Deserialize)]
pub struct Piece {
    pub circuit: String,
    pub rows: [u64; 2],
    pub log_height: u64,
}

#[derive(Deserialize)]
pub struct Worker {
    pub name: String,
    pub committed: u64,
    pub kept: u64,
    pub proven: u64,
    pub failure: Option<String>,
}

#[derive(Deserialize)]
pub struct Device {
    pub name: String,
    pub planned_bytes: u64,
    pub peak_bytes: u64,
    #[serde(default)]
    pub memory: Vec<Sample>,
    pub steps: Vec<Step>,
}

#[derive(Deserialize)]
pub struct Step {
    pub stage: String,
    pub name: String,
    pub launches: u64,
    pub seconds: f64,
    pub floor_bytes: u64,
    pub of_floor: Option<f64>,
}

#[derive(Deserialize)]
pub struct Trace {
    pub fingerprint: String,
    pub unit_digest: Option<String>,
    #[serde(default)]
    pub rows: u64,
    #[serde(default)]
    pub cells: u64,
    pub ledger: Ledger,
    pub circuits: Vec<Circuit>,
}

#[derive(Deserialize)]
pub struct Ledger {
    pub bytes_up: u64,
    pub bytes_down: u64,
    pub filled_bytes: u64,
    pub host_built_bytes_up: u64,
    pub transfers: Vec<Transfer>,
}

#[derive(Deserialize)]
pub struct Transfer {
    pub kind: String,
    pub bytes_up: u64,
    pub bytes_down: u64,
    pub transfers: u64,
}

#[derive(Deserialize)]
pub struct Circuit {
    pub name: String,
    pub provider: String,
    pub reason: Option<String>,
    pub rows: u64,
    pub height: u64,
    pub width: u64,
    #[serde(default)]
    pub constraints: u64,
    #[serde(default)]
    pub lookups: u64,
    pub typed_seed_bytes: u64,
    pub full_seed_bytes: u64,
    pub packing_seconds: f64,
    pub writing_seconds: f64,
    #[serde(default)]
    pub stages: Vec<Stage>,
}

impl Report {
    /// Reads a report.
    pub fn read(report: &Value) -> Result<Self, String> {
        let format = report.get("format").and_then(Value::as_str);
        if format != Some(FORMAT) {
            let is = format.map_or_else(|| "it has no format".into(), |is| format!("it is {is:?}"));
            return Err(format!("no report of a proof: {is}, and {FORMAT:?} is read"));
        }
        Self::deserialize(report).map_err(|error| format!("no report of a proof: {error}"))
    }
}

impl Circuit {
    /// Cells of its main trace, padding included. A report may say anything.
    pub fn cells(&self) -> u64 {
        self.width.saturating_mul(self.height)
    }

    /// Bytes of its rows without padding.
    pub fn row_bytes(&self) -> u64 {
        self.width.saturating_mul(self.rows).saturating_mul(8)
    }

    pub fn seed_bytes(&self) -> u64 {
        self.typed_seed_bytes.saturating_add(self.full_seed_bytes)
    }
}
