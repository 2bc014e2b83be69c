//! MEMW: any access of memory. Each of its bytes has an old time of its own, and addresses may
//! carry into their high word.

use traceloom_abi::ops::OpRecords;
use traceloom_riscv::records::GeneralOp;

use super::buses::{ALU, ALU_LT, MEMORY_TOKEN, MEMW_READ, MEMW_WRITE, memw_read, memw_write};
use super::machine::{MachineTable, Run};
use crate::check::TableFaults;
use crate::column::{Column, Limb, Role};
use crate::op_record;
use crate::poly::{Poly, constant, is_bit, not, sum};
use crate::record::OpRecord;
use crate::row::Row;
use crate::table::{Table, TableBuilder};
use crate::values;

op_record! {
    /// An access of memory: [`GeneralOp`], its old times by name.
    pub struct MemwOp as MemwFields {
        /// The address of the first byte. Addresses wrap around at 2^64.
        base: u64,
        /// When.
        timestamp: u64,
        /// As in the record of MEMW_A.
        value: u64,
        /// As in the record of MEMW_A.
        old_value: u64,
        /// When byte 0 was accessed before.
        old_timestamp_0: u64,
        /// When byte 1 was accessed before; 0 beyond the width, as for those that follow.
        old_timestamp_1: u64,
        /// Byte 2.
        old_timestamp_2: u64,
        /// Byte 3.
        old_timestamp_3: u64,
        /// Byte 4.
        old_timestamp_4: u64,
        /// Byte 5.
        old_timestamp_5: u64,
        /// Byte 6.
        old_timestamp_6: u64,
        /// Byte 7.
        old_timestamp_7: u64,
        /// Bit 0: write; bits 2, 3, 4: exactly 2, 4, 8 bytes, else 1.
        flags: u8[0x1d],
    }
}

impl From<&GeneralOp> for MemwOp {
    fn from(op: &GeneralOp) -> Self {
        let [t0, t1, t2, t3, t4, t5, t6, t7] = op.old_timestamps;
        Self {
            base: op.base,
            timestamp: op.timestamp,
            value: op.value,
            old_value: op.old_value,
            old_timestamp_0: t0,
            old_timestamp_1: t1,
            old_timestamp_2: t2,
            old_timestamp_3: t3,
            old_timestamp_4: t4,
            old_timestamp_5: t5,
            old_timestamp_6: t6,
            old_timestamp_7: t7,
            flags: op.flags,
        }
    }
}

/// How the table is made and fed.
pub const TABLE: MachineTable = MachineTable::new(table, feed);

fn feed(run: &Run<'_>, records: &mut OpRecords) {
    for op in &run.records.general {
        records.push(|words| MemwOp::from(op).put(words));
    }
}

/// The columns.
struct Columns {
    base: [Column; 2],
    /// Whether the address of byte i + 1 carries into the high word.
    carries: [Column; 7],
    /// Whether that carry leaves the high word.
    wraps: Column,
    value: [Column; 8],
    timestamp: [Column; 2],
    /// Exactly 2, 4, 8 bytes.
    widths: [Column; 3],
    old: [Column; 8],
    old_timestamps: [[Column; 2]; 8],
    mu_read: Column,
    mu_write: Column,
}

/// The table.
///
/// # Errors
/// Never: tests make it.
pub fn table() -> Result<Table, TableFaults> {
    let mut t = TableBuilder::new("memw");
    let c = Columns {
        base: t.words("base"),
        carries: [1, 2, 3, 4, 5, 6, 7].map(|i| t.flag(&format!("carry[{i}]"))),
        wraps: t.flag("wraps"),
        value: t.limbs("value", Limb::Byte),
        timestamp: t.words("timestamp"),
        widths: ["w2", "w4", "w8"].map(|name| t.flag(name)),
        old: t.limbs("old", Limb::Byte),
        old_timestamps: [0, 1, 2, 3, 4, 5, 6, 7].map(|i| t.words(&format!("old_timestamp_{i}"))),
        mu_read: t.column("mu_read", Limb::Bit, Role::Multiplicity),
        mu_write: t.column("mu_write", Limb::Bit, Role::Multiplicity),
    };
    t.rows::<MemwOp>(|row, op| rows(&c, row, op));
    messages(&c, &mut t);
    t.finish()
}

