//! MEMW_R: accesses of registers that were accessed lately, in short form.

use traceloom_air::bytes::ByteOp;
use traceloom_riscv::records::RegisterOp;

use super::buses::{MEMORY_TOKEN, MEMW_READ, MEMW_WRITE, first_cells, memw_read, register_write};
use super::machine::{MachineTable, push_all};
use crate::check::TableFaults;
use crate::column::{Limb, Role};
use crate::op_record;
use crate::poly::{Poly, constant, is_bit};
use crate::table::{Table, TableBuilder};
use crate::values;

op_record! {
    /// Values of the fields of [`RegisterOp`].
    RegisterOp as RegisterFields {
        timestamp: u64,
        value: u64,
        old_value: u64,
        old_timestamp_low: u32,
        register: u8,
        is_write: u8[1],
    }
}

/// How the table is made and fed.
pub const TABLE: MachineTable =
    MachineTable::new(table, |run, records| push_all(records, &run.records.register));

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
        let is_write = row.bit(op.is_write, 0);
        let is_read = row.not(is_write);
        let old = row.select_long(is_read, op.value, op.old_value);
        row.put_long(value, op.value);
        row.put_long(old_value, old);
        row.put(old_timestamp, op.old_timestamp_low);
        row.step("multiplicities");
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
    t.receive(MEMW_READ, mu_read, memw_read(first_cells(old_value), write.clone()));
    t.receive(MEMW_WRITE, mu_write, write);
    t.finish()
}
