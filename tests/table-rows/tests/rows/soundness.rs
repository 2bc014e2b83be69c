//! Rows of an honest machine hold, and every forgery of them is found.

use std::sync::LazyLock;

use traceloom_air::field::MODULUS;
use traceloom_air::system::System;
use traceloom_optables::riscv;

use crate::cases::Cases;
use crate::ledger::{Broken, Rows, broken};
use crate::machine::Machine;

static SYSTEM: LazyLock<System> = LazyLock::new(|| riscv::program().system(Vec::new()));

const CPU: usize = 0;
const MEMW_R: usize = 1;
const MEMW_A: usize = 2;
const LOAD: usize = 3;
const STORE: usize = 4;
const LT: usize = 5;
const SHIFT: usize = 6;

fn honest() -> (Machine, Rows) {
    let machine = Machine::run(9, 500);
    let rows = Rows { tables: machine.tables(), outside: machine.outside.clone() };
    (machine, rows)
}

/// Position of a column.
fn column(table: usize, name: &str) -> usize {
    let names = &SYSTEM.circuits[table].column_names;
    names.iter().position(|column| column == name).expect("a column of the table")
}

/// A row of a table that has these values in these columns.
fn find(rows: &Rows, table: usize, with: &[(&str, u64)]) -> usize {
    let fits = |row: &Vec<u64>| with.iter().all(|&(name, cell)| row[column(table, name)] == cell);
    rows.tables[table].iter().position(fits).expect("the machine has such a row")
}

/// What is broken once these cells of a row are changed.
fn forged(rows: &Rows, table: usize, row: usize, cells: &[(&str, u64)]) -> Vec<Broken> {
    let mut rows = rows.clone();
    for &(name, cell) in cells {
        let place = &mut rows.tables[table][row][column(table, name)];
        assert_ne!(*place, cell, "a forgery changes {name}");
        *place = cell;
    }
    broken(&SYSTEM, &rows)
}

fn is_constraint(broken: &[Broken], label: &str) -> bool {
    broken.iter().any(|b| matches!(b, Broken::Constraint(_, found) if found == label))
}

#[test]
fn every_constraint_and_message_of_an_honest_machine_holds() {
    let (machine, rows) = honest();
    for (rows, name) in machine.real_rows().into_iter().zip(&SYSTEM.circuits) {
        assert!(rows >= 15, "{}: {rows} rows", name.name);
    }
    assert_eq!(broken(&SYSTEM, &rows), []);
    // A branch and a jump were taken, a branch was not, the pc was read twice.
    for with in [
        [("branch", 1), ("taken", 1), ("memory_flags", 0)],
        [("branch", 1), ("taken", 1), ("memory_flags", 1)],
        [("branch", 1), ("taken", 0), ("memory_flags", 0)],
        [("branch", 1), ("taken", 1), ("double_read", 1)],
    ] {
        find(&rows, CPU, &with);
    }
    find(&rows, MEMW_A, &[("is_register", 1), ("mu_read", 1)]);
}

#[test]
fn constraints_hold_on_all_rows_that_programs_write() {
    let cases = Cases::random(7, 400);
    let tables = (0..7).map(|table| cases.all_rows(table).cloned().collect()).collect();
    let of_constraints = |b: &Broken| matches!(b, Broken::Constraint(..));
    let found = broken(&SYSTEM, &Rows { tables, outside: Vec::new() });
    assert_eq!(found.into_iter().filter(of_constraints).collect::<Vec<_>>(), []);
}

