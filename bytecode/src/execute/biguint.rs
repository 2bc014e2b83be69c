//! Division of integers that lie in memory as lists of limbs.
//!
//! Results are stored as advice, with multiplicity 0: what proves anything is the
//! program's own loads.

use num_bigint::BigUint;
use traceloom_abi::biguint::{END_NODE, div_rem, node, read};

use super::error::Fault;
use super::machine::{Machine, Mode, Outcome};
use crate::model::BIGUINT_WIDTH;

impl Machine<'_> {
    /// Appends pointers to quotient and remainder; dividing by zero gives (0, a).
    pub(crate) fn hint_biguint_div_rem(&mut self, a: u64, b: u64) -> Outcome<()> {
        let (a, b) = (self.read_integer(0, a)?, self.read_integer(1, b)?);
        // Schoolbook division takes so many steps.
        let rows = (a.bits().saturating_sub(b.bits())) / 64 + 1;
        self.tick(rows.saturating_mul(b.bits() / 64 + 1))?;
        for integer in div_rem(a, &b) {
            let pointer = self.store_integer(&integer)?;
            self.values.push(pointer);
        }
        Ok(())
    }

    /// The integer whose limbs are listed at `pointer`.
    fn read_integer(&mut self, operand: usize, pointer: u64) -> Outcome<BigUint> {
        let index = self.memory_index(BIGUINT_WIDTH);
        let integer = read(&self.record.memories[index], pointer).map_err(|error| {
            Box::new(Fault::Limbs { operand, node: error.node, problem: error.problem })
        })?;
        self.tick(integer.bits() / 64 + 1)?;
        Ok(integer)
    }

    /// Stores the limbs of `integer`, their end first.
    fn store_integer(&mut self, integer: &BigUint) -> Outcome<u64> {
        let mut pointer = self.store_node(&END_NODE)?;
        // No digit is zero at the end, and zero has none.
        for limb in integer.iter_u64_digits().rev() {
            self.tick(1)?;
            pointer = self.store_node(&node(limb, pointer))?;
        }
        Ok(pointer)
    }

    fn store_node(&mut self, values: &[u64]) -> Outcome<u64> {
        self.scratch.clear();
        self.scratch.extend_from_slice(values);
        self.store_scratch(Mode::Advice)
    }
}
