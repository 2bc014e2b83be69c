//! Advice that is computed from values. The program has to check it.

use traceloom_air::field::{element, inverse_or_zero, word};

use super::machine::{Machine, Outcome};
use crate::model::{Op, ValueId};

impl Machine<'_> {
    /// Runs a hint.
    pub(super) fn hint(&mut self, base: usize, op: &Op) -> Outcome<()> {
        let value = |value: &ValueId| self.values[base + value.index()];
        match op {
            Op::HintInverse(a) => {
                let inverse = inverse_or_zero(element(value(a)));
                self.values.push(word(inverse));
                Ok(())
            }
            Op::HintFieldToBytes(a) => {
                let bytes = value(a).to_le_bytes();
                self.values.extend(bytes.map(u64::from));
                Ok(())
            }
            Op::HintU32Add(words) => self.hint_u32_add(base, words),
            Op::HintU32Add3(words) => self.hint_u32_add(base, words),
            Op::HintBigUintDivRem(a, b) => self.hint_biguint_div_rem(value(a), value(b)),
            _ => unreachable!("no hint"),
        }
    }

    fn hint_u32_add(&mut self, base: usize, words: &[[ValueId; 4]]) -> Outcome<()> {
        let mut sum = 0;
        for (position, &value) in words.iter().flatten().enumerate() {
            let byte = self.byte(base, position, value)?;
            sum += u64::from(byte) << (8 * (position % 4));
        }
        self.values.extend((0..4).map(|i| (sum >> (8 * i)) & 255));
        self.values.push(sum >> 32);
        Ok(())
    }
}
