//! How many shards: exactly as many as asked for, or the fewest that obey the caps.

use std::cell::RefCell;

use traceloom_prover::{ProveError, Retention, Stage, stage_cost};
use traceloom_verifier::VerifyingKey;
use traceloom_verifier::shape::{MAX_SHARDS, ShapeError, ShardShape};

use super::estimate::{Estimate, HostBytes};
use super::planner::{Rows, cut};
use super::{BatchPlan, Piece, PlanError, ShardPlan};
use crate::device::DeviceMemory;

/// How many shards a proof has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NumShards {
    /// The fewest that obey the caps, from sixteen on in steps of an eighth; one where that fits.
    #[default]
    Auto,
    /// This many.
    Exactly(usize),
}

/// What is kept of a shard between the rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RetentionChoice {
    /// Everything, where that fits `max_memory`; else it is made again.
    #[default]
    Auto,
    /// As said.
    Always(Retention),
}

/// What a caller asks for. The caps choose the number of shards and nothing else: two proofs
/// of one execution with as many shards have the same bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShardOptions {
    /// How many shards.
    pub shards: NumShards,
    /// Most committed cells of a shard: main, stage 2 and quotient, before they are extended.
    pub max_shard_cells: Option<u64>,
    /// Log of the height of the tallest trace, at most; never more than the parameters have.
    pub max_log_height: Option<usize>,
    /// Most bytes of host memory that the proof may take, by [`super::estimate`].
    pub max_memory: Option<u64>,
    /// What is kept between the rounds.
    pub retention: RetentionChoice,
}

impl ShardOptions {
    /// What is wrong with the options, whatever the rows are.
    ///
    /// # Errors
    /// [`PlanError::NoShards`], [`PlanError::TooManyShards`], [`PlanError::ZeroCap`].
    pub fn check(&self) -> Result<(), PlanError> {
        match self.shards {
            NumShards::Exactly(0) => return Err(PlanError::NoShards),
            NumShards::Exactly(asked) if asked > MAX_SHARDS => {
                return Err(PlanError::TooManyShards { asked, max: MAX_SHARDS });
            }
            NumShards::Exactly(_) | NumShards::Auto => {}
        }
        let caps = [("max_shard_cells", self.max_shard_cells), ("max_memory", self.max_memory)];
        match caps.into_iter().find(|(_, cap)| *cap == Some(0)) {
            Some((option, _)) => Err(PlanError::ZeroCap { option }),
            None => Ok(()),
        }
    }
}

/// The plan of a batch, with what led to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// The shards.
    pub plan: BatchPlan,
    /// Committed cells of every shard, before they are extended.
    pub cells: Vec<u128>,
    /// Cost of every shard: the cells that its stages read or commit, with those of round one
    /// twice where nothing is kept. Progress counts them, so the time that is left follows.
    pub costs: Vec<u64>,
    /// What is kept between the rounds.
    pub retention: Retention,
    /// The memory that it takes on the CPU.
    pub estimate: Estimate,
    /// What was asked for.
    pub options: ShardOptions,
}

/// Chooses the number of shards and what is kept of them.
///
/// # Errors
/// [`PlanError`]: with need, have, and what to do.
pub fn choose(
    key: &VerifyingKey,
    counts: &[usize],
    num_claims: usize,
    host: HostBytes,
    options: &ShardOptions,
) -> Result<Planned, PlanError> {
    options.check()?;
    let rows = Rows { key, counts, num_claims };
    Chooser { rows, host, options, device: None }.choose()
}

/// Memory of a device that a plan takes, and that there is.
pub type DeviceNeed<'a> = dyn Fn(&BatchPlan, Retention) -> Result<DeviceMemory, ProveError> + 'a;

/// Why a device has no plan.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DevicePlanError {
    /// The rows cannot be cut so that it fits.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The device does not say what it takes or has.
    #[error(transparent)]
    Device(#[from] ProveError),
}

/// The same for a proof on a device, whose memory is a cap, in place of that of the host.
///
/// # Errors
/// [`DevicePlanError`].
pub fn choose_on_device(
    rows: Rows<'_>,
    host: HostBytes,
    options: &ShardOptions,
    need: &DeviceNeed<'_>,
) -> Result<Planned, DevicePlanError> {
    options.check()?;
    let asked = AskedDevice { need, error: RefCell::default() };
    let options = ShardOptions { max_memory: None, ..*options };
    let planned = Chooser { rows, host, options: &options, device: Some(&asked) }.choose();
    match asked.error.into_inner() {
        Some(error) => Err(error.into()),
        None => Ok(planned?),
    }
}

