//! What the tests share: a plan compared with the reference builder, row by row.
#![allow(dead_code)]

pub mod fixtures;

use traceloom_abi::record::Record;
use traceloom_air::field::word;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::system::GroupColumns;
use traceloom_plan::interpret::{self, Cells};
use traceloom_plan::{Column, ProgramPlan, Region};
use traceloom_runtime::order::runs;
use traceloom_runtime::reference::function_trace;

/// Sums over the rows that were compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    pub rows: usize,
    pub wide_rows: usize,
    pub typed_bytes: usize,
    pub full_bytes: usize,
    pub row_bytes: usize,
}

/// Packs and writes every row of `record` through its path plan and through the
/// generic plan, and compares all cells with the reference builder.
pub fn compare(program: &CheckedProgram, plan: &ProgramPlan, record: &Record) -> Tally {
    let mut tally = Tally::default();
    for (circuit, members) in program.program().circuits.iter().enumerate() {
        let trace = function_trace(program, record, circuit).expect("the record is right");
        let Some(trace) = trace else { continue };
        let columns = GroupColumns::new(program, members);
        let mut row = 0;
        for run in runs(program, record, circuit) {
            let function = plan.functions.iter().find(|f| f.function == run.function.0).unwrap();
            let place = |column: Column| {
                let base = match column.region {
                    Region::Input => 0,
                    Region::Selector => columns.first_selector[run.member],
                    Region::Auxiliary => columns.first_auxiliary,
                };
                base + column.index as usize
            };
            let check = |cells: &Cells, row: usize, what: &str| {
                assert_eq!(cells.len(), function.layout.width() as usize, "{}", function.name);
                for (&column, &found) in cells {
                    let expected = word(trace.row(row)[place(column)]);
                    assert_eq!(found, expected, "{} {what} row {row} {column}", function.name);
                }
            };
            for &query in &run.queries {
                let query = query as usize;
                let words = match function.paths.get(run.path as usize) {
                    None => interpret::pack_generic(function, record, query).unwrap(),
                    Some(path) => {
                        let words = interpret::pack_path(function, path, record, query, false);
                        let words = words.unwrap();
                        let checked = interpret::pack_path(function, path, record, query, true);
                        assert_eq!(Ok(&words), checked.as_ref(), "{}", function.name);
                        match interpret::typed_seed(path, &words) {
                            Some(seed) => {
                                check(&interpret::write_path(path, &seed), row, "typed");
                                let mut wide = vec![0; function.full.stride()];
                                function.full.widen(&path.schema, run.path, &seed, &mut wide);
                                let (wide, _) = wide.as_chunks::<8>();
                                let wide: Vec<u64> =
                                    wide.iter().map(|word| u64::from_le_bytes(*word)).collect();
                                assert_eq!(wide, interpret::full_seed(&function.full, &words));
                                tally.typed_bytes += seed.len();
                            }
                            None => tally.wide_rows += 1,
                        }
                        words
                    }
                };
                let full = interpret::full_seed(&function.full, &words);
                check(&interpret::write_generic(function, &full).unwrap(), row, "generic");
                tally.full_bytes += 8 * full.len();
                tally.row_bytes += 8 * function.layout.width() as usize;
                tally.rows += 1;
                row += 1;
            }
        }
    }
    tally
}
