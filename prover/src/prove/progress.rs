//! How far a batch is.

use traceloom_verifier::shape::{RoundKind, ShardShape};

use crate::metrics::Stage;

/// A stage of a shard begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The stage.
    pub stage: Stage,
    /// The shard; 0 in [`Stage::Lookup`], which all shards share.
    pub shard: usize,
    /// What is done already, out of `total`. The unit is a cell of a matrix that a stage
    /// reads or commits, so time is roughly proportional to it.
    pub done: u64,
    /// All that is to do, of all shards.
    pub total: u64,
}

/// The cells that a stage of one shard reads or commits.
pub(super) fn work(shape: &ShardShape, stage: Stage) -> u64 {
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

/// The cells of a batch; main traces that are not kept are made twice.
pub(super) fn total(shapes: &[ShardShape], keeps: bool) -> u64 {
    let again = |shape| if keeps { 0 } else { work(shape, Stage::Main) };
    let stages = |shape| Stage::ALL.map(|stage| work(shape, stage)).iter().sum::<u64>();
    shapes.iter().map(|shape| stages(shape) + again(shape)).sum()
}
