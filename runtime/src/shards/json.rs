//! A plan as JSON and as text.

use std::fmt::Write as _;

use serde_json::{Value, json};
use traceloom_air::system::System;
use traceloom_prover::Stage;

use super::{NumShards, Piece, Planned, RetentionChoice};
use crate::report::TraceReport;

impl Planned {
    /// As JSON; circuits are named as in `trace`.
    #[must_use]
    pub fn json(&self, trace: &TraceReport) -> Value {
        let sums = self.cells.iter().zip(&self.costs);
        let shards = self.plan.shards.iter().zip(sums).enumerate();
        let shards = shards.map(|(index, (shard, (&cells, &cost)))| {
            let pieces = trace.circuits.iter().zip(&shard.pieces).filter_map(|(circuit, piece)| {
                let Piece { rows, log_height } = piece.as_ref()?;
                let (first, end) = (rows.start, rows.end);
                Some(json!({
                    "circuit": circuit.name,
                    "rows": [first, end],
                    "log_height": log_height,
                }))
            });
            json!({
                "shard": index,
                "cells": cells.to_string(),
                "cost": cost.to_string(),
                "pieces": pieces.collect::<Vec<_>>(),
            })
        });
        let options = &self.options;
        json!({
            "asked": {
                "shards": match options.shards {
                    NumShards::Auto => json!("auto"),
                    NumShards::Exactly(shards) => json!(shards),
                },
                "max_shard_cells": options.max_shard_cells,
                "max_log_height": options.max_log_height,
                "max_memory": options.max_memory,
                "retention": match options.retention {
                    RetentionChoice::Auto => "auto",
                    RetentionChoice::Always(retention) => retention.name(),
                },
            },
            "retention": self.retention.name(),
            "planned_memory_bytes": self.memory(),
            "record_bytes": bytes(self.estimate.record),
            "shards": shards.collect::<Vec<_>>(),
        })
    }

    fn memory(&self) -> Value {
        let stages =
            Stage::ALL.map(|stage| (stage.name().to_owned(), bytes(self.estimate.stage(stage))));
        json!({
            "base": bytes(self.estimate.base),
            "rows": bytes(self.estimate.rows),
            "stages": stages.into_iter().collect::<serde_json::Map<String, Value>>(),
            "peak": bytes(self.estimate.peak()),
        })
    }

    /// As lines: every shard with its pieces, then the memory.
    #[must_use]
    pub fn table(&self, system: &System) -> String {
        let mut text = String::new();
        let (plan, options) = (&self.plan, &self.options);
        // Writing to a string does not fail.
        let _ = writeln!(text, "shards {}, {}", plan.shards.len(), asked(options.shards));
        for (index, (shard, cells)) in plan.shards.iter().zip(&self.cells).enumerate() {
            let _ = writeln!(text, "  shard {index}: {cells} cells");
            for (circuit, piece) in system.circuits.iter().zip(&shard.pieces) {
                if let Some(Piece { rows, log_height }) = piece {
                    let (first, end) = (rows.start, rows.end);
                    let name = circuit.name.escape_debug();
                    let _ = writeln!(text, "    2^{log_height:<2} {first:>10}..{end:<10} {name}");
                }
            }
        }
        let _ = writeln!(text, "memory planned on the CPU, {}", self.retention.name());
        let mebibytes = |bytes: u128| bytes.div_ceil(1 << 20);
        let _ = writeln!(text, "{:>10} MiB  record", mebibytes(self.estimate.record));
        let _ = writeln!(text, "{:>10} MiB  with row order", mebibytes(self.estimate.rows));
        let _ = writeln!(text, "{:>10} MiB  keys and process", mebibytes(self.estimate.base));
        for stage in Stage::ALL {
            let bytes = self.estimate.stage(stage);
            if bytes > 0 {
                let _ = writeln!(text, "{:>10} MiB  {}", mebibytes(bytes), stage.name());
            }
        }
        let _ = writeln!(text, "{:>10} MiB  peak", mebibytes(self.estimate.peak()));
        text
    }
}

fn asked(shards: NumShards) -> String {
    match shards {
        NumShards::Auto => "the fewest that obey the caps".into(),
        NumShards::Exactly(_) => "as asked for".into(),
    }
}

/// Exact below 2^64, which no machine has more of.
fn bytes(bytes: u128) -> Value {
    json!(u64::try_from(bytes).unwrap_or(u64::MAX))
}
