//! Identity of a program: BLAKE3 over a canonical encoding.
//!
//! Inside: functions in order with their flags, operations, constants, ordered
//! branches and call targets, memory widths. Outside: names, labels and debug
//! operations' text, and the grouping into circuits (it is in the system digest).
//!
//! Encoding (version 1): every number as little-endian u64, every list with its
//! length first, every operation and control as a tag and its fields. Blocks are
//! in pre-order and refer to each other by index.

use traceloom_air::bytes::ByteOp;
use traceloom_air::field::word;

use crate::model::{Control, Function, Match, Op, Program, ValueId};

const DOMAIN: &str = "traceloom program fingerprint v1";

/// The fingerprint of `program`.
#[must_use]
pub fn fingerprint(program: &Program) -> [u8; 32] {
    let mut encoder = Encoder(blake3::Hasher::new_derive_key(DOMAIN));
    encoder.number(program.memory_sizes.len() as u64);
    program.memory_sizes.iter().for_each(|&size| encoder.number(size.into()));
    encoder.number(program.functions.len() as u64);
    program.functions.iter().for_each(|function| encoder.function(function));
    *encoder.0.finalize().as_bytes()
}

struct Encoder(blake3::Hasher);

impl Encoder {
    fn number(&mut self, number: u64) {
        self.0.update(&number.to_le_bytes());
    }

    fn values(&mut self, values: &[ValueId]) {
        self.number(values.len() as u64);
        values.iter().for_each(|value| self.number(value.0.into()));
    }

    /// A tag and operands of a fixed number.
    fn fixed(&mut self, tag: u64, values: &[ValueId]) {
        self.number(tag);
        values.iter().for_each(|value| self.number(value.0.into()));
    }

    fn function(&mut self, function: &Function) {
        self.number(function.num_inputs.into());
        self.number(function.num_outputs.into());
        self.number(function.entry.into());
        self.number(function.constrained.into());
        self.number(function.blocks.len() as u64);
        for block in &function.blocks {
            self.number(block.ops.len() as u64);
            block.ops.iter().for_each(|op| self.op(op));
            self.control(&block.control);
        }
    }

    fn op(&mut self, op: &Op) {
        match op {
            Op::Const(value) => {
                self.number(1);
                self.number(word(*value));
            }
            Op::Add(a, b) => self.fixed(2, &[*a, *b]),
            Op::Sub(a, b) => self.fixed(3, &[*a, *b]),
            Op::Mul(a, b) => self.fixed(4, &[*a, *b]),
            Op::EqZero(a) => self.fixed(5, &[*a]),
            Op::Call { function, args, num_outputs, constrained } => {
                self.number(6);
                self.number(function.0.into());
                self.values(args);
                self.number((*num_outputs).into());
                self.number((*constrained).into());
            }
            Op::Store { values } => {
                self.number(7);
                self.values(values);
            }
            Op::Load { width, pointer } => {
                self.fixed(8, &[*pointer]);
                self.number((*width).into());
            }
            Op::AssertEq { lhs, rhs, label: _ } => {
                self.number(9);
                self.values(lhs);
                self.values(rhs);
            }
            Op::IoGetInfo { channel, key } => {
                self.fixed(10, &[*channel]);
                self.values(key);
            }
            Op::IoSetInfo { channel, key, index, len } => {
                self.fixed(11, &[*channel, *index, *len]);
                self.values(key);
            }
            Op::IoRead { channel, index, len } => {
                self.fixed(12, &[*channel, *index]);
                self.number((*len).into());
            }
            Op::IoWrite { channel, values } => {
                self.fixed(13, &[*channel]);
                self.values(values);
            }
            Op::Unary(op, a) => self.fixed(byte_tag(*op), &[*a]),
            Op::Binary(op, a, b) => self.fixed(byte_tag(*op), &[*a, *b]),
            Op::U32LessThan(a, b) => self.fixed(14, &[*a, *b]),
            Op::U32ToField(bytes) => self.fixed(15, bytes),
            Op::HintU32Add(words) => self.fixed(16, words.as_flattened()),
            Op::HintU32Add3(words) => self.fixed(17, words.as_flattened()),
            Op::HintFieldToBytes(a) => self.fixed(18, &[*a]),
            Op::HintInverse(a) => self.fixed(19, &[*a]),
            Op::HintBigUintDivRem(a, b) => self.fixed(20, &[*a, *b]),
            Op::Debug { label: _, values } => {
                self.number(21);
                self.values(values);
            }
        }
    }

    fn control(&mut self, control: &Control) {
        match control {
            Control::Return { selector, values } | Control::Yield { selector, values } => {
                self.number(if matches!(control, Control::Return { .. }) { 1 } else { 2 });
                self.number((*selector).into());
                self.values(values);
            }
            Control::Match(arms) => {
                self.number(3);
                self.arms(arms);
            }
            Control::MatchContinue { arms, num_outputs, continuation } => {
                self.number(4);
                self.arms(arms);
                self.number((*num_outputs).into());
                self.number(continuation.0.into());
            }
        }
    }

    fn arms(&mut self, arms: &Match) {
        self.number(arms.value.0.into());
        self.number(arms.cases.len() as u64);
        for (key, block) in &arms.cases {
            self.number(word(*key));
            self.number(block.0.into());
        }
        // A block index is never 0 here: the body is nobody's child.
        self.number(arms.default.map_or(0, |block| block.0.into()));
    }
}

/// Tags of byte operations start at 32, in the order of their channels.
fn byte_tag(op: ByteOp) -> u64 {
    32 + op.channel()
}
