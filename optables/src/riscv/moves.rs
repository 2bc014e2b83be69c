//! What INPUT and COMMIT have in common: an environment call moves bytes one by one. Each row takes
//! a message of the bus MOVE and sends the next one, unless its byte is the last one of the call.

use traceloom_riscv::records::IoOp;

use super::buses::MOVE;
use crate::column::{Column, Limb, Role};
use crate::op_record;
use crate::poly::{Poly, constant, is_bit, not};
use crate::row::Row;
use crate::table::TableBuilder;
use crate::values;

op_record! {
    /// A byte that an environment call moves.
    pub struct MoveOp as MoveFields {
        /// Time of the call.
        timestamp: u32,
        /// Address of the byte.
        address: u64,
        /// Of input how many bytes are left, of output how many were written before.
        counter: u32,
        /// How many bytes of the call are left, this one included.
        remaining: u32,
        /// The byte.
        value: u8,
    }
}

impl MoveOp {
    /// From the record of an execution, and the counter.
    #[must_use]
    pub fn new(op: &IoOp, counter: u64) -> Self {
        Self {
            timestamp: op.timestamp as u32,
            address: op.address,
            counter: counter as u32,
            remaining: op.remaining as u32,
            value: op.value,
        }
    }
}

/// The columns.
pub(super) struct Columns {
    pub timestamp: Column,
    pub address: [Column; 2],
    /// Whether the next address has another high word.
    carry: Column,
    pub counter: Column,
    remaining: Column,
    last: Column,
    pub value: Column,
    pub mu: Column,
}

impl Columns {
    pub(super) fn new(t: &mut TableBuilder) -> Self {
        Self {
            timestamp: t.limb("timestamp", Limb::Word),
            address: t.words("address"),
            carry: t.flag("carry"),
            counter: t.limb("counter", Limb::Word),
            remaining: t.limb("remaining", Limb::Word),
            last: t.flag("last"),
            value: t.limb("value", Limb::Byte),
            mu: t.column("mu", Limb::Bit, Role::Multiplicity),
        }
    }

    /// Writes all cells but `mu`.
    pub(super) fn rows(&self, row: &mut Row, op: &MoveFields) {
        row.step("time and address");
        row.put(self.timestamp, op.timestamp);
        row.put_long(self.address, op.address);
        let carry = row.is(op.address.low, 0xffff_ffff);
        row.put(self.carry, carry);
        row.step("place in input or output, and in the call");
        row.put_all([self.counter, self.remaining], [op.counter, op.remaining]);
        let last = row.is(op.remaining, 1);
        row.put(self.last, last);
        row.put(self.value, op.value);
    }

    /// Takes a byte of a call and passes on the rest.
    pub(super) fn pass_on(&self, t: &mut TableBuilder, is_output: u64, next_counter: Poly) {
        let (mu, last, time) = (self.mu, self.last, self.timestamp);
        t.zero("mu is a bit", is_bit(mu));
        t.zero("the last byte is one", last * not(mu));
        t.zero("one byte is left at the last one", last * (self.remaining - constant(1)));
        t.zero("carry of the address", self.carry * (self.address[0] - constant(0xffff_ffff)));
        let [low, high] = self.address;
        t.receive(MOVE, mu, values![is_output, time, low, high, self.counter, self.remaining]);
        let low = low + constant(1) - self.carry * constant(1 << 32);
        let remaining = self.remaining - constant(1);
        let next = values![is_output, time, low, high + self.carry, next_counter, remaining];
        t.send(MOVE, mu - last, next);
    }
}
