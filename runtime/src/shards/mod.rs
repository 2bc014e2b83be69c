//! Which rows are in which shard, how many shards there are, and what they take.
//!
//! For every circuit the canonical row order ([`crate::order`]; memories by pointer) is cut
//! into contiguous [`Piece`]s. A shard has at most one piece of a circuit. Claims and byte
//! tables are in shard 0.
//!
//! - [`planner`]: the cut into a given number of shards, which depends on rows, system,
//!   parameters and that number alone;
//! - [`choice`]: the number of shards, from what a caller asks for;
//! - [`estimate`]: the memory of a proof on the CPU, in closed form;
//! - [`error`]: why there is no plan; `json`: a plan as data and as text;
//! - [`cache`]: what is kept on disk of a proof while it is made.

pub mod cache;
pub mod choice;
pub mod error;
pub mod estimate;
mod json;
pub mod planner;

use std::ops::Range;

use traceloom_air::field::{Goldilocks, element};
use traceloom_air::system::{CircuitKind, System};

pub use choice::{
    DevicePlanError, NumShards, Planned, RetentionChoice, ShardOptions, choose, choose_on_device,
};
pub use error::PlanError;
pub use estimate::{Estimate, HostBytes};

use crate::heights::Heights;

/// Pointers count from zero.
pub(crate) const FIRST_POINTER: u64 = 0;

/// The rows of one circuit in one shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Positions in the canonical row order; never empty.
    pub rows: Range<usize>,
    /// Log of the height of its trace, padding included.
    pub log_height: usize,
}

impl Piece {
    /// Rows with padding.
    #[must_use]
    pub fn height(&self) -> usize {
        1 << self.log_height
    }
}

/// One shard: a piece per circuit of the system, `None` where the circuit is inactive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShardPlan {
    /// By circuit.
    pub pieces: Vec<Option<Piece>>,
}

impl ShardPlan {
    /// By circuit.
    #[must_use]
    pub fn log_heights(&self) -> Vec<Option<usize>> {
        self.pieces.iter().map(|piece| piece.as_ref().map(|piece| piece.log_height)).collect()
    }

    /// The public values of every circuit: of an active memory its first pointer.
    #[must_use]
    pub fn publics(&self, system: &System) -> Vec<Vec<Goldilocks>> {
        let circuits = system.circuits.iter().zip(&self.pieces);
        let publics = circuits.map(|(circuit, piece)| match (&circuit.kind, piece) {
            (CircuitKind::Memory { .. }, Some(piece)) => {
                vec![element(FIRST_POINTER + piece.rows.start as u64)]
            }
            (_, Some(_)) => vec![element(FIRST_POINTER); circuit.num_publics],
            (_, None) => Vec::new(),
        });
        publics.collect()
    }
}

/// All shards of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchPlan {
    /// At least one; none of them without an active circuit.
    pub shards: Vec<ShardPlan>,
}

impl BatchPlan {
    /// One shard of all rows.
    #[must_use]
    pub fn whole(rows: &[usize], heights: &Heights) -> Self {
        let pieces = rows.iter().enumerate().map(|(circuit, &rows)| {
            let log_height = heights.log_height(circuit)?;
            Some(Piece { rows: 0..rows, log_height })
        });
        Self { shards: vec![ShardPlan { pieces: pieces.collect() }] }
    }
}
