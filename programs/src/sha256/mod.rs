//! `sha256(len)`: the SHA-256 digest of `len` bytes that the prover knows.
//!
//! The claim binds the length and the digest. The bytes are advice, channel 0
//! from word 0 on, so it says: the prover knows `len` bytes with this digest. Any
//! length below 2^32 is provable, which the entry checks in its circuit.
//!
//! Sixteen rows of four rounds per block of 64 bytes. Words are kept with their
//! bytes in little-endian order; messages and digests are big-endian.

mod bits;
mod rounds;

use traceloom_air::field::{element, inverse_or_zero, word};
use traceloom_bytecode::Program;
use traceloom_bytecode::builder::{Body, BuildErrors, FunctionHandle, ProgramBuilder, Value};

use self::bits::Word;
use crate::gadgets::{constant_words, pack, pack_bits, small_bits, words, zeros};
use crate::input::{TAIL_BITS, Tail, expect_input, read_bytes};

const IV: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

/// The first byte behind the data.
const END_MARKER: u64 = 0x80;

/// Bytes of a block in front of the length of the message.
const LENGTH_OFFSET: usize = 56;

/// Builds the program; entry `sha256(len) -> 32 bytes`.
///
/// # Errors
/// None, unless the program is edited wrongly.
pub fn program() -> Result<Program, BuildErrors> {
    let mut program = ProgramBuilder::new("sha256");
    let sha256 = program.entry("sha256", 1, 32);
    let constants = rounds::define_constants(&mut program);
    let rounds = rounds::define_rounds(&mut program, constants);
    let block = define_block(&mut program, rounds);
    let state = define_state(&mut program, block);
    let tail = Tail::define(&mut program, &[END_MARKER]);
    define_entry(&mut program, sha256, state, block, &tail);
    let rare = [&[sha256, constants], tail.functions()].concat();
    program.group(&rare);
    program.finish()
}

/// Declares and defines `sha256_block(state, block) -> state`.
///
/// Proven, if all inputs are bytes: the rounds return values below 2^32, and the
/// bytes and carries of the sums with the old state are checked here.
fn define_block(program: &mut ProgramBuilder, rounds: FunctionHandle) -> FunctionHandle {
    let function = program.function("sha256_block", 96, 32);
    program.define(function, |f, inputs| {
        let (state, block) = inputs.split_at(32);
        let state = words(state);
        let schedule = swap(&words(block));
        let args = rounds::first_args(f, &state, &schedule);
        let mixed = f.call(rounds, &args);
        let mut carries = Vec::new();
        let mut next = Vec::new();
        for (old, mixed) in state.iter().zip(mixed) {
            let old = pack(f, old);
            let sum = f.add(old, mixed);
            next.extend(rounds::reduce(f, sum, &mut carries));
        }
        f.range_check_bytes(&next);
        f.range_check_bytes(&carries);
        f.ret(&next)
    });
    function
}

/// Declares and defines `sha256_state(n) -> state` after `n` full blocks of input.
///
/// Proven: `n` goes down by one to 0, which has its own arm; the caller proves it
/// below 2^26. Each block is asked for once, so the advice is one byte string.
fn define_state(program: &mut ProgramBuilder, block: FunctionHandle) -> FunctionHandle {
    let state = program.function("sha256_state", 1, 32);
    program.define(state, |f, inputs| {
        let count = inputs[0];
        f.match_value(count, |arms| {
            arms.case(0, |f| {
                let iv = constant_words(f, &IV);
                f.ret(&iv)
            });
            arms.default(|f| {
                let before = f.sub_const(count, 1);
                let position = f.scale(before, 64);
                let previous = f.call(state, &[before]);
                let message = read_bytes(f, position, 64);
                let next = f.call(block, &[previous, message].concat());
                f.ret(&next)
            });
        })
    });
    state
}

/// Defines the entry: padding, and one or two more blocks.
///
/// Proven: the bits of the length are those of an integer below 2^32. The lower
/// six count the bytes behind the full blocks, exactly by [`Tail`]. At 56 or more,
/// when bits 3 to 5 are all set, the length goes to a block of its own; at fewer,
/// marker included, the last eight bytes of the tail are zeros and give way to it.
fn define_entry(
    program: &mut ProgramBuilder,
    entry: FunctionHandle,
    state: FunctionHandle,
    block: FunctionHandle,
    tail: &Tail,
) {
    program.define(entry, |f, inputs| {
        let len = inputs[0];
        expect_input(f, len);
        let bits = small_bits::<4>(f, len, "the length is below 2^32");
        let (in_block, full) = bits.split_at(TAIL_BITS);
        let full = pack_bits(f, full);
        let chained = f.call(state, &[full]);
        let position = f.scale(full, 64);
        let rest = tail.read(f, position, in_block);
        let length = message_length(f, &bits);
        let spills = f.mul(in_block[3], in_block[4]);
        let spills = f.mul(spills, in_block[5]);
        f.match_value(spills, |arms| {
            arms.case(0, |f| {
                let last = [&rest[..LENGTH_OFFSET], &length].concat();
                let digest = f.call(block, &[chained.clone(), last].concat());
                return_digest(f, &digest)
            });
            arms.case(1, |f| {
                let chained = f.call(block, &[&chained[..], &rest].concat());
                let padding = zeros(f, LENGTH_OFFSET);
                let digest = f.call(block, &[chained, padding, length.clone()].concat());
                return_digest(f, &digest)
            });
        })
    });
}

/// The number of bits as eight big-endian bytes, from the bits of the number of
/// bytes.
fn message_length(f: &mut Body, bits: &[Value]) -> Vec<Value> {
    let bits = [zeros(f, 3), bits.to_vec()].concat();
    let mut length: Vec<_> = bits.chunks(8).map(|byte| pack_bits(f, byte)).collect();
    length.resize(8, f.constant(0));
    length.reverse();
    length
}

fn return_digest(f: &mut Body, state: &[Value]) -> traceloom_bytecode::builder::End {
    let digest = swap(&words(state));
    f.ret(digest.as_flattened())
}

/// From big-endian to little-endian or back.
fn swap(words: &[Word]) -> Vec<Word> {
    words.iter().map(|&[a, b, c, d]| [d, c, b, a]).collect()
}

/// One half in the field.
fn one_half() -> u64 {
    word(inverse_or_zero(element(2)))
}

#[cfg(test)]
mod tests;
