//! HALT: the end. It takes the pc behind the last instruction and puts it where padding stays; no
//! instruction leads there.

use traceloom_riscv::records::HaltOp;

use super::buses::{HALT, MEMORY_TOKEN};
use super::cpu::{PADDING_PC, PC};
use super::machine::{MachineTable, push_all};
use crate::check::TableFaults;
use crate::column::{Limb, Role};
use crate::op_record;
use crate::poly::{constant, is_bit};
use crate::table::{Table, TableBuilder};
use crate::values;

op_record! {
    /// Values of the fields of [`HaltOp`]. The exit code is zero.
    HaltOp as HaltFields {
        timestamp: u64[0xffff_ffff],
        next_pc: u64,
        exit_code: u64[0],
    }
}

/// How the table is made and fed.
pub const TABLE: MachineTable =
    MachineTable::new(table, |run, records| push_all(records, &run.records.halt));

/// The table.
///
/// # Errors
/// Never: tests make it.
pub fn table() -> Result<Table, TableFaults> {
    let mut t = TableBuilder::new("halt");
    let timestamp = t.limb("timestamp", Limb::Word);
    let next_pc = t.words("next_pc");
    let mu = t.column("mu", Limb::Bit, Role::Multiplicity);
    t.rows::<HaltOp>(|row, op| {
        row.step("time and pc");
        row.put(timestamp, op.timestamp.low);
        row.put_long(next_pc, op.next_pc);
        let one = row.constant(1);
        row.put(mu, one);
    });
    t.zero("mu is a bit", is_bit(mu));
    t.receive(HALT, mu, values![timestamp]);
    let now = timestamp + constant(1);
    for (cell, end) in [PADDING_PC, 0].into_iter().enumerate() {
        let address = 2 * PC + cell as u64;
        t.send(MEMORY_TOKEN, mu, values![1, address, 0, &now, 0, next_pc[cell]]);
        t.receive(MEMORY_TOKEN, mu, values![1, address, 0, &now, 0, end]);
    }
    t.finish()
}
