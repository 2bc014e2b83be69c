//! Sources of the seeds of a circuit, for a provider that writes its rows elsewhere. The caller
//! provides the memory into which they are packed.
//!
//! - [`RecordSource`] packs from the record, as often as it is asked;
//! - [`OwnedSource`] copies the seeds that a [`CircuitSeeds`] owns, when the record is gone.

use std::fmt;
use std::ops::Range;

use rayon::prelude::*;
use traceloom_abi::record::Record;

use crate::bind::Member;
use crate::order::Run;
use crate::seeds::{CircuitSeeds, Encoding, PackOptions, Packer, SeedError, advance};

/// The rows of one member and path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRun {
    /// Position among the members of the circuit.
    pub member: usize,
    /// Path number.
    pub path: u32,
    /// Its rows in the circuit.
    pub rows: Range<usize>,
    /// How its seeds are written at first.
    pub encoding: Encoding,
    /// Column of the member's selector 0.
    pub first_member_selector: usize,
}

/// Where the columns of a circuit are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CircuitColumns {
    /// Number of columns.
    pub width: usize,
    /// Column of selector 0 of the first member.
    pub first_selector: usize,
    /// Column of auxiliary 0.
    pub first_auxiliary: usize,
}

/// The seeds of a circuit that has rows.
pub trait SeedSource: fmt::Debug + Sync {
    /// Where its columns are.
    fn columns(&self) -> CircuitColumns;

    /// Its runs, in row order; at least one.
    fn runs(&self) -> &[SourceRun];

    /// Name of the kernel that writes rows of a run, and bytes per seed.
    fn kernel(&self, run: usize, encoding: Encoding) -> (&str, usize);

    /// Writes the seeds of some rows of a run, counted from its first row, one after the other.
    /// Returns whether all rows fit. If not, the run has the encoding `Full(Why::Widened)` from
    /// now on, in which every row fits.
    ///
    /// # Errors
    /// [`SeedError`].
    fn fill(
        &self,
        run: usize,
        encoding: Encoding,
        rows: Range<usize>,
        seeds: &mut [u8],
    ) -> Result<bool, SeedError>;

    /// Number of rows, without padding.
    fn num_rows(&self) -> usize {
        self.runs().last().map_or(0, |run| run.rows.end)
    }

    /// Number of rows, padding included.
    fn height(&self) -> usize {
        self.num_rows().next_power_of_two()
    }
}

fn columns(members: &[Member]) -> CircuitColumns {
    let first = members.first().expect("circuits have members").shape;
    CircuitColumns {
        width: first.width,
        first_selector: first.selector,
        first_auxiliary: first.auxiliary,
    }
}

fn kernel(member: &Member, path: u32, encoding: Encoding) -> (&'static str, usize) {
    let unit = member.unit;
    match encoding {
        Encoding::Typed => {
            let path = &unit.paths[path as usize];
            (path.kernel, path.schema.stride as usize)
        }
        Encoding::Full(_) => (unit.generic.kernel, unit.full.stride()),
    }
}

/// Packs from the record.
#[derive(Debug)]
pub struct RecordSource<'a> {
    members: Vec<Member>,
    queries: Vec<Vec<u32>>,
    runs: Vec<SourceRun>,
    height: usize,
    record: &'a Record,
    options: PackOptions,
}

impl<'a> RecordSource<'a> {
    /// The seeds of the runs of a circuit, or `None` if there is no run.
    #[must_use]
    pub fn new(
        members: Vec<Member>,
        runs: Vec<Run>,
        record: &'a Record,
        options: &PackOptions,
    ) -> Option<Self> {
        let mut num_rows = 0;
        let runs: Vec<(SourceRun, Vec<u32>)> = runs
            .into_iter()
            .map(|run| {
                let first = advance(&mut num_rows, &run);
                let Member { unit, shape } = members[run.member];
                let source = SourceRun {
                    member: run.member,
                    path: run.path,
                    rows: first..num_rows,
                    encoding: Packer { unit, path: run.path, record, options }
                        .first_encoding(run.queries.len()),
                    first_member_selector: shape.selector,
                };
                (source, run.queries)
            })
            .collect();
        let (runs, queries): (Vec<_>, Vec<_>) = runs.into_iter().unzip();
        let height = num_rows.next_power_of_two();
        let source = Self { members, queries, runs, height, record, options: *options };
        (!source.runs.is_empty()).then_some(source)
    }

    /// With more padding: `height` rows, a power of two that is not less than the height.
    #[must_use]
    pub fn padded(self, height: usize) -> Self {
        debug_assert!(height >= self.height, "padding adds rows");
        Self { height, ..self }
    }
}

impl SeedSource for RecordSource<'_> {
    fn columns(&self) -> CircuitColumns {
        columns(&self.members)
    }

    fn runs(&self) -> &[SourceRun] {
        &self.runs
    }

    fn kernel(&self, run: usize, encoding: Encoding) -> (&str, usize) {
        let run = &self.runs[run];
        kernel(&self.members[run.member], run.path, encoding)
    }

    fn height(&self) -> usize {
        self.height
    }

    fn fill(
        &self,
        run: usize,
        encoding: Encoding,
        rows: Range<usize>,
        seeds: &mut [u8],
    ) -> Result<bool, SeedError> {
        let SourceRun { member, path, .. } = self.runs[run];
        let (_, stride) = self.kernel(run, encoding);
        let queries = &self.queries[run][rows];
        let unit = self.members[member].unit;
        let packer = Packer { unit, path, record: self.record, options: &self.options };
        let chunk = packer.chunk_rows(stride);
        let chunks = seeds.par_chunks_mut(chunk * stride).zip(queries.par_chunks(chunk));
        let fits = chunks.map(|(seeds, queries)| packer.pack(encoding, queries, seeds));
        fits.try_reduce(|| true, |a, b| Ok(a && b))
    }
}

/// A circuit's owned seeds as a source.
#[derive(Debug)]
pub struct OwnedSource<'a> {
    seeds: &'a CircuitSeeds,
    runs: Vec<SourceRun>,
}

impl<'a> OwnedSource<'a> {
    /// The seeds, or `None` if there is no row.
    #[must_use]
    pub fn new(seeds: &'a CircuitSeeds) -> Option<Self> {
        let runs: Vec<SourceRun> = seeds
            .runs()
            .iter()
            .map(|run| SourceRun {
                member: run.member,
                path: run.path,
                rows: run.rows.clone(),
                encoding: run.encoding,
                first_member_selector: seeds.members()[run.member].shape.selector,
            })
            .collect();
        (!runs.is_empty()).then_some(Self { seeds, runs })
    }
}

impl SeedSource for OwnedSource<'_> {
    fn columns(&self) -> CircuitColumns {
        columns(self.seeds.members())
    }

    fn runs(&self) -> &[SourceRun] {
        &self.runs
    }

    fn kernel(&self, run: usize, encoding: Encoding) -> (&str, usize) {
        let run = &self.runs[run];
        kernel(&self.seeds.members()[run.member], run.path, encoding)
    }

    fn height(&self) -> usize {
        self.seeds.height()
    }

    fn fill(
        &self,
        run: usize,
        _encoding: Encoding,
        rows: Range<usize>,
        seeds: &mut [u8],
    ) -> Result<bool, SeedError> {
        let run = &self.seeds.runs()[run];
        seeds.copy_from_slice(&run.bytes[rows.start * run.stride..rows.end * run.stride]);
        Ok(true)
    }
}
