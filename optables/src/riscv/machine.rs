//! The machine: its tables in order, what they are fed, and what a proof of it states.

use std::collections::BTreeMap;

use traceloom_abi::ops::OpRecords;
use traceloom_air::claim::{Boundary, BoundaryMessage};
use traceloom_air::field::{Goldilocks, element};
use traceloom_air::fixed::FixedColumns;
use traceloom_air::system::{Direction, System};
use traceloom_riscv::memory::PAGE_BYTES;
use traceloom_riscv::records::{INPUT_LEFT, PageCell};
use traceloom_riscv::{Program, Stored};

use super::buses::{INPUT, MEMORY_TOKEN, OUTPUT};
use super::{TABLES, program};
use crate::check::TableFaults;
use crate::program::TableProgram;
use crate::record::{NoScalars, OpRecord};
use crate::table::Table;

/// Most instructions of an execution that can be proven. Times are words, and padding needs room.
pub const MOST_INSTRUCTIONS: u64 = (1 << 30) - (1 << 27);

/// A table of the machine: how it is made, and where its rows come from.
#[derive(Clone, Copy, Debug)]
pub struct MachineTable {
    /// Makes the table.
    pub make: fn() -> Result<Table, TableFaults>,
    /// Appends the records of its rows.
    pub feed: fn(&Run<'_>, &mut OpRecords),
    /// Appends the records of so many padding rows. It is called if the table has a padding
    /// program.
    pub pad: fn(&Table, &Padding, usize, &mut OpRecords),
    /// Changes records that depend on the padding of other tables.
    pub settle: fn(&Padding, &mut OpRecords),
    /// The cells of its fixed columns, row by row, if it has any.
    pub fixed: Option<fn(&Program) -> FixedRows>,
}

/// The rows of fixed columns.
pub type FixedRows = Vec<Vec<u64>>;

impl MachineTable {
    /// A table without fixed columns whose padding rows are alike.
    #[must_use]
    pub const fn new(
        make: fn() -> Result<Table, TableFaults>,
        feed: fn(&Run<'_>, &mut OpRecords),
    ) -> Self {
        Self { make, feed, pad: pad_alike, settle: |_, _| {}, fixed: None }
    }

    /// A table with fixed columns.
    #[must_use]
    pub const fn with_fixed(self, fixed: fn(&Program) -> FixedRows) -> Self {
        Self { fixed: Some(fixed), ..self }
    }
}

fn pad_alike(table: &Table, _: &Padding, count: usize, records: &mut OpRecords) {
    if let Some(program) = &table.padding {
        program.push_padding(records, &NoScalars, 1, count);
    }
}

/// Appends records.
pub(super) fn push_all<'a, R: OpRecord + 'a>(
    records: &mut OpRecords,
    ops: impl IntoIterator<Item = &'a R>,
) {
    ops.into_iter().for_each(|op| records.push(|words| op.put(words)));
}

/// An execution that exited with 0, and its records.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// What was executed.
    pub program: &'a Program,
    /// The whole input, also what was not read.
    pub input: &'a [u8],
    /// The records.
    pub records: &'a Stored,
    /// By number, the bytes of each page that was touched.
    pub(super) pages: BTreeMap<u64, &'a [PageCell]>,
}

impl<'a> Run<'a> {
    /// The run of `program` on `input` that left `records`.
    #[must_use]
    pub fn new(program: &'a Program, input: &'a [u8], records: &'a Stored) -> Self {
        let pages = records.page_cell.chunks(PAGE_BYTES);
        let pages = pages.map(|page| (page[0].address / PAGE_BYTES as u64, page)).collect();
        Self { program, input, records, pages }
    }

    /// The bytes of touched pages from `address` on, which is a multiple of 8; none if the page
    /// was not touched.
    pub(super) fn eight(&self, address: u64) -> Option<&'a [PageCell]> {
        let page = self.pages.get(&(address / PAGE_BYTES as u64))?;
        let start = (address % PAGE_BYTES as u64) as usize;
        page.get(start..start + 8)
    }
}

/// What padding rows, and rows that answer them, depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Padding {
    /// Time of the last instruction.
    pub last_timestamp: u32,
    /// Padding rows of the table CPU, over all shards.
    pub cpu_rows: u32,
}

/// An execution is longer, or its input is, than tables can state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TooLong {
    /// Instructions.
    #[error(
        "the guest executed {found} instructions, and a proof has at most {MOST_INSTRUCTIONS}; \
         split its work over several runs"
    )]
    Instructions {
        /// How many were executed.
        found: u64,
    },
    /// Input.
    #[error("the input has {found} bytes, and a proof states fewer than 2^32; shorten it")]
    Input {
        /// Its bytes.
        found: u64,
    },
}

/// The boundary with the length of the input, as the first value of a register.
const LENGTH: u32 = 0;
/// The boundary with a byte of input.
const INPUT_BYTE: u32 = 1;
/// The boundary with a byte of output.
const OUTPUT_BYTE: u32 = 2;

