//! LT: less-than of 64 bits, signed or not, inverted or not.

use traceloom_abi::ops::OpRecords;
use traceloom_air::bytes::ByteOp;
use traceloom_riscv::records::LtOp;

use super::buses::{ALU, ALU_LT, ALU_SECOND, ALU_SIGNED, carry, words_of_halves};
use super::machine::{MachineTable, Run};
use super::{dvrm, ecall};
use crate::check::TableFaults;
use crate::column::{Column, Limb, Role};
use crate::op_record;
use crate::poly::{Poly, constant, is_bit, join};
use crate::record::{Counted, CountedFields, OpRecord, merged};
use crate::table::{Table, TableBuilder};
use crate::values;

op_record! {
    /// Values of the fields of [`LtOp`].
    LtOp as LtFields {
        lhs: u64,
        rhs: u64,
        flags: u8[0x60],
    }
}

/// How the table is made and fed.
pub const TABLE: MachineTable = MachineTable::new(table, feed);

/// One record per comparison that is asked for, by whatever table, and per 255 equal ones.
fn feed(run: &Run<'_>, records: &mut OpRecords) {
    let divisions = run.records.div_rem.iter().filter_map(dvrm::comparison);
    let calls = run.records.ecall.iter().filter_map(ecall::comparison);
    let all = run.records.lt.iter().copied().chain(divisions).chain(calls);
    for Counted { op, count } in merged(all, u8::MAX.into()) {
        let count = count as u8;
        records.push(|words| Counted { op, count }.put(words));
    }
}

/// The table.
///
/// # Errors
/// Never: tests make it.
pub fn table() -> Result<Table, TableFaults> {
    let mut t = TableBuilder::new("lt");
    let operand = |t: &mut TableBuilder, name: &str| {
        let low = t.limb(&format!("{name}_low"), Limb::Word);
        (low, t.limbs::<2>(name, Limb::Half))
    };
    let lhs = operand(&mut t, "lhs");
    let rhs = operand(&mut t, "rhs");
    let signed = t.flag("signed");
    let lt = t.limb("lt", Limb::Bit);
    let difference = t.limbs::<4>("difference", Limb::Half);
    let lhs_top = t.limb("lhs_top", Limb::Bit);
    let rhs_top = t.limb("rhs_top", Limb::Bit);
    let invert = t.flag("invert");
    let out = t.limb("out", Limb::Bit);
    let mu = t.column("mu", Limb::Byte, Role::Multiplicity);

    t.rows::<Counted<LtOp, u8>>(|row, CountedFields { op, count }| {
        row.step("operands");
        for ((low, high), long) in [(lhs, op.lhs), (rhs, op.rhs)] {
            row.put(low, long.low);
            let halves = [0, 1].map(|i| row.half(long.high, i));
            row.put_all(high, halves);
        }
        row.step("difference");
        let wrapped = row.sub_long(op.lhs, op.rhs);
        let halves = row.halves(wrapped);
        row.put_all(difference, halves);
        row.step("comparison");
        let [is_signed, inverts] = [5, 6].map(|i| row.bit(op.flags, i));
        let [a, b] = [op.lhs, op.rhs].map(|long| row.bit(long.high, 31));
        let below = row.less_long(op.lhs, op.rhs);
        // Operands with different signs are ordered the other way round.
        let differ = row.xor(a, b);
        let turns = row.all(&[is_signed, differ]);
        let less = row.xor(below, turns);
        row.put_all([signed, lt, lhs_top, rhs_top], [is_signed, less, a, b]);
        let result = row.xor(less, inverts);
        row.put_all([invert, out], [inverts, result]);
        row.put(mu, count);
    });

    let words = |(low, high): (Column, [Column; 2])| [Poly::from(low), join(16, &high)];
    let ([l0, l1], [r0, r1]) = (words(lhs), words(rhs));
    let [d0, d1] = words_of_halves(difference);
    let low = carry(&r0 + d0 - &l0);
    let wraps = carry(&r1 + d1 + &low - &l1);
    t.zero("carry of the low word", is_bit(low));
    t.zero("carry of the high word", is_bit(&wraps));
    let (a, b) = (lhs_top, rhs_top);
    t.zero("lhs_top is a bit", is_bit(a));
    t.zero("rhs_top is a bit", is_bit(b));
    // Operands with different signs are ordered the other way round.
    t.zero("lt is the last carry, turned by signs", wraps + signed * (a - b) - lt);
    t.zero("out is lt, inverted if asked for", lt + invert - lt * constant(2) * invert - out);

    for (top, bit) in [(lhs.1[1], a), (rhs.1[1], b)] {
        t.look_up(ByteOp::RangeCheck16, mu, values![top]);
        t.look_up(ByteOp::RangeCheck16, mu, vec![top * constant(2) - bit * constant(1 << 16)]);
    }
    for half in difference.into_iter().chain([lhs.1[0], rhs.1[0]]) {
        t.look_up(ByteOp::RangeCheck16, mu, values![half]);
    }
    t.look_up(ByteOp::RangeCheck, mu, values![mu, 0]);
    let flags = signed * constant(ALU_SIGNED) + invert * constant(ALU_SECOND) + constant(ALU_LT);
    t.receive(ALU, mu, values![l0, l1, r0, r1, flags, out, 0]);
    t.finish()
}
