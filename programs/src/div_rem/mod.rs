//! `div_rem(a, b)`: quotient and remainder of two numbers of 128 bits.
//!
//! Each number is four words below 2^32, least significant first: eight inputs,
//! eight outputs, all of them claimed. Dividing by zero gives `(0, a)`.
//!
//! A function without a circuit finds the result with the hint for integer lists;
//! the entry then proves `q·b + r = a` and `r < b`.

mod advice;
mod check;

use traceloom_bytecode::Program;
use traceloom_bytecode::builder::{Body, BuildErrors, ProgramBuilder, Value};

use crate::gadgets::{pack, small_bytes, zeros};

/// Words of a number.
const WORDS: usize = 4;

/// Bytes of a number.
const BYTES: usize = 4 * WORDS;

/// Builds the program; entry `div_rem(a: 4 words, b: 4 words) -> (q, r)`.
///
/// # Errors
/// None, unless the program is edited wrongly.
pub fn program() -> Result<Program, BuildErrors> {
    let mut program = ProgramBuilder::new("div_rem");
    let div_rem = program.entry("div_rem", 2 * WORDS as u32, 2 * WORDS as u32);
    let advice = advice::define(&mut program);
    // Proven: the inputs are decomposed into checked bytes, so they are numbers
    // of 128 bits. Sixteen bytes add up to zero only if all are zero, which
    // proves the case. Else `check` proves the two facts that fix q and r.
    program.define(div_rem, |f, inputs| {
        let (words_a, words_b) = inputs.split_at(WORDS);
        let (a, b) = (number(f, words_a), number(f, words_b));
        let sum = f.sum(&b);
        f.match_value(sum, |arms| {
            arms.case(0, |f| {
                let quotient = zeros(f, WORDS);
                f.ret(&[&quotient, words_a].concat())
            });
            arms.default(|f| {
                let results = f.call_unconstrained(advice, &[&a[..], &b].concat());
                let (quotient, remainder) = results.split_at(BYTES);
                // The comparison checks the bytes of the remainder.
                f.range_check_bytes(quotient);
                check::less_than(f, remainder, &b);
                check::product_and_sum(f, quotient, &b, remainder, &a);
                let words: Vec<_> = results.chunks(4).map(|word| pack(f, word)).collect();
                f.ret(&words)
            });
        })
    });
    program.finish()
}

/// The checked bytes of a number.
fn number(f: &mut Body, words: &[Value]) -> Vec<Value> {
    let label = "numbers are words below 2^32";
    words.iter().flat_map(|&word| small_bytes::<4>(f, word, label)).collect()
}

#[cfg(test)]
mod tests;
