//! Every forgery of an honest execution is found.

use std::sync::LazyLock;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use traceloom_air::field::{MODULUS, element};

use crate::cases::Cases;
use crate::ledger::{Broken, Ledger};
use crate::support::streams::stream;
use crate::support::{addi, elf, exit, i, jal, s, u};
use crate::whole::{Change, Whole, guest};

/// A random program: every instruction, and no input.
static STREAM: LazyLock<Whole> =
    LazyLock::new(|| Whole::run(&stream(&mut ChaCha8Rng::seed_from_u64(9), 700), &[]));

/// A guest with input and output.
static GUEST: LazyLock<Whole> = LazyLock::new(|| Whole::run(&guest("calculator.elf"), b"7 * 6\n"));

/// A program that reads three of five bytes.
fn unread() -> Whole {
    let read = [u(0x37, 11, 0x200), addi(12, 0, 3), addi(17, 0, 63), 0x73];
    Whole::run(&elf(&[&read[..], &exit(0)].concat(), &[1]), b"abcde")
}

fn is_constraint(broken: &[Broken], label: &str) -> bool {
    broken.iter().any(|b| matches!(b, Broken::Constraint(_, found) if found == label))
}

fn is_message(broken: &[Broken]) -> bool {
    broken.iter().any(|b| matches!(b, Broken::Message(_)))
}

/// What is broken once these cells of a row are changed.
fn forged(whole: &Whole, table: &str, row: usize, cells: &[(&str, u64)]) -> Vec<Broken> {
    whole.broken_by(&[whole.changed(table, row, cells)])
}

/// A forgery that a constraint finds, whatever else is wrong with it.
#[track_caller]
fn refused(whole: &Whole, table: &str, row: usize, cells: &[(&str, u64)], label: &str) {
    let found = forged(whole, table, row, cells);
    assert!(is_constraint(&found, label), "{label}: {found:?}");
}

/// A forgery that leaves a message open.
#[track_caller]
fn open(whole: &Whole, table: &str, row: usize, cells: &[(&str, u64)]) {
    let found = forged(whole, table, row, cells);
    assert!(is_message(&found), "{table}: {found:?}");
}

#[test]
fn an_honest_execution_holds_and_has_rows_of_every_table() {
    assert_eq!(STREAM.broken(), []);
    assert_eq!(GUEST.broken(), []);
    for (table, circuit) in STREAM.system.circuits.iter().take(STREAM.rows.len()).enumerate() {
        let rows = STREAM.real[table] + GUEST.real[table];
        assert!(rows > 0, "{} has no rows", circuit.name);
    }
    // A branch and a jump were taken, a branch was not, the pc was read twice.
    for with in [
        [("branch", 1), ("taken", 1), ("memory_flags", 0)],
        [("branch", 1), ("taken", 1), ("memory_flags", 1)],
        [("branch", 1), ("taken", 0), ("memory_flags", 0)],
        [("branch", 1), ("taken", 1), ("double_read", 1)],
    ] {
        STREAM.find("cpu", &with);
    }
}

#[test]
fn constraints_hold_on_all_rows_that_programs_write() {
    let cases = Cases::random(7, 300);
    let system = &STREAM.system;
    for (table, circuit) in system.circuits.iter().take(cases.rows.len()).enumerate() {
        // Where an execution ends is a matter of its fixed columns.
        if circuit.name == "register" {
            continue;
        }
        let mut ledger = Ledger::default();
        cases.all_rows(table).for_each(|row| ledger.row(circuit, 0, row, true));
        let found = ledger.broken();
        let found: Vec<_> = found.iter().filter(|b| matches!(b, Broken::Constraint(..))).collect();
        assert!(found.is_empty(), "{found:?}");
    }
}

