//! The Goldilocks field, p = 2^64 - 2^32 + 1, and its canonical words.
//!
//! A *word* is a canonical representative, a `u64` below [`MODULUS`]. Records,
//! seeds and files hold words; arithmetic is done on [`Goldilocks`].

pub use p3_field::{Field, PackedValue, PrimeCharacteristicRing, PrimeField64, TwoAdicField};
pub use p3_goldilocks::Goldilocks;

/// A vector of field elements, as wide as the vectors of the processor that this is built for.
pub type Packed = <Goldilocks as Field>::Packing;

/// p = 2^64 - 2^32 + 1.
pub const MODULUS: u64 = 0xffff_ffff_0000_0001;

/// Whether `word` is a canonical representative.
#[inline]
#[must_use]
pub const fn is_canonical(word: u64) -> bool {
    word < MODULUS
}

/// The element with the canonical representative `word` (any `u64` is reduced).
#[inline]
pub const fn element(word: u64) -> Goldilocks {
    Goldilocks::new(word)
}

/// The canonical representative of `element`.
#[inline]
#[must_use]
pub fn word(element: Goldilocks) -> u64 {
    element.as_canonical_u64()
}

/// The inverse of `element`, or zero for zero.
pub fn inverse_or_zero(element: Goldilocks) -> Goldilocks {
    element.try_inverse().unwrap_or(Goldilocks::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_canonical_at_the_modulus() {
        assert_eq!(MODULUS, Goldilocks::ORDER_U64);
        assert!(is_canonical(MODULUS - 1));
        assert!(!is_canonical(MODULUS));
        for raw in [0, 1, 0xffff_ffff, 1 << 32, MODULUS - 1] {
            assert_eq!(word(element(raw)), raw);
        }
        assert_eq!(word(element(MODULUS)), 0);
        assert_eq!(word(element(u64::MAX)), 0xffff_fffe);
    }

    #[test]
    fn zero_has_the_inverse_zero_by_convention() {
        assert_eq!(inverse_or_zero(Goldilocks::ZERO), Goldilocks::ZERO);
        let seven = element(7);
        assert_eq!(inverse_or_zero(seven) * seven, Goldilocks::ONE);
    }
}
