//! The printed table of a plan: what a program costs per function and path.

use traceloom_abi::record::Record;

use crate::names::escape;
use crate::program::{FunctionPlan, PathPlan, ProgramPlan};

/// One line of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Name of the function.
    pub function: String,
    /// Path number, `None` for a function with too many paths to number.
    pub path: Option<u32>,
    /// Main columns of the function alone.
    pub width: u32,
    /// Bytes of the canonical seed: 8 per word of this path.
    pub canonical_bytes: u64,
    /// Bytes of the typed seed.
    pub typed_bytes: Option<u32>,
    /// External reads.
    pub reads: u32,
    /// Rows, if a record is given.
    pub rows: Option<u64>,
}

/// The lines of `plan`, with rows if a record is given.
#[must_use]
pub fn lines(plan: &ProgramPlan, record: Option<&Record>) -> Vec<Line> {
    plan.functions.iter().flat_map(|function| function_lines(function, record)).collect()
}

/// The lines of one function, with rows if a record is given.
#[must_use]
pub fn function_lines(function: &FunctionPlan, record: Option<&Record>) -> Vec<Line> {
    let rows = |path: u32| {
        let table = &record?.functions[function.function as usize];
        let real = |&query: &usize| table.multiplicity(query) != 0 && table.path(query) == path;
        Some((0..table.len()).filter(real).count() as u64)
    };
    let line = |path: Option<u32>, typed_bytes, words: usize, reads: usize| Line {
        function: function.name.clone(),
        path,
        width: function.layout.width(),
        canonical_bytes: 8 * words as u64,
        typed_bytes,
        reads: reads as u32,
        rows: rows(path.unwrap_or(0)),
    };
    if function.paths.is_empty() {
        let full = function.full;
        return vec![line(None, None, full.num_words(), full.max_reads as usize)];
    }
    let of_path = |path: &PathPlan| {
        let words = path.schema.words.len();
        line(Some(path.path), Some(path.schema.stride), words, path.reads.len())
    };
    function.paths.iter().map(of_path).collect()
}

/// The table of `plan` as text; with a record also rows and bytes, and the totals.
#[must_use]
pub fn table(plan: &ProgramPlan, record: Option<&Record>) -> String {
    table_of(&lines(plan, record), plan.functions.len())
}

/// The table of these lines, which belong to `num_functions` functions.
#[must_use]
pub fn table_of(lines: &[Line], num_functions: usize) -> String {
    let mut text = format!(
        "{:<40} {:>4} {:>6} {:>9} {:>6} {:>6}",
        "function", "path", "width", "canonical", "typed", "reads"
    );
    if lines.iter().any(|line| line.rows.is_some()) {
        text.push_str(&format!(" {:>10} {:>12} {:>12}", "rows", "seed bytes", "row bytes"));
    }
    text.push('\n');
    let (mut canonical, mut typed) = (0, 0);
    for line in lines {
        let path = line.path.map_or("any".into(), |path| path.to_string());
        let bytes = line.typed_bytes.map_or("-".into(), |bytes| bytes.to_string());
        let name = escape(&line.function);
        text.push_str(&format!(
            "{name:<40} {path:>4} {:>6} {:>9} {bytes:>6} {:>6}",
            line.width, line.canonical_bytes, line.reads
        ));
        if let Some(rows) = line.rows {
            let seed = line.typed_bytes.map_or(line.canonical_bytes, u64::from) * rows;
            let row = 8 * u64::from(line.width) * rows;
            text.push_str(&format!(" {rows:>10} {seed:>12} {row:>12}"));
        }
        text.push('\n');
        canonical += line.canonical_bytes;
        typed += line.typed_bytes.map_or(line.canonical_bytes, u64::from);
    }
    text.push_str(&format!(
        "{} functions, {} paths; seed bytes summed over paths: canonical {canonical}, typed {typed}\n",
        num_functions,
        lines.len()
    ));
    text
}