/// A device that is asked about plans.
struct AskedDevice<'a> {
    need: &'a DeviceNeed<'a>,
    /// What it said in place of an answer; the plan does not matter then.
    error: RefCell<Option<ProveError>>,
}

impl AskedDevice<'_> {
    fn memory(&self, plan: &BatchPlan, retention: Retention) -> DeviceMemory {
        (self.need)(plan, retention).unwrap_or_else(|error| {
            *self.error.borrow_mut() = Some(error);
            DeviceMemory { need: 0, have: 0 }
        })
    }
}

struct Chooser<'a> {
    rows: Rows<'a>,
    host: HostBytes,
    options: &'a ShardOptions,
    device: Option<&'a AskedDevice<'a>>,
}

impl Chooser<'_> {
    fn choose(&self) -> Result<Planned, PlanError> {
        self.check_least()?;
        match self.options.shards {
            NumShards::Exactly(shards) => self.plan(shards),
            NumShards::Auto => self.fewest(),
        }
    }
}

impl Chooser<'_> {
    /// Tables that cannot be cut, and one row of every active circuit, obey the caps.
    fn check_least(&self) -> Result<(), PlanError> {
        let circuits = &self.rows.key.system().circuits;
        let active = || (0..circuits.len()).filter(|&c| self.rows.counts[c] > 0);
        let name = |circuit: usize| circuits[circuit].name.clone();
        if let Some(have) = self.options.max_log_height {
            let tables = active().filter_map(|c| Some((self.rows.fixed(c)?, c)));
            if let Some((need, circuit)) = tables.max().filter(|&(need, _)| need > have) {
                return Err(PlanError::TableHeight { circuit: name(circuit), need, have });
            }
        }
        if let Some(have) = self.options.max_memory {
            let need = self.least_memory();
            if need > have.into() {
                return Err(PlanError::MemoryBelowLeast { need, have });
            }
        }
        let Some(have) = self.options.max_shard_cells else { return Ok(()) };
        let tables =
            active().filter_map(|c| Some(self.rows.cells_per_row(c) << self.rows.fixed(c)?));
        let tables = ("the byte tables of shard 0".to_owned(), tables.sum::<u128>());
        let row = |c: usize| (format!("one row of {}", name(c)), self.rows.cells_per_row(c));
        let needs = active().map(row).chain([tables]);
        match needs.max_by_key(|(_, need)| *need) {
            Some((what, need)) if need > have.into() => {
                Err(PlanError::CellsBelowLeast { what, need, have })
            }
            _ => Ok(()),
        }
    }

    /// Bytes of a shard of nothing but the tables that cannot be cut.
    fn least_memory(&self) -> u128 {
        let pieces = self.rows.counts.iter().enumerate().map(|(circuit, &rows)| {
            let log_height = self.rows.fixed(circuit).filter(|_| rows > 0)?;
            Some(Piece { rows: 0..rows, log_height })
        });
        let plan = BatchPlan { shards: vec![ShardPlan { pieces: pieces.collect() }] };
        Estimate::new(self.rows.key, &plan, self.host, Retention::Retain).peak()
    }

    /// The fewest shards that obey. From sixteen on, numbers are tried in steps of an eighth.
    fn fewest(&self) -> Result<Planned, PlanError> {
        let most = self.rows.counts.iter().copied().max().unwrap_or(1).min(MAX_SHARDS);
        let mut shards = self.least_number().min(most);
        let mut last: Option<(usize, PlanError)> = None;
        loop {
            let error = match (self.plan(shards), last) {
                (Err(error), _) if error.is_of_number() => error,
                // There are no more shards than rows.
                (Err(PlanError::MoreShardsThanRows { .. }), Some((shards, error))) => {
                    return Err(PlanError::TooLarge { shards, last: Box::new(error) });
                }
                (result, _) => return result,
            };
            let step = (shards / 8).max(1);
            if shards >= most {
                return Err(PlanError::TooLarge { shards, last: Box::new(error) });
            }
            last = Some((shards, error));
            shards = (shards + step).min(most);
        }
    }

    /// With fewer shards one would have more cells or a higher trace than its cap, wherever
    /// rows were cut.
    fn least_number(&self) -> usize {
        let Rows { counts, .. } = self.rows;
        let cuts = self.max_log_height();
        let by_height = (0..counts.len()).filter(|&c| self.rows.fixed(c).is_none());
        let by_height = by_height.map(|c| counts[c].div_ceil(1 << cuts)).max().unwrap_or(1);
        let cells = (0..counts.len()).map(|c| self.rows.cells_per_row(c) * counts[c] as u128);
        let by_cells = match self.options.max_shard_cells {
            Some(cap) => cells.sum::<u128>().div_ceil(cap.into()),
            None => 1,
        };
        usize::try_from(by_cells).unwrap_or(usize::MAX).max(by_height).max(1)
    }

    /// The caller's cap and that of the parameters.
    fn max_log_height(&self) -> usize {
        let most = self.rows.key.params().max_log_height;
        self.options.max_log_height.map_or(most, |cap| cap.min(most))
    }

    /// The plan with this many shards, if it obeys.
    fn plan(&self, shards: usize) -> Result<Planned, PlanError> {
        let have = self.max_log_height();
        // Before the verifier's rules, which know the parameters' cap only.
        let plan = match cut(&self.rows, shards) {
            Err(PlanError::Shape { error: ShapeError::Height { circuit, got, .. }, .. }) => {
                return Err(PlanError::Height { shards, circuit, need: got, have });
            }
            result => result?,
        };
        let pieces = plan.shards.iter().flat_map(|shard| shard.pieces.iter().enumerate());
        let heights = pieces.filter_map(|(c, piece)| Some((piece.as_ref()?.log_height, c)));
        if let Some((need, circuit)) = heights.max().filter(|&(need, _)| need > have) {
            let circuit = self.rows.key.system().circuits[circuit].name.clone();
            return Err(PlanError::Height { shards, circuit, need, have });
        }
        let cells: Vec<u128> = plan.shards.iter().map(|shard| self.rows.cells(shard)).collect();
        let largest = cells.iter().copied().zip(0..).max_by_key(|&(cells, shard)| (cells, !shard));
        if let (Some((need, shard)), Some(have)) = (largest, self.options.max_shard_cells)
            && need > have.into()
        {
            return Err(PlanError::Cells { shards, shard, need, have });
        }
        let (retention, estimate) = self.retention(&plan)?;
        let costs = plan.shards.iter().map(|shard| self.cost(shard, shards, retention)).collect();
        Ok(Planned { plan, cells, costs, retention, estimate, options: *self.options })
    }

    /// What a shard of `num_shards` costs.
    fn cost(&self, shard: &ShardPlan, num_shards: usize, retention: Retention) -> u64 {
        let shape = ShardShape::new(self.rows.key, &shard.log_heights(), num_shards);
        let is_again = retention == Retention::Regenerate && num_shards > 1;
        let again = if is_again { stage_cost(&shape, Stage::Main) } else { 0 };
        again + Stage::ALL.map(|stage| stage_cost(&shape, stage)).iter().sum::<u64>()
    }

    /// What is kept, so that the memory suffices.
    fn retention(&self, plan: &BatchPlan) -> Result<(Retention, Estimate), PlanError> {
        let estimate = |retention| Estimate::new(self.rows.key, plan, self.host, retention);
        let fits = |estimate: &Estimate| {
            self.options.max_memory.is_none_or(|have| estimate.peak() <= have.into())
        };
        let tried = match self.options.retention {
            RetentionChoice::Always(retention) => vec![retention],
            RetentionChoice::Auto => vec![Retention::Retain, Retention::Regenerate],
        };
        if let Some(device) = self.device {
            return self.on_device(device, plan, &tried);
        }
        let mut least = None;
        for retention in tried {
            let estimate = estimate(retention);
            if fits(&estimate) {
                return Ok((retention, estimate));
            }
            least = Some(estimate);
        }
        let least = least.expect("something was tried");
        Err(PlanError::Memory {
            shards: plan.shards.len(),
            need: least.peak(),
            base: least.base + least.rows,
            have: self.options.max_memory.unwrap_or(u64::MAX),
        })
    }

    /// The first retention with which a plan fits the device.
    fn on_device(
        &self,
        device: &AskedDevice<'_>,
        plan: &BatchPlan,
        tried: &[Retention],
    ) -> Result<(Retention, Estimate), PlanError> {
        let mut last = DeviceMemory { need: u64::MAX, have: 0 };
        for &retention in tried {
            last = device.memory(plan, retention);
            if last.need <= last.have {
                let estimate = Estimate::new(self.rows.key, plan, self.host, retention);
                return Ok((retention, estimate));
            }
        }
        let DeviceMemory { need, have } = last;
        Err(PlanError::DeviceMemory { shards: plan.shards.len(), need, have })
    }
}
