//! The memory of a proof on the CPU, in closed form.
//!
//! Every stage of a shard is gone through in the order in which the CPU backend makes and
//! frees matrices, from shapes alone. With `n` rows of `w` columns, blowup `2^b` and `D` words
//! per extension element:
//!
//! ```text
//! main trace            8·n·w                     kept until stage 2
//! committed matrix      8·n·w·2^b                 main, stage 2 (w = D·groups), quotient (D·slices)
//! tree                  64·n·2^b                  of the tallest matrix
//! opening               8·D·n·2^b                 per distinct point, and per codeword
//! ```
//!
//! What does not grow with rows is [`PROCESS`], and [`HELD_BACK`] where shards follow each other.
//! The record is there until the last rows are made: those of round one where everything is
//! kept, else those of the last shard in round two.

use traceloom_abi::record::Record;
use traceloom_prover::{Retention, Stage};
use traceloom_verifier::VerifyingKey;
use traceloom_verifier::shape::{MatrixShape, RoundKind, ShardShape};

use super::BatchPlan;

/// Bytes of code, stacks, evaluators and buffers.
const PROCESS: u128 = 32 << 20;
/// What an allocator holds back of a shard that was freed, for the next one. The one of glibc
/// holds up to 64 MiB; this is what was measured, docs/measurements.md.
const HELD_BACK: u128 = 48 << 20;
/// Bytes of a field element and of a digest.
const WORD: u128 = 8;
const DIGEST: u128 = 32;

/// Bytes on the host that exist while a proof is made, whatever its shards are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostBytes {
    /// Of the record.
    pub record: u64,
    /// Of the row order: four per row of a function.
    pub order: u64,
}

impl HostBytes {
    /// Of this record.
    #[must_use]
    pub fn new(record: &Record) -> Self {
        let queries = record.functions.iter().map(|table| table.len() as u64).sum::<u64>();
        Self { record: record.num_bytes(), order: 4 * queries }
    }
}

/// Planned bytes of host memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Keys and process: there all the time.
    pub base: u128,
    /// The record and its row order: there until the last rows are made.
    pub rows: u128,
    /// Of these, the record.
    pub record: u128,
    /// By shard: what it keeps between the rounds with [`Retention::Retain`].
    pub kept: Vec<u128>,
    /// By shard, then stage in the order of [`Stage::ALL`]: most bytes of its own at once.
    pub stages: Vec<[u128; Stage::ALL.len()]>,
    retention: Retention,
}

impl Estimate {
    /// The memory of a plan.
    #[must_use]
    pub fn new(
        key: &VerifyingKey,
        plan: &BatchPlan,
        host: HostBytes,
        retention: Retention,
    ) -> Self {
        let shards: Vec<Shard> = plan
            .shards
            .iter()
            .map(|shard| {
                Shard::new(key, &ShardShape::new(key, &shard.log_heights(), plan.shards.len()))
            })
            .collect();
        let record = host.record.into();
        let retention = if shards.len() == 1 { Retention::Retain } else { retention };
        let held_back = if retention == Retention::Regenerate { HELD_BACK } else { 0 };
        Self {
            base: PROCESS + held_back + fixed_bytes(key),
            rows: u128::from(host.record) + u128::from(host.order),
            record,
            kept: shards.iter().map(Shard::kept).collect(),
            stages: shards.iter().map(Shard::stages).collect(),
            retention,
        }
    }

    /// Most bytes at once.
    #[must_use]
    pub fn peak(&self) -> u128 {
        self.base + Stage::ALL.map(|stage| self.stage(stage)).into_iter().max().unwrap_or(0)
    }

    /// Most bytes at once in a stage, over all shards, with what is kept of other shards and what
    /// rows are still made from.
    #[must_use]
    pub fn stage(&self, stage: Stage) -> u128 {
        let shards = self.stages.iter().enumerate();
        let of = |(shard, stages): (usize, &[u128; Stage::ALL.len()])| {
            let rows = if self.makes_rows(stage, shard) { self.rows } else { 0 };
            stages[stage as usize] + self.others(stage, shard) + rows
        };
        shards.map(of).max().unwrap_or(0)
    }

    /// Whether rows are made when a shard is in a stage, or after that.
    fn makes_rows(&self, stage: Stage, shard: usize) -> bool {
        match (self.retention, stage) {
            (_, Stage::Main) => true,
            (Retention::Retain, _) => false,
            (Retention::Regenerate, _) => shard + 1 < self.kept.len(),
        }
    }

    /// What is kept of other shards.
    fn others(&self, stage: Stage, shard: usize) -> u128 {
        let all = self.kept.len();
        let others = match (self.retention, stage) {
            (Retention::Regenerate, _) => 0..0,
            (Retention::Retain, Stage::Main) => 0..shard,
            (Retention::Retain, _) => shard + 1..all,
        };
        self.kept[others].iter().sum()
    }
}

/// Fixed columns: trace, committed matrix and tree, each committed alone.
fn fixed_bytes(key: &VerifyingKey) -> u128 {
    let blowup = 1u128 << key.params().log_blowup;
    let tables = key.system().circuits.iter().filter_map(|circuit| {
        let fixed = circuit.fixed()?;
        let rows = 1u128 << fixed.log_height();
        Some(rows * (WORD * fixed.width() as u128 * (1 + blowup) + 2 * DIGEST * blowup))
    });
    tables.sum()
}

