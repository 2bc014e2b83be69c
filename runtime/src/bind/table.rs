//! The units of op tables, compared with the tables.

use traceloom_abi::registry::{FunctionUnit, ProgramUnit};
use traceloom_abi::row::RowShape;
use traceloom_abi::seed::{Meaning, Width};
use traceloom_optables::TableProgram;

use super::difference::{Difference, differs, hex, same};
use super::function::{check_offsets, mark_once};
use super::{BindError, Binding, FunctionError, Member, compared};

impl Binding {
    /// Finds the unit of tables and compares it. Row programs that were not generated, or that
    /// differ, are not an error here: [`Binding::table_members`] reports them.
    ///
    /// # Errors
    /// As [`Binding::new`].
    pub fn of_tables(
        tables: &TableProgram,
        registry: &[&'static ProgramUnit],
    ) -> Result<Self, BindError> {
        let unit = compared(tables.name(), &tables.fingerprint(), registry)?;
        let digests = tables.contract_digests();
        let program = tables.name();
        let mut functions = Vec::with_capacity(digests.len());
        for (index, digest) in digests.iter().enumerate() {
            let found = unit.function(index as u32);
            let (table, is_padding) = row_program(tables, index);
            let name = &tables.tables()[table].name;
            let missing = || FunctionError::NotGenerated {
                program: program.into(),
                function: (*name).into(),
            };
            functions.push(found.ok_or_else(missing).and_then(|found| {
                let place = || format!("unit of program {program:?}, table {name:?}");
                compare(tables, table, is_padding, found, digest, &place)?;
                Ok(found)
            }));
        }
        let listed = unit.functions.iter().map(|function| function.function as usize);
        if let Some(other) = listed.max().filter(|&other| other >= digests.len()) {
            let place = || format!("unit of program {program:?}");
            return Err(differs(place, "index of a row program", "one of the tables", other).into());
        }
        Ok(Self { unit, functions })
    }

    /// What writes the rows of a table: its row program, and its padding program if it has one.
    ///
    /// # Errors
    /// [`FunctionError`] of the first of the two whose unit cannot be used.
    ///
    /// # Panics
    /// If there is no such table.
    pub fn table_members(
        &self,
        tables: &TableProgram,
        table: usize,
    ) -> Result<Vec<Member>, FunctionError> {
        let width = tables.tables()[table].columns.len();
        let shape = RowShape { width, input: 0, selector: 0, auxiliary: 0 };
        let programs = [Some(tables.rows_index(table)), tables.padding_index(table)];
        let member =
            |index: usize| self.functions[index].clone().map(|unit| Member { unit, shape });
        programs.into_iter().flatten().map(member).collect()
    }
}

/// The table of a row program, and whether the program is the one of padding.
fn row_program(tables: &TableProgram, index: usize) -> (usize, bool) {
    let all = 0..tables.tables().len();
    let padded = |&table: &usize| tables.padding_index(table) == Some(index);
    all.clone().find(padded).map_or((index, false), |table| (table, true))
}

fn compare(
    tables: &TableProgram,
    table: usize,
    is_padding: bool,
    unit: &FunctionUnit,
    digest: &[u8; 32],
    place: &impl Fn() -> String,
) -> Result<(), Difference> {
    let of = &tables.tables()[table];
    let program = if is_padding { of.padding.as_ref() } else { None }.unwrap_or(&of.rows);
    let num_words = program.records().num_words();
    let numbers: [(&str, usize, u32); 6] = [
        ("number of inputs", 0, unit.layout.num_inputs),
        ("number of selectors", 0, unit.layout.num_selectors),
        ("number of columns", of.columns.len(), unit.layout.num_auxiliaries),
        ("number of lookups", of.lookups.len(), unit.layout.num_lookups),
        ("words of a full seed", num_words, unit.full.num_inputs),
        ("number of paths", 1, unit.paths.len() as u32),
    ];
    for (what, expected, found) in numbers {
        same(place, what, &expected, &(found as usize))?;
    }
    let schema = &unit.paths[0].schema;
    let end = check_offsets(schema.words, place)?;
    let mut words = vec![false; num_words];
    for word in schema.words {
        let is_new = match word.meaning {
            Meaning::Input(i) => mark_once(&mut words, i),
            _ => false,
        };
        if !is_new || word.width == Width::Full {
            let expected = "one of each word of a record, of 32 bits at most";
            return Err(differs(place, "word of the seed", expected, format!("{word:?}")));
        }
    }
    same(place, "stride of the seed", &end.next_multiple_of(4), &schema.stride)?;
    same(place, "contract digest", &hex(digest), &hex(&unit.contract))
}
