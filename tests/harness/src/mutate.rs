//! Bytes changed at random, with an eye for numbers and structure.

use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use crate::inputs::MAX_LEN;

/// Numbers at the limits of their types.
const NUMBERS: [&str; 8] = [
    "18446744069414584320",
    "18446744069414584321",
    "18446744073709551615",
    "18446744073709551616",
    "4294967295",
    "4294967296",
    "-1",
    "007",
];

/// Tokens that readers of programs and arguments stumble over.
const TOKENS: [&str; 20] = [
    "1e3",
    "0x10",
    "\"",
    "\\u{",
    "\\ud800",
    "{",
    "}",
    "[",
    "]",
    ",",
    "..",
    "v0..v99999",
    "%4294967295",
    "#65536",
    "@4294967295",
    "match_continue x {",
    "case 0 {",
    "\u{feff}",
    "\0",
    "end",
];

/// Words that lengths and field elements stumble over.
const WORDS: [u64; 9] = [
    0,
    1,
    2,
    0xffff_ffff,
    1 << 32,
    0xffff_ffff_0000_0000,
    0xffff_ffff_0000_0001,
    1 << 63,
    u64::MAX,
];

/// A few changes of `bytes`, with parts of `other`; at most [`MAX_LEN`] long.
#[must_use]
pub fn mutate(rng: &mut ChaCha8Rng, bytes: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..rng.random_range(1..=4) {
        let at = rng.random_range(0..=bytes.len());
        let len = rng.random_range(0..=(bytes.len() - at).min(40));
        match rng.random_range(0..10) {
            0 if at < bytes.len() => bytes[at] ^= 1 << rng.random_range(0..8),
            1 if at < bytes.len() => bytes[at] = rng.random(),
            2 => drop(bytes.drain(at..at + len)),
            3 => bytes.truncate(at),
            4 => {
                let token = TOKENS[rng.random_range(0..TOKENS.len())];
                bytes.splice(at..at + len.min(3), token.bytes());
            }
            5 => {
                let part = bytes[at..at + len].repeat(rng.random_range(1..=200));
                bytes.splice(at..at, part);
            }
            6 if !other.is_empty() => {
                let from = rng.random_range(0..other.len());
                let to = rng.random_range(from..=other.len());
                bytes.splice(at..at + len, other[from..to].iter().copied());
            }
            7 if bytes.len() >= 8 => {
                let at = at.min(bytes.len() - 8) / 8 * 8;
                let word = *WORDS.choose(rng).expect("there are words");
                bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
            }
            8 => number(rng, &mut bytes, at),
            _ => bytes.push(rng.random()),
        }
    }
    bytes.truncate(MAX_LEN);
    bytes
}

/// Replaces the next run of digits by another number.
fn number(rng: &mut ChaCha8Rng, bytes: &mut Vec<u8>, at: usize) {
    let Some(first) = bytes[at..].iter().position(u8::is_ascii_digit) else { return };
    let first = at + first;
    let len = bytes[first..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = match rng.random_range(0..3) {
        0 => rng.random_range(0..20_u64).to_string(),
        1 => rng.random::<u64>().to_string(),
        _ => NUMBERS[rng.random_range(0..NUMBERS.len())].to_owned(),
    };
    bytes.splice(first..first + len, number.bytes());
}
