//! INPUT: one row per byte of input, as the statement gives it. Bytes that the guest does not read
//! have rows that do nothing but take them.

use traceloom_abi::ops::OpRecords;
use traceloom_air::bytes::ByteOp;

use super::buses::{INPUT, MEMW_WRITE, first_cells, memw_write};
use super::machine::{MachineTable, Run};
use super::moves::{Columns, MoveOp};
use crate::check::TableFaults;
use crate::column::{Limb, Role};
use crate::op_record;
use crate::poly::{Poly, constant, is_bit};
use crate::record::{Declare, OpRecord};
use crate::table::{Table, TableBuilder};
use crate::values;

op_record! {
    /// Whether a byte is read.
    pub struct IsReadOp as IsReadFields {
        /// 1 if it is.
        is_read: u8[1],
    }
}

/// A byte of input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InputOp {
    /// Where it goes to. Of a byte that is not read there is the counter and the byte.
    pub moves: MoveOp,
    /// Whether it is read.
    pub read: IsReadOp,
}

impl OpRecord for InputOp {
    type Fields = (<MoveOp as OpRecord>::Fields, IsReadFields);

    fn declare(declare: &mut Declare<'_>) -> Self::Fields {
        (MoveOp::declare(declare), IsReadOp::declare(declare))
    }

    fn put(&self, words: &mut Vec<u32>) {
        self.moves.put(words);
        self.read.put(words);
    }
}

/// How the table is made and fed.
pub const TABLE: MachineTable = MachineTable::new(table, feed);

fn feed(run: &Run<'_>, records: &mut OpRecords) {
    let length = run.input.len() as u64;
    for op in &run.records.input {
        let moves = MoveOp::new(op, length - op.index);
        let read = IsReadOp { is_read: 1 };
        records.push(|words| InputOp { moves, read }.put(words));
    }
    let unread = run.input.iter().zip((1..=length as u32).rev()).skip(run.records.input.len());
    for (&value, counter) in unread {
        let moves = MoveOp { counter, value, ..MoveOp::default() };
        records.push(|words| InputOp { moves, read: IsReadOp::default() }.put(words));
    }
}

/// The table.
///
/// # Errors
/// Never: tests make it.
pub fn table() -> Result<Table, TableFaults> {
    let mut t = TableBuilder::new("input");
    let c = Columns::new(&mut t);
    let unread = t.column("unread", Limb::Bit, Role::Multiplicity);
    t.rows::<InputOp>(|row, (moves, read)| {
        c.rows(row, &moves);
        row.step("whether it is read");
        let is_read = row.bit(read.is_read, 0);
        let is_unread = row.not(is_read);
        row.put_all([c.mu, unread], [is_read, is_unread]);
    });
    t.zero("unread is a bit", is_bit(unread));
    t.zero("read or unread", c.mu * unread);
    c.pass_on(&mut t, 0, c.counter - constant(1));
    t.receive(INPUT, c.mu + unread, values![c.counter, c.value]);
    t.look_up(ByteOp::RangeCheck, constant(1), values![c.value, 0]);
    let (address, widths) = (c.address.map(Poly::from), [(); 3].map(|()| constant(0)));
    let time = [c.timestamp.into(), constant(0)];
    let write = memw_write(constant(0), address, first_cells([c.value]), time, widths);
    t.send(MEMW_WRITE, c.mu, write);
    t.finish()
}
