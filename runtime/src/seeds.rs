//! Seeds of a circuit: packed once from the record, then enough for every row.
//!
//! - A run is packed in parallel, chunk by chunk, into one buffer, typed first.
//! - A run has one encoding. If a row does not fit, the whole run becomes full. Chunks that
//!   were packed are widened word by word. Chunks that did not fit have lost words and are packed
//!   again, in full; so are chunks that no thread had begun. So at most one chunk per thread is
//!   packed twice.
//! - Short runs, and functions with too many paths to number, are full from the
//!   start.
//! - [`CircuitSeeds`] owns its bytes: any range of rows, also one that wraps at the
//!   padded height, is written again without the record.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use traceloom_abi::pack::PackError;
use traceloom_abi::record::Record;
use traceloom_abi::registry::{FunctionUnit, PathUnit};
use traceloom_abi::seed::{SeedWord, Width};
use traceloom_air::field::{Goldilocks, is_canonical};
use traceloom_air::trace::Trace;

use crate::bind::Member;
use crate::order::Run;

/// Bytes of seeds, or of rows, that one task handles.
const CHUNK_BYTES: usize = 1 << 18;

/// How to pack. Rows and results do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackOptions {
    /// Rows per chunk; by default as many as make a chunk large enough for a task.
    pub chunk_rows: Option<usize>,
    /// Runs of fewer rows are full: they are not worth a kernel of their own.
    pub short_run: usize,
}

impl Default for PackOptions {
    fn default() -> Self {
        Self { chunk_rows: None, short_run: 4 }
    }
}

impl PackOptions {
    fn chunk(&self, row_bytes: usize) -> usize {
        self.chunk_rows.unwrap_or(CHUNK_BYTES / row_bytes).max(1)
    }
}

/// How the seeds of a run are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Words in the widths of the path's schema.
    Typed,
    /// Eight bytes per word.
    Full(Why),
}

/// Why a run is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// A word of a row does not fit its width.
    Widened,
    /// The run has few rows.
    Short,
    /// Paths of the function are not numbered.
    ManyPaths,
}

/// Packing or writing failed: the record is of another program, or traceloom has a fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SeedError {
    /// The record does not have what a row needs.
    #[error("function {function}, path {path}: {error}")]
    Pack {
        /// Name in emitted text.
        function: &'static str,
        /// Path number.
        path: u32,
        /// What is missing.
        error: PackError,
    },
    /// A word that is not a canonical representative.
    #[error("function {function}, path {path}: a word of the record is not below the modulus")]
    NotCanonical {
        /// Name in emitted text.
        function: &'static str,
        /// Path number.
        path: u32,
    },
}

/// The seeds of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSeeds {
    /// Position among the members of the circuit.
    pub member: usize,
    /// Path number.
    pub path: u32,
    /// Its rows in the circuit.
    pub rows: Range<usize>,
    /// One for all rows.
    pub encoding: Encoding,
    /// Bytes per row.
    pub stride: usize,
    /// `rows.len() · stride` bytes.
    pub bytes: Vec<u8>,
}

/// The seeds of all rows of a circuit.
#[derive(Clone, Debug)]
pub struct CircuitSeeds {
    members: Vec<Member>,
    runs: Vec<RunSeeds>,
    num_rows: usize,
    height: usize,
    width: usize,
}

impl CircuitSeeds {
    /// Packs the runs of a circuit.
    ///
    /// # Errors
    /// [`SeedError`] if the record is not one of the program that the members are
    /// generated from.
    ///
    /// # Panics
    /// If there is no member.
    pub fn pack(
        members: Vec<Member>,
        runs: &[Run],
        record: &Record,
        options: &PackOptions,
    ) -> Result<Self, SeedError> {
        let mut num_rows = 0;
        let starts: Vec<usize> = runs.iter().map(|run| advance(&mut num_rows, run)).collect();
        let pack = |(run, &first): (&Run, &usize)| {
            let packer = Packer { unit: members[run.member].unit, path: run.path, record, options };
            let (encoding, stride, bytes) = packer.run(&run.queries)?;
            let rows = first..first + run.queries.len();
            Ok(RunSeeds { member: run.member, path: run.path, rows, encoding, stride, bytes })
        };
        let runs: Result<_, SeedError> = runs.par_iter().zip(&starts).map(pack).collect();
        let width = members.first().expect("circuits have members").shape.width;
        let height = if num_rows == 0 { 0 } else { num_rows.next_power_of_two() };
        Ok(Self { members, runs: runs?, num_rows, height, width })
    }

    /// With more padding: `height` rows, a power of two that is not less than the height.
    #[must_use]
    pub fn padded(self, height: usize) -> Self {
        debug_assert!(height >= self.height, "padding adds rows");
        Self { height, ..self }
    }