/// Any one cell of any kind of row, changed by one.
#[test]
fn no_cell_can_be_changed_alone() {
    for whole in [&*STREAM, &*GUEST, &unread()] {
        let mut free = Vec::new();
        for (table, &real) in whole.real.iter().enumerate() {
            let circuit = &whole.system.circuits[table];
            for row in (0..real).step_by(1 + real / 24) {
                for (column, name) in circuit.column_names.iter().enumerate() {
                    let mut cells = whole.rows[table][row].clone();
                    cells[column] = if cells[column] == 0 { 1 } else { cells[column] - 1 };
                    let change = Change::Row(table, row, cells);
                    if whole.broken_by(&[change]).is_empty() && !is_unread(whole, table, name, row)
                    {
                        free.push((&circuit.name, name, row));
                    }
                }
            }
        }
        assert!(free.is_empty(), "{free:?}");
    }
}

/// Whether nobody reads a cell of a row that stands for an operation.
fn is_unread(whole: &Whole, table: usize, name: &str, row: usize) -> bool {
    let cell = |name: &str| whole.cell(table, row, name);
    let number = |name: &str| -> u64 {
        name.chars().filter(char::is_ascii_digit).take(1).collect::<String>().parse().unwrap_or(0)
    };
    let width = || 1 + cell("w2") + 3 * cell("w4") + 7 * cell("w8");
    match (&whole.system.circuits[table].name[..], name) {
        // Instructions of 32 bits are CPU32's: nothing is sent of these.
        ("cpu", "rs1" | "rs2" | "rd" | "alu_flags" | "add" | "sub") => cell("word") == 1,
        // Eight bytes have no extension, so no sign is asked for.
        ("load", "sign") => cell("r8") == 1,
        // Cells behind the width of a write are nobody's before it.
        ("memw_a" | "memw", name) if name.starts_with("old[") => {
            cell("mu_write") == 1 && number(name) >= width()
        }
        ("memw", "wraps") => cell("carry[7]") == 0,
        ("memw", name) if name.starts_with("carry") || name.starts_with("old_timestamp") => {
            number(name) >= width()
        }
        // Words that are equal need no inverse.
        ("eq", "inverse[0]") => cell("lhs[0]") == cell("rhs[0]"),
        ("eq", "inverse[1]") => cell("lhs[1]") == cell("rhs[1]"),
        ("cpu32", "result_high") => cell("shift") + cell("product") + cell("division") == 0,
        ("ecall", "address[0]" | "address[1]" | "most[0]" | "most[1]" | "counter") => {
            cell("is_exit") == 1
        }
        // A byte that is not read goes nowhere.
        ("input", "timestamp" | "address[0]" | "address[1]" | "remaining") => cell("unread") == 1,
        _ => false,
    }
}

#[test]
fn wrong_results_are_found() {
    let w = &*STREAM;
    let other = |table: &str, row: usize, name: &str| w.cell(w.table(table), row, name) ^ 1;
    let row = w.find("cpu", &[("add", 1), ("memory", 0), ("write", 1)]);
    let cells = [("res[0]", other("cpu", row, "res[0]")), ("rvd[0]", other("cpu", row, "rvd[0]"))];
    refused(w, "cpu", row, &cells, "low word of the sum");
    let row = w.find("cpu", &[("sub", 1)]);
    let cells = [("res[2]", other("cpu", row, "res[2]")), ("rvd[1]", other("cpu", row, "rvd[1]"))];
    refused(w, "cpu", row, &cells, "high word of the difference");
    let row = w.find("lt", &[("lt", 1), ("invert", 0)]);
    let label = "lt is the last carry, turned by signs";
    refused(w, "lt", row, &[("lt", 0), ("out", 0)], label);
    let out = other("shift", 0, "out[1]");
    refused(w, "shift", 0, &[("out[1]", out)], "word 1 of the result");
    let row = w.find("shift", &[("no_bit_shift", 0)]);
    let x = other("shift", row, "x[1]");
    refused(w, "shift", row, &[("x[1]", x)], "half 1 is shifted");
    // A power of two that is not asked for: no row of POWER has it.
    let power = 2 * w.cell(w.table("shift"), row, "power");
    open(w, "shift", row, &[("power", power)]);
    let row = w.find("load", &[("r2", 1)]);
    let byte = 255 - w.cell(w.table("load"), row, "result[2]");
    refused(w, "load", row, &[("result[2]", byte)], "byte 2 is extension");
    let sign = other("load", row, "sign");
    open(w, "load", row, &[("sign", sign)]);
    let row = w.find("mul", &[("upper", 1)]);
    refused(
        w,
        "mul",
        row,
        &[("product[4]", other("mul", row, "product[4]"))],
        "word 2 of the product",
    );
    let row = w.find("mul", &[("upper", 0)]);
    refused(
        w,
        "mul",
        row,
        &[("product[0]", other("mul", row, "product[0]"))],
        "word 0 of the product",
    );
    open(w, "mul", row, &[("lhs_top", other("mul", row, "lhs_top"))]);
    let byte = other("bytewise", 0, "and[3]");
    open(w, "bytewise", 0, &[("and[3]", byte)]);
    let row = w.find("branch", &[("is_jalr", 0)]);
    refused(
        w,
        "branch",
        row,
        &[("next_byte", other("branch", row, "next_byte"))],
        "word 0 of the target",
    );
    let label = "a bit is cleared by jumps to registers only";
    refused(w, "branch", row, &[("odd", 1)], label);
    let row = w.find("cpu32", &[("add", 1)]);
    refused(w, "cpu32", row, &[("result[0]", other("cpu32", row, "result[0]"))], "the sum");
    let row = w.find("cpu32", &[("sub", 1)]);
    refused(w, "cpu32", row, &[("result[0]", other("cpu32", row, "result[0]"))], "the difference");
    let sign = other("cpu32", row, "result_negative");
    open(w, "cpu32", row, &[("result_negative", sign)]);
}

