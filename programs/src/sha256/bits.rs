//! Rotations and the bit functions of SHA-256 on words of four bytes.
//!
//! A rotation to the right by `8q + s` bits takes one lookup per byte: `x · 2^(8-s)`
//! has `x >> s` as its high byte and `(x << (8-s)) & 255` as its low byte, and the
//! rotated bytes are sums of two of those. Three rotations are nested,
//! `rot_a(x ^ rot_b(x ^ rot_c(x)))`, so that the outermost needs to split the one
//! byte that it cuts, because only the value of the word goes on into a sum.
//!
//! Every function here proves all four bytes of its first operand to be bytes.

use traceloom_bytecode::builder::{Body, Value};

use crate::gadgets::pack;

/// Four little-endian bytes.
pub(super) type Word = [Value; 4];

/// Per byte, what stays and what moves on to the byte below.
type Parts = [[Value; 2]; 4];

/// `rot_2 ^ rot_13 ^ rot_22`, as a value.
pub(super) fn big_sigma_0(f: &mut Body, x: Word) -> Value {
    let inner = rotate(f, x, 11);
    // An xor and a rotation by 12 in one lookup.
    let halves = std::array::from_fn(|i| f.u8_xor_split4(x[i], inner[i]));
    let middle = join(f, halves, 1);
    let outer = xor(f, x, middle);
    rotate_to_value(f, outer, 22)
}

/// `rot_6 ^ rot_11 ^ rot_25`, as a value.
pub(super) fn big_sigma_1(f: &mut Body, x: Word) -> Value {
    let inner = rotate(f, x, 14);
    let middle = xor(f, x, inner);
    let middle = rotate(f, middle, 5);
    let outer = xor(f, x, middle);
    rotate_to_value(f, outer, 6)
}

/// `rot_7 ^ rot_18 ^ shift_3`, as a value.
pub(super) fn small_sigma_0(f: &mut Body, x: Word) -> Value {
    let parts = split(f, x, 3);
    let (inner, shifted) = (join(f, parts, 1), join_shifted(f, parts, 0));
    let halves = std::array::from_fn(|i| f.u8_xor_split7(x[i], inner[i]));
    let rotated = join(f, halves, 0);
    let bytes: [_; 4] = std::array::from_fn(|i| f.u8_xor(rotated[i], shifted[i]));
    pack(f, &bytes)
}

/// `rot_17 ^ rot_19 ^ shift_10`, as a value.
pub(super) fn small_sigma_1(f: &mut Body, x: Word) -> Value {
    let parts = split(f, x, 2);
    let (inner, shifted) = (join(f, parts, 0), join_shifted(f, parts, 1));
    let outer = xor(f, x, inner);
    let rotated = rotate(f, outer, 17);
    // The shift leaves nothing in the highest byte.
    let mut bytes = rotated;
    for i in 0..3 {
        bytes[i] = f.u8_xor(rotated[i], shifted[i]);
    }
    pack(f, &bytes)
}

/// `(x & y) ^ (!x & z)`, as a value: the bits of `z` where `x` has none.
pub(super) fn choose(f: &mut Body, x: Word, y: Word, z: Word) -> Value {
    let (chosen, hidden) = (and(f, x, y), and(f, x, z));
    let (chosen, hidden, all) = (pack(f, &chosen), pack(f, &hidden), pack(f, &z));
    let rest = f.sub(all, hidden);
    f.add(chosen, rest)
}

/// `(x & y) ^ (x & z) ^ (y & z)`, as a value: the bits in both `x` and `y`, and
/// those of `z` in one of them. `x + y = (x ^ y) + 2·(x & y)` saves a lookup.
pub(super) fn majority(f: &mut Body, x: Word, y: Word, z: Word) -> Value {
    let one = xor(f, x, y);
    let decided = and(f, z, one);
    let (x, y, one, decided) = (pack(f, &x), pack(f, &y), pack(f, &one), pack(f, &decided));
    let sum = f.add(x, y);
    let twice_both = f.sub(sum, one);
    let both = f.scale(twice_both, super::one_half());
    f.add(both, decided)
}

fn xor(f: &mut Body, a: Word, b: Word) -> Word {
    std::array::from_fn(|i| f.u8_xor(a[i], b[i]))
}

fn and(f: &mut Body, a: Word, b: Word) -> Word {
    std::array::from_fn(|i| f.u8_and(a[i], b[i]))
}

fn rotate(f: &mut Body, word: Word, bits: usize) -> Word {
    let parts = split(f, word, bits % 8);
    join(f, parts, bits / 8)
}

/// The value of `word`, rotated; only the byte with the cut is split.
fn rotate_to_value(f: &mut Body, word: Word, bits: usize) -> Value {
    let (cut, shift) = (bits / 8, bits % 8);
    let [stays, moves] = split_byte(f, word[cut], shift);
    let mut values = vec![stays, moves];
    let mut weights = vec![1, 1 << 24];
    for (i, &byte) in word.iter().enumerate().filter(|&(i, _)| i != cut) {
        values.push(byte);
        weights.push(1 << ((8 * i + 32 - bits) % 32));
    }
    f.weighted_sum(&values, &weights)
}

fn split(f: &mut Body, word: Word, shift: usize) -> Parts {
    word.map(|byte| split_byte(f, byte, shift))
}

fn split_byte(f: &mut Body, byte: Value, shift: usize) -> [Value; 2] {
    let factor = f.constant(1 << (8 - shift));
    let [low, high] = f.u8_mul(byte, factor);
    [high, low]
}

/// Rotated by whole `bytes` and the shift of the parts.
fn join(f: &mut Body, parts: Parts, bytes: usize) -> Word {
    std::array::from_fn(|i| f.add(parts[(i + bytes) % 4][0], parts[(i + bytes + 1) % 4][1]))
}

/// Shifted by whole `bytes` and the shift of the parts.
fn join_shifted(f: &mut Body, parts: Parts, bytes: usize) -> Word {
    std::array::from_fn(|i| match (parts.get(i + bytes), parts.get(i + bytes + 1)) {
        (Some(stays), Some(moves)) => f.add(stays[0], moves[1]),
        (Some(stays), None) => stays[0],
        _ => f.constant(0),
    })
}
