//! What emitted row writers are made of.
//!
//! Columns of a unit are relative to three bases, so one unit serves a function
//! alone and in a group. Words are `u64`; field elements are [`Goldilocks`].

use crate::bytes::ByteOp;
use crate::field::{self, Goldilocks, MODULUS, element, word};
use crate::pack::PackError;

/// Where the regions of one function lie in the rows of its circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowShape {
    /// Number of columns of the circuit.
    pub width: usize,
    /// First input column.
    pub input: usize,
    /// First selector column, not before the end of the inputs.
    pub selector: usize,
    /// First auxiliary column, not before the end of the selectors.
    pub auxiliary: usize,
}

impl RowShape {
    /// The shape of a function alone in its circuit.
    #[must_use]
    pub const fn alone(inputs: usize, selectors: usize, auxiliaries: usize) -> Self {
        let auxiliary = inputs + selectors;
        Self { width: auxiliary + auxiliaries, input: 0, selector: inputs, auxiliary }
    }

    /// The cells of one function in `row`; all other cells of the row become zero.
    ///
    /// # Panics
    /// If the regions do not follow each other inside of the row.
    pub fn cells<'a, const I: usize, const S: usize, const A: usize>(
        &self,
        row: &'a mut [Goldilocks],
    ) -> Cells<'a, I, S, A> {
        let zero = |cells: &mut [Goldilocks]| cells.fill(Goldilocks::new(0));
        let (before, row) = row[..self.width].split_at_mut(self.input);
        let (input, row) = row.split_at_mut(I);
        let (gap, row) = row.split_at_mut(self.selector - self.input - I);
        let (selector, row) = row.split_at_mut(S);
        let (next_gap, row) = row.split_at_mut(self.auxiliary - self.selector - S);
        let (auxiliary, after) = row.split_at_mut(A);
        [before, gap, next_gap, after].into_iter().for_each(zero);
        Cells {
            input: input.try_into().expect("split at its length"),
            selector: selector.try_into().expect("split at its length"),
            aux: auxiliary.try_into().expect("split at its length"),
        }
    }
}

/// The cells of one function in a row.
#[derive(Debug)]
pub struct Cells<'a, const I: usize, const S: usize, const A: usize> {
    /// Inputs.
    pub input: &'a mut [Goldilocks; I],
    /// Selectors.
    pub selector: &'a mut [Goldilocks; S],
    /// Auxiliaries.
    pub aux: &'a mut [Goldilocks; A],
}

