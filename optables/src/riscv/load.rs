//! LOAD: makes a memory read of a load and proves the extension of its result.

use traceloom_air::bytes::ByteOp;
use traceloom_riscv::records::LoadOp;

use super::buses::{MEMORY_OP, MEMW_READ, memw_read, memw_write, words_of_bytes};
use super::machine::{MachineTable, push_all};
use crate::check::TableFaults;
use crate::column::{Limb, Role};
use crate::op_record;
use crate::poly::{constant, is_bit, not, sum};
use crate::table::{Table, TableBuilder};
use crate::values;

op_record! {
    /// Values of the fields of [`LoadOp`].
    LoadOp as LoadFields {
        base: u64,
        timestamp: u64,
        result: u64,
        flags: u8[0x1e],
    }
}

/// How the table is made and fed.
pub const TABLE: MachineTable =
    MachineTable::new(table, |run, records| push_all(records, &run.records.load));

/// The table.
///
/// # Errors
/// Never: tests make it.
pub fn table() -> Result<Table, TableFaults> {
    let mut t = TableBuilder::new("load");
    let base = t.words("base");
    let timestamp = t.words("timestamp");
    let [r2, r4, r8, signed] = ["r2", "r4", "r8", "signed"].map(|name| t.flag(name));
    let result = t.limbs::<8>("result", Limb::Byte);
    let sign = t.limb("sign", Limb::Bit);
    let mu = t.column("mu", Limb::Bit, Role::Multiplicity);

    t.rows::<LoadOp>(|row, op| {
        row.step("address and time");
        row.put_long(base, op.base);
        row.put_long(timestamp, op.timestamp);
        row.step("width");
        let [is_signed, w2, w4, w8] = [1, 2, 3, 4].map(|i| row.bit(op.flags, i));
        row.put_all([r2, r4, r8], [w2, w4, w8]);
        let narrow = row.not(w8);
        let extends = row.all(&[is_signed, narrow]);
        row.put(signed, extends);
        row.step("result");
        let bytes = row.bytes(op.result);
        row.put_all(result, bytes);
        row.step("top bit of the highest byte that was read");
        let mut top = bytes[0];
        for (width, byte) in [(w2, 1), (w4, 3), (w8, 7)] {
            top = row.select(width, bytes[byte], top);
        }
        let top_bit = row.bit(top, 7);
        row.put(sign, top_bit);
        row.step("multiplicity");
        let one = row.constant(1);
        row.put(mu, one);
    });

    let wide = sum([r2, r4, r8]);
    t.zero("at most one width", is_bit(&wide));
    t.zero("a width is of a load", &wide * not(mu));
    // Bytes that were not read are 255 if a sign is extended and set, else 0.
    let filled = signed * (sign * constant(255));
    for (i, read) in [(1, wide), (2, r4 + r8), (3, r4 + r8)] {
        t.zero(&format!("byte {i} is extension"), not(read) * (result[i] - &filled));
    }
    for (i, byte) in result.iter().enumerate().skip(4) {
        t.zero(&format!("byte {i} is extension"), not(r8) * (*byte - &filled));
    }

    let cells = result.map(Into::into);
    let widths = [r2, r4, r8].map(Into::into);
    let write = memw_write(
        constant(0),
        base.map(Into::into),
        cells.clone(),
        timestamp.map(Into::into),
        widths,
    );
    t.send(MEMW_READ, mu, memw_read(cells, write));
    // A byte is above 127 exactly if its top bit is set.
    for (count, byte) in
        [(mu - r2 - r4 - r8, result[0]), (r2.into(), result[1]), (r4.into(), result[3])]
    {
        t.look_up(ByteOp::LessThan, count, values![127, byte, sign]);
    }
    let flags = signed * constant(2) + r2 * constant(4) + r4 * constant(8) + r8 * constant(16);
    let [low, high] = words_of_bytes(result);
    t.receive(
        MEMORY_OP,
        mu,
        values![timestamp[0], timestamp[1], base[0], base[1], 0, 0, flags, low, high,],
    );
    t.finish()
}
