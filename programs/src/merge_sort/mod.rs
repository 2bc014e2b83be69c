//! `merge_sort(len)`: minimum, lower median and maximum of `len` words.
//!
//! The words are four little-endian bytes each, advice from channel 0. The claim
//! binds the length and the three results, so it says: the prover knows a list of
//! `len` words below 2^32 whose sorted form starts with the first, has the second
//! at position `(len - 1) / 2` and ends with the third. That is all it says; a
//! program that should bind the list itself hashes it. The empty list has zeros.
//!
//! As an effect of the execution, which no claim covers, the sorted words go to
//! channel 1 under the empty key.

mod list;

use traceloom_bytecode::Program;
use traceloom_bytecode::builder::{Body, BuildErrors, FunctionHandle, ProgramBuilder, Value};

use crate::gadgets::{halve, pack};
use crate::input::{expect_input, read_bytes};

/// Bytes of the largest length, which is below 2^24.
const LENGTH_BYTES: usize = 3;

/// The channel of the sorted words.
const OUTPUT_CHANNEL: u64 = 1;

/// Builds the program; entry `merge_sort(len) -> (minimum, median, maximum)`.
///
/// # Errors
/// None, unless the program is edited wrongly.
pub fn program() -> Result<Program, BuildErrors> {
    let mut program = ProgramBuilder::new("merge_sort");
    let merge_sort = program.entry("merge_sort", 1, 3);
    let half = define_half(&mut program);
    let merge = list::define_merge(&mut program);
    let sort = define_sort(&mut program, half, merge);
    let nth = list::define_nth(&mut program);
    let publish = list::define_publish(&mut program);
    program.define(merge_sort, |f, inputs| {
        let len = inputs[0];
        let num_bytes = f.scale(len, 4);
        expect_input(f, num_bytes);
        f.match_value(len, |arms| {
            arms.case(0, |f| {
                let zero = f.constant(0);
                f.ret(&[zero; 3])
            });
            arms.default(|f| {
                let first = f.constant(0);
                let sorted = f.call(sort, &[first, len])[0];
                announce(f, publish, sorted, len);
                let last = f.sub_const(len, 1);
                let middle = f.call(half, &[last])[0];
                let places = [first, middle, last];
                let words: Vec<_> =
                    places.iter().map(|&place| f.call(nth, &[sorted, place])[0]).collect();
                f.ret(&words)
            });
        })
    });
    program.group(&[merge_sort, half]);
    program.finish()
}

/// Declares and defines `half(n) -> floor(n / 2)`.
///
/// Proven, and `n` with it to be below 2^24. Sizes repeat, so it has few rows.
fn define_half(program: &mut ProgramBuilder) -> FunctionHandle {
    let function = program.function("half", 1, 1);
    program.define(function, |f, inputs| {
        let half = halve::<LENGTH_BYTES>(f, inputs[0], "lengths are below 2^24");
        f.ret(&[half])
    });
    function
}

/// Declares and defines `sort(start, count) -> list`: the words `start` to `start +
/// count - 1` of the input, sorted; `count` is not zero.
///
/// Proven: from two words on, `half` proves the count below 2^24 and splits it into
/// two smaller counts that are not zero and add up to it. So the leaves are as many
/// as claimed, each with four checked bytes, at positions that follow each other.
fn define_sort(
    program: &mut ProgramBuilder,
    half: FunctionHandle,
    merge: FunctionHandle,
) -> FunctionHandle {
    let sort = program.function("sort", 2, 1);
    program.define(sort, |f, inputs| {
        let (start, count) = (inputs[0], inputs[1]);
        f.match_value(count, |arms| {
            arms.case(1, |f| {
                let position = f.scale(start, 4);
                let bytes = read_bytes(f, position, 4);
                let word = pack(f, &bytes);
                let end = list::end(f);
                let list = list::node(f, word, end);
                f.ret(&[list])
            });
            arms.default(|f| {
                let left_count = f.call(half, &[count])[0];
                let right_count = f.sub(count, left_count);
                let middle = f.add(start, left_count);
                let left = f.call(sort, &[start, left_count])[0];
                let right = f.call(sort, &[middle, right_count])[0];
                let merged = f.call(merge, &[left, right]);
                f.ret(&merged)
            });
        })
    });
    sort
}

/// Writes the sorted words and names them. Effects only, hence without proof.
fn announce(f: &mut Body, publish: FunctionHandle, sorted: Value, len: Value) {
    let channel = f.constant(OUTPUT_CHANNEL);
    let start = f.constant(0);
    f.io_set_info(channel, &[], start, len);
    f.call_unconstrained(publish, &[sorted]);
}

#[cfg(test)]
mod tests;
