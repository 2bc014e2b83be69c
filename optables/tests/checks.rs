//! Every rule of tables refuses what it forbids.

use traceloom_air::bytes::ByteOp;
use traceloom_optables::poly::constant;
use traceloom_optables::record::NoScalars;
use traceloom_optables::{
    Bus, Column, Limb, Role, Row, Table, TableBuilder, TableFault, TableFaults, op_record, values,
};

op_record! {
    /// Something with a field of every type.
    pub struct SomeOp as SomeFields {
        /// 64 bits.
        long: u64,
        /// 32 bits.
        word: u32,
        /// 16 bits.
        half: u16,
        /// Three bits of a byte.
        flags: u8[7],
    }
}

const BUS: Bus = Bus { name: "some", number: 3, width: 2 };

struct Columns {
    long: [Column; 2],
    word: Column,
    half: Column,
    flags: [Column; 3],
    count: Column,
}

fn columns(t: &mut TableBuilder) -> Columns {
    Columns {
        long: t.words("long"),
        word: t.limb("word", Limb::Word),
        half: t.limb("half", Limb::Half),
        flags: ["a", "b", "c"].map(|name| t.flag(name)),
        count: t.column("count", Limb::Bit, Role::Multiplicity),
    }
}

/// All columns but the last flag and the count.
fn most(c: &Columns, row: &mut Row, op: SomeFields) {
    row.step("all values");
    row.put_long(c.long, op.long);
    row.put_all([c.word, c.half], [op.word, op.half]);
    let [a, b] = [0, 1].map(|i| row.bit(op.flags, i));
    row.put_all([c.flags[0], c.flags[1]], [a, b]);
}

fn last(c: &Columns, row: &mut Row, op: SomeFields) {
    let bit = row.bit(op.flags, 2);
    row.put(c.flags[2], bit);
}

fn count(c: &Columns, row: &mut Row) {
    let one = row.constant(1);
    row.put(c.count, one);
}

/// A table that is right but for what `more` does to it.
fn table(more: impl FnOnce(&mut TableBuilder, &Columns)) -> Result<Table, TableFaults> {
    let mut t = TableBuilder::new("some_table");
    let c = columns(&mut t);
    t.rows::<SomeOp>(|row, op| {
        most(&c, row, op);
        last(&c, row, op);
        count(&c, row);
    });
    more(&mut t, &c);
    t.finish()
}

/// A table with this row program.
fn with_rows(body: impl FnOnce(&Columns, &mut Row, SomeFields)) -> Result<Table, TableFaults> {
    table(|t, c| t.rows::<SomeOp>(|row, op| body(c, row, op)))
}

fn faults(table: Result<Table, TableFaults>) -> Vec<TableFault> {
    table.expect_err("the table breaks a rule").faults
}

#[test]
fn a_right_table_is_accepted() {
    let table = table(|_, _| {}).expect("it breaks no rule");
    assert_eq!(table.columns.len(), 8);
    assert_eq!(table.constraints.len(), 3, "one per flag");
}

#[test]
fn every_column_is_written_once() {
    let missing = faults(with_rows(|c, row, op| {
        most(c, row, op);
        count(c, row);
    }));
    let column = || "c".to_owned();
    assert_eq!(missing, [TableFault::NotWritten { program: "row", column: column() }]);
    let twice = faults(with_rows(|c, row, op| {
        most(c, row, op);
        last(c, row, op);
        last(c, row, op);
        count(c, row);
    }));
    assert_eq!(twice, [TableFault::WrittenTwice { program: "row", column: column() }]);
    let padding = faults(table(|t, c| t.constant_padding(|row| count(c, row))));
    let of_padding =
        |fault: &&TableFault| matches!(fault, TableFault::NotWritten { program: "padding", .. });
    assert_eq!(padding.iter().filter(of_padding).count(), 7);
}

#[test]
fn no_cell_is_wider_than_its_column() {
    // A bit of a byte may be anything below 256 if it is not taken out.
    let wide = faults(with_rows(|c, row, op| {
        most(c, row, op);
        row.put(c.flags[2], op.flags);
        count(c, row);
    }));
    let (program, column) = ("row", "c".to_owned());
    assert_eq!(wide, [TableFault::TooWide { program, column, bits: 1, largest: 255 }]);
    let sum = faults(with_rows(|c, row, op| {
        row.put_long(c.long, op.long);
        let carried = row.add_constant(op.word, 1);
        row.put(c.word, carried);
        let half = row.add(op.half, op.half);
        row.put(c.half, half);
        for (column, i) in c.flags.into_iter().zip(0..) {
            let bit = row.bit(op.flags, i);
            row.put(column, bit);
        }
        count(c, row);
    }));
    let fault = |column: &str, bits, largest| {
        let column = column.to_owned();
        TableFault::TooWide { program, column, bits, largest }
    };
    assert_eq!(sum, [fault("word", 32, 1 << 32), fault("half", 16, 2 * 0xffff)]);
    // A difference of the field can be as large as the field.
    let constant_too = faults(table(|t, c| {
        t.constant_padding(|row| {
            let two = row.constant(2);
            row.put(c.flags[0], two);
            row.put_zero_elsewhere();
        });
    }));
    let (program, column) = ("padding", "a".to_owned());
    assert_eq!(constant_too, [TableFault::TooWide { program, column, bits: 1, largest: 2 }]);
}

