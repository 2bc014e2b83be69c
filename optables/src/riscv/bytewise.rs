//! BYTEWISE: and, or, exclusive or, byte by byte. Or is `a + b - (a and b)`, exclusive or is
//! `a + b - 2·(a and b)`, so one lookup per byte gives all three.

use traceloom_abi::ops::OpRecords;
use traceloom_air::bytes::ByteOp;
use traceloom_riscv::records::BytewiseOp;

use super::buses::{ALU, words_of_bytes};
use super::machine::{MachineTable, Run};
use crate::check::TableFaults;
use crate::column::{Limb, Role};
use crate::op_record;
use crate::poly::{Poly, constant};
use crate::record::{Counted, CountedFields, OpRecord, merged};
use crate::table::{Table, TableBuilder};
use crate::values;

op_record! {
    /// Values of the fields of [`BytewiseOp`].
    BytewiseOp as BytewiseFields {
        lhs: u64,
        rhs: u64,
        flags: u8[3],
    }
}

/// How the table is made and fed.
pub const TABLE: MachineTable = MachineTable::new(table, feed);

fn feed(run: &Run<'_>, records: &mut OpRecords) {
    for op in merged(run.records.bytewise.iter().copied(), u32::MAX) {
        records.push(|words| op.put(words));
    }
}

/// The table.
///
/// # Errors
/// Never: tests make it.
pub fn table() -> Result<Table, TableFaults> {
    let mut t = TableBuilder::new("bytewise");
    let lhs = t.limbs::<8>("lhs", Limb::Byte);
    let rhs = t.limbs::<8>("rhs", Limb::Byte);
    let and = t.limbs::<8>("and", Limb::Byte);
    let is_or = t.flag("is_or");
    let is_xor = t.flag("is_xor");
    let mu = t.column("mu", Limb::Word, Role::Multiplicity);

    t.rows::<Counted<BytewiseOp>>(|row, CountedFields { op, count }| {
        row.step("operands");
        let (a, b) = (row.bytes(op.lhs), row.bytes(op.rhs));
        row.put_all(lhs, a);
        row.put_all(rhs, b);
        row.step("bits that both have");
        for (column, (a, b)) in and.into_iter().zip(a.into_iter().zip(b)) {
            let both = row.and_bytes(a, b);
            row.put(column, both);
        }
        row.step("operation");
        let kinds = [0, 1].map(|i| row.bit(op.flags, i));
        row.put_all([is_or, is_xor], kinds);
        row.put(mu, count);
    });

    t.zero("one operation", is_or * is_xor);
    for i in 0..8 {
        t.look_up(ByteOp::And, constant(1), values![lhs[i], rhs[i], and[i]]);
    }
    let [a, b, both] = [lhs, rhs, and].map(words_of_bytes);
    let out = |i: usize| -> Poly {
        let less = constant(1) - is_or * constant(2) - is_xor * constant(3);
        &both[i] * less + (is_or + is_xor) * (&a[i] + &b[i])
    };
    let flags = is_or + is_xor * constant(2);
    t.receive(ALU, mu, values![&a[0], &a[1], &b[0], &b[1], flags, out(0), out(1)]);
    t.finish()
}
