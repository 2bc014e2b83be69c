//! Whole executions: the rows of all tables, as emitted code writes them of the records of a guest,
//! with the statement.

use std::fs;
use std::path::{Path, PathBuf};

use traceloom_abi::io::Io;
use traceloom_abi::record::Record;
use traceloom_abi::row::RowShape;
use traceloom_air::claim::BoundaryMessage;
use traceloom_air::field::element;
use traceloom_air::system::System;
use traceloom_optables::riscv::{Machine, Run};
use traceloom_riscv::{Limits, Program, Stored, record};
use traceloom_table_rows::PROGRAM;

use crate::cases::words;
use crate::ledger::{Broken, Ledger};

/// An execution that exits with 0.
pub struct Whole {
    pub machine: Machine,
    pub system: System,
    /// By table: all rows, padding included.
    pub rows: Vec<Vec<Vec<u64>>>,
    /// By table: the number of rows with records.
    pub real: Vec<usize>,
    pub statement: Vec<BoundaryMessage>,
}

/// One change of an execution's rows.
#[derive(Clone)]
pub enum Change {
    /// Row number `.1` of table `.0` is another one.
    Row(usize, usize, Vec<u64>),
    /// A table without fixed columns has one more row.
    More(usize, Vec<u64>),
}

impl Whole {
    pub fn run(elf: &[u8], input: &[u8]) -> Self {
        let limits = Limits::default();
        let program = Program::load(elf, &limits).expect("it loads");
        let mut stored = Stored::default();
        let ran = record(&program, input, &limits, &mut stored).expect("it runs");
        assert_eq!(ran.exit_code, 0);
        let machine = Machine::new(program.clone());
        let run = Run::new(&program, input, &stored);
        let mut ops = machine.records(&run).expect("it is short");
        let (system, tables) = (machine.system(), machine.tables());
        let count = tables.tables().len();
        let real: Vec<usize> =
            (0..count).map(|table| ops[tables.rows_index(table)].len()).collect();
        let fixed = system.circuits.iter().map(|circuit| circuit.fixed());
        let heights: Vec<usize> = real
            .iter()
            .zip(fixed)
            .map(|(&real, fixed)| match fixed {
                Some(fixed) => 1 << fixed.log_height(),
                None if real == 0 => 0,
                None => real.next_power_of_two(),
            })
            .collect();
        let padding: Vec<usize> = heights.iter().zip(&real).map(|(all, real)| all - real).collect();
        machine.pad(&mut ops, &padding);
        let mut record = Record::new([], [], Io::default());
        record.ops = ops;
        let mut rows = Vec::new();
        for table in 0..count {
            let mut of_table = write(&record, tables.rows_index(table), real[table]);
            if let Some(index) = tables.padding_index(table) {
                of_table.extend(write(&record, index, padding[table]));
            }
            of_table.resize(heights[table], vec![0; system.circuits[table].width]);
            rows.push(of_table);
        }
        let statement = machine.statement(input, &ran.output);
        Self { machine, system, rows, real, statement }
    }

    /// What does not hold: nothing, if tables and emitted code are right.
    pub fn broken(&self) -> Vec<Broken> {
        let mut ledger = Ledger::default();
        for (circuit, rows) in self.system.circuits.iter().zip(&self.rows) {
            rows.iter().enumerate().for_each(|(i, row)| ledger.row(circuit, i, row, true));
        }
        ledger.statement(&self.system, &self.statement, true);
        ledger.broken()
    }

    /// What does not hold once these rows are changed, in an execution of which everything holds.
    pub fn broken_by(&self, changes: &[Change]) -> Vec<Broken> {
        let mut ledger = Ledger::default();
        for change in changes {
            match change {
                Change::Row(table, number, row) => {
                    let circuit = &self.system.circuits[*table];
                    ledger.row(circuit, *number, &self.rows[*table][*number], false);
                    ledger.row(circuit, *number, row, true);
                }
                Change::More(table, row) => {
                    ledger.row(&self.system.circuits[*table], 0, row, true);
                }
            }
        }
        ledger.broken()
    }

    /// The same for another statement.
    pub fn broken_by_statement(&self, statement: &[BoundaryMessage]) -> Vec<Broken> {
        let mut ledger = Ledger::default();
        ledger.statement(&self.system, &self.statement, false);
        ledger.statement(&self.system, statement, true);
        ledger.broken()
    }

    pub fn table(&self, name: &str) -> usize {
        self.machine.position(name)
    }

    pub fn column(&self, table: usize, name: &str) -> usize {
        let names = &self.system.circuits[table].column_names;
        let found = names.iter().position(|column| column == name);
        found.unwrap_or_else(|| panic!("no column {name} of {}", self.system.circuits[table].name))
    }

    pub fn cell(&self, table: usize, row: usize, name: &str) -> u64 {
        self.rows[table][row][self.column(table, name)]
    }

    /// A row of a table that has these values in these columns.
    pub fn find(&self, table: &str, with: &[(&str, u64)]) -> usize {
        let table = self.table(table);
        let fits =
            |row: &Vec<u64>| with.iter().all(|&(name, cell)| row[self.column(table, name)] == cell);
        let found = self.rows[table].iter().position(fits);
        found.unwrap_or_else(|| panic!("no row of table {table} with {with:?}"))
    }

    /// Row `row` of a table with other cells.
    pub fn changed(&self, table: &str, row: usize, cells: &[(&str, u64)]) -> Change {
        let table = self.table(table);
        let mut changed = self.rows[table][row].clone();
        for &(name, cell) in cells {
            let place = &mut changed[self.column(table, name)];
            assert_ne!(*place, cell, "a forgery changes {name}");
            *place = cell;
        }
        Change::Row(table, row, changed)
    }
}

/// Rows as emitted code writes them.
pub fn write(record: &Record, index: usize, count: usize) -> Vec<Vec<u64>> {
    let unit = &PROGRAM.functions[index];
    let (path, width) = (&unit.paths[0], unit.layout.num_auxiliaries as usize);
    let queries: Vec<u32> = (0..count as u32).collect();
    let mut packed = vec![0xff; count * path.schema.stride as usize];
    assert_eq!((path.pack_typed)(record, &queries, &mut packed), Ok(true), "{}", unit.symbol);
    let mut cells = vec![element(0); count * width];
    (path.write)(&packed, &mut cells, &RowShape::alone(0, 0, width));
    words(&cells).chunks(width).map(<[u64]>::to_vec).collect()
}

/// A file of this repository or beside it.
pub fn file(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

pub fn guest(name: &str) -> Vec<u8> {
    fs::read(file("riscv/guests").join(name)).expect("a guest of this repository")
}

#[test]
fn all_of_a_guest_holds() {
    let cases: [(&str, &[u8]); 4] = [
        ("fibonacci.elf", b"30\n"),
        ("sort.elf", b"five-word input of 40 bytes, eight each."),
        ("calculator.elf", b"(1 + 2) * 3 - 8 / 3\n"),
        ("sha256.elf", b"abc"),
    ];
    for (name, input) in cases {
        let whole = Whole::run(&guest(name), input);
        assert_eq!(whole.broken(), [], "{name}");
    }
}