#[test]
fn every_bit_of_a_field_is_read() {
    let bit = faults(with_rows(|c, row, op| {
        most(c, row, op);
        let again = row.bit(op.flags, 1);
        row.put(c.flags[2], again);
        count(c, row);
    }));
    let (program, field) = ("row", "flags");
    assert_eq!(bit, [TableFault::Unread { program, field, bits: 4 }]);
    let halves = faults(with_rows(|c, row, op| {
        let zero = row.constant(0);
        row.put_all(c.long, [op.long.low, zero]);
        let low = row.byte(op.word, 1);
        row.put(c.word, low);
        let high = row.bit(op.half, 9);
        row.put(c.half, high);
        for (column, i) in c.flags.into_iter().zip(0..) {
            let bit = row.bit(op.flags, i);
            row.put(column, bit);
        }
        count(c, row);
    }));
    let fault = |field, bits| TableFault::Unread { program, field, bits };
    let long = fault("long", 0xffff_ffff << 32);
    assert_eq!(halves, [long, fault("word", 0xffff_00ff), fault("half", 0xfdff)]);
    // What is computed and not written is not read.
    let idle = faults(with_rows(|c, row, op| {
        most(c, row, op);
        row.bit(op.flags, 2);
        let zero = row.constant(0);
        row.put(c.flags[2], zero);
        count(c, row);
    }));
    assert_eq!(idle, [TableFault::Unread { program, field, bits: 4 }]);
}

#[test]
fn padding_counts_nothing_and_uses_its_scalars() {
    let counts = faults(table(|t, c| {
        t.constant_padding(|row| {
            count(c, row);
            row.put_zero_elsewhere();
        });
    }));
    assert_eq!(counts, [TableFault::PaddingCounts { column: "count".into() }]);
    let unused = faults(table(|t, _| {
        t.padding::<SomeOp>(|row, _, _| row.put_zero_elsewhere());
    }));
    assert_eq!(unused.len(), 4, "one per scalar: {unused:?}");
    // The number of the row is there whether a program needs it or not.
    let right = table(|t, c| {
        t.padding::<NoScalars>(|row, (), number| {
            row.put(c.word, number);
            row.put_zero_elsewhere();
        });
    });
    assert!(right.is_ok());
}

#[test]
fn messages_names_texts_and_degrees_are_checked() {
    let message = |t: &mut TableBuilder, c: &Columns| {
        t.send(BUS, c.count, values![c.word]);
        t.look_up(ByteOp::And, c.count, values![c.word, 1]);
    };
    let short = faults(table(message));
    let of = |bus, expected, found| TableFault::Message { bus, expected, found };
    assert_eq!(short, [of("some", 2, 1), of("and", 3, 2)]);
    let same = faults(table(|t, c| {
        let again = t.limb("word", Limb::Word);
        t.rows::<SomeOp>(|row, op| {
            most(c, row, op);
            last(c, row, op);
            count(c, row);
            row.put(again, op.word);
        });
    }));
    assert_eq!(same, [TableFault::Name { name: "word".into() }]);
    let odd = faults(with_rows(|c, row, op| {
        most(c, row, op);
        last(c, row, op);
        row.step("a */ comment\nthat ends");
        count(c, row);
    }));
    assert!(matches!(&odd[..], [TableFault::Text { .. }]), "{odd:?}");
    let steep = faults(table(|t, c| {
        let square = c.word * c.word;
        t.zero("power", &square * &square);
        t.zero("cube", square * (c.word - constant(1)));
    }));
    assert_eq!(steep, [TableFault::Degree { label: "power".into(), degree: 4 }]);
    let empty = TableBuilder::new("empty").finish();
    assert_eq!(faults(empty), [TableFault::NoRows]);
}

#[test]
fn faults_name_the_table_the_place_and_the_remedy() {
    let fault = with_rows(|c, row, op| {
        most(c, row, op);
        row.put(c.flags[2], op.flags);
        count(c, row);
    });
    let text = fault.expect_err("it breaks a rule").to_string();
    for part in ["some_table", "255", "to c", "1 bits", "narrow the value"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}