#[test]
fn equal_values_do_not_differ_and_others_are_not_equal() {
    let w = &*STREAM;
    let table = w.table("eq");
    let row = w.find("eq", &[("differs", 1)]);
    let label = "a word of different values";
    refused(w, "eq", row, &[("differs", 0)], label);
    let inverses = ["inverse[0]", "inverse[1]"].map(|name| w.column(table, name));
    let mut equal = w.rows[table][row].clone();
    let low = w.column(table, "lhs[0]");
    for i in 0..2 {
        equal[low + 2 + i] = equal[low + i];
        equal[inverses[i]] = 1;
    }
    let found = w.broken_by(&[Change::More(table, equal)]);
    assert!(is_constraint(&found, label), "{found:?}");
    // Without an inverse, they could be called equal: the words say that they are not.
    let mut cells = w.rows[table][row].clone();
    cells[w.column(table, "differs")] = 0;
    inverses.iter().for_each(|&column| cells[column] = 0);
    let found = w.broken_by(&[Change::Row(table, row, cells)]);
    let is_word = |label: &str| label.ends_with("of equal values");
    let by_word = |b: &Broken| matches!(b, Broken::Constraint(_, label) if is_word(label));
    assert!(found.iter().any(by_word), "{found:?}");
}

#[test]
fn wrong_quotients_and_remainders_are_found() {
    let w = &*STREAM;
    let table = w.table("dvrm");
    let row = w.find("dvrm", &[("by_zero", 0), ("overflow", 0)]);
    let quotient = w.cell(table, row, "quotient[0]") ^ 1;
    open(w, "dvrm", row, &[("quotient[0]", quotient)]);
    let half = w.cell(table, row, "remainder[0]") ^ 1;
    refused(w, "dvrm", row, &[("remainder[0]", half)], "word 0 of product and remainder");
    refused(w, "dvrm", row, &[("by_zero", 1)], "by_zero: quotient[0]");
    refused(w, "dvrm", row, &[("overflow", 1)], "overflow: divisor[0]");
    // 7 over 2 as 4 with a remainder of -1, and -7 over 2 as -4 with one of 1: both are multiples
    // and less, and only the sign is wrong.
    let label = "a negative remainder is of a negative dividend";
    assert!(is_constraint(&division(7, 2, 4, u64::MAX), label));
    let label = "another remainder of a negative dividend is 0";
    let [seven, four] = [7_u64, 4].map(u64::wrapping_neg);
    assert!(is_constraint(&division(seven, 2, four, 1), label));
    // A quotient of zero with the dividend as remainder: the comparison is nobody's.
    assert!(is_message(&division(7, 2, 0, 7)));
}

