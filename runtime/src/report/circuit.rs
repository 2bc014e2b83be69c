//! Who wrote the rows of a circuit, from how many bytes, and what its proof took.

use std::time::Duration;

use serde_json::{Value, json};
use traceloom_air::system::Circuit;
use traceloom_prover::Stage;

use crate::provider::{Evaluation, Provider};
use crate::seeds::{Encoding, RunSeeds, Why};
use crate::source::SourceRun;

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
    /// Constraints of a row.
    pub constraints: usize,
    /// Lookups of a row.
    pub lookups: usize,
    /// Runs of rows from seeds; empty for other providers.
    pub runs: Vec<RunReport>,
    /// Time to pack seeds.
    pub packing: Duration,
    /// Time to write rows.
    pub writing: Duration,
    /// Time of stages of the prover for this circuit alone, over all shards.
    pub stages: Vec<(Stage, Duration)>,
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
            constraints: circuit.constraints.len(),
            lookups: circuit.lookups.len(),
            runs: Vec::new(),
            packing: Duration::ZERO,
            writing: Duration::ZERO,
            stages: Vec::new(),
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

    /// Cells of its main trace, padding included, over all shards.
    #[must_use]
    pub const fn cells(&self) -> usize {
        self.width * self.height
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

    pub(super) fn json(&self) -> Value {
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
        let stage = |(stage, time): &(Stage, Duration)| json!({ "name": stage.name(), "seconds": time.as_secs_f64() });
        json!({
            "name": self.name,
            "provider": self.provider.name(),
            "reason": self.reason,
            "evaluator": self.evaluation.name(),
            "rows": self.rows,
            "height": self.height,
            "width": self.width,
            "cells": self.cells(),
            "constraints": self.constraints,
            "lookups": self.lookups,
            "row_bytes": 8 * self.width * self.rows,
            "typed_seed_bytes": self.typed_bytes(),
            "full_seed_bytes": self.full_bytes(),
            "packing_seconds": self.packing.as_secs_f64(),
            "writing_seconds": self.writing.as_secs_f64(),
            "stages": self.stages.iter().map(stage).collect::<Vec<_>>(),
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