/// Any one cell of any kind of row, changed by one or to something else.
#[test]
fn no_cell_can_be_changed_alone() {
    let (machine, rows) = honest();
    let mut free = Vec::new();
    for (table, &real) in machine.real_rows().iter().enumerate() {
        let names = &SYSTEM.circuits[table].column_names;
        // Some real rows of every table, and its last row, which is padding if there is any.
        let last = rows.tables[table].len() - 1;
        for row in (0..real).step_by(1 + real / 12).chain([last]) {
            for (column, name) in names.iter().enumerate() {
                let cell = rows.tables[table][row][column];
                let mut other = rows.clone();
                other.tables[table][row][column] = if cell == 0 { 1 } else { cell - 1 };
                if broken(&SYSTEM, &other).is_empty() {
                    free.push((SYSTEM.circuits[table].name.clone(), name.clone(), row));
                }
            }
        }
    }
    let is_unread = |(table, name, row): &(String, String, usize)| match (&table[..], &name[..]) {
        // Rows that stand for no operation count no message, and constraints say little.
        (_, _) if *row >= machine.real_rows()[position(table)] => true,
        // A jump compares nothing.
        ("cpu", name) if name.starts_with("res[") => {
            let row = &rows.tables[CPU][*row];
            row[column(CPU, "branch")] == 1 && row[column(CPU, "memory_flags")] == 1
        }
        // Eight bytes have no extension, so no sign is asked for.
        ("load", "sign") => rows.tables[LOAD][*row][column(LOAD, "r8")] == 1,
        // Cells behind the width of a write are nobody's before it.
        ("memw_a", name) if name.starts_with("old[") => {
            let cell = |name| rows.tables[MEMW_A][*row][column(MEMW_A, name)];
            let width = 1 + cell("w2") + 3 * cell("w4") + 7 * cell("w8");
            let position: u64 = name[4..5].parse().expect("a cell has a number");
            cell("mu_write") == 1 && position >= width
        }
        _ => false,
    };
    let refused: Vec<_> = free.iter().filter(|place| !is_unread(place)).collect();
    assert!(refused.is_empty(), "{refused:?}");
}

fn position(table: &str) -> usize {
    SYSTEM.circuits.iter().position(|circuit| circuit.name == table).expect("a table")
}

#[test]
fn wrong_results_are_found() {
    let (_, rows) = honest();
    let row = find(&rows, CPU, &[("add", 1), ("memory", 0)]);
    let half = rows.tables[CPU][row][column(CPU, "res[0]")] ^ 1;
    let word = rows.tables[CPU][row][column(CPU, "rvd[0]")] ^ 1;
    let found = forged(&rows, CPU, row, &[("res[0]", half), ("rvd[0]", word)]);
    assert!(is_constraint(&found, "low word of the sum"), "{found:?}");
    let row = find(&rows, LT, &[("signed", 1), ("lt", 1), ("invert", 0)]);
    let found = forged(&rows, LT, row, &[("lt", 0), ("out", 0)]);
    assert!(is_constraint(&found, "lt is the last carry, turned by signs"), "{found:?}");
    let out = rows.tables[SHIFT][0][column(SHIFT, "out[1]")] ^ 1;
    let found = forged(&rows, SHIFT, 0, &[("out[1]", out)]);
    assert!(is_constraint(&found, "word 1 of the result"), "{found:?}");
    let row = find(&rows, LOAD, &[("r2", 1), ("signed", 1)]);
    let byte = rows.tables[LOAD][row][column(LOAD, "result[2]")];
    let found = forged(&rows, LOAD, row, &[("result[2]", 255 - byte)]);
    assert!(is_constraint(&found, "byte 2 is extension"), "{found:?}");
    // A sign that the byte does not have: all extension bytes and the CPU's words follow it.
    let sign = rows.tables[LOAD][row][column(LOAD, "sign")];
    let found = forged(&rows, LOAD, row, &[("sign", 1 - sign)]);
    assert!(found.iter().any(|b| matches!(b, Broken::Message(m) if m[1] == 127)), "{found:?}");
}

#[test]
fn stale_memory_and_time_that_runs_backwards_are_found() {
    let (_, rows) = honest();
    let row = find(&rows, MEMW_R, &[("mu_write", 1)]);
    let old = rows.tables[MEMW_R][row][column(MEMW_R, "old_value[0]")] ^ 1;
    assert_ne!(forged(&rows, MEMW_R, row, &[("old_value[0]", old)]), []);
    // The old time is the new one: the age is -1.
    let now = rows.tables[MEMW_R][row][column(MEMW_R, "timestamp[0]")];
    let found = forged(&rows, MEMW_R, row, &[("old_timestamp", now)]);
    let age = |b: &Broken| matches!(b, Broken::Message(m) if m.len() == 2 && m[1] == MODULUS - 1);
    assert!(found.iter().any(age), "{found:?}");
    let row = find(&rows, MEMW_A, &[("is_register", 0), ("mu_read", 1)]);
    let byte = rows.tables[MEMW_A][row][column(MEMW_A, "old[0]")] ^ 1;
    assert_ne!(forged(&rows, MEMW_A, row, &[("old[0]", byte)]), []);
    let now = rows.tables[MEMW_A][row][column(MEMW_A, "timestamp[0]")];
    assert_ne!(forged(&rows, MEMW_A, row, &[("old_timestamp[0]", now + 1)]), []);
}