/// What is broken by a division with these results, with signs, and by nothing else.
fn division(lhs: u64, rhs: u64, quotient: u64, remainder: u64) -> Vec<Broken> {
    let op = traceloom_optables::riscv::dvrm::DvrmOp { lhs, rhs, quotient, remainder, flags: 40 };
    let row = crate::reference_more::dvrm(&op);
    STREAM.broken_by(&[Change::More(STREAM.table("dvrm"), row)])
}

#[test]
fn stale_memory_and_time_that_runs_backwards_are_found() {
    let w = &*STREAM;
    let tables = ["memw_r", "memw_a", "memw"];
    for (table, old) in tables.into_iter().zip(["old_value[0]", "old[0]", "old[0]"]) {
        let row = w.find(table, &[("mu_write", 1)]);
        let stale = w.cell(w.table(table), row, old) ^ 1;
        open(w, table, row, &[(old, stale)]);
    }
    // The old time is the new one: the age is -1.
    let row = w.find("memw_r", &[("mu_write", 1)]);
    let now = w.cell(w.table("memw_r"), row, "timestamp[0]");
    let found = forged(w, "memw_r", row, &[("old_timestamp", now)]);
    let age = |b: &Broken| matches!(b, Broken::Message(m) if m.len() == 2 && m[1] == MODULUS - 1);
    assert!(found.iter().any(age), "{found:?}");
    // Elsewhere LT would have to answer that the later time is the earlier one.
    for (table, old) in [("memw_a", "old_timestamp[0]"), ("memw", "old_timestamp_0[0]")] {
        let row = w.find(table, &[("mu_read", 1)]);
        let now = w.cell(w.table(table), row, "timestamp[0]");
        open(w, table, row, &[(old, now + 1)]);
    }
    let lt = crate::reference::lt(&traceloom_optables::record::Counted {
        op: traceloom_riscv::records::LtOp { lhs: 9, rhs: 8, flags: 4 },
        count: 1,
    });
    let mut lie = lt;
    (lie[7], lie[15]) = (1, 1);
    let found = w.broken_by(&[Change::More(w.table("lt"), lie)]);
    assert!(is_constraint(&found, "lt is the last carry, turned by signs"), "{found:?}");
}

#[test]
fn a_skipped_instruction_and_another_word_are_found() {
    let w = &*STREAM;
    let cpu = w.table("cpu");
    let padding = w.rows[cpu].last().cloned().expect("the table has rows");
    assert_eq!(padding[w.column(cpu, "pc[0]")], 1, "the last row is padding");
    assert!(is_message(&w.broken_by(&[Change::Row(cpu, 100, padding)])));
    // A decoder that never said so.
    let row = w.find("cpu", &[("add", 1), ("memory", 0), ("read2", 0)]);
    open(w, "cpu", row, &[("add", 0), ("sub", 1)]);
    let row = w.find("cpu32", &[("add", 1)]);
    open(w, "cpu32", row, &[("add", 0), ("sub", 1)]);
    open(w, "cpu32", row, &[("rd", w.cell(w.table("cpu32"), row, "rd") ^ 1)]);
    // An instruction that is executed more often, or less, than it was decoded.
    let count = w.cell(w.table("decode"), 3, "count") + 1;
    open(w, "decode", 3, &[("count", count)]);
    // A branch that was not taken goes elsewhere.
    let row = w.find("cpu", &[("branch", 1), ("taken", 0)]);
    let next = w.cell(cpu, row, "next_pc[0]") + 8;
    refused(w, "cpu", row, &[("next_pc[0]", next)], "low word of the next pc");
    refused(w, "cpu", row, &[("taken", 1)], "whether a branch is taken");
}

/// The same number, but its low word is below zero: it would differ from itself.
#[test]
fn a_link_has_words() {
    let w = &*STREAM;
    let cpu = w.table("cpu");
    let row = w.find("cpu", &[("branch", 1), ("memory_flags", 1), ("write", 1)]);
    let [low, high] = ["rvd[0]", "rvd[1]"].map(|name| w.cell(cpu, row, name));
    let cells = [("rvd[0]", MODULUS - ((1 << 32) - low)), ("rvd[1]", high + 1)];
    refused(w, "cpu", row, &cells, "rvd[0] of a jump");
}

