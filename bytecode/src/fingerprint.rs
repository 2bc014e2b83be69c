//! Identity of a program: BLAKE3 over a canonical encoding.
//!
//! Inside: functions in order with their flags, operations, constants, ordered
//! branches and call targets, memory widths. Outside: names, labels and debug
//! operations' text, `allow` operations, and the grouping into circuits (it is in the
//! system digest).
//!
//! Encoding (version 1): every number as little-endian u64, every list with its
//! length first, every operation and control as a tag and its fields. Blocks are
//! in pre-order and refer to each other by index.

use traceloom_air::field::word;

use crate::model::{Control, Function, Match, Op, Program, ValueId};
use crate::operations::Operation;

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

/// A hasher of canonical encodings.
pub(crate) struct Encoder(blake3::Hasher);

impl Encoder {
    pub fn number(&mut self, number: u64) {
        self.0.update(&number.to_le_bytes());
    }

    pub fn values(&mut self, values: &[ValueId]) {
        self.number(values.len() as u64);
        values.iter().for_each(|value| self.number(value.0.into()));
    }

    /// A tag and operands of a fixed number.
    pub fn fixed(&mut self, tag: u64, values: &[ValueId]) {
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
            let is_inside = |op: &&Op| !matches!(op, Op::Allow { .. });
            self.number(block.ops.iter().filter(is_inside).count() as u64);
            block.ops.iter().for_each(|op| op.encode(self));
            self.control(&block.control);
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