#[test]
fn a_skipped_instruction_and_another_word_are_found() {
    let (_, rows) = honest();
    let mut skipped = rows.clone();
    let padding = skipped.tables[CPU].last().cloned().expect("500 is no power of two");
    skipped.tables[CPU][100] = padding;
    assert_ne!(broken(&SYSTEM, &skipped), []);
    let row = find(&rows, CPU, &[("add", 1), ("memory", 0), ("read2", 0)]);
    // A decoder that never said so.
    let found = forged(&rows, CPU, row, &[("add", 0), ("sub", 1)]);
    assert!(found.iter().any(|b| matches!(b, Broken::Message(_))), "{found:?}");
    // A branch that was not taken goes elsewhere.
    let row = find(&rows, CPU, &[("branch", 1), ("taken", 0)]);
    let next = rows.tables[CPU][row][column(CPU, "next_pc[0]")] + 8;
    let found = forged(&rows, CPU, row, &[("next_pc[0]", next)]);
    assert!(is_constraint(&found, "low word of the next pc"), "{found:?}");
    let found = forged(&rows, CPU, row, &[("taken", 1)]);
    assert!(is_constraint(&found, "whether a branch is taken"), "{found:?}");
}

#[test]
fn register_0_is_never_written() {
    let (_, rows) = honest();
    let row = find(&rows, CPU, &[("add", 1), ("memory", 0), ("rd", 0), ("write", 0)]);
    let found = forged(&rows, CPU, row, &[("write", 1)]);
    assert!(found.iter().any(|b| matches!(b, Broken::Message(_))), "{found:?}");
    // Nor with a register row that takes the message.
    let mut both = rows.clone();
    let cpu = &mut both.tables[CPU][row];
    cpu[column(CPU, "write")] = 1;
    let [time, low, high] = ["timestamp", "rvd[0]", "rvd[1]"].map(|name| cpu[column(CPU, name)]);
    let write = vec![0, time + 2, 0, low, high, 0, 0, time, 0, 1];
    both.tables[MEMW_R].push(write);
    assert_ne!(broken(&SYSTEM, &both), []);
}

#[test]
fn padding_that_touches_memory_is_found() {
    let (machine, rows) = honest();
    let real = machine.real_rows();
    let padding = |table: usize| {
        let row = real[table];
        assert!(row < rows.tables[table].len(), "the table has padding");
        row
    };
    assert_ne!(forged(&rows, MEMW_R, padding(MEMW_R), &[("mu_write", 1)]), []);
    assert_ne!(forged(&rows, MEMW_A, padding(MEMW_A), &[("mu_write", 1)]), []);
    assert_ne!(forged(&rows, STORE, padding(STORE), &[("mu", 1)]), []);
    assert_ne!(forged(&rows, LOAD, padding(LOAD), &[("mu", 1)]), []);
    let found = forged(&rows, STORE, padding(STORE), &[("w2", 1)]);
    assert!(is_constraint(&found, "a width is of a store"), "{found:?}");
    let found = forged(&rows, LOAD, padding(LOAD), &[("r4", 1)]);
    assert!(is_constraint(&found, "a width is of a load"), "{found:?}");
    let found = forged(&rows, MEMW_A, padding(MEMW_A), &[("w8", 1)]);
    assert!(is_constraint(&found, "a width is of an access"), "{found:?}");
    assert_ne!(forged(&rows, CPU, padding(CPU), &[("memory", 1)]), []);
    assert_ne!(forged(&rows, CPU, padding(CPU), &[("read1", 1)]), []);
    // Without the flag, padding of SHIFT looks up shifts of halves; all of them are zero.
    let found = forged(&rows, SHIFT, padding(SHIFT), &[("right", 1)]);
    assert!(is_constraint(&found, "a direction is of a shift"), "{found:?}");
}

/// A multiplicity that is negative takes back what a forged comparison gives.
#[test]
fn a_comparison_counts_a_byte() {
    let (_, rows) = honest();
    let mut forged = rows.clone();
    let mut row = rows.tables[LT][0].clone();
    row[column(LT, "mu")] = MODULUS - 1;
    forged.tables[LT].push(row);
    let mut again = rows.tables[LT][0].clone();
    again[column(LT, "mu")] = 1;
    forged.tables[LT].push(again);
    let found = broken(&SYSTEM, &forged);
    let counts = |b: &Broken| matches!(b, Broken::Message(m) if m[1] == MODULUS - 1);
    assert!(found.iter().any(counts), "{found:?}");
}