#[test]
fn register_0_is_never_written() {
    let w = &*STREAM;
    let row = w.find("cpu", &[("add", 1), ("memory", 0), ("rd", 0), ("write", 0)]);
    open(w, "cpu", row, &[("write", 1)]);
    // Nor with a register row that takes the message.
    let cpu = w.table("cpu");
    let [time, low, high] = ["timestamp", "rvd[0]", "rvd[1]"].map(|name| w.cell(cpu, row, name));
    let write = vec![0, time + 2, 0, low, high, 0, 0, time, 0, 1];
    let both = [w.changed("cpu", row, &[("write", 1)]), Change::More(w.table("memw_r"), write)];
    assert!(is_message(&w.broken_by(&both)));
}

#[test]
fn an_access_across_upper_halves_is_not_aligned() {
    // A load of eight bytes at 0x20fffc, all of them untouched: MEMW takes it, MEMW_A must not.
    let code = [&[u(0x37, 5, 0x210), i(3, 3, [6, 5], -4)][..], &exit(0)].concat();
    let w = Whole::run(&elf(&code, &[7; 0x1_1000]), &[]);
    assert_eq!(w.broken(), []);
    let (general, aligned) = (w.table("memw"), w.table("memw_a"));
    let row = w.find("memw", &[("w8", 1), ("mu_read", 1)]);
    let base = w.cell(general, row, "base[0]");
    assert_eq!(base, 0x20_fffc);
    let mut forged = vec![0; 29];
    let put = |forged: &mut Vec<u64>, name: &str, cell| forged[w.column(aligned, name)] = cell;
    put(&mut forged, "base[0]", base & 0xffff);
    put(&mut forged, "base[1]", base >> 16);
    for i in 0..8 {
        for name in ["value", "old"] {
            let name = format!("{name}[{i}]");
            put(&mut forged, &name, w.cell(general, row, &name));
        }
    }
    put(&mut forged, "timestamp[0]", w.cell(general, row, "timestamp[0]"));
    put(&mut forged, "w8", 1);
    put(&mut forged, "mu_read", 1);
    let gone = vec![0; w.rows[general][row].len()];
    let found = w.broken_by(&[Change::Row(general, row, gone), Change::More(aligned, forged)]);
    let last = |b: &Broken| matches!(b, Broken::Message(m) if m[..] == [42, 0x1_0003]);
    assert!(found.iter().any(last), "{found:?}");
}

#[test]
fn padding_that_touches_memory_is_found() {
    let code = [&[s(3, [2, 0], 0), i(3, 3, [6, 2], 0), jal(0, 4)][..], &exit(0)].concat();
    let w = Whole::run(&elf(&code, &[1]), &[]);
    assert_eq!(w.broken(), []);
    let more = |table: &str, cells: &[(&str, u64)]| {
        let table = w.table(table);
        let mut row = vec![0; w.system.circuits[table].width];
        cells.iter().for_each(|&(name, cell)| row[w.column(table, name)] = cell);
        w.broken_by(&[Change::More(table, row)])
    };
    for (table, mu) in [
        ("memw_r", "mu_write"),
        ("memw_a", "mu_write"),
        ("memw", "mu_read"),
        ("store", "mu"),
        ("load", "mu"),
        ("zero", "mu"),
        ("commit", "mu"),
        ("input", "mu"),
        ("halt", "mu"),
        ("cpu32", "mu"),
        ("ecall", "is_exit"),
        ("dvrm", "mu"),
    ] {
        assert!(is_message(&more(table, &[(mu, 1)])), "{table}");
        assert_eq!(more(table, &[]), [], "{table}: padding is nothing");
    }
    for (table, cell, label) in [
        ("store", "w2", "a width is of a store"),
        ("load", "r4", "a width is of a load"),
        ("memw_a", "w8", "a width is of an access"),
        ("memw", "w8", "a width is of an access"),
        ("cpu32", "write", "padding asks for nothing"),
        ("cpu32", "product", "padding asks for nothing"),
        ("input", "last", "the last byte is one"),
        ("ecall", "is_some", "only reads and writes move bytes"),
        ("dvrm", "by_zero", "a division by zero is one"),
        ("shift", "right", "a direction is of a shift"),
    ] {
        let found = more(table, &[(cell, 1)]);
        assert!(is_constraint(&found, label), "{table}: {found:?}");
    }
    let cpu = w.real[w.table("cpu")];
    for flag in ["memory", "read1", "write", "ecall", "alu"] {
        open(&w, "cpu", cpu, &[(flag, 1)]);
    }
}

