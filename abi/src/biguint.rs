//! Integers that lie in memory as lists of limbs.
//!
//! Layout (owned here). Memory of width [`WIDTH`]: a node is `[0, eight
//! little-endian bytes of a limb, next pointer]` and the end is `[1, 0, …]`; the
//! least significant limb comes first. Operands may have zero limbs at the end,
//! results have none: zero is just the end.

use num_bigint::BigUint;

use crate::record::MemoryTable;

/// Number of values of a node.
pub const WIDTH: usize = 10;
const NODE: u64 = 0;
const END: u64 = 1;

/// The values of the end of a list.
pub const END_NODE: [u64; WIDTH] = [END, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/// The values of a node with this limb.
#[must_use]
pub fn node(limb: u64, next: u64) -> [u64; WIDTH] {
    let mut node = [0; WIDTH];
    node[0] = NODE;
    for (word, byte) in node[1..].iter_mut().zip(limb.to_le_bytes()) {
        *word = byte.into();
    }
    node[WIDTH - 1] = next;
    node
}

/// Why a list is not an integer: the first node that is wrong, counted from 0, and what is
/// wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("node {node}: {problem}")]
pub struct NotAnInteger {
    /// Position in the list.
    pub node: usize,
    /// What is wrong.
    pub problem: String,
}

/// The integer whose limbs are listed at `pointer`.
///
/// # Errors
/// [`NotAnInteger`] if a pointer was never stored, a node is malformed, or the
/// list is circular (a program can store a node that points to itself by guessing).
pub fn read(memory: &MemoryTable, mut pointer: u64) -> Result<BigUint, NotAnInteger> {
    let mut digits = Vec::new();
    for position in 0..=memory.len() {
        let fail = |problem: String| NotAnInteger { node: position, problem };
        let Some(node) = memory.load(pointer).and_then(|node| node.words::<WIDTH>(0)) else {
            let count = memory.len();
            return Err(fail(format!(
                "pointer {pointer} was never stored: memory of width {WIDTH} has {count} pointers"
            )));
        };
        match node[0] {
            NODE => {
                let bytes = &node[1..WIDTH - 1];
                if let Some(word) = bytes.iter().find(|&&byte| byte > 255) {
                    return Err(fail(format!("{word} is no byte of a limb")));
                }
                let limb = bytes.iter().rev().fold(0_u64, |limb, byte| (limb << 8) | byte);
                digits.extend([limb as u32, (limb >> 32) as u32]);
                pointer = node[WIDTH - 1];
            }
            END if node[1..].iter().all(|&word| word == 0) => return Ok(BigUint::new(digits)),
            END => return Err(fail(format!("the end is padded with zeros, not {node:?}"))),
            tag => {
                let tags = format!("tag {tag} is neither {NODE}, a node, nor {END}, the end");
                return Err(fail(tags));
            }
        }
    }
    Err(NotAnInteger { node: memory.len(), problem: "the list is circular".into() })
}

/// The pointer to `integer`, if all of it was stored.
#[must_use]
pub fn find(memory: &MemoryTable, integer: &BigUint) -> Option<u64> {
    let mut pointer = memory.find(&END_NODE)? as u64;
    for limb in integer.iter_u64_digits().rev() {
        pointer = memory.find(&node(limb, pointer))? as u64;
    }
    Some(pointer)
}

/// Quotient and remainder; dividing by zero gives (0, a).
#[must_use]
pub fn div_rem(a: BigUint, b: &BigUint) -> [BigUint; 2] {
    if *b == BigUint::ZERO {
        return [BigUint::ZERO, a];
    }
    let quotient = &a / b;
    let remainder = a - &quotient * b;
    [quotient, remainder]
}

/// Pointers to quotient and remainder of the integers at `a` and `b`, as an
/// execution stored them.
///
/// # Errors
/// [`NotAnInteger`] for an operand, or for a result that was not stored.
pub fn find_div_rem(memory: &MemoryTable, a: u64, b: u64) -> Result<[u64; 2], NotAnInteger> {
    let results = div_rem(read(memory, a)?, &read(memory, b)?);
    let mut pointers = [0; 2];
    for (pointer, result) in pointers.iter_mut().zip(&results) {
        *pointer = find(memory, result).ok_or_else(|| NotAnInteger {
            node: 0,
            problem: format!("{result} was never stored"),
        })?;
    }
    Ok(pointers)
}
