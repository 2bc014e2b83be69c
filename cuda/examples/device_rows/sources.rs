//! Sources of seeds for figures: more rows than were run, and none at all.

use std::ops::Range;

use rayon::prelude::*;
use traceloom_bytecode::system::GroupColumns;
use traceloom_host_kernels::launches::SeededRun;
use traceloom_plan::FunctionPlan;
use traceloom_plan::names::Writer;
use traceloom_runtime::order::Run;
use traceloom_runtime::seeds::{Encoding, SeedError, Why};
use traceloom_runtime::source::{CircuitColumns, SeedSource, SourceRun};

use crate::altered::Altered;
use crate::cases::Emitted;

/// Seeds that are there, repeated to as many rows as wanted.
#[derive(Debug)]
pub struct Packed {
    columns: CircuitColumns,
    runs: Vec<SourceRun>,
    kernels: Vec<(String, usize)>,
    /// By run.
    seeds: Vec<Vec<u8>>,
}

impl Packed {
    /// The runs of a circuit of the imported program.
    pub fn new(emitted: &Emitted, columns: &GroupColumns, runs: Vec<SeededRun>) -> Self {
        let mut source = Self {
            columns: CircuitColumns {
                width: columns.width,
                first_selector: columns.first_selector[0],
                first_auxiliary: columns.first_auxiliary,
            },
            runs: Vec::new(),
            kernels: Vec::new(),
            seeds: Vec::new(),
        };
        for run in runs {
            let stride = run.seeds.len() / run.num_rows;
            source.kernels.push((emitted.kernel(&run.symbol, run.writer), stride));
            source.seeds.push(run.seeds);
            source.runs.push(SourceRun {
                member: 0,
                path: 0,
                rows: run.first_row..run.first_row + run.num_rows,
                encoding: Encoding::Full(Why::Short),
                first_member_selector: run.first_selector,
            });
        }
        source
    }

    /// One run of `num_rows` rows of a path, from the seeds given.
    pub fn path(
        emitted: &Emitted,
        function: &FunctionPlan,
        writer: Writer,
        stride: usize,
        seeds: Vec<u8>,
        num_rows: usize,
    ) -> Self {
        let layout = &function.layout;
        let first_auxiliary = (layout.num_inputs + layout.num_selectors) as usize;
        let first_selector = layout.num_inputs as usize;
        let run = SourceRun {
            member: 0,
            path: 0,
            rows: 0..num_rows,
            encoding: Encoding::Full(Why::Short),
            first_member_selector: first_selector,
        };
        Self {
            columns: CircuitColumns {
                width: layout.width() as usize,
                first_selector,
                first_auxiliary,
            },
            runs: vec![run],
            kernels: vec![(emitted.kernel(&function.symbol, writer), stride)],
            seeds: vec![seeds],
        }
    }
}

impl SeedSource for Packed {
    fn columns(&self) -> CircuitColumns {
        self.columns
    }

    fn runs(&self) -> &[SourceRun] {
        &self.runs
    }

    fn kernel(&self, run: usize, _: Encoding) -> (&str, usize) {
        let (name, stride) = &self.kernels[run];
        (name, *stride)
    }

    fn fill(
        &self,
        run: usize,
        _: Encoding,
        rows: Range<usize>,
        seeds: &mut [u8],
    ) -> Result<bool, SeedError> {
        let (stride, from) = (self.kernels[run].1, &self.seeds[run]);
        let num_seeds = from.len() / stride;
        seeds.par_chunks_mut(stride).zip(rows).for_each(|(seed, row)| {
            seed.copy_from_slice(&from[row % num_seeds * stride..][..stride]);
        });
        Ok(true)
    }
}

/// The rows of another source, whose seeds are where they go already: an upload without
/// packing. What is uploaded are seeds of other rows, so only times are right.
pub fn unpacked(source: &dyn SeedSource) -> Altered<'_> {
    Altered::new(source).with_fill(&|_, _, _, _| Ok(true))
}

/// One row of another source and padding to its height: a loop that only writes.
pub fn write_only(source: &dyn SeedSource) -> Altered<'_> {
    let run = SourceRun { rows: 0..1, ..source.runs()[0].clone() };
    Altered::new(source).with_runs(vec![run])
}

/// The runs with their queries repeated to `num_rows` rows in all, in proportion.
pub fn repeated(runs: Vec<Run>, num_rows: usize) -> Vec<Run> {
    let total: usize = runs.iter().map(|run| run.queries.len()).sum();
    let share = |run: &Run| (run.queries.len() * num_rows / total).max(1);
    let mut shares: Vec<usize> = runs.iter().map(share).collect();
    let rest = num_rows + shares.iter().max().copied().unwrap_or(0) - shares.iter().sum::<usize>();
    if let Some(largest) = shares.iter_mut().max() {
        *largest = rest;
    }
    let repeat = |(run, share): (Run, usize)| {
        let queries = run.queries.iter().copied().cycle().take(share).collect();
        Run { queries, ..run }
    };
    runs.into_iter().zip(shares).map(repeat).collect()
}