/// The tables of a machine together with the program that it executes.
#[derive(Clone, Debug)]
pub struct Machine {
    program: Program,
    tables: TableProgram,
}

impl Machine {
    /// The machine that executes `program`.
    #[must_use]
    pub fn new(program: Program) -> Self {
        Self { program, tables: self::program() }
    }

    /// What it executes.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Its tables, the same for every program.
    #[must_use]
    pub fn tables(&self) -> &TableProgram {
        &self.tables
    }

    /// Constraints, lookups, and the fixed columns of the program. Circuit number i is table
    /// number i; the byte tables follow.
    #[must_use]
    pub fn system(&self) -> System {
        let fixed: Vec<_> = TABLES.iter().map(|table| self.fixed(table)).collect();
        self.tables.system_with(boundaries(), &fixed)
    }

    fn fixed(&self, table: &MachineTable) -> Option<FixedColumns> {
        let rows = table.fixed?(&self.program);
        let width = rows[0].len();
        let log_height = rows.len().next_power_of_two().ilog2() as usize;
        let mut cells: Vec<Goldilocks> = rows.concat().into_iter().map(element).collect();
        cells.resize(width << log_height, element(0));
        Some(FixedColumns { width, log_height, cells: Some(cells.into()) })
    }

    /// What a proof states: the input, then the output. With the fingerprint of the system, which
    /// names the program, this is the whole statement; the exit code is 0.
    #[must_use]
    pub fn statement(&self, input: &[u8], output: &[u8]) -> Vec<BoundaryMessage> {
        let message = |boundary, values: &[u64]| BoundaryMessage {
            boundary,
            values: values.iter().map(|&value| element(value)).collect(),
        };
        let cell = 2 * u64::from(INPUT_LEFT);
        let length = message(LENGTH, &[1, cell, 0, 1, 0, input.len() as u64]);
        let left = (1..=input.len() as u64).rev();
        let input = left.zip(input).map(|(left, &byte)| (INPUT_BYTE, left, byte));
        let output = (0..).zip(output).map(|(index, &byte)| (OUTPUT_BYTE, index, byte));
        let bytes = input.chain(output);
        let bytes = bytes.map(|(boundary, key, byte)| message(boundary, &[key, byte.into()]));
        std::iter::once(length).chain(bytes).collect()
    }

    /// The records of all row programs; none yet of padding rows.
    ///
    /// # Errors
    /// [`TooLong`]: what tables cannot state.
    pub fn records(&self, run: &Run<'_>) -> Result<Vec<OpRecords>, TooLong> {
        let (found, input) = (run.records.cpu.len() as u64, run.input.len() as u64);
        if found > MOST_INSTRUCTIONS {
            return Err(TooLong::Instructions { found });
        }
        if u32::try_from(input).is_err() {
            return Err(TooLong::Input { found: input });
        }
        let mut records = self.tables.records();
        for (index, table) in TABLES.iter().enumerate() {
            (table.feed)(run, &mut records[self.tables.rows_index(index)]);
        }
        Ok(records)
    }

    /// Appends the records of padding rows to what [`Self::records`] gave, and changes the records
    /// that answer them. `padding` has the number of padding rows by table, over all shards.
    ///
    /// # Panics
    /// If `records` and `padding` are not of these tables.
    pub fn pad(&self, records: &mut [OpRecords], padding: &[usize]) {
        let cpu = self.position("cpu");
        let rows = |rows: usize| u32::try_from(rows).expect("times of instructions are words");
        let of_rows = Padding {
            last_timestamp: 4 * rows(records[self.tables.rows_index(cpu)].len()),
            cpu_rows: rows(padding[cpu]),
        };
        for (index, (table, made)) in TABLES.iter().zip(self.tables.tables()).enumerate() {
            (table.settle)(&of_rows, &mut records[self.tables.rows_index(index)]);
            if let Some(at) = self.tables.padding_index(index) {
                (table.pad)(made, &of_rows, padding[index], &mut records[at]);
            }
        }
    }

    /// The number of a table.
    ///
    /// # Panics
    /// If no table has this name.
    #[must_use]
    pub fn position(&self, name: &str) -> usize {
        let found = self.tables.tables().iter().position(|table| table.name == name);
        found.unwrap_or_else(|| panic!("no table is called {name}"))
    }
}

/// What a statement consists of.
fn boundaries() -> Vec<Boundary> {
    let boundary = |name: &str, bus: crate::Bus, direction| Boundary {
        name: name.into(),
        channel: bus.channel(),
        num_values: bus.width,
        direction,
    };
    vec![
        boundary("input length", MEMORY_TOKEN, Direction::Pull),
        boundary("input byte", INPUT, Direction::Push),
        boundary("output byte", OUTPUT, Direction::Pull),
    ]
}
