//! Bytes of device memory that a proof takes at most, in closed form from its shape: what is
//! admitted before the first launch of a proof, and what plans of shards ask for.
//!
//! Alive per stage, beside the tables of the key and of transforms:
//!
//! ```text
//! main      traces and main round of this shard; what is kept of the shards before it
//! stage 2   the same, main rounds and traces of later shards as far as they are kept, stage 2;
//!           columns, sums and registers of one circuit
//! quotient  the same without this shard's traces, quotient; values, slices or registers of
//!           one circuit
//! opening   the three rounds, and what is kept of later shards; codewords, and inverses of
//!           points or layers of FRI
//! ```
//!
//! While a round is extended it has scratch memory, and digests behind that. Shards that are
//! made again are kept by nobody. Sizes are rounded up to a thirty-second more, which
//! [`Plan::need`] adds, with some room for lists and parameters.

use traceloom_air::fixed::Fixed;
use traceloom_prover::Retention;
use traceloom_verifier::VerifyingKey;
use traceloom_verifier::shape::{RoundKind, ShardShape};

use super::commit::{chunk, scratch_words};
use super::key::Launches;
use super::stages::register_words;
use crate::prover_kernels::openings::NUM_ROOTS;

/// Bytes of the roots of unity that a context keeps, with their inverses.
pub(super) const ROOT_BYTES: u64 = 2 * 8 * NUM_ROOTS;

const DIGEST: u64 = 32;
const WORD: u64 = 8;
/// Logarithm of the rows up to which transforms have no factors.
const LOG_WITHOUT_FACTORS: usize = 12;
/// Bytes of lists and parameters that are alive at once, most of them of some kilobytes.
const LISTS: u64 = 1 << 17;

/// A transform that has tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Transform {
    pub(super) log_height: u32,
    /// Of quotients and not of extensions.
    pub(super) is_of_slices: bool,
    /// Logarithm of the blowup, or of the number of slices.
    pub(super) log: u32,
}

/// A batch whose memory is planned.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    verifying: &'a VerifyingKey,
    launches: &'a Launches,
    shapes: &'a [ShardShape],
    retention: Retention,
}

impl<'a> Plan<'a> {
    /// Of shards of these shapes, of which this much is kept.
    #[must_use]
    pub fn new(
        verifying: &'a VerifyingKey,
        launches: &'a Launches,
        shapes: &'a [ShardShape],
        retention: Retention,
    ) -> Self {
        // A batch of one shard is kept.
        let retention = if shapes.len() == 1 { Retention::Retain } else { retention };
        Self { verifying, launches, shapes, retention }
    }

    /// All bytes of a proof that finds nothing of its key and no tables on the device.
    #[must_use]
    pub fn need(&self) -> u64 {
        self.need_with(self.key() + self.tables(|_| false))
    }

    /// All bytes of a proof with this many bytes of key and tables.
    pub(super) fn need_with(&self, stays: u64) -> u64 {
        let all = self.peak() + stays;
        all + all / 32 + LISTS
    }

    /// Most bytes that are alive at once, beside those of tables.
    #[must_use]
    pub fn peak(&self) -> u64 {
        let (mut peak, mut kept) = (0, 0);
        for shape in self.shapes {
            let traces = self.cells(shape, RoundKind::Main, false);
            let main = self.building(shape, RoundKind::Main, |_| 0);
            peak = peak.max(kept + traces + main);
            if self.retention == Retention::Retain {
                kept += traces + self.committed(shape, RoundKind::Main);
            }
        }
        for shape in self.shapes {
            let traces = self.cells(shape, RoundKind::Main, false);
            let main = self.committed(shape, RoundKind::Main);
            let mine = traces + main;
            // Of other shards.
            kept = kept.saturating_sub(mine);
            peak = peak.max(kept + mine + self.of_shard(shape));
        }
        peak
    }

