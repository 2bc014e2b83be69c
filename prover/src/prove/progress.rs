//! How far a batch is.

use std::time::Duration;

use traceloom_verifier::shape::{RoundKind, ShardShape};

use super::rates::Costs;
use crate::metrics::Stage;

/// A stage of a shard begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The stage.
    pub stage: Stage,
    /// The shard; 0 in [`Stage::Lookup`], which all shards share.
    pub shard: usize,
    /// Number of shards.
    pub num_shards: usize,
    /// Who works on it, by the order in which workers came.
    pub worker: usize,
    /// Rows, with padding, of the shards that have this stage behind them.
    pub rows_done: u64,
    /// Rows, with padding, of all shards.
    pub rows: u64,
    /// What is done already, out of `total`. The unit is a cell of a matrix that a stage
    /// reads or commits, so time is roughly proportional to it.
    pub done: u64,
    /// All that is to do, of all shards. What has to be done again adds to it, and what a store
    /// has kept does not count.
    pub total: u64,
    /// Time for what is left, at the speed that every stage had in this run, rows included; `None`
    /// while nothing was measured.
    pub remaining: Option<Duration>,
}

/// The cells that a stage of one shard reads or commits: what it costs.
#[must_use]
pub fn work(shape: &ShardShape, stage: Stage) -> u64 {
    let cells = |kind: RoundKind| {
        let matrices = shape.round(kind).map_or(&[][..], |round| &round.matrices);
        matrices.iter().map(|matrix| (matrix.width as u64) << matrix.log_height).sum::<u64>()
    };
    let (main, stage_two) = (cells(RoundKind::Main), cells(RoundKind::StageTwo));
    match stage {
        Stage::Main => main,
        Stage::Lookup => 0,
        Stage::StageTwo => main + stage_two,
        Stage::Quotient => main + stage_two + cells(RoundKind::Quotient),
        Stage::Opening => main + stage_two + cells(RoundKind::Quotient),
    }
}

/// What the stages of a shard cost.
pub(super) fn costs(shape: &ShardShape) -> Costs {
    Stage::ALL.map(|stage| work(shape, stage))
}

/// Rows of a shard, with padding.
pub(super) fn rows(shape: &ShardShape) -> u64 {
    shape.active.iter().map(|active| 1 << active.log_height).sum()
}
