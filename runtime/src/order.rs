//! Canonical row order of function circuits.
//!
//! Rows are the queries with nonzero multiplicity, ordered by member, then by path number, then
//! by first request. No constraint of a function circuit reads two rows, so the order is free.
//! It is fixed here for all builders. Rows of one path are next to each other, because that makes
//! writing them on a device fast.

use traceloom_abi::record::QueryTable;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::model::FunctionId;

use traceloom_abi::record::Record;

/// The rows of one member and path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Position in the circuit's list of members.
    pub member: usize,
    /// The function.
    pub function: FunctionId,
    /// Path number.
    pub path: u32,
    /// Positions in the function's query table, one per row.
    pub queries: Vec<u32>,
}

/// The runs of a circuit, in row order; none of them is empty.
#[must_use]
pub fn runs(program: &CheckedProgram, record: &Record, circuit: usize) -> Vec<Run> {
    let members = &program.program().circuits[circuit];
    let mut runs = Vec::new();
    for (member, &function) in members.iter().enumerate() {
        let table = &record.functions[function.index()];
        let numbers = program.paths(function).num_numbers();
        for (path, queries) in by_path(table, numbers).into_iter().enumerate() {
            if !queries.is_empty() {
                runs.push(Run { member, function, path: path as u32, queries });
            }
        }
    }
    runs
}

/// Number of rows of a circuit.
#[must_use]
pub fn num_rows(program: &CheckedProgram, record: &Record, circuit: usize) -> usize {
    let members = program.program().circuits[circuit].iter();
    let tables = members.map(|member| &record.functions[member.index()]);
    tables.map(|table| (0..table.len()).filter(|&q| table.multiplicity(q) != 0).count()).sum()
}

fn by_path(table: &QueryTable, numbers: usize) -> Vec<Vec<u32>> {
    let mut rows = vec![Vec::new(); numbers];
    for query in 0..table.len() {
        if table.multiplicity(query) != 0 {
            rows[table.path(query) as usize].push(query as u32);
        }
    }
    rows
}