    /// Most bytes of a shard from stage 2 on, beside its traces and main round.
    fn of_shard(&self, shape: &ShardShape) -> u64 {
        let traces = self.cells(shape, RoundKind::Main, false);
        let of_circuit = |index| self.stage_two_bytes(shape, index);
        let stage_two = self.building(shape, RoundKind::StageTwo, of_circuit);
        let committed = self.committed(shape, RoundKind::StageTwo);
        let of_circuit = |index| self.quotient_bytes(shape, index);
        let quotient = committed + self.building(shape, RoundKind::Quotient, of_circuit);
        let all = committed + self.committed(shape, RoundKind::Quotient);
        // Traces are given back before the quotient.
        let later = quotient.max(all + self.opening(shape)).saturating_sub(traces);
        stage_two.max(later)
    }

    /// Bytes of the tables of transforms that the context keeps after the proof, but of those
    /// that are known.
    pub(super) fn tables(&self, is_known: impl Fn(&Transform) -> bool) -> u64 {
        let actives = self.shapes.iter().flat_map(|shape| &shape.active);
        let mut transforms: Vec<Transform> = Vec::new();
        for active in actives {
            let slices = self.launches.circuits[active.circuit].quotient.log_slices();
            let log_height = active.log_height as u32;
            let log = self.log_blowup() as u32;
            transforms.push(Transform { log_height, is_of_slices: false, log });
            transforms.push(Transform { log_height, is_of_slices: true, log: slices });
        }
        transforms.sort_unstable();
        transforms.dedup();
        transforms.retain(|transform| !is_known(transform));
        WORD * transforms.iter().map(|of| self.launches.table_words(*of)).sum::<u64>()
    }

    /// Bytes of the tables of the key: fixed columns with their trees, tapes, and roots.
    #[must_use]
    pub fn key(&self) -> u64 {
        let circuits = self.verifying.system().circuits.iter().zip(&self.launches.circuits);
        let of_circuit = circuits.map(|(circuit, launches)| {
            let tape = launches.quotient.evaluator().words().len()
                + launches.messages.as_ref().map_or(0, |of| of.evaluator().words().len());
            WORD * tape as u64 + circuit.fixed().map_or(0, |fixed| self.fixed(fixed))
        });
        of_circuit.sum::<u64>() + ROOT_BYTES
    }

    /// Bytes of fixed columns, on the trace domain and committed.
    fn fixed(&self, fixed: Fixed<'_>) -> u64 {
        let height = 1_u64 << fixed.log_height();
        let cells = WORD * fixed.width() as u64 * height;
        cells + (cells << self.log_blowup()) + ((2 * DIGEST * height) << self.log_blowup())
    }

    fn log_blowup(&self) -> usize {
        self.verifying.params().log_blowup
    }

    fn elements(&self, log_size: usize) -> u64 {
        (WORD * self.verifying.params().extension_degree as u64) << log_size
    }

    /// Bytes of the columns of a round, on the trace domain or committed.
    fn cells(&self, shape: &ShardShape, kind: RoundKind, is_committed: bool) -> u64 {
        let matrices = shape.round(kind).map_or(&[][..], |round| &round.matrices);
        let log = if is_committed { self.log_blowup() } else { 0 };
        matrices.iter().map(|m| (WORD * m.width as u64) << (m.log_height + log)).sum()
    }

    /// Bytes of the digests of a round, and of leaves that join them.
    fn digests(&self, shape: &ShardShape, kind: RoundKind) -> (u64, u64) {
        let matrices = shape.round(kind).map_or(&[][..], |round| &round.matrices);
        let mut heights: Vec<usize> = matrices.iter().map(|matrix| matrix.log_height).collect();
        heights.sort_unstable();
        heights.dedup();
        let leaves = |log_height: usize| DIGEST << (log_height + self.log_blowup());
        let tallest = heights.pop().map_or(0, |log_height| 2 * leaves(log_height) - DIGEST);
        (tallest, heights.pop().map_or(0, leaves))
    }