    /// The members of the circuit.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The runs, in row order.
    #[must_use]
    pub fn runs(&self) -> &[RunSeeds] {
        &self.runs
    }

    /// Number of rows, without padding.
    #[must_use]
    pub fn num_rows(&self) -> usize {
        self.num_rows
    }

    /// Number of rows, padding included; 0 for a circuit without rows.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// The whole trace, or `None` without rows.
    ///
    /// # Errors
    /// [`SeedError`] if a full seed matches no case of a match of its function.
    pub fn trace(&self, options: &PackOptions) -> Result<Option<Trace>, SeedError> {
        if self.num_rows == 0 {
            return Ok(None);
        }
        let mut trace = Trace::zero(self.height, self.width);
        let chunk = options.chunk(self.width * size_of::<Goldilocks>());
        let chunks = trace.values[..self.num_rows * self.width].par_chunks_mut(chunk * self.width);
        chunks.enumerate().try_for_each(|(index, rows)| self.write_rows(index * chunk, rows))?;
        Ok(Some(trace))
    }

    /// Writes rows `first, first + 1, …` modulo the height into `rows`, row-major,
    /// every cell of them; padding rows are zero.
    ///
    /// # Errors
    /// [`SeedError`] if a full seed takes no way through its function.
    ///
    /// # Panics
    /// If `rows` is not a whole number of rows, or the circuit has none.
    pub fn write_rows(&self, first: usize, rows: &mut [Goldilocks]) -> Result<(), SeedError> {
        assert!(rows.len().is_multiple_of(self.width), "whole rows");
        assert!(self.num_rows > 0, "a circuit without rows has none to write");
        let mut rest = rows;
        let mut row = first % self.height();
        while !rest.is_empty() {
            let end = self.segment_end(row);
            let count = (end - row).min(rest.len() / self.width);
            let segment;
            (segment, rest) = rest.split_at_mut(count * self.width);
            self.write_segment(row, segment)?;
            row = (row + count) % self.height();
        }
        Ok(())
    }

    /// Where the run of `row`, or the padding, ends.
    fn segment_end(&self, row: usize) -> usize {
        self.run_of(row).map_or(self.height(), |run| run.rows.end)
    }

    fn run_of(&self, row: usize) -> Option<&RunSeeds> {
        self.runs.get(self.runs.partition_point(|run| run.rows.end <= row))
    }

    /// Rows of one run, or padding.
    fn write_segment(&self, row: usize, out: &mut [Goldilocks]) -> Result<(), SeedError> {
        let Some(run) = self.run_of(row) else {
            out.fill(Goldilocks::new(0));
            return Ok(());
        };
        let Member { unit, shape } = &self.members[run.member];
        let start = (row - run.rows.start) * run.stride;
        let seeds = &run.bytes[start..start + out.len() / self.width * run.stride];
        match run.encoding {
            Encoding::Typed => (unit.paths[run.path as usize].write)(seeds, out, shape),
            Encoding::Full(_) => (unit.generic.write)(seeds, out, shape).map_err(|error| {
                SeedError::Pack { function: unit.symbol, path: run.path, error }
            })?,
        }
        Ok(())
    }
}

/// Advances `row` to the end of a run. Returns where the run begins.
pub(crate) fn advance(row: &mut usize, run: &Run) -> usize {
    let first = *row;
    *row += run.queries.len();
    first
}

/// Packs one run.
pub(crate) struct Packer<'a> {
    pub(crate) unit: &'static FunctionUnit,
    pub(crate) path: u32,
    pub(crate) record: &'a Record,
    pub(crate) options: &'a PackOptions,
}

