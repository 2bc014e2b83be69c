//! Rows of op tables: as runs of records, by emitted writers, and by the interpreter of plans.

use std::ops::Range;

use rayon::prelude::*;
use traceloom_abi::record::Record;
use traceloom_air::field::{Goldilocks, element};
use traceloom_air::trace::Trace;
use traceloom_bytecode::model::FunctionId;
use traceloom_optables::TableProgram;
use traceloom_plan::interpret::{pack_path, typed_seed, write_path};
use traceloom_plan::{FunctionPlan, ProgramPlan};

use crate::bind::Binding;
use crate::order::Run;
use crate::provider::WitnessError;
use crate::seeds::{CircuitSeeds, PackOptions};

/// Rows that one task writes.
const CHUNK: usize = 1 << 10;

/// The rows `rows` of a table, and its padding if they are its last ones, as runs. Member 0 is the
/// row program, member 1 the padding program; without one, padding is no run.
pub(crate) fn runs(
    tables: &TableProgram,
    record: &Record,
    table: usize,
    rows: &Range<usize>,
    height: usize,
) -> Vec<Run> {
    let run = |member, function: usize, queries: Range<usize>| Run {
        member,
        function: FunctionId(function as u32),
        path: 0,
        queries: queries.map(|query| query as u32).collect(),
    };
    let count = record.ops[tables.rows_index(table)].len();
    // A table with fixed columns may have more rows than records.
    let real = rows.start..rows.end.min(count);
    let padding = height - real.len();
    let mut runs = vec![run(0, tables.rows_index(table), real.clone())];
    if let Some(index) = tables.padding_index(table)
        && real.end == count
        && padding > 0
    {
        runs.push(run(1, index, 0..padding));
    }
    runs.retain(|run| !run.queries.is_empty());
    runs
}

/// Writes rows of tables as their plans say, slowly.
#[derive(Debug)]
pub(crate) struct Interpreted(ProgramPlan);

impl Interpreted {
    pub(crate) fn new(tables: &TableProgram) -> Self {
        Self(tables.plan())
    }

    /// Rows of some runs of one table, then zeros up to `height`; nothing without runs.
    pub(crate) fn trace(
        &self,
        record: &Record,
        runs: &[Run],
        width: usize,
        height: usize,
    ) -> Result<Option<Trace>, WitnessError> {
        if runs.is_empty() {
            return Ok(None);
        }
        let mut trace = Trace::zero(height, width);
        let mut rest = &mut trace.values[..];
        for run in runs {
            let cells;
            (cells, rest) = rest.split_at_mut(run.queries.len() * width);
            self.write(record, run, cells, width)?;
        }
        Ok(Some(trace))
    }

    fn write(
        &self,
        record: &Record,
        run: &Run,
        cells: &mut [Goldilocks],
        width: usize,
    ) -> Result<(), WitnessError> {
        let plan = &self.0.functions[run.function.index()];
        let rows = cells.par_chunks_mut(CHUNK * width).zip(run.queries.par_chunks(CHUNK));
        rows.try_for_each(|(rows, queries)| {
            let mut rows = rows.chunks_exact_mut(width).zip(queries);
            rows.try_for_each(|(row, &query)| write_row(plan, record, query as usize, row))
        })
    }
}

fn write_row(
    plan: &FunctionPlan,
    record: &Record,
    query: usize,
    row: &mut [Goldilocks],
) -> Result<(), WitnessError> {
    let path = &plan.paths[0];
    let failed = |error| WitnessError::Table { table: plan.name.clone(), row: query, error };
    let words = pack_path(plan, path, record, query, false).map_err(failed)?;
    let seed = typed_seed(path, &words);
    let seed = seed.ok_or_else(|| failed("a word of its record does not fit its field".into()))?;
    for (column, word) in write_path(path, &seed) {
        row[column.index as usize] = element(word);
    }
    Ok(())
}

/// Whoever writes rows on the host: emitted writers where the registry has them.
pub(crate) struct HostRows<'a> {
    pub tables: &'a TableProgram,
    pub record: &'a Record,
    pub binding: Option<Binding>,
    pub interpreted: Interpreted,
}

impl HostRows<'_> {
    /// Calls `each` with parts of the rows of a table, with the number of the first one. They are
    /// its real rows, then those of a padding program.
    pub(crate) fn for_each(
        &self,
        table: usize,
        height: usize,
        each: impl Fn(usize, &[Goldilocks]) + Sync,
    ) -> Result<(), WitnessError> {
        let width = self.tables.tables()[table].columns.len();
        let count = self.record.ops[self.tables.rows_index(table)].len();
        let runs = runs(self.tables, self.record, table, &(0..count), height);
        let num_rows: usize = runs.iter().map(|run| run.queries.len()).sum();
        let starts: Vec<usize> = (0..num_rows).step_by(CHUNK).collect();
        let name = || self.tables.tables()[table].name.to_owned();
        let members = self.binding.as_ref().map(|unit| unit.table_members(self.tables, table));
        let Some(Ok(members)) = members else {
            let mut first = 0;
            for run in &runs {
                for queries in run.queries.chunks(CHUNK) {
                    let part = Run { queries: queries.to_vec(), ..*run };
                    let mut cells = vec![Goldilocks::new(0); queries.len() * width];
                    self.interpreted.write(self.record, &part, &mut cells, width)?;
                    each(first, &cells);
                    first += queries.len();
                }
            }
            return Ok(());
        };
        let failed = |error| WitnessError::Scalar { circuit: name(), error };
        let seeds = CircuitSeeds::pack(members, &runs, self.record, &PackOptions::default());
        let seeds = seeds.map_err(failed)?;
        starts.par_iter().try_for_each(|&start| {
            let rows = CHUNK.min(num_rows - start);
            let mut cells = vec![Goldilocks::new(0); rows * width];
            seeds.write_rows(start, &mut cells).map_err(failed)?;
            each(start, &cells);
            Ok(())
        })
    }
}
