//! EQ: whether two values are equal, or differ.

use traceloom_abi::ops::OpRecords;
use traceloom_riscv::records::EqOp;

use super::buses::{ALU, ALU_EQ, ALU_SECOND};
use super::machine::{MachineTable, Run};
use crate::check::TableFaults;
use crate::column::{Limb, Role};
use crate::op_record;
use crate::poly::{constant, not};
use crate::record::{Counted, CountedFields, OpRecord, merged};
use crate::table::{Table, TableBuilder};
use crate::values;

op_record! {
    /// Values of the fields of [`EqOp`].
    EqOp as EqFields {
        lhs: u64,
        rhs: u64,
        flags: u8[0x40],
    }
}

/// How the table is made and fed.
pub const TABLE: MachineTable = MachineTable::new(table, feed);

fn feed(run: &Run<'_>, records: &mut OpRecords) {
    for op in merged(run.records.eq.iter().copied(), u32::MAX) {
        records.push(|words| op.put(words));
    }
}

/// The table.
///
/// # Errors
/// Never: tests make it.
pub fn table() -> Result<Table, TableFaults> {
    let mut t = TableBuilder::new("eq");
    let lhs = t.words("lhs");
    let rhs = t.words("rhs");
    let differs = t.flag("differs");
    let inverses = t.limbs::<2>("inverse", Limb::Field);
    let invert = t.flag("invert");
    let mu = t.column("mu", Limb::Word, Role::Multiplicity);

    t.rows::<Counted<EqOp>>(|row, CountedFields { op, count }| {
        row.step("operands");
        row.put_long(lhs, op.lhs);
        row.put_long(rhs, op.rhs);
        row.step("the inverse of one difference, if there is one");
        let [low, high] = [(op.lhs.low, op.rhs.low), (op.lhs.high, op.rhs.high)];
        let same = row.equal(low.0, low.1);
        let same_high = row.equal(high.0, high.1);
        let equal = row.all(&[same, same_high]);
        let different = row.not(equal);
        row.put(differs, different);
        let first = row.inverse_of_difference(low.0, low.1);
        // Both inverses are needed only one at a time.
        let other = row.select(same, high.0, high.1);
        let second = row.inverse_of_difference(other, high.1);
        row.put_all(inverses, [first, second]);
        row.step("result");
        let inverts = row.bit(op.flags, 6);
        row.put(invert, inverts);
        row.put(mu, count);
    });

    let difference = [0, 1].map(|i| lhs[i] - rhs[i]);
    for (i, difference) in difference.iter().enumerate() {
        t.zero(&format!("word {i} of equal values"), not(differs) * difference);
    }
    let [d0, d1] = difference;
    let shown = d0 * inverses[0] + d1 * inverses[1];
    t.zero("a word of different values", shown - differs);
    let out = not(differs) + invert * (differs * constant(2) - constant(1));
    let flags = invert * constant(ALU_SECOND) + constant(ALU_EQ);
    t.receive(ALU, mu, values![lhs[0], lhs[1], rhs[0], rhs[1], flags, out, 0]);
    t.finish()
}