#[test]
fn two_ends_and_other_ends_are_found() {
    let w = &*GUEST;
    let halt = w.rows[w.table("halt")][0].clone();
    assert!(is_message(&w.broken_by(&[Change::More(w.table("halt"), halt)])));
    // An execution that does not end: the pc stays where it is.
    let found = forged(w, "register", 0, &[("last", 0x1_0000)]);
    assert!(is_constraint(&found, "where the execution ends"), "{found:?}");
    let row = w.find("ecall", &[("is_exit", 1)]);
    open(w, "ecall", row, &[("is_exit", 0), ("is_write", 1)]);
    // Another exit code: a0 is read as 0.
    let last = w.rows[w.table("ecall")].iter().rposition(|row| row[11] == 1);
    assert_eq!(last, Some(row), "there is one exit");
    let code = [addi(17, 0, 93), addi(10, 0, 0), addi(10, 10, 0), 0x73];
    let w = Whole::run(&elf(&code, &[1]), &[]);
    let set = w.find("cpu", &[("rd", 10), ("rs1", 0)]);
    assert_ne!(forged(&w, "cpu", set, &[("rvd[0]", 1), ("res[0]", 1)]), []);
}

#[test]
fn another_statement_is_found() {
    let w = &*GUEST;
    let with =
        |input: &[u8], output: &[u8]| w.broken_by_statement(&w.machine.statement(input, output));
    assert_eq!(with(b"7 * 6\n", b"42\n"), []);
    for (input, output) in [
        (&b"7 * 6\n"[..], &b"43\n"[..]),
        (b"7 * 6\n", b"42"),
        (b"7 * 6\n", b"42\n\n"),
        (b"7 * 6\n", b"4\n2"),
        (b"6 * 7\n", b"42\n"),
        (b"7 * 6", b"42\n"),
        (b"7 * 6\n ", b"42\n"),
    ] {
        assert!(is_message(&with(input, output)), "{input:?} {output:?}");
    }
    // Bytes that are not read are stated all the same.
    let w = unread();
    assert_eq!(w.broken(), []);
    for input in [&b"abc"[..], b"abcdx", b"abcd"] {
        assert!(is_message(&w.broken_by_statement(&w.machine.statement(input, &[]))));
    }
    let w = &*GUEST;
    // Nor can rows follow it: a byte of output is what memory holds.
    let row = w.find("commit", &[("counter", 1)]);
    let found = w.broken_by(&[w.changed("commit", row, &[("value", b'3'.into())])]);
    assert!(is_message(&found), "{found:?}");
    // A read that takes fewer bytes than are asked for and left.
    let row = w.find("ecall", &[("is_read", 1), ("is_some", 1)]);
    let moved = w.cell(w.table("ecall"), row, "moved");
    let found = forged(w, "ecall", row, &[("moved", moved - 1)]);
    let all = ["a short read takes all that is left", "any other call moves what is asked for"];
    assert!(all.iter().any(|label| is_constraint(&found, label)), "{found:?}");
    let short = 1 - w.cell(w.table("ecall"), row, "is_short");
    open(w, "ecall", row, &[("is_short", short)]);
}