fn rows(c: &Columns, row: &mut Row, op: MemwFields) {
    row.step("addresses");
    row.put_long(c.base, op.base);
    let mut carry = row.constant(0);
    for (i, column) in (1..).zip(c.carries) {
        let sum = row.add_constant(op.base.low, i);
        carry = row.high32(sum);
        row.put(column, carry);
    }
    let top = row.is(op.base.high, 0xffff_ffff);
    let wraps = row.all(&[top, carry]);
    row.put(c.wraps, wraps);
    row.step("times and width");
    row.put_long(c.timestamp, op.timestamp);
    let olds = [
        op.old_timestamp_0,
        op.old_timestamp_1,
        op.old_timestamp_2,
        op.old_timestamp_3,
        op.old_timestamp_4,
        op.old_timestamp_5,
        op.old_timestamp_6,
        op.old_timestamp_7,
    ];
    for (columns, old) in c.old_timestamps.into_iter().zip(olds) {
        row.put_long(columns, old);
    }
    let [is_write, w2, w4, w8] = [0, 2, 3, 4].map(|i| row.bit(op.flags, i));
    row.put_all(c.widths, [w2, w4, w8]);
    row.step("bytes");
    let before = row.select_long(is_write, op.old_value, op.value);
    for (columns, long) in [(c.value, op.value), (c.old, before)] {
        let bytes = row.bytes(long);
        row.put_all(columns, bytes);
    }
    row.step("multiplicities");
    let is_read = row.not(is_write);
    row.put_all([c.mu_read, c.mu_write], [is_read, is_write]);
}

fn messages(c: &Columns, t: &mut TableBuilder) {
    let [_, w4, w8] = c.widths;
    let mu = c.mu_read + c.mu_write;
    let wide = sum(c.widths);
    t.zero("mu_read is a bit", is_bit(c.mu_read));
    t.zero("mu_write is a bit", is_bit(c.mu_write));
    t.zero("an access is a read or a write", is_bit(&mu));
    t.zero("at most one width", is_bit(&wide));
    t.zero("a width is of an access", &wide * not(&mu));

    let now = c.timestamp;
    let counts: [Poly; 4] = [mu, wide, w4 + w8, w8.into()];
    for (i, count) in [0, 1, 2, 2, 3, 3, 3, 3].into_iter().enumerate() {
        let (count, before) = (&counts[count], c.old_timestamps[i]);
        let carry = if i == 0 { constant(0) } else { c.carries[i - 1].into() };
        // Nobody has a cell at an address whose words are none, so carries can only be right.
        let low = c.base[0] + constant(i as u64) - &carry * constant(1 << 32);
        let high = c.base[1] + &carry - carry * c.wraps * constant(1 << 32);
        let token =
            |time: [Column; 2], byte: Column| values![0, &low, &high, time[0], time[1], byte];
        t.send(ALU, count, values![before[0], before[1], now[0], now[1], ALU_LT, 1, 0]);
        t.send(MEMORY_TOKEN, count, token(before, c.old[i]));
        t.receive(MEMORY_TOKEN, count, token(now, c.value[i]));
    }
    let [base, time] = [c.base, now].map(|words| words.map(Poly::from));
    let value = c.value.map(Poly::from);
    let write = memw_write(constant(0), base, value, time, c.widths.map(Poly::from));
    t.receive(MEMW_READ, c.mu_read, memw_read(c.old.map(Poly::from), write.clone()));
    t.receive(MEMW_WRITE, c.mu_write, write);
}
