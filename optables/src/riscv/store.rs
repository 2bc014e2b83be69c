//! STORE: makes a memory write of a store, byte by byte.

use traceloom_air::bytes::ByteOp;
use traceloom_riscv::records::StoreOp;

use super::buses::{MEMORY_OP, MEMW_WRITE, memw_write, words_of_bytes};
use super::machine::{MachineTable, push_all};
use crate::check::TableFaults;
use crate::column::{Limb, Role};
use crate::op_record;
use crate::poly::{constant, is_bit, not, sum};
use crate::table::{Table, TableBuilder};
use crate::values;

op_record! {
    /// Values of the fields of [`StoreOp`].
    StoreOp as StoreFields {
        base: u64,
        timestamp: u64,
        value: u64,
        flags: u8[0x1c],
    }
}

/// How the table is made and fed.
pub const TABLE: MachineTable =
    MachineTable::new(table, |run, records| push_all(records, &run.records.store));

/// The table.
///
/// # Errors
/// Never: tests make it.
pub fn table() -> Result<Table, TableFaults> {
    let mut t = TableBuilder::new("store");
    let base = t.words("base");
    let timestamp = t.words("timestamp");
    let [w2, w4, w8] = ["w2", "w4", "w8"].map(|name| t.flag(name));
    let value = t.limbs::<8>("value", Limb::Byte);
    let mu = t.column("mu", Limb::Bit, Role::Multiplicity);

    t.rows::<StoreOp>(|row, op| {
        row.step("address and time");
        row.put_long(base, op.base);
        row.put_long(timestamp, op.timestamp);
        row.step("width");
        let widths = [2, 3, 4].map(|i| row.bit(op.flags, i));
        row.put_all([w2, w4, w8], widths);
        row.step("value");
        let bytes = row.bytes(op.value);
        row.put_all(value, bytes);
        row.step("multiplicity");
        let one = row.constant(1);
        row.put(mu, one);
    });

    let wide = sum([w2, w4, w8]);
    t.zero("mu is a bit", is_bit(mu));
    t.zero("at most one width", is_bit(&wide));
    t.zero("a width is of a store", wide * not(mu));

    let (cells, time) = (value.map(Into::into), timestamp.map(Into::into));
    let widths = [w2, w4, w8].map(Into::into);
    t.send(MEMW_WRITE, mu, memw_write(constant(0), base.map(Into::into), cells, time, widths));
    for byte in value {
        t.look_up(ByteOp::RangeCheck, mu, values![byte, 0]);
    }
    let flags = w2 * constant(4) + w4 * constant(8) + w8 * constant(16) + constant(1);
    let [low, high] = words_of_bytes(value);
    t.receive(
        MEMORY_OP,
        mu,
        values![timestamp[0], timestamp[1], base[0], base[1], low, high, flags, 0, 0,],
    );
    t.finish()
}