    fn committed(&self, shape: &ShardShape, kind: RoundKind) -> u64 {
        self.cells(shape, kind, true) + self.digests(shape, kind).0
    }

    /// A round while it is made, `of_circuit` being what lives for one of its circuits.
    fn building(
        &self,
        shape: &ShardShape,
        kind: RoundKind,
        of_circuit: impl Fn(usize) -> u64,
    ) -> u64 {
        let Some(round) = shape.round(kind) else { return 0 };
        let shapes = round.matrices.iter();
        let shapes = shapes.map(|m| (m.width as u64, 1 << (m.log_height + self.log_blowup())));
        let scratch = WORD * scratch_words(shapes, self.log_blowup() as u32);
        let of_circuit = round.matrices.iter().map(|matrix| of_circuit(matrix.active)).max();
        let (digests, joined) = self.digests(shape, kind);
        let extending = scratch + of_circuit.unwrap_or(0);
        self.cells(shape, kind, true) + extending.max(digests + joined)
    }

    /// Columns, sums and registers of stage 2 of an active circuit.
    fn stage_two_bytes(&self, shape: &ShardShape, index: usize) -> u64 {
        let active = shape.active[index];
        let Some(messages) = &self.launches.circuits[active.circuit].messages else { return 0 };
        let height = 1_u64 << active.log_height;
        let columns = messages.num_columns() * height;
        let sums = messages.sum_words(active.log_height as u32);
        WORD * (columns + sums + register_words(messages.evaluator(), height))
    }

    /// Values and slices, or values and registers, of the quotient of an active circuit.
    fn quotient_bytes(&self, shape: &ShardShape, index: usize) -> u64 {
        let active = shape.active[index];
        let quotient = &self.launches.circuits[active.circuit].quotient;
        let height = 1_u64 << active.log_height;
        let columns = quotient.num_columns() * height;
        let registers = register_words(quotient.evaluator(), height << quotient.log_slices());
        let degree = self.verifying.params().extension_degree as u64;
        let is_split = active.log_height > LOG_WITHOUT_FACTORS;
        let transforms = if is_split { height * chunk(height, degree) } else { 0 };
        WORD * (columns + registers.max(columns + transforms))
    }

    /// Codewords with inverses of points, or with layers.
    fn opening(&self, shape: &ShardShape) -> u64 {
        let log_blowup = self.log_blowup();
        let matrices = || shape.rounds.iter().flat_map(|round| &round.matrices);
        let mut heights: Vec<usize> = matrices().map(|matrix| matrix.log_height).collect();
        heights.sort_unstable();
        heights.dedup();
        let size = |log_height: &usize| self.elements(log_height + log_blowup);
        let codewords: u64 = heights.iter().map(size).sum();
        let is_next = |height: &&usize| {
            matrices().any(|matrix| matrix.opens_next && matrix.log_height == **height)
        };
        let next: u64 = heights.iter().filter(is_next).map(size).sum();
        let tallest = heights.last().map_or(0, size);
        let bound = matrices().filter(|matrix| matrix.opens_bound);
        let bound = bound.map(|matrix| matrix.log_height).max().map_or(0, |height| size(&height));
        let layers = self.layers(&heights);
        (codewords + tallest + next + bound).max(codewords - tallest + layers)
    }

    /// All layers of FRI over codewords of these log heights, ascending.
    fn layers(&self, heights: &[usize]) -> u64 {
        let (mut log_height, mut bytes) = (heights.last().copied().unwrap_or(0), 0);
        while log_height > 0 {
            let next = heights.iter().rfind(|&&other| other < log_height).copied().unwrap_or(0);
            let log_arity = self.verifying.params().max_log_arity.min(log_height - next);
            let log_size = log_height + self.log_blowup();
            bytes += self.elements(log_size) + ((2 * DIGEST) << (log_size - log_arity));
            log_height -= log_arity;
        }
        bytes + self.elements(self.log_blowup())
    }
}
