//! Operations on words and bytes alone. Words are canonical.

use super::Stop;
use crate::field::{element, inverse_or_zero as field_inverse, word};

/// `a + b`.
#[inline(always)]
#[must_use]
pub fn add(a: u64, b: u64) -> u64 {
    word(element(a) + element(b))
}

/// `a - b`.
#[inline(always)]
#[must_use]
pub fn sub(a: u64, b: u64) -> u64 {
    word(element(a) - element(b))
}

/// `a · b`.
#[inline(always)]
#[must_use]
pub fn mul(a: u64, b: u64) -> u64 {
    word(element(a) * element(b))
}

/// 1 if `a` is zero, else 0.
#[inline(always)]
#[must_use]
pub fn eq_zero(a: u64) -> u8 {
    u8::from(a == 0)
}

/// The inverse, 0 for 0.
#[must_use]
pub fn inverse(a: u64) -> u64 {
    word(field_inverse(element(a)))
}

/// The word as a byte.
///
/// # Errors
/// [`Stop`] if it is none.
#[inline(always)]
pub fn byte(word: u64) -> Result<u8, Stop> {
    u8::try_from(word).map_err(|_| Stop)
}

/// Both sides of an assertion.
///
/// # Errors
/// [`Stop`] if they differ.
#[inline(always)]
pub fn same(a: u64, b: u64) -> Result<(), Stop> {
    if a == b { Ok(()) } else { Err(Stop) }
}

/// Little-endian packing of four words.
#[inline(always)]
#[must_use]
pub fn pack(words: [u64; 4]) -> u64 {
    let horner = |sum, &next: &u64| sum * element(256) + element(next);
    word(words.iter().rev().fold(element(0), horner))
}

/// The same of four bytes, which are those of `word`.
#[inline(always)]
#[must_use]
pub fn pack4(word: u32) -> u64 {
    word.into()
}

/// The sum of two or three words, and its carry.
#[inline(always)]
#[must_use]
pub fn u32_sum<const N: usize>(words: [u32; N]) -> (u32, u8) {
    let sum: u64 = words.into_iter().map(u64::from).sum();
    (sum as u32, (sum >> 32) as u8)
}

/// The words of 32 bits of a word, the lower one first.
#[inline(always)]
#[must_use]
pub fn words_of(word: u64) -> [u32; 2] {
    [word as u32, (word >> 32) as u32]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::MODULUS;

    #[test]
    fn words_stay_canonical_at_the_modulus() {
        assert_eq!(add(MODULUS - 1, 1), 0);
        assert_eq!(sub(0, 1), MODULUS - 1);
        assert_eq!(mul(MODULUS - 1, MODULUS - 1), 1);
        assert_eq!(mul(inverse(7), 7), 1);
        assert_eq!(inverse(0), 0);
        assert_eq!((eq_zero(0), eq_zero(1)), (1, 0));
        assert_eq!(pack([MODULUS - 1, 1, 0, 0]), 255);
        assert_eq!(pack([1, 2, 3, 4]), pack4(u32::from_le_bytes([1, 2, 3, 4])));
    }

    #[test]
    fn sums_have_a_carry_and_bad_words_stop() {
        assert_eq!(u32_sum([u32::MAX, 1]), (0, 1));
        assert_eq!(u32_sum([u32::MAX; 3]), (u32::MAX - 2, 2));
        assert_eq!((byte(255), byte(256)), (Ok(255), Err(Stop)));
        assert_eq!((same(3, 3), same(3, 4)), (Ok(()), Err(Stop)));
        assert_eq!(words_of(0x0304_0000_0102), [0x0102, 0x0304]);
    }
}
