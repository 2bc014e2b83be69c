//! Division of integers that lie in memory as lists of limbs.
//!
//! Layout (owned here). A node is `[0, eight little-endian bytes of a limb, next
//! pointer]` and the end is `[1, 0, …]`; the least significant limb comes first.
//! Operands may have zero limbs at the end, results have none: zero is just the
//! end. Results are stored as advice, with multiplicity 0: what proves anything
//! is the program's own loads.

use num_bigint::BigUint;

use super::error::Fault;
use super::machine::{Machine, Mode, Outcome};
use super::ops::BYTE_BOUND;
use crate::model::BIGUINT_WIDTH;

const WIDTH: usize = BIGUINT_WIDTH as usize;
const NODE: u64 = 0;
const END: u64 = 1;

impl Machine<'_> {
    /// Appends pointers to quotient and remainder; dividing by zero gives (0, a).
    pub(super) fn hint_biguint_div_rem(&mut self, a: u64, b: u64) -> Outcome<()> {
        let (a, b) = (self.read_integer(0, a)?, self.read_integer(1, b)?);
        // Schoolbook division takes so many steps.
        let rows = (a.bits().saturating_sub(b.bits())) / 64 + 1;
        self.tick(rows.saturating_mul(b.bits() / 64 + 1))?;
        let (quotient, remainder) = div_rem(a, &b);
        for integer in [quotient, remainder] {
            let pointer = self.store_integer(&integer)?;
            self.values.push(pointer);
        }
        Ok(())
    }

    /// The integer whose limbs are listed at `pointer`.
    fn read_integer(&mut self, operand: usize, mut pointer: u64) -> Outcome<BigUint> {
        let index = self.memory_index(BIGUINT_WIDTH);
        let mut limbs = Vec::new();
        loop {
            self.tick(1)?;
            let memory = &self.record.memories[index];
            let fail =
                |problem: String| Box::new(Fault::Limbs { operand, node: limbs.len(), problem });
            // A program can store a node that points to itself, by guessing.
            if limbs.len() > memory.len() {
                return Err(fail("the list is circular".into()));
            }
            let Some(node) = memory.load(pointer) else {
                let count = memory.len();
                return Err(fail(format!(
                    "pointer {pointer} was never stored: memory of width {WIDTH} has {count} \
                     pointers"
                )));
            };
            match node[0] {
                NODE => {
                    limbs.push(limb(&node[1..WIDTH - 1]).map_err(fail)?);
                    pointer = node[WIDTH - 1];
                }
                END if node[1..].iter().all(|&word| word == 0) => return Ok(integer(&limbs)),
                END => return Err(fail(format!("the end is padded with zeros, not {node:?}"))),
                tag => {
                    return Err(fail(format!(
                        "tag {tag} is neither {NODE}, a node, nor {END}, the end"
                    )));
                }
            }
        }
    }

    /// Stores the limbs of `integer`, their end first.
    fn store_integer(&mut self, integer: &BigUint) -> Outcome<u64> {
        let mut pointer = self.store_node(END, 0, 0)?;
        // No digit is zero at the end, and zero has none.
        for limb in integer.iter_u64_digits().rev() {
            self.tick(1)?;
            pointer = self.store_node(NODE, limb, pointer)?;
        }
        Ok(pointer)
    }

    fn store_node(&mut self, tag: u64, limb: u64, next: u64) -> Outcome<u64> {
        self.scratch.clear();
        self.scratch.push(tag);
        self.scratch.extend(limb.to_le_bytes().map(u64::from));
        self.scratch.push(next);
        self.store_scratch(Mode::Advice)
    }
}

fn limb(bytes: &[u64]) -> Result<u64, String> {
    match bytes.iter().find(|&&byte| byte >= BYTE_BOUND) {
        None => Ok(bytes.iter().rev().fold(0, |limb, byte| (limb << 8) | byte)),
        Some(word) => Err(format!("{word} is no byte of a limb")),
    }
}

fn div_rem(a: BigUint, b: &BigUint) -> (BigUint, BigUint) {
    if *b == BigUint::ZERO {
        return (BigUint::ZERO, a);
    }
    let quotient = &a / b;
    let remainder = a - &quotient * b;
    (quotient, remainder)
}

fn integer(limbs: &[u64]) -> BigUint {
    BigUint::new(limbs.iter().flat_map(|&limb| [limb as u32, (limb >> 32) as u32]).collect())
}
