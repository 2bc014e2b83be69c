//! BRANCH: where jumps, and branches that are taken, go. A jump to a register clears bit 0.

use traceloom_abi::ops::OpRecords;
use traceloom_air::bytes::ByteOp;
use traceloom_riscv::records::BranchOp;

use super::buses::BRANCH;
use super::machine::{MachineTable, Run};
use crate::check::TableFaults;
use crate::column::{Column, Limb, Role};
use crate::op_record;
use crate::poly::{Poly, constant, join, not};
use crate::record::{Counted, CountedFields, OpRecord, merged};
use crate::row::Row;
use crate::table::{Table, TableBuilder};
use crate::values;

op_record! {
    /// Values of the fields of [`BranchOp`].
    BranchOp as BranchFields {
        next_pc: u64,
        pc: u64,
        imm: u64,
        rv1: u64,
        is_jalr: u8[1],
    }
}

/// How the table is made and fed.
pub const TABLE: MachineTable = MachineTable::new(table, feed);

fn feed(run: &Run<'_>, records: &mut OpRecords) {
    for op in merged(run.records.branch.iter().copied(), u32::MAX) {
        records.push(|words| op.put(words));
    }
}

/// The columns.
struct Columns {
    /// The lowest byte of the next pc without its lowest bit, halved.
    next_even: Column,
    next_byte: Column,
    next: [Column; 3],
    pc: [Column; 2],
    imm: [Column; 2],
    rv1: [Column; 2],
    is_jalr: Column,
    /// The bit that is cleared.
    odd: Column,
    carries: [Column; 2],
    mu: Column,
}

/// The table.
///
/// # Errors
/// Never: tests make it.
pub fn table() -> Result<Table, TableFaults> {
    let mut t = TableBuilder::new("branch");
    let c = Columns {
        next_even: t.limb("next_even", Limb::Byte),
        next_byte: t.limb("next_byte", Limb::Byte),
        next: t.limbs("next", Limb::Half),
        pc: t.words("pc"),
        imm: t.words("imm"),
        rv1: t.words("rv1"),
        is_jalr: t.flag("is_jalr"),
        odd: t.flag("odd"),
        carries: [t.flag("carry[0]"), t.flag("carry[1]")],
        mu: t.column("mu", Limb::Word, Role::Multiplicity),
    };
    t.rows::<Counted<BranchOp>>(|row, CountedFields { op, count }| {
        rows(&c, row, op);
        row.put(c.mu, count);
    });
    constraints(&c, &mut t);
    t.finish()
}

fn rows(c: &Columns, row: &mut Row, op: BranchFields) {
    row.step("target");
    let low = row.byte(op.next_pc.low, 0);
    let even = row.half_of_byte(low);
    row.put(c.next_even, even);
    let byte = row.byte(op.next_pc.low, 1);
    row.put(c.next_byte, byte);
    let [_, a, b, d] = row.halves(op.next_pc);
    row.put_all(c.next, [a, b, d]);
    row.step("base and immediate");
    row.put_long(c.pc, op.pc);
    row.put_long(c.imm, op.imm);
    row.put_long(c.rv1, op.rv1);
    let is_jalr = row.bit(op.is_jalr, 0);
    row.put(c.is_jalr, is_jalr);
    let base = row.select_long(is_jalr, op.rv1, op.pc);
    let low = row.add(base.low, op.imm.low);
    let odd = row.bit(low, 0);
    row.put(c.odd, odd);
    let carry = row.high32(low);
    let high = row.add(base.high, op.imm.high);
    let high = row.add(high, carry);
    let out = row.high32(high);
    row.put_all(c.carries, [carry, out]);
}

/// All lookups count on every row, so rows hold whatever their multiplicity is.
fn constraints(c: &Columns, t: &mut TableBuilder) {
    let low = c.next_even * constant(2) + c.next_byte * constant(1 << 8);
    let next = [low + c.next[0] * constant(1 << 16), join(16, &c.next[1..])];
    t.zero("a bit is cleared by jumps to registers only", c.odd * not(c.is_jalr));
    let before: [Poly; 2] = [constant(0) - c.odd, c.carries[0].into()];
    for (i, before) in before.into_iter().enumerate() {
        let base = c.is_jalr * c.rv1[i] + not(c.is_jalr) * c.pc[i];
        let sum = base + c.imm[i] + before - c.carries[i] * constant(1 << 32);
        t.zero(&format!("word {i} of the target"), sum - &next[i]);
    }
    let pairs = [values![c.next_even, c.next_byte], values![c.next_even * constant(2), 0]];
    for pair in pairs {
        t.look_up(ByteOp::RangeCheck, constant(1), pair);
    }
    for half in c.next {
        t.look_up(ByteOp::RangeCheck16, constant(1), values![half]);
    }
    let [n0, n1] = next;
    let ([p0, p1], [i0, i1], [r0, r1]) = (c.pc, c.imm, c.rv1);
    t.receive(BRANCH, c.mu, values![n0, n1, p0, p1, i0, i1, r0, r1, c.is_jalr]);
}
