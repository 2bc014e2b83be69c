//! The tables of a machine that adds the squares of bytes.
//!
//! A token (time, sum) goes from row to row of the table `step`, and padding rows pass it on, as
//! those of an instruction table do. `square` counts equal requests. `end` takes the last token,
//! whose time depends on the padding of `step`.

use traceloom_air::bytes::ByteOp;
use traceloom_optables::poly::{constant, is_bit, not};
use traceloom_optables::{Bus, Limb, Role, Table, TableBuilder, TableProgram, op_record, values};

/// time, sum.
pub const TOKEN: Bus = Bus { name: "TOKEN", number: 100, width: 2 };
/// byte, its square.
pub const SQUARE: Bus = Bus { name: "SQUARE", number: 101, width: 2 };
/// time, byte: the statement sends them.
pub const INPUT: Bus = Bus { name: "INPUT", number: 102, width: 2 };
/// sum: the statement receives it.
pub const OUTPUT: Bus = Bus { name: "OUTPUT", number: 103, width: 1 };

op_record! {
    /// A byte that is added.
    pub struct StepOp as StepFields {
        /// When.
        time: u32,
        /// The sum before.
        sum: u32,
        /// The byte.
        x: u8,
    }
}

op_record! {
    /// What padding rows pass on.
    pub struct StepPadding as StepPaddingFields {
        /// Time behind the last byte.
        time: u32,
        /// The sum.
        sum: u32,
    }
}

op_record! {
    /// A square, and how often it is asked for.
    pub struct SquareOp as SquareFields {
        /// The byte.
        x: u8,
        /// How often.
        count: u8,
    }
}

op_record! {
    /// The end.
    pub struct EndOp as EndFields {
        /// Time of the last token.
        time: u32,
        /// The sum.
        sum: u32,
    }
}

fn step() -> Table {
    let mut t = TableBuilder::new("step");
    let [time, sum] = ["time", "sum"].map(|name| t.limb(name, Limb::Word));
    let x = t.limb("x", Limb::Byte);
    let square = t.limb("square", Limb::Half);
    let real = t.column("real", Limb::Bit, Role::Multiplicity);
    t.rows::<StepOp>(|row, op| {
        row.step("a square to be added");
        let squared = row.mul(op.x, op.x);
        let one = row.constant(1);
        row.put_all([time, sum], [op.time, op.sum]);
        row.put_all([x, square, real], [op.x, squared, one]);
    });
    t.padding::<StepPadding>(|row, scalars, number| {
        row.step("the token goes on");
        let behind = row.add(scalars.time, number);
        let behind = row.low32(behind);
        let one = row.constant(1);
        let at = row.sub_wrapping(behind, one);
        row.put_all([time, sum], [at, scalars.sum]);
        row.put_zero_elsewhere();
    });
    t.zero("real is a bit", is_bit(real));
    t.zero("padding adds nothing", not(real) * square);
    t.receive(TOKEN, constant(1), values![time, sum]);
    t.send(TOKEN, constant(1), values![time + constant(1), sum + square]);
    t.receive(INPUT, real, values![time, x]);
    t.send(SQUARE, real, values![x, square]);
    // On padding rows, too.
    t.look_up(ByteOp::RangeCheck, constant(1), values![x, 7]);
    finished(t)
}

fn square() -> Table {
    let mut t = TableBuilder::new("square");
    let x = t.limb("x", Limb::Byte);
    let squared = t.limb("squared", Limb::Half);
    let count = t.column("count", Limb::Byte, Role::Multiplicity);
    t.rows::<SquareOp>(|row, op| {
        row.step("square");
        let product = row.mul(op.x, op.x);
        row.put_all([x, squared, count], [op.x, product, op.count]);
    });
    t.zero("a square", x * x - squared);
    t.receive(SQUARE, count, values![x, squared]);
    t.look_up(ByteOp::RangeCheck16, count, values![squared]);
    finished(t)
}

fn end() -> Table {
    let mut t = TableBuilder::new("end");
    let time = t.limb("time", Limb::Word);
    let sum = t.limb("sum", Limb::Word);
    let real = t.column("real", Limb::Bit, Role::Multiplicity);
    t.rows::<EndOp>(|row, op| {
        row.step("end");
        let one = row.constant(1);
        row.put_all([time, sum, real], [op.time, op.sum, one]);
    });
    t.zero("real is a bit", is_bit(real));
    t.receive(TOKEN, real, values![time, sum]);
    t.send(OUTPUT, real, values![sum]);
    finished(t)
}

fn finished(table: TableBuilder) -> Table {
    table.finish().unwrap_or_else(|faults| panic!("{faults}"))
}

/// All tables.
pub fn program() -> TableProgram {
    TableProgram::new("toy", vec![step(), square(), end()]).unwrap_or_else(|same| panic!("{same}"))
}
