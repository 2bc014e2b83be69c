//! The cut of rows into a given number of shards.
//!
//! Every circuit is cut into pieces of one power of two, the last one as short as it is, with
//! the least height that gives at most one piece per shard. A circuit is not cut lower than
//! [`SPREAD`] below the tallest pieces, so the heights of a batch have few distinct values
//! and small circuits stay whole; nor lower than the profile's floors need. Pieces go to
//! the shards with the fewest cells, widest circuits first, in ascending order of both, so that
//! the pointers of a memory ascend over shards.
//!
//! Where a shard would be left empty, the tallest circuit of functions is cut evenly instead:
//! its rows have no order that anything depends on, so its pieces need not be powers of two.

use std::cmp::Reverse;
use std::ops::Range;

use traceloom_air::fixed::Fixed;
use traceloom_air::system::CircuitKind;
use traceloom_verifier::VerifyingKey;
use traceloom_verifier::proof::ShardStatement;
use traceloom_verifier::security::{check_floors, padding};
use traceloom_verifier::shape::{MAX_SHARDS, ShardShape, check_statements};

use super::{BatchPlan, Piece, PlanError, ShardPlan};

/// Logs of heights of pieces differ by at most this, but where a circuit has too few rows.
const SPREAD: usize = 4;

/// What is cut: rows per circuit of the system of `key`.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// The system, with parameters.
    pub key: &'a VerifyingKey,
    /// By circuit, without padding.
    pub counts: &'a [usize],
    /// Number of claims.
    pub num_claims: usize,
}

/// Cuts rows into exactly `num_shards` shards. The result depends on the arguments alone.
///
/// # Errors
/// [`PlanError`]: there are too few rows, or the batch would break a rule of the protocol or
/// a floor of the profile.
pub fn cut(rows: &Rows<'_>, num_shards: usize) -> Result<BatchPlan, PlanError> {
    match num_shards {
        0 => return Err(PlanError::NoShards),
        asked if asked > MAX_SHARDS => {
            return Err(PlanError::TooManyShards { asked, max: MAX_SHARDS });
        }
        _ => {}
    }
    let mut ranges = rows.ranges(num_shards);
    let mut plan = rows.place(&ranges, num_shards);
    if plan.shards.iter().any(|shard| shard.pieces.iter().all(Option::is_none)) {
        let circuit = rows.cut_evenly(num_shards)?;
        ranges[circuit] = even(rows.counts[circuit], num_shards);
        plan = rows.place(&ranges, num_shards);
    }
    rows.pad(&mut plan);
    rows.check(&plan)?;
    Ok(plan)
}

