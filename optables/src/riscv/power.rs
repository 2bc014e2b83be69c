//! POWER: the powers of two up to 2^31, as fixed columns that all programs have.

use traceloom_abi::ops::OpRecords;
use traceloom_riscv::Program;
use traceloom_riscv::records::ShiftOp;

use super::buses::POWER;
use super::machine::{FixedRows, MachineTable, Run};
use crate::check::TableFaults;
use crate::column::{Limb, Role};
use crate::op_record;
use crate::record::OpRecord;
use crate::table::{Table, TableBuilder};
use crate::values;

op_record! {
    /// How often a power is asked for.
    pub struct PowerOp as PowerFields {
        /// How often.
        count: u32,
    }
}

/// How the table is made and fed.
pub const TABLE: MachineTable = MachineTable::new(table, feed).with_fixed(fixed);

fn fixed(_: &Program) -> FixedRows {
    (0..32).map(|exponent| vec![exponent, 1 << exponent]).collect()
}

/// The exponent that a shift asks for: within halves to the left, or 16 for whole halves to the
/// right.
fn exponent(op: &ShiftOp) -> usize {
    let amount = (op.rhs % 16) as usize;
    if op.flags & 64 == 0 { amount } else { 16 - amount }
}

fn feed(run: &Run<'_>, records: &mut OpRecords) {
    let mut counts = [0; 32];
    run.records.shift.iter().for_each(|op| counts[exponent(op)] += 1);
    for count in counts {
        records.push(|words| PowerOp { count }.put(words));
    }
}

/// The table.
///
/// # Errors
/// Never: tests make it.
pub fn table() -> Result<Table, TableFaults> {
    let mut t = TableBuilder::new("power");
    let [exponent, power] = ["exponent", "power"].map(|name| t.fixed(name));
    let count = t.column("count", Limb::Word, Role::Multiplicity);
    t.rows::<PowerOp>(|row, op| {
        row.step("count");
        row.put(count, op.count);
    });
    t.receive(POWER, count, values![exponent, power]);
    t.finish()
}