#[test]
fn memory_begins_once() {
    let w = &*GUEST;
    let (zero, region) = (w.table("zero"), w.table("region"));
    // Eight bytes twice: nobody sends the message that the second row takes.
    let again = w.rows[zero][0].clone();
    assert!(is_message(&w.broken_by(&[Change::More(zero, again)])));
    // Out of the region, or back in it: the distance is no half.
    let mut beyond = w.rows[zero][0].clone();
    beyond[w.column(zero, "between")] = MODULUS - 1;
    assert!(is_message(&w.broken_by(&[Change::Row(zero, 0, beyond)])));
    let rest = w.column(region, "rest");
    let end = w.rows[region].iter().position(|row| row[rest] < 1 << 15).expect("a chain");
    let mut longer = w.rows[region][end].clone();
    longer[rest] = MODULUS - 1;
    let found = w.broken_by(&[Change::Row(region, end, longer)]);
    let is_half = |b: &Broken| matches!(b, Broken::Message(m) if m[..] == [42, MODULUS - 1]);
    assert!(found.iter().any(is_half), "{found:?}");
    // A second copy of a table with fixed columns.
    for table in ["image", "region", "register"] {
        let table = w.table(table);
        let mut ledger = Ledger::default();
        let rows = w.rows[table].iter().enumerate();
        rows.for_each(|(i, row)| ledger.row(&w.system.circuits[table], i, row, true));
        assert!(is_message(&ledger.broken()));
    }
}

/// Every mapped byte begins in one place: in an eight of the image or in a region.
#[test]
fn image_and_regions_are_all_of_memory() {
    let limits = traceloom_riscv::Limits::default();
    let code = exit(0);
    let files = [
        elf(&code, &[1; 3]),
        elf(&code, &[1; 4096]),
        elf(&code, &[1; 0x4_0008]),
        guest("sort.elf"),
        guest("sha256.elf"),
    ];
    for file in files {
        let program = traceloom_riscv::Program::load(&file, &limits).expect("it loads");
        let machine = traceloom_optables::riscv::Machine::new(program.clone());
        let system = machine.system();
        let rows = |name: &str, width: usize| -> Vec<Vec<u64>> {
            let fixed = system.circuits[machine.position(name)].fixed().expect("fixed columns");
            let cells = fixed.cells().expect("of a program");
            crate::cases::words(&cells).chunks(width).map(<[u64]>::to_vec).collect()
        };
        let image = rows("image", 12).into_iter().filter(|row| row[2] == 1);
        let mut all: Vec<u64> = image.map(|row| row[0] + (row[1] << 32)).collect();
        for row in rows("region", 6).iter().filter(|row| row[4] == 1) {
            assert!(row[2] - row[1] < 8 << 15, "{row:?}");
            all.extend((row[1]..=row[2]).step_by(8).map(|low| low + (row[3] << 32)));
        }
        all.sort_unstable();
        let pages: std::collections::BTreeSet<u64> =
            program.regions().iter().flat_map(|region| region.first..=region.last).collect();
        let eights = pages.iter().flat_map(|page| (0..512).map(move |i| 4096 * page + 8 * i));
        assert!(all.iter().copied().eq(eights), "no eight twice, none left out");
    }
}

/// A multiplicity that is negative takes back what a forged comparison gives.
#[test]
fn a_comparison_counts_a_byte() {
    let w = &*STREAM;
    let lt = w.table("lt");
    let with = |mu: u64| {
        let mut row = w.rows[lt][0].clone();
        row[w.column(lt, "mu")] = mu;
        Change::More(lt, row)
    };
    let found = w.broken_by(&[with(MODULUS - 1), with(1)]);
    let counts = |b: &Broken| matches!(b, Broken::Message(m) if m[1] == MODULUS - 1);
    assert!(found.iter().any(counts), "{found:?}");
    assert_eq!(element(MODULUS - 1) + element(1), element(0));
}

/// In tables whose counts are free, a forged row is wrong even if it counts nothing.
#[test]
fn rows_with_free_counts_hold_alone() {
    let w = &*STREAM;
    for (table, cell) in [("mul", "carry_low[0]"), ("bytewise", "and[0]"), ("branch", "next[0]")] {
        let index = w.table(table);
        let mut row = w.rows[index][0].clone();
        row[w.column(index, "mu")] = 0;
        row[w.column(index, cell)] = 1 << 16;
        let found = w.broken_by(&[Change::More(index, row)]);
        assert!(is_message(&found), "{table}: {found:?}");
    }
}