impl Rows<'_> {
    /// Committed cells of one row: main, stage 2 and quotient, before they are extended.
    #[must_use]
    pub fn cells_per_row(&self, circuit: usize) -> u128 {
        let layout = &self.key.layouts()[circuit];
        let degree = self.key.params().extension_degree;
        let width = self.key.system().circuits[circuit].width;
        (width + degree * (layout.groups.len() + layout.num_slices)) as u128
    }

    /// Committed cells of a shard, before they are extended.
    #[must_use]
    pub fn cells(&self, shard: &ShardPlan) -> u128 {
        let pieces = shard.pieces.iter().enumerate();
        let cells = pieces.filter_map(|(circuit, piece)| {
            piece.as_ref().map(|piece| self.cells_per_row(circuit) << piece.log_height)
        });
        cells.sum()
    }

    /// Committed cells of all rows in one shard, before they are extended. Rules of the protocol
    /// may ask for more shards, which have about as many.
    #[must_use]
    pub fn whole_cells(&self) -> u128 {
        let active = (0..self.counts.len()).filter(|&circuit| self.counts[circuit] > 0);
        let height = |circuit| self.fixed(circuit).unwrap_or(log_ceil(self.counts[circuit]));
        active.map(|circuit| self.cells_per_row(circuit) << height(circuit)).sum()
    }

    /// Log height of a table that cannot be cut.
    pub(super) fn fixed(&self, circuit: usize) -> Option<usize> {
        self.key.system().circuits[circuit].fixed().map(Fixed::log_height)
    }

    /// Whether only the last piece of a circuit may have padding: that of a memory goes on with
    /// its pointers, and that of an op table with what its last row left.
    fn is_padded_last(&self, circuit: usize) -> bool {
        let kind = &self.key.system().circuits[circuit].kind;
        matches!(kind, CircuitKind::Memory { .. } | CircuitKind::Ops { .. })
    }

    /// Active circuits that can be cut.
    fn divisible(&self) -> impl Iterator<Item = usize> {
        (0..self.counts.len()).filter(|&c| self.counts[c] > 0 && self.fixed(c).is_none())
    }

    /// Pieces of every circuit, in row order.
    fn ranges(&self, num_shards: usize) -> Vec<Vec<Range<usize>>> {
        let least = |circuit: usize| log_ceil(self.counts[circuit].div_ceil(num_shards));
        let tallest = self.divisible().map(least).max().unwrap_or(0);
        let floor = match num_shards {
            1 => 0,
            _ => tallest.saturating_sub(SPREAD).max(self.least_height()),
        };
        let pieces = |circuit: usize| {
            let rows = self.counts[circuit];
            let whole = self.fixed(circuit).is_some() || num_shards == 1;
            let log_height = if whole { log_ceil(rows) } else { least(circuit).max(floor) };
            let size = 1usize << log_height;
            (0..rows).step_by(size).map(|first| first..rows.min(first + size)).collect()
        };
        (0..self.counts.len()).map(pieces).collect()
    }

    /// Log of the height with which a shard of all circuits reaches the floors.
    fn least_height(&self) -> usize {
        let suffices = |&log_height: &usize| {
            let heights = (0..self.counts.len()).map(|circuit| match self.fixed(circuit) {
                Some(_) => None,
                None => (self.counts[circuit] > 0).then_some(log_height),
            });
            self.reaches_floors(&heights.collect::<Vec<_>>())
        };
        let most = self.key.params().max_log_height;
        (0..=most).find(suffices).unwrap_or(0)
    }

    /// Whether a batch of such shards reaches the floors. With two it counts what several
    /// shards count: they are bound, and opened at one point more than a shard alone.
    fn reaches_floors(&self, log_heights: &[Option<usize>]) -> bool {
        let shape = ShardShape::new(self.key, log_heights, 2);
        check_floors(self.key, &[shape.clone(), shape], self.num_claims).is_ok()
    }

    /// The circuit of functions with most rows.
    fn cut_evenly(&self, num_shards: usize) -> Result<usize, PlanError> {
        let functions = self.divisible().filter(|&circuit| !self.is_padded_last(circuit));
        let tallest = functions.min_by_key(|&circuit| (Reverse(self.counts[circuit]), circuit));
        match tallest {
            Some(circuit) if self.counts[circuit] >= num_shards => Ok(circuit),
            tallest => Err(PlanError::MoreShardsThanRows {
                asked: num_shards,
                circuit: tallest.map_or_else(String::new, |circuit| {
                    self.key.system().circuits[circuit].name.clone()
                }),
                rows: tallest.map_or(0, |circuit| self.counts[circuit]),
            }),
        }
    }

    /// Puts pieces into the shards with the fewest cells.
    fn place(&self, ranges: &[Vec<Range<usize>>], num_shards: usize) -> BatchPlan {
        let pieces = vec![None; self.counts.len()];
        let mut shards = vec![ShardPlan { pieces }; num_shards];
        let mut loads = vec![0u128; num_shards];
        let mut order: Vec<usize> = (0..ranges.len()).collect();
        let largest = |circuit: usize| {
            let rows = ranges[circuit].iter().map(ExactSizeIterator::len).max().unwrap_or(0);
            self.cells_per_row(circuit) << log_ceil(rows)
        };
        // Tables first: they are in shard 0.
        order.sort_by_key(|&c| (self.fixed(c).is_none(), Reverse(largest(c)), c));
        for circuit in order {
            let pieces = &ranges[circuit];
            let mut places: Vec<usize> = (0..num_shards).collect();
            if self.fixed(circuit).is_none() {
                places.sort_by_key(|&shard| (loads[shard], shard));
            }
            places.truncate(pieces.len());
            places.sort_unstable();
            for (rows, shard) in pieces.iter().zip(places) {
                let log_height = log_ceil(rows.len());
                loads[shard] += self.cells_per_row(circuit) << log_height;
                shards[shard].pieces[circuit] = Some(Piece { rows: rows.clone(), log_height });
            }
        }
        BatchPlan { shards }
    }

    /// Pads every shard that would miss a floor. A batch of one shard is padded as
    /// everybody pads it; in others a memory's pointers have no room but behind its last row.
    fn pad(&self, plan: &mut BatchPlan) {
        if let [shard] = &mut plan.shards[..] {
            if let Some(found) = padding(self.key, &shard.log_heights(), self.num_claims)
                && let Some(piece) = &mut shard.pieces[found.circuit]
            {
                piece.log_height = found.log_height;
            }
            return;
        }
        let enough = self.least_height();
        for shard in &mut plan.shards {
            if shard.log_heights().into_iter().max().flatten() < Some(enough) {
                self.pad_shard(shard);
            }
        }
    }

    fn pad_shard(&self, shard: &mut ShardPlan) {
        let mut heights = shard.log_heights();
        if self.reaches_floors(&heights) {
            return;
        }
        let can_grow = self.divisible().filter_map(|circuit| {
            let piece = shard.pieces[circuit].as_ref()?;
            let has_room = !self.is_padded_last(circuit) || piece.rows.end == self.counts[circuit];
            has_room.then_some((Reverse(piece.log_height), circuit))
        });
        let Some((Reverse(height), circuit)) = can_grow.min() else { return };
        for log_height in height + 1..=self.key.params().max_log_height {
            heights[circuit] = Some(log_height);
            if self.reaches_floors(&heights) {
                shard.pieces[circuit].as_mut().expect("it can grow").log_height = log_height;
                return;
            }
        }
    }

    /// The verifier's rules about numbers, and the floors of the whole batch.
    fn check(&self, plan: &BatchPlan) -> Result<(), PlanError> {
        let shards = plan.shards.len();
        let system = self.key.system();
        let statements: Vec<ShardStatement> = plan
            .shards
            .iter()
            .map(|shard| ShardStatement {
                log_heights: shard.log_heights(),
                main: [0; 32],
                publics: shard.publics(system),
                claims: Vec::new(),
                boundary: Vec::new(),
                bound: Vec::new(),
            })
            .collect();
        let shapes = check_statements(self.key, &statements)
            .map_err(|error| PlanError::Shape { shards, error })?;
        check_floors(self.key, &shapes, self.num_claims)
            .map_err(|error| PlanError::Security { shards, error })?;
        Ok(())
    }
}

/// `parts` ranges whose lengths differ by at most one.
fn even(rows: usize, parts: usize) -> Vec<Range<usize>> {
    let start = |part: usize| (rows as u128 * part as u128 / parts as u128) as usize;
    (0..parts).map(|part| start(part)..start(part + 1)).collect()
}

fn log_ceil(rows: usize) -> usize {
    rows.max(1).next_power_of_two().ilog2() as usize
}

#[cfg(test)]
mod tests;
