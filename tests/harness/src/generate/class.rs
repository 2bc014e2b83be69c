//! What the generator knows of a value: enough to use it where it is legal.

use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use traceloom_air::field::MODULUS;

/// Largest measure: how deep a recursion goes.
pub const MAX_MEASURE: u64 = 7;

/// The words that a value can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// 0 or 1.
    Bit,
    /// Below 256.
    Byte,
    /// Below 2^32.
    Word,
    /// Anything.
    Any,
    /// At most [`MAX_MEASURE`]; recursion goes by it.
    Measure,
    /// A pointer to memory of this shape.
    Pointer(usize),
    /// A pointer to a chain of nodes.
    Chain,
    /// A pointer to a list of limbs.
    Limbs,
}

impl Class {
    /// Whether a value of this class may stand where one of `other` is wanted.
    pub fn fits(self, other: Self) -> bool {
        match other {
            Self::Byte => matches!(self, Self::Bit | Self::Byte | Self::Measure),
            // Few pointers are made, so they are small.
            Self::Word => self != Self::Any,
            Self::Any => true,
            _ => self == other,
        }
    }

    /// Whether it is a number of its own, and no pointer.
    pub fn is_number(self) -> bool {
        !matches!(self, Self::Pointer(_) | Self::Chain | Self::Limbs)
    }
}

/// Words at which arithmetic changes its mind.
const EDGES: [u64; 16] = [
    0,
    1,
    2,
    3,
    127,
    128,
    255,
    256,
    257,
    65_535,
    0xffff_ffff,
    0x1_0000_0000,
    0x1_0000_0001,
    1 << 63,
    MODULUS - 2,
    MODULUS - 1,
];

/// A word of a class that is a number; edges are as likely as all the rest.
pub fn word(rng: &mut ChaCha8Rng, class: Class) -> u64 {
    let bound = match class {
        Class::Bit => 2,
        Class::Byte => 1 << 8,
        Class::Word => 1 << 32,
        Class::Measure => MAX_MEASURE + 1,
        _ => MODULUS,
    };
    let edges: Vec<u64> = EDGES.into_iter().filter(|&edge| edge < bound).collect();
    match rng.random_bool(0.6) {
        true => *edges.choose(rng).expect("0 is below every bound"),
        false => rng.random_range(0..bound),
    }
}
