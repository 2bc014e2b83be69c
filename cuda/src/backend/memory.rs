//! Bytes of device memory that a batch takes at most, in closed form from its shape: what is
//! admitted before the first launch of a proof.
//!
//! Alive per stage, beside what the key and the context keep:
//!
//! ```text
//! main      traces of all shards, main rounds up to this shard
//! stage 2   traces and main rounds from this shard on, stage 2; columns, sums and registers
//!           of one circuit
//! quotient  the same without this shard's traces, quotient; values, slices or registers of
//!           one circuit
//! opening   the three rounds, main rounds and traces of later shards; codewords, and
//!           inverses of points or layers of FRI
//! ```
//!
//! While a round is extended it has scratch memory, and digests behind that. Lists and
//! parameters, some kilobytes each, are left out, and so is what memory is rounded up to.

use traceloom_verifier::VerifyingKey;
use traceloom_verifier::shape::{RoundKind, ShardShape};

use super::commit::{chunk, scratch_words};
use super::key::CudaKey;
use super::stages::register_words;

const DIGEST: u64 = 32;
const WORD: u64 = 8;
/// Logarithm of the rows up to which transforms have no factors.
const LOG_WITHOUT_FACTORS: usize = 12;

/// A batch whose memory is planned.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    verifying: &'a VerifyingKey,
    key: &'a CudaKey,
    shapes: &'a [ShardShape],
}

impl<'a> Plan<'a> {
    /// Of shards of these shapes.
    #[must_use]
    pub fn new(verifying: &'a VerifyingKey, key: &'a CudaKey, shapes: &'a [ShardShape]) -> Self {
        Self { verifying, key, shapes }
    }

    /// Bytes of all traces, which are on the device before the proof begins.
    #[must_use]
    pub fn traces(&self) -> u64 {
        self.shapes.iter().map(|shape| self.cells(shape, RoundKind::Main, false)).sum()
    }

    /// Most bytes that are alive at once, traces included.
    #[must_use]
    pub fn peak(&self) -> u64 {
        let (mut peak, mut alive) = (0, self.traces());
        for shape in self.shapes {
            peak = peak.max(alive + self.building(shape, RoundKind::Main, |_| 0));
            alive += self.committed(shape, RoundKind::Main);
        }
        for shape in self.shapes {
            let stage = |kind, of: &dyn Fn(usize) -> u64| self.building(shape, kind, of);
            let of_circuit = |index| self.stage_two_bytes(shape, index);
            peak = peak.max(alive + stage(RoundKind::StageTwo, &of_circuit));
            alive -= self.cells(shape, RoundKind::Main, false);
            let stage_two = self.committed(shape, RoundKind::StageTwo);
            let of_circuit = |index| self.quotient_bytes(shape, index);
            peak = peak.max(alive + stage_two + stage(RoundKind::Quotient, &of_circuit));
            let quotient = self.committed(shape, RoundKind::Quotient);
            peak = peak.max(alive + stage_two + quotient + self.opening(shape));
            alive -= self.committed(shape, RoundKind::Main);
        }
        peak
    }

    /// Bytes of the tables of transforms that the context keeps after the proof.
    #[must_use]
    pub fn tables(&self) -> u64 {
        let actives = self.shapes.iter().flat_map(|shape| &shape.active);
        let split = actives.filter(|active| active.log_height > LOG_WITHOUT_FACTORS);
        let mut transforms: Vec<(usize, bool, u32)> = Vec::new();
        for active in split {
            let slices = self.key.circuits[active.circuit].quotient.launches.log_slices();
            transforms.push((active.log_height, false, self.log_blowup() as u32));
            transforms.push((active.log_height, true, slices));
        }
        transforms.sort_unstable();
        transforms.dedup();
        let words = |&(log_height, _, log): &(usize, bool, u32)| (2 + (1_u64 << log)) << log_height;
        WORD * transforms.iter().map(words).sum::<u64>()
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
        let Some(messages) = &self.key.circuits[active.circuit].messages else { return 0 };
        let (messages, height) = (&messages.launches, 1_u64 << active.log_height);
        let columns = messages.num_columns() * height;
        let sums = messages.sum_words(active.log_height as u32);
        WORD * (columns + sums + register_words(messages.evaluator(), height))
    }

    /// Values and slices, or values and registers, of the quotient of an active circuit.
    fn quotient_bytes(&self, shape: &ShardShape, index: usize) -> u64 {
        let active = shape.active[index];
        let quotient = &self.key.circuits[active.circuit].quotient.launches;
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