/// Writes one row per seed into `rows`, row-major.
///
/// # Panics
/// If `seeds` does not consist of whole seeds, or `rows` has not one row per seed.
pub fn write_rows<const STRIDE: usize, const I: usize, const S: usize, const A: usize>(
    seeds: &[u8],
    rows: &mut [Goldilocks],
    shape: &RowShape,
    write: impl Fn(&[u8; STRIDE], Cells<'_, I, S, A>),
) {
    let (seeds, rest) = seeds.as_chunks::<STRIDE>();
    assert!(rest.is_empty() && rows.len() == seeds.len() * shape.width, "one row per seed");
    for (seed, row) in seeds.iter().zip(rows.chunks_exact_mut(shape.width)) {
        write(seed, shape.cells(row));
    }
}

/// The same from full seeds, by a writer that branches.
///
/// # Errors
/// The first [`PackError`] of a row.
///
/// # Panics
/// As [`write_rows`].
pub fn write_generic_rows<const STRIDE: usize, const I: usize, const S: usize, const A: usize>(
    seeds: &[u8],
    rows: &mut [Goldilocks],
    shape: &RowShape,
    write: impl Fn(&[u8; STRIDE], Cells<'_, I, S, A>) -> Result<(), PackError>,
) -> Result<(), PackError> {
    let (seeds, rest) = seeds.as_chunks::<STRIDE>();
    assert!(rest.is_empty() && rows.len() == seeds.len() * shape.width, "one row per seed");
    let mut rows = rows.chunks_exact_mut(shape.width);
    seeds.iter().zip(&mut rows).try_for_each(|(seed, row)| write(seed, shape.cells(row)))
}

/// The byte at `offset`.
#[inline(always)]
#[must_use]
pub fn u8_at(seed: &[u8], offset: usize) -> u64 {
    seed[offset].into()
}

/// The little-endian u16 at `offset`.
#[inline(always)]
#[must_use]
pub fn u16_at(seed: &[u8], offset: usize) -> u64 {
    u64::from(seed[offset]) | u64::from(seed[offset + 1]) << 8
}

/// The little-endian u32 at `offset`.
#[inline(always)]
#[must_use]
pub fn u32_at(seed: &[u8], offset: usize) -> u64 {
    u16_at(seed, offset) | u16_at(seed, offset + 2) << 16
}

/// The little-endian u64 at `offset`.
#[inline(always)]
#[must_use]
pub fn u64_at(seed: &[u8], offset: usize) -> u64 {
    u32_at(seed, offset) | u32_at(seed, offset + 4) << 32
}

/// Result number `result` of a unary byte operation on the low byte of `a`.
#[inline(always)]
#[must_use]
pub const fn unary(op: ByteOp, result: usize, a: u64) -> u64 {
    op.results(a as u8, 0)[result] as u64
}

/// Result number `result` of a binary byte operation on low bytes.
#[inline(always)]
#[must_use]
pub const fn binary(op: ByteOp, result: usize, a: u64, b: u64) -> u64 {
    op.results(a as u8, b as u8)[result] as u64
}

/// Carry of the sum of two low bytes.
#[inline(always)]
#[must_use]
pub const fn byte_carry(a: u64, b: u64) -> u64 {
    ((a & 255) + (b & 255)) >> 8
}

/// Borrow of the difference of two low bytes.
#[inline(always)]
#[must_use]
pub const fn byte_borrow(a: u64, b: u64) -> u64 {
    ((a & 255) < (b & 255)) as u64
}

/// Little-endian packing of integers whose result is known not to wrap.
#[inline(always)]
#[must_use]
pub const fn pack(bytes: [u64; 4]) -> u64 {
    bytes[0] + (bytes[1] << 8) + (bytes[2] << 16) + (bytes[3] << 24)
}

/// Little-endian packing of low bytes.
#[inline(always)]
#[must_use]
pub const fn pack_low(bytes: [u64; 4]) -> u64 {
    pack([bytes[0] & 255, bytes[1] & 255, bytes[2] & 255, bytes[3] & 255])
}

/// Little-endian packing of field elements.
#[inline(always)]
pub fn pack_field(bytes: [Goldilocks; 4]) -> Goldilocks {
    bytes[0]
        + bytes[1] * element(1 << 8)
        + bytes[2] * element(1 << 16)
        + bytes[3] * element(1 << 24)
}

/// Byte number `byte` of a word.
#[inline(always)]
#[must_use]
pub const fn byte_of(word: u64, byte: u32) -> u64 {
    (word >> (8 * byte)) & 255
}

/// Limb number `limb` of a word, 16 bits each.
#[inline(always)]
#[must_use]
pub const fn limb_of(word: u64, limb: u32) -> u64 {
    (word >> (16 * limb)) & 0xffff
}

/// `a` if `condition` is not zero, else `b`.
#[inline(always)]
#[must_use]
pub const fn select(condition: u64, a: u64, b: u64) -> u64 {
    if condition != 0 { a } else { b }
}

/// The lowest 32 bits of a word.
#[inline(always)]
#[must_use]
pub const fn low32(word: u64) -> u64 {
    word & 0xffff_ffff
}

/// `(a - b - 1) mod 2^32`.
#[inline(always)]
#[must_use]
pub const fn gap(a: u64, b: u64) -> u64 {
    a.wrapping_sub(b).wrapping_sub(1) & 0xffff_ffff
}

/// Operands up to this one, and their negatives, have their inverse in a table.
const MAX_TABLED: u64 = 256;

/// `INVERSES[a]` is the inverse of `a`, zero for zero.
static INVERSES: [u64; MAX_TABLED as usize + 1] = inverses();

const fn inverses() -> [u64; MAX_TABLED as usize + 1] {
    let mut table = [0; MAX_TABLED as usize + 1];
    table[1] = 1;
    let mut a = 2;
    while a <= MAX_TABLED {
        // p = q·a + r, so 1/a = -q/r, and r < a.
        let (q, r) = (MODULUS / a, MODULUS % a);
        let product = (MODULUS - q) as u128 * table[r as usize] as u128;
        table[a as usize] = (product % MODULUS as u128) as u64;
        a += 1;
    }
    table
}

/// The inverse, zero for zero. Keys, tags, stages and bytes are small, and so are most
/// differences that rows invert. The inverses of small numbers are read from a table.
#[inline]
pub fn inverse_or_zero(a: Goldilocks) -> Goldilocks {
    match word(a) {
        small @ 0..=MAX_TABLED => element(INVERSES[small as usize]),
        large if large >= MODULUS - MAX_TABLED => {
            element(MODULUS - INVERSES[(MODULUS - large) as usize])
        }
        _ => invert(a),
    }
}

/// Out of line: writers have many inverses and few that come here.
#[cold]
fn invert(a: Goldilocks) -> Goldilocks {
    field::inverse_or_zero(a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabled_inverses_are_inverses() {
        for a in (0..=MAX_TABLED + 2).chain(MODULUS - MAX_TABLED - 2..MODULUS) {
            assert_eq!(inverse_or_zero(element(a)), field::inverse_or_zero(element(a)), "{a}");
        }
    }

    #[test]
    fn foreign_cells_become_zero() {
        let poison = Goldilocks::new(77);
        let mut row = [poison; 12];
        let shape = RowShape { width: 12, input: 0, selector: 5, auxiliary: 7 };
        let cells = shape.cells::<3, 1, 4>(&mut row);
        cells.aux[0] = element(5);
        let zero = element(0);
        assert_eq!(row[..3], [poison; 3]);
        assert_eq!(row[3..5], [zero; 2]);
        assert_eq!(row[5], poison);
        assert_eq!(row[6], zero);
        assert_eq!(row[7], element(5));
        assert_eq!(row[11], zero);
    }

    #[test]
    fn words_are_little_endian() {
        let seed = [1, 2, 3, 4, 5, 6, 7, 8, 9];
        assert_eq!(u64_at(&seed, 1), u64::from_le_bytes([2, 3, 4, 5, 6, 7, 8, 9]));
        assert_eq!(u16_at(&seed, 0), 0x0201);
        let limbs = [0, 1, 2, 3].map(|limb| limb_of(u64_at(&seed, 1), limb));
        assert_eq!(limbs, [0x0302, 0x0504, 0x0706, 0x0908]);
        assert_eq!(gap(5, 3), 1);
        assert_eq!(gap(3, 5), 0xffff_fffd);
    }
}