impl Packer<'_> {
    /// The encoding to begin with.
    pub(crate) fn first_encoding(&self, num_rows: usize) -> Encoding {
        match self.unit.paths.get(self.path as usize) {
            None => Encoding::Full(Why::ManyPaths),
            Some(_) if num_rows < self.options.short_run => Encoding::Full(Why::Short),
            Some(_) => Encoding::Typed,
        }
    }

    /// Rows per task.
    pub(crate) fn chunk_rows(&self, stride: usize) -> usize {
        self.options.chunk(stride)
    }

    /// Packs some rows of the run. Returns whether they fit.
    pub(crate) fn pack(
        &self,
        encoding: Encoding,
        queries: &[u32],
        seeds: &mut [u8],
    ) -> Result<bool, SeedError> {
        match encoding {
            Encoding::Typed => {
                self.typed_chunk(&self.unit.paths[self.path as usize], queries, seeds)
            }
            Encoding::Full(_) => self.full_chunk(queries, seeds).map(|()| true),
        }
    }

    fn run(&self, queries: &[u32]) -> Result<(Encoding, usize, Vec<u8>), SeedError> {
        let full = |why, bytes| (Encoding::Full(why), self.unit.full.stride(), bytes);
        let path = match self.first_encoding(queries.len()) {
            Encoding::Full(why) => return Ok(full(why, self.full(queries)?)),
            Encoding::Typed => &self.unit.paths[self.path as usize],
        };
        let stride = path.schema.stride as usize;
        let chunk_rows = self.options.chunk(stride);
        let mut bytes = vec![0; queries.len() * stride];
        let wide = AtomicBool::new(false);
        // By chunk: whether all of its rows are packed, and narrow.
        let packed: Result<Vec<bool>, SeedError> = bytes
            .par_chunks_mut(chunk_rows * stride)
            .zip(queries.par_chunks(chunk_rows))
            .map(|(seeds, queries)| {
                if wide.load(Ordering::Relaxed) {
                    return Ok(false);
                }
                let narrow = self.typed_chunk(path, queries, seeds)?;
                wide.fetch_or(!narrow, Ordering::Relaxed);
                Ok(narrow)
            })
            .collect();
        let packed = packed?;
        if packed.iter().all(|&packed| packed) {
            return Ok((Encoding::Typed, stride, bytes));
        }
        let typed = |rows: Range<usize>| {
            let chunk = &bytes[rows.start * stride..rows.end * stride];
            packed[rows.start / chunk_rows].then_some((path, chunk))
        };
        Ok(full(Why::Widened, self.full_chunks(queries, chunk_rows, typed)?))
    }

    fn full(&self, queries: &[u32]) -> Result<Vec<u8>, SeedError> {
        self.full_chunks(queries, self.options.chunk(self.unit.full.stride()), |_| None)
    }

    /// Full seeds: widened where `typed` has the chunk's seeds, packed elsewhere.
    fn full_chunks<'s>(
        &self,
        queries: &[u32],
        chunk_rows: usize,
        typed: impl Fn(Range<usize>) -> Option<(&'s PathUnit, &'s [u8])> + Sync,
    ) -> Result<Vec<u8>, SeedError> {
        let stride = self.unit.full.stride();
        let mut bytes = vec![0; queries.len() * stride];
        bytes
            .par_chunks_mut(chunk_rows * stride)
            .zip(queries.par_chunks(chunk_rows))
            .enumerate()
            .try_for_each(|(chunk, (seeds, queries))| {
            let first = chunk * chunk_rows;
            match typed(first..first + queries.len()) {
                Some((path, typed)) => {
                    self.widen(path, typed, seeds);
                    Ok(())
                }
                None => self.full_chunk(queries, seeds),
            }
        })?;
        Ok(bytes)
    }

    fn typed_chunk(
        &self,
        path: &PathUnit,
        queries: &[u32],
        seeds: &mut [u8],
    ) -> Result<bool, SeedError> {
        let narrow = (path.pack_typed)(self.record, queries, seeds);
        let narrow = narrow.map_err(|error| self.error(error))?;
        let is_full = |word: &&SeedWord| word.width == Width::Full;
        // Wide words come first.
        let num_full = path.schema.words.iter().take_while(is_full).count();
        self.require_canonical(seeds, path.schema.stride as usize, num_full)?;
        Ok(narrow)
    }

    fn full_chunk(&self, queries: &[u32], seeds: &mut [u8]) -> Result<(), SeedError> {
        let pack = match self.unit.paths.get(self.path as usize) {
            Some(path) => path.pack_full,
            None => self.unit.generic.pack.expect("a bound unit packs every row"),
        };
        pack(self.record, queries, seeds).map_err(|error| self.error(error))?;
        let full = &self.unit.full;
        self.require_canonical(seeds, full.stride(), full.num_words())
    }

    fn widen(&self, path: &PathUnit, typed: &[u8], full: &mut [u8]) {
        let layout = &self.unit.full;
        let typed = typed.chunks_exact(path.schema.stride as usize);
        for (typed, full) in typed.zip(full.chunks_exact_mut(layout.stride())) {
            layout.widen(&path.schema, self.path, typed, full);
        }
    }

    /// Small field elements have two representations in a `u64`. Seeds, and everything that is
    /// hashed from them, have only the canonical one.
    fn require_canonical(
        &self,
        seeds: &[u8],
        stride: usize,
        num_full: usize,
    ) -> Result<(), SeedError> {
        let canonical = |seed: &[u8]| {
            let (words, _) = seed[..8 * num_full].as_chunks::<8>();
            words.iter().all(|word| is_canonical(u64::from_le_bytes(*word)))
        };
        match seeds.chunks_exact(stride).all(canonical) {
            true => Ok(()),
            false => Err(SeedError::NotCanonical { function: self.unit.symbol, path: self.path }),
        }
    }

    fn error(&self, error: PackError) -> SeedError {
        SeedError::Pack { function: self.unit.symbol, path: self.path, error }
    }
}
