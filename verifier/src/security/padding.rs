//! What a batch that misses a floor needs: more rows, less at once, or other parameters.
//!
//! Few rows are the usual reason of programs that call nothing: their code has almost no
//! distance once a point or two outside its domain are opened. So every shard is padded to the
//! least height that suffices, which costs a few hundred rows at most.

use super::Remedy;
use super::terms::{Instance, Shard};
use crate::key::VerifyingKey;
use crate::params::Params;
use crate::shape::ShardShape;

/// Rows that a shard needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Padding {
    /// The circuit to pad.
    pub circuit: usize,
    /// Log of its height with padding.
    pub log_height: usize,
}

/// The least padding of a shard with these log heights, one per circuit, that lets a batch
/// of this shard alone reach the floors of the key's parameters. Everybody who builds traces
/// asks here, so that proofs do not depend on who did.
///
/// The first of the tallest circuits in System order is padded; byte tables cannot be.
/// A memory's padding takes pointers: whoever gives shards ranges has to leave room.
///
/// `None` if no padding is needed, or none helps; a proof is refused then, with its reason.
#[must_use]
pub fn padding(
    key: &VerifyingKey,
    log_heights: &[Option<usize>],
    num_claims: usize,
) -> Option<Padding> {
    let params = key.params();
    let mut heights = log_heights.to_vec();
    let suffices = |heights: &[Option<usize>]| {
        let shape = ShardShape::new(key, heights, 1);
        Instance::new(key, &[shape], num_claims).reaches_floors(params)
    };
    if suffices(&heights) {
        return None;
    }
    let circuits = key.system().circuits.iter().zip(log_heights).enumerate();
    // A table with fixed columns has exactly their height.
    let can_grow = circuits.filter(|(_, (circuit, _))| circuit.fixed().is_none());
    let can_grow = can_grow.filter_map(|(index, (_, height))| height.map(|log| (index, log)));
    let (circuit, height) = can_grow.reduce(|a, b| if b.1 > a.1 { b } else { a })?;
    (height + 1..=params.max_log_height).find_map(|log_height| {
        heights[circuit] = Some(log_height);
        suffices(&heights).then_some(Padding { circuit, log_height })
    })
}

impl Instance {
    pub(super) fn reaches_floors(&self, params: &Params) -> bool {
        let figures = self.figures(params);
        figures.heuristic >= params.min_heuristic_bits as f64
            && figures.provable >= params.min_provable_bits as f64
    }

    /// What would help a batch that misses a floor: the first that does.
    pub(super) fn remedy(&self, params: &Params) -> Remedy {
        let padded = |&log_height: &usize| {
            let mut padded = self.clone();
            for shard in &mut padded.shards {
                shard.log_height = shard.log_height.max(log_height);
            }
            padded.reaches_floors(params)
        };
        let lowest = self.shards.iter().map(|shard| shard.log_height).min().unwrap_or(0);
        if let Some(log_height) = (lowest + 1..=params.max_log_height).find(padded) {
            return Remedy::Pad(log_height);
        }
        let small = |&log_height: &usize| {
            let zeta_factor = 8.0 * (log_height as f64).exp2();
            let shards = self.shards.iter().take(1);
            let shards = shards.map(|shard| Shard { log_height, zeta_factor, ..*shard }).collect();
            Self { messages: 1.0, num_shards: 1, shards, ..self.clone() }.reaches_floors(params)
        };
        match (0..=params.max_log_height).any(|log_height| small(&log_height)) {
            true => Remedy::Less,
            false => Remedy::Profile,
        }
    }
}
