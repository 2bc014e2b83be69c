//! MEMW_R: accesses of registers that were accessed lately, in short form.

use traceloom_air::bytes::ByteOp;

use super::buses::{
    MEMORY_TOKEN, MEMW_READ, MEMW_WRITE, memw_read, register_cells, register_write,
};
use crate::check::TableFaults;
use crate::column::{Limb, Role};
use crate::op_record;
use crate::poly::{Poly, constant, is_bit};
use crate::table::{Table, TableBuilder};
use crate::values;

op_record! {
    /// An access of a register. It is one of this table if [`accepts`] says so.
    pub struct RegisterOp as RegisterFields {
        /// Number of the register.
        register: u8,
        /// Time.
        timestamp: u64,
        /// Its value after the access.
        value: u64,
        /// Its value before the access. A read has no other than `value`.
        old_value: u64,
        /// Low word of the time of the access before. Its high word is that of `timestamp`.
        old_timestamp: u32,
        /// Bit 0: the access is a read.
        flags: u8[1],
    }
}

/// Whether this table takes an access at `timestamp` of a register that was last accessed at
/// `old_timestamp`. A record has the low word of the old time only, so every other access goes
/// elsewhere.
#[must_use]
pub const fn accepts(old_timestamp: u64, timestamp: u64) -> bool {
    let same_high = old_timestamp >> 32 == timestamp >> 32;
    same_high && old_timestamp < timestamp && timestamp - old_timestamp <= 1 << 16
}

/// The table.
///
/// # Errors
/// Never: tests make it.
pub fn table() -> Result<Table, TableFaults> {
    let mut t = TableBuilder::new("memw_r");
    let register = t.limb("register", Limb::Byte);
    let timestamp = t.words("timestamp");
    let value = t.words("value");
    let old_value = t.words("old_value");
    let old_timestamp = t.limb("old_timestamp", Limb::Word);
    let mu_read = t.column("mu_read", Limb::Bit, Role::Multiplicity);
    let mu_write = t.column("mu_write", Limb::Bit, Role::Multiplicity);

    t.rows::<RegisterOp>(|row, op| {
        row.step("register and time");
        row.put(register, op.register);
        row.put_long(timestamp, op.timestamp);
        row.step("values");
        let is_read = row.bit(op.flags, 0);
        let old = row.select_long(is_read, op.value, op.old_value);
        row.put_long(value, op.value);
        row.put_long(old_value, old);
        row.put(old_timestamp, op.old_timestamp);
        row.step("multiplicities");
        let is_write = row.not(is_read);
        row.put_all([mu_read, mu_write], [is_read, is_write]);
    });

    t.zero("mu_read is a bit", is_bit(mu_read));
    t.zero("mu_write is a bit", is_bit(mu_write));
    let mu = mu_read + mu_write;
    t.zero("an access is a read or a write", is_bit(&mu));

    let age = timestamp[0] - old_timestamp - constant(1);
    t.look_up(ByteOp::RangeCheck16, &mu, vec![age]);
    for cell in 0..2 {
        let address = register * constant(2) + constant(cell);
        let (cell, high) = (cell as usize, timestamp[1]);
        let old = values![1, &address, 0, old_timestamp, high, old_value[cell]];
        t.send(MEMORY_TOKEN, &mu, old);
        t.receive(MEMORY_TOKEN, &mu, values![1, address, 0, timestamp[0], high, value[cell]]);
    }
    let time = timestamp.map(Poly::from);
    let write = register_write(register.into(), value, time);
    t.receive(MEMW_READ, mu_read, memw_read(register_cells(old_value), write.clone()));
    t.receive(MEMW_WRITE, mu_write, write);
    t.finish()
}