/// The matrices of one shard.
struct Shard {
    degree: u128,
    blowup: u128,
    log_height: usize,
    main: Vec<MatrixShape>,
    stage_two: Vec<MatrixShape>,
    quotient: Vec<MatrixShape>,
    /// Distinct heights, the tallest first.
    heights: Vec<u128>,
}

/// Live bytes and the most of them so far.
#[derive(Clone, Copy)]
struct Live {
    now: u128,
    most: u128,
}

impl Live {
    fn new(now: u128) -> Self {
        Self { now, most: now }
    }

    fn add(&mut self, bytes: u128) {
        self.now += bytes;
        self.most = self.most.max(self.now);
    }

    fn free(&mut self, bytes: u128) {
        self.now -= bytes;
    }

    /// For a moment only.
    fn touch(&mut self, bytes: u128) {
        self.most = self.most.max(self.now + bytes);
    }
}

impl Shard {
    fn new(key: &VerifyingKey, shape: &ShardShape) -> Self {
        let round = |kind| shape.round(kind).map_or_else(Vec::new, |round| round.matrices.clone());
        let mut heights: Vec<u128> =
            shape.active.iter().map(|active| 1u128 << active.log_height).collect();
        heights.sort_unstable_by(|a, b| b.cmp(a));
        heights.dedup();
        Self {
            degree: key.params().extension_degree as u128,
            blowup: 1 << key.params().log_blowup,
            log_height: shape.max_log_height(),
            main: round(RoundKind::Main),
            stage_two: round(RoundKind::StageTwo),
            quotient: round(RoundKind::Quotient),
            heights,
        }
    }

    /// Traces and main commitment.
    fn kept(&self) -> u128 {
        self.traces() + self.committed(&self.main)
    }

    fn stages(&self) -> [u128; Stage::ALL.len()] {
        let mut stages = [0; Stage::ALL.len()];
        stages[Stage::Main as usize] = self.kept();
        stages[Stage::StageTwo as usize] = self.stage_two();
        stages[Stage::Quotient as usize] = self.quotient();
        stages[Stage::Opening as usize] = self.opening();
        stages
    }

    fn traces(&self) -> u128 {
        self.main.iter().map(bytes).sum()
    }

    fn tree(&self, matrices: &[MatrixShape]) -> u128 {
        let tallest = matrices.iter().map(|matrix| matrix.log_height).max();
        tallest.map_or(0, |log_height| 2 * DIGEST * (self.blowup << log_height))
    }

    fn committed(&self, matrices: &[MatrixShape]) -> u128 {
        matrices.iter().map(|matrix| self.blowup * bytes(matrix)).sum::<u128>()
            + self.tree(matrices)
    }

    /// Circuit by circuit: fractions, whose trace is freed then, and their extension.
    fn stage_two(&self) -> u128 {
        let mut live = Live::new(self.kept());
        for (active, trace) in self.main.iter().enumerate() {
            let columns = self.stage_two.iter().find(|matrix| matrix.active == active);
            live.add(columns.map_or(0, bytes));
            live.free(bytes(trace));
            live.add(columns.map_or(0, |matrix| (self.blowup - 1) * bytes(matrix)));
        }
        live.add(self.tree(&self.stage_two));
        live.most
    }

    /// Circuit by circuit: selectors, values, coefficients, slices on the committed domain.
    fn quotient(&self) -> u128 {
        let committed = self.committed(&self.main) + self.committed(&self.stage_two);
        let mut live = Live::new(committed);
        for slices in &self.quotient {
            let values = bytes(slices);
            // First, transition and last, and points and differences while they are made.
            let selectors = 6 * values / self.degree;
            live.touch(selectors.max(values + selectors / 2));
            live.touch(values + self.blowup * values);
            live.add(self.blowup * values);
        }
        live.add(self.tree(&self.quotient));
        live.most
    }

    /// Inverses per point, opened values, codewords, layers.
    fn opening(&self) -> u128 {
        let matrices = [&self.main, &self.stage_two, &self.quotient];
        let committed = matrices.map(|matrices| self.committed(matrices)).iter().sum();
        let element = self.degree * WORD;
        let domain = self.blowup << self.log_height;
        let mut live = Live::new(committed);
        // zeta, and zeta·g per height.
        let next = self.heights.iter().map(|height| height * self.blowup * element);
        // And where the shard is bound.
        let points = 1 + u128::from(self.main.iter().any(|matrix| matrix.opens_bound));
        let inverses = points * domain * element + next.clone().sum::<u128>();
        // Points of the domain, and the differences of the point at hand.
        live.touch(inverses + domain * (WORD + element));
        live.add(inverses);
        live.touch(inverses / self.blowup);
        let codewords = next.sum::<u128>();
        // The weighted rows of the matrix at hand.
        live.touch(codewords + domain * element);
        live.add(codewords);
        live.most
    }
}

/// Of a matrix on its trace domain.
fn bytes(matrix: &MatrixShape) -> u128 {
    (WORD * matrix.width as u128) << matrix.log_height
}
