//! The launches that write the rows of a circuit, with seeds read off reference
//! rows.

use traceloom_abi::record::Record;
use traceloom_air::trace::Trace;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::system::GroupColumns;
use traceloom_plan::names::Ident;
use traceloom_plan::names::{Writer, kernel_name, padding_kernel_name};
use traceloom_plan::{FunctionPlan, ProgramPlan};
use traceloom_runtime::order::{Run, runs};

use crate::executable::Sources;
use crate::job::{Launch, RowsJob, windows};
use crate::seeds::{self, RowView};

/// Which seeds to write rows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Typed where every word of a run fits, else full.
    Typed,
    /// Full, for the generic writer.
    Full,
}

/// A program, planned and executed.
#[derive(Clone, Copy, Debug)]
pub struct Executed<'a> {
    /// The program.
    pub program: &'a CheckedProgram,
    /// Its plan.
    pub plan: &'a ProgramPlan,
    /// What happened.
    pub record: &'a Record,
}

/// Rows of one member and path, and what writes them.
#[derive(Clone, Debug)]
pub struct SeededRun {
    /// Name of the function in emitted text.
    pub symbol: String,
    /// The writer that takes the seeds.
    pub writer: Writer,
    /// Column of the member's selector 0.
    pub first_selector: usize,
    /// First row in the circuit.
    pub first_row: usize,
    /// Number of rows.
    pub num_rows: usize,
    /// One seed per row.
    pub seeds: Vec<u8>,
}

impl Executed<'_> {
    /// The jobs that write a circuit in all windows, and the number of typed rows in
    /// each of them; `unit` is what the program was added to `sources` as.
    #[must_use]
    pub fn jobs(
        self,
        sources: &Sources,
        unit: &Ident,
        circuit: usize,
        trace: &Trace,
        encoding: Encoding,
    ) -> (Vec<RowsJob>, usize) {
        let columns = GroupColumns::new(self.program, &self.program.program().circuits[circuit]);
        let bases = |first: usize| [columns.first_selector[0], first, columns.first_auxiliary];
        let (mut launches, mut num_rows, mut num_typed) = (Vec::new(), 0, 0);
        for run in self.seeded_runs(circuit, trace, encoding) {
            num_rows += run.num_rows;
            num_typed += if run.writer == Writer::Generic { 0 } else { run.num_rows };
            launches.push(Launch {
                kernel: sources.kernel(&kernel_name(unit, &run.symbol, run.writer)),
                first_row: run.first_row,
                num_rows: run.num_rows,
                bases: bases(run.first_selector),
                seeds: run.seeds,
            });
        }
        launches.push(Launch {
            kernel: sources.kernel(&padding_kernel_name(unit)),
            first_row: num_rows,
            num_rows: trace.height() - num_rows,
            bases: bases(columns.first_selector[0]),
            seeds: Vec::new(),
        });
        let job = |(first, count, slack)| RowsJob {
            width: trace.width,
            stride: count + slack,
            first,
            count,
            height: trace.height(),
            launches: launches.clone(),
        };
        (windows(trace.height()).into_iter().map(job).collect(), num_typed)
    }

    /// The runs of a circuit in row order. `trace` is its reference trace.
    #[must_use]
    pub fn seeded_runs(self, circuit: usize, trace: &Trace, encoding: Encoding) -> Vec<SeededRun> {
        let columns = GroupColumns::new(self.program, &self.program.program().circuits[circuit]);
        let mut first_row = 0;
        let mut seeded = Vec::new();
        for run in runs(self.program, self.record, circuit) {
            let (writer, seeds) = self.seeds(&columns, &run, first_row, trace, encoding);
            seeded.push(SeededRun {
                symbol: self.function(&run).symbol.clone(),
                writer,
                first_selector: columns.first_selector[run.member],
                first_row,
                num_rows: run.queries.len(),
                seeds,
            });
            first_row += run.queries.len();
        }
        seeded
    }

    fn function(&self, run: &Run) -> &FunctionPlan {
        let mut functions = self.plan.functions.iter();
        functions.find(|plan| plan.function == run.function.0).expect("constrained functions")
    }

    fn seeds(
        &self,
        columns: &GroupColumns,
        run: &Run,
        first_row: usize,
        trace: &Trace,
        encoding: Encoding,
    ) -> (Writer, Vec<u8>) {
        let function = self.function(run);
        let rows = || {
            run.queries.iter().enumerate().map(|(i, &query)| RowView {
                cells: trace.row(first_row + i),
                first_selector: columns.first_selector[run.member],
                first_auxiliary: columns.first_auxiliary,
                record: self.record,
                query: query as usize,
            })
        };
        if let (Encoding::Typed, Some(path)) = (encoding, function.paths.get(run.path as usize)) {
            let typed: Option<Vec<Vec<u8>>> =
                rows().map(|row| seeds::typed(function, path, row)).collect();
            if let Some(typed) = typed {
                return (Writer::Path(run.path), typed.concat());
            }
        }
        let full: Vec<Vec<u8>> = rows().map(|row| seeds::full(function, run.path, row)).collect();
        (Writer::Generic, full.concat())
    }
}
