//! Integers that lie in memory as lists of limbs, as rows look them up.
//!
//! A node is `[0, eight little-endian bytes of a limb, next pointer]`, the end is
//! `[1, 0, …]`, and the least significant limb comes first. The executor stores
//! quotient and remainder; a row finds them again by content.

use num_bigint::BigUint;

use crate::record::MemoryTable;

const LIMB_BYTES: usize = 8;
const NODE: u64 = 0;
const END: u64 = 1;

/// Pointers to quotient and remainder of the integers listed at `a` and `b`, or
/// `None` if an operand is no list or a result was not stored. Dividing by zero
/// gives (0, a).
#[must_use]
pub fn find_div_rem(memory: &MemoryTable, a: u64, b: u64) -> Option<(u64, u64)> {
    let (a, b) = (read(memory, a)?, read(memory, b)?);
    let quotient = if b == BigUint::ZERO { BigUint::ZERO } else { &a / &b };
    let remainder = a - &quotient * b;
    Some((find(memory, &quotient)?, find(memory, &remainder)?))
}

/// The integer whose limbs are listed at `pointer`.
fn read(memory: &MemoryTable, mut pointer: u64) -> Option<BigUint> {
    let mut bytes = Vec::new();
    // A list that is longer than the table goes round in a circle.
    for _ in 0..=memory.len() {
        let node = memory.load(pointer)?;
        if node[0] == END {
            return Some(BigUint::from_bytes_le(&bytes));
        }
        for &byte in &node[1..=LIMB_BYTES] {
            bytes.push(u8::try_from(byte).ok()?);
        }
        pointer = node[1 + LIMB_BYTES];
    }
    None
}

/// The pointer to the list of `integer`, found from its end.
fn find(memory: &MemoryTable, integer: &BigUint) -> Option<u64> {
    let node = |tag: u64, limb: u64, next: u64| {
        let mut node = vec![tag];
        node.extend(limb.to_le_bytes().map(u64::from));
        node.push(next);
        memory.find(&node).map(|pointer| pointer as u64)
    };
    let end = node(END, 0, 0)?;
    integer.iter_u64_digits().rev().try_fold(end, |next, limb| node(NODE, limb, next))
}
