//! Operations on values: arithmetic, bytes, memory, assertions.

use traceloom_air::bytes::ByteOp;
use traceloom_air::field::{Goldilocks, element, word};

use super::error::{Fault, Words};
use super::machine::{Machine, Mode, Outcome, one_more};
use crate::model::{Op, ValueId};

/// Bytes that a pointer takes beside its values, map entry included.
const POINTER_BYTES: u64 = 16;

/// First word that is no byte.
pub(super) const BYTE_BOUND: u64 = 1 << 8;
/// First word that is no 32-bit word.
const U32_BOUND: u64 = 1 << 32;

impl Machine<'_> {
    /// Runs one operation, not a call, of the frame at `base` and appends its
    /// results.
    #[inline]
    pub(super) fn operate(&mut self, base: usize, mode: Mode, op: &Op) -> Outcome<()> {
        let value = |value: &ValueId| self.values[base + value.index()];
        let field = |value: &ValueId| element(self.values[base + value.index()]);
        match op {
            Op::Const(c) => self.values.push(word(*c)),
            Op::Add(a, b) => self.values.push(word(field(a) + field(b))),
            Op::Sub(a, b) => self.values.push(word(field(a) - field(b))),
            Op::Mul(a, b) => self.values.push(word(field(a) * field(b))),
            Op::EqZero(a) => self.values.push(u64::from(value(a) == 0)),
            Op::Unary(op, a) => {
                let byte = self.byte(base, 0, *a)?;
                self.byte_op(mode, *op, byte, 0);
            }
            Op::Binary(op, a, b) => {
                let (a, b) = (self.byte(base, 0, *a)?, self.byte(base, 1, *b)?);
                self.byte_op(mode, *op, a, b);
            }
            Op::U32ToField(bytes) => {
                let horner = |sum: Goldilocks, byte| sum * element(256) + field(byte);
                let sum = bytes.iter().rev().fold(element(0), horner);
                self.values.push(word(sum));
            }
            Op::U32LessThan(a, b) => {
                let (a, b) = (self.u32(base, 0, *a)?, self.u32(base, 1, *b)?);
                self.u32_less_than(mode, a, b);
            }
            Op::Store { values } => {
                self.gather(base, values);
                let pointer = self.store_scratch(mode)?;
                self.values.push(pointer);
            }
            Op::Load { width, pointer } => self.load(mode, *width, value(pointer))?,
            Op::AssertEq { lhs, rhs, label } => self.assert_eq(base, lhs, rhs, label.as_ref())?,
            Op::HintInverse(_)
            | Op::HintFieldToBytes(_)
            | Op::HintU32Add(_)
            | Op::HintU32Add3(_)
            | Op::HintBigUintDivRem(..) => self.hint(base, op)?,
            Op::IoGetInfo { .. }
            | Op::IoSetInfo { .. }
            | Op::IoRead { .. }
            | Op::IoWrite { .. }
            | Op::Debug { .. } => self.effect(base, mode, op)?,
            Op::Call { .. } => unreachable!("calls are made by the loop over operations"),
        }
        Ok(())
    }

    /// Operand `position`, refused if it is no byte.
    #[inline]
    pub(super) fn byte(&self, base: usize, position: usize, value: ValueId) -> Outcome<u8> {
        let word = self.values[base + value.index()];
        match u8::try_from(word) {
            Ok(byte) => Ok(byte),
            Err(_) => Err(out_of_range(position, value, word, BYTE_BOUND)),
        }
    }

    #[inline]
    fn u32(&self, base: usize, position: usize, value: ValueId) -> Outcome<u32> {
        let word = self.values[base + value.index()];
        match u32::try_from(word) {
            Ok(word) => Ok(word),
            Err(_) => Err(out_of_range(position, value, word, U32_BOUND)),
        }
    }

    #[inline]
    fn byte_op(&mut self, mode: Mode, op: ByteOp, a: u8, b: u8) {
        if mode.counts() {
            self.record.count_byte_op(op, a, b);
        }
        let results = op.results(a, b);
        self.values.extend(results[..op.num_results()].iter().map(|&byte| u64::from(byte)));
        // What the row has as an expression without a column.
        match op {
            ByteOp::Add => self.values.push(u64::from(a.checked_add(b).is_none())),
            ByteOp::Sub => self.values.push(u64::from(a < b)),
            _ => {}
        }
    }

    fn u32_less_than(&mut self, mode: Mode, a: u32, b: u32) {
        if mode.counts() {
            let c = b.wrapping_sub(a).wrapping_sub(1);
            for [x0, x1, x2, x3] in [a, c, b].map(u32::to_le_bytes) {
                self.record.count_byte_op(ByteOp::RangeCheck, x0, x1);
                self.record.count_byte_op(ByteOp::RangeCheck, x2, x3);
            }
        }
        self.values.push(u64::from(a < b));
    }

    /// The pointer to the scratch list, stored if it is new.
    pub(super) fn store_scratch(&mut self, mode: Mode) -> Outcome<u64> {
        let width = self.scratch.len();
        let index = self.memory_index(width as u32);
        let pointer = match self.record.memories[index].find(&self.scratch) {
            Some(pointer) => pointer,
            None if mode == Mode::Replay => {
                return Err(self.replay_fault("stored values that it did not store before"));
            }
            None => {
                self.meter.pointer(8 * width as u64 + POINTER_BYTES, self.stack_bytes())?;
                self.record.memories[index].store(&self.scratch)
            }
        };
        if mode.counts() {
            self.count_pointer(index, pointer);
        }
        Ok(pointer as u64)
    }

    fn load(&mut self, mode: Mode, width: u32, pointer: u64) -> Outcome<()> {
        let index = self.memory_index(width);
        let memory = &self.record.memories[index];
        let Some(values) = memory.load(pointer) else {
            return Err(Box::new(Fault::Pointer { width, pointer, count: memory.len() }));
        };
        self.values.extend_from_slice(values);
        if mode.counts() {
            self.count_pointer(index, pointer as usize);
        }
        Ok(())
    }

    fn count_pointer(&mut self, index: usize, pointer: usize) {
        let memory = &mut self.record.memories[index];
        memory.set_multiplicity(pointer, one_more(memory.multiplicity(pointer)));
    }

    pub(super) fn memory_index(&self, width: u32) -> usize {
        self.program.memory_index(width).expect("widths in use are declared")
    }

    fn assert_eq(
        &self,
        base: usize,
        lhs: &[ValueId],
        rhs: &[ValueId],
        label: Option<&String>,
    ) -> Outcome<()> {
        let value = |value: &ValueId| self.values[base + value.index()];
        match lhs.iter().zip(rhs).position(|(a, b)| value(a) != value(b)) {
            None => Ok(()),
            Some(position) => Err(Box::new(Fault::Assertion {
                label: label.cloned(),
                position,
                lhs: Words::new(lhs.iter().map(value)),
                rhs: Words::new(rhs.iter().map(value)),
            })),
        }
    }
}

#[cold]
fn out_of_range(position: usize, value: ValueId, word: u64, bound: u64) -> Box<Fault> {
    Box::new(Fault::Range { position, value, word, bound })
}
