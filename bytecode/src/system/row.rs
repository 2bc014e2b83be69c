//! What an operation says about a row: its columns, constraints and messages.

use std::collections::BTreeSet;

use traceloom_air::bytes::ByteOp;
use traceloom_air::field::{element, inverse_or_zero};
use traceloom_air::system::{Arena, ExprId};

use super::Group;
use crate::layout::OpPlace;
use crate::model::ValueId;

/// One operation at its place in a circuit.
pub(crate) struct OpRow<'a, 'v> {
    pub(super) group: &'a mut Group,
    /// The byte operations that the program's circuits look up.
    pub(super) byte_ops: &'a mut BTreeSet<ByteOp>,
    pub(super) values: &'v [ExprId],
    /// Selector of the block.
    pub(super) gate: ExprId,
    /// Its columns and slots.
    pub place: OpPlace,
    pub(super) label: String,
}

impl OpRow<'_, '_> {
    /// A value in scope.
    pub fn value(&self, value: ValueId) -> ExprId {
        self.values[value.index()]
    }

    /// Values in scope.
    pub fn values(&self, values: &[ValueId]) -> Vec<ExprId> {
        values.iter().map(|&value| self.value(value)).collect()
    }

    /// The rank of the row itself.
    pub fn own_rank(&mut self) -> ExprId {
        self.group.auxiliary(1)
    }

    /// The expressions of the circuit.
    pub fn arena(&mut self) -> &mut Arena {
        &mut self.group.arena
    }

    /// `count` auxiliaries of this operation from its `first` on.
    pub fn columns(&mut self, first: usize, count: usize) -> Vec<ExprId> {
        let first = self.place.first_auxiliary + first;
        (0..count).map(|i| self.group.auxiliary(first + i)).collect()
    }

    /// `expr = 0` wherever the block is on.
    pub fn require(&mut self, expr: ExprId, what: &str) {
        let label = || format!("{}: {what}", self.label);
        self.group.require_gated(self.gate, expr, label);
    }

    /// Sends a message in the `slot`-th lookup slot of this operation.
    pub fn send(&mut self, slot: usize, message: &[ExprId]) {
        let slot = self.place.first_lookup + slot;
        self.group.send(slot, self.gate, message.to_vec(), self.label.clone());
    }

    /// Looks a byte operation up in its table.
    pub fn byte_op(&mut self, slot: usize, op: ByteOp, operands: &[ExprId], results: &[ExprId]) {
        self.byte_ops.insert(op);
        let channel = self.arena().word(op.channel());
        self.send(slot, &[&[channel], operands, results].concat());
    }

    /// Proves values to be limbs of 16 bits, in slots of their own from `slot` on.
    pub fn limbs(&mut self, slot: usize, limbs: &[ExprId]) {
        for (position, &limb) in limbs.iter().enumerate() {
            self.byte_op(slot + position, ByteOp::RangeCheck16, &[limb], &[]);
        }
    }

    /// `expr / power`, a constant power of two.
    pub fn divide(&mut self, expr: ExprId, power: u64) -> ExprId {
        let inverse = self.arena().constant(inverse_or_zero(element(power)));
        self.arena().mul(expr, inverse)
    }

    /// Little-endian packing of bytes.
    pub fn pack(&mut self, bytes: &[ExprId]) -> ExprId {
        self.packed(bytes, 8)
    }

    /// Little-endian packing of limbs of 16 bits.
    pub fn pack_limbs(&mut self, limbs: &[ExprId]) -> ExprId {
        self.packed(limbs, 16)
    }

    fn packed(&mut self, digits: &[ExprId], bits: usize) -> ExprId {
        let mut sum = self.arena().word(0);
        for (position, &digit) in digits.iter().enumerate() {
            let weight = self.arena().word(1 << (bits * position));
            let term = self.arena().mul(digit, weight);
            sum = self.arena().add(sum, term);
        }
        sum
    }
}
