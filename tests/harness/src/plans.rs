//! Plans run as they are, cell by cell against the reference builder's rows.

use traceloom_abi::record::Record;
use traceloom_abi::seed::Meaning;
use traceloom_air::field::word;
use traceloom_air::trace::Trace;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::system::GroupColumns;
use traceloom_plan::interpret::{
    Cells, Words, full_seed, pack_generic, pack_path, typed_seed, write_generic, write_path,
};
use traceloom_plan::{Column, FunctionPlan, PathPlan, ProgramPlan, Region};
use traceloom_runtime::order::runs;

/// A row of a function circuit, and the plan that it should come from.
pub struct PlannedRow<'a> {
    /// The circuit.
    pub circuit: usize,
    /// The row in its trace.
    pub row: usize,
    /// The query in its function's table.
    pub query: usize,
    /// The function's plan.
    pub function: &'a FunctionPlan,
    /// The path's, where paths are numbered.
    pub path: Option<&'a PathPlan>,
    /// Column of the function's selector 0.
    pub first_selector: usize,
    /// Column of auxiliary 0.
    pub first_auxiliary: usize,
    /// Number of input columns of the circuit.
    pub num_input_columns: usize,
}

impl PlannedRow<'_> {
    /// The trace column of a plan's.
    #[must_use]
    pub fn column(&self, column: Column) -> usize {
        let base = match column.region {
            Region::Input => 0,
            Region::Selector => self.first_selector,
            Region::Auxiliary => self.first_auxiliary,
        };
        base + column.index as usize
    }

    /// The function's columns, in the order of its own row.
    pub fn columns(&self) -> impl Iterator<Item = Column> + use<> {
        self.function.layout.columns()
    }

    /// The plan's column of a trace column, if it is one of the function's.
    #[must_use]
    pub fn own(&self, column: usize) -> Option<Column> {
        let layout = &self.function.layout;
        let own = if column < self.num_input_columns {
            Column::input(column)
        } else if column < self.first_auxiliary {
            Column::selector(column.checked_sub(self.first_selector)?)
        } else {
            Column::auxiliary(column - self.first_auxiliary)
        };
        layout.columns().find(|other| *other == own)
    }
}

/// All rows of all function circuits, in order.
///
/// # Errors
/// If the plan lacks a function or a path.
pub fn rows<'a>(
    program: &CheckedProgram,
    plan: &'a ProgramPlan,
    record: &Record,
) -> Result<Vec<PlannedRow<'a>>, String> {
    let mut rows = Vec::new();
    for (circuit, members) in program.program().circuits.iter().enumerate() {
        let columns = GroupColumns::new(program, members);
        let mut row = 0;
        for run in runs(program, record, circuit) {
            let function = plan.functions.iter().find(|f| f.function == run.function.0);
            let function = function.ok_or("the plan lacks a function")?;
            let path = function.paths.get(run.path as usize);
            if path.is_none() && program.paths(run.function).are_numbered() {
                return Err(format!("{:?} has no plan of path {}", function.name, run.path));
            }
            for &query in &run.queries {
                rows.push(PlannedRow {
                    circuit,
                    row,
                    query: query as usize,
                    function,
                    path,
                    first_selector: columns.first_selector[run.member],
                    first_auxiliary: columns.first_auxiliary,
                    num_input_columns: columns.first_selector[0],
                });
                row += 1;
            }
        }
    }
    Ok(rows)
}

/// Packs and writes a row through its path's plan and through the branching one.
///
/// # Errors
/// The first cell or seed word that differs.
pub fn compare(planned: &PlannedRow<'_>, record: &Record, trace: &Trace) -> Result<(), String> {
    let PlannedRow { query, row, function, .. } = *planned;
    let differs = |what: &str| Err(format!("{:?} row {row}: {what}", function.name));
    let same = |what: &str, cells: &Cells| {
        if cells.len() != function.layout.width() as usize {
            return differs(&format!("{what}: {} cells", cells.len()));
        }
        for (&column, &found) in cells {
            let expected = word(trace.row(row)[planned.column(column)]);
            if found != expected {
                return differs(&format!("{what} {column}: {found}, not {expected}"));
            }
        }
        Ok(())
    };
    let branching = pack_generic(function, record, query)?;
    let mut full = full_seed(&function.full, &branching);
    if let Some(path) = planned.path {
        let words = pack_path(function, path, record, query, false)?;
        if words != pack_path(function, path, record, query, true)? {
            return differs("the checked packer differs");
        }
        if but_path(&words) != but_path(&branching) {
            return differs("the branching packer differs");
        }
        full = full_seed(&function.full, &words);
        if let Some(seed) = typed_seed(path, &words) {
            same("typed", &write_path(path, &seed))?;
            let mut wide = vec![0; function.full.stride()];
            function.full.widen(&path.schema, path.path, &seed, &mut wide);
            let (wide, _) = wide.as_chunks::<8>();
            if !wide.iter().map(|word| u64::from_le_bytes(*word)).eq(full.iter().copied()) {
                return differs("the widened seed differs");
            }
        }
    }
    same("generic", &write_generic(function, &full)?)
}

/// The branching packer does not know which path it goes.
fn but_path(words: &Words) -> Words {
    let mut words = words.clone();
    words.remove(&Meaning::Path);
    words
}
