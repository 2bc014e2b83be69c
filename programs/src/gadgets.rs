//! Small pieces that several programs share.

use traceloom_bytecode::builder::{Body, Value};

/// Weights of four little-endian bytes.
const BYTE_WEIGHTS: [u64; 4] = [1, 1 << 8, 1 << 16, 1 << 24];

/// The first `N <= 4` bytes of `word`, which they prove to be below 2^(8·N).
///
/// The bytes are advice until the lookups show them to be bytes; their packing
/// is then below the modulus, so no other bytes pack to the same word.
pub(crate) fn small_bytes<const N: usize>(f: &mut Body, word: Value, label: &str) -> [Value; N] {
    let bytes = advice_bytes(f, word, label);
    f.range_check_bytes(&bytes);
    bytes
}

/// The `8·N` bits of `word`, least significant first, `N <= 4`; they prove it to
/// be below 2^(8·N). The decomposition proves its operand to be a byte.
pub(crate) fn small_bits<const N: usize>(f: &mut Body, word: Value, label: &str) -> Vec<Value> {
    let bytes: [Value; N] = advice_bytes(f, word, label);
    bytes.iter().flat_map(|&byte| f.u8_bits(byte)).collect()
}

fn advice_bytes<const N: usize>(f: &mut Body, word: Value, label: &str) -> [Value; N] {
    let bytes = f.hint_field_to_bytes(word);
    let bytes: [Value; N] = std::array::from_fn(|i| bytes[i]);
    let packed = f.weighted_sum(&bytes, &BYTE_WEIGHTS);
    f.assert_eq(word, packed, label);
    bytes
}

/// Little-endian packing of at most four bytes, which may be any expressions.
pub(crate) fn pack(f: &mut Body, bytes: &[Value]) -> Value {
    f.weighted_sum(bytes, &BYTE_WEIGHTS)
}

/// Little-endian packing of bits.
pub(crate) fn pack_bits(f: &mut Body, bits: &[Value]) -> Value {
    let weights: Vec<_> = (0..bits.len()).map(|i| 1 << i).collect();
    f.weighted_sum(bits, &weights)
}

/// The constant bytes of little-endian words.
pub(crate) fn constant_words(f: &mut Body, words: &[u32]) -> Vec<Value> {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes());
    bytes.map(|byte| f.constant(u64::from(byte))).collect()
}

/// `n` times the constant zero.
pub(crate) fn zeros(f: &mut Body, n: usize) -> Vec<Value> {
    vec![f.constant(0); n]
}

/// Words of four bytes, for byte lists whose length is a multiple of four.
pub(crate) fn words(bytes: &[Value]) -> Vec<[Value; 4]> {
    bytes.chunks_exact(4).map(|word| std::array::from_fn(|i| word[i])).collect()
}
