//! `blake3(len)`: the BLAKE3 digest of `len` bytes that the prover knows.
//!
//! The claim binds the length and the digest. The bytes are advice, channel 0
//! from word 0 on, so it says: the prover knows `len` bytes with this digest. Any
//! length up to 2^32 is provable, which the entry checks in its circuit.
//!
//! Rows for 1 MiB: seven per compression, 121,849; one per block, 16,383; 2,036
//! for the tree; few others. The functions with few rows share one circuit.

mod chunk;
mod compress;
mod tree;

use traceloom_bytecode::Program;
use traceloom_bytecode::builder::{Body, BuildErrors, FunctionHandle, ProgramBuilder, Value};

use self::compress::Block;
use crate::gadgets::{pack_bits, small_bits, zeros};
use crate::input::{TAIL_BITS, Tail, expect_input};

/// Domain flags.
mod flags {
    pub(super) const CHUNK_START: u64 = 1;
    pub(super) const CHUNK_END: u64 = 2;
    pub(super) const PARENT: u64 = 4;
    pub(super) const ROOT: u64 = 8;
}

/// Builds the program; entry `blake3(len) -> 32 bytes`.
///
/// # Errors
/// None, unless the program is edited wrongly.
pub fn program() -> Result<Program, BuildErrors> {
    let mut program = ProgramBuilder::new("blake3");
    let blake3 = program.entry("blake3", 1, 32);
    let compress = compress::define(&mut program);
    let block = chunk::define_block(&mut program, compress);
    let subtree = tree::define_subtree(&mut program, compress, block);
    let spine = tree::define_spine(&mut program, compress, subtree);
    let tail = Tail::define(&mut program, &[]);
    let last_block = chunk::define_last_block(&mut program, compress, block, &tail);
    program.define(blake3, |f, inputs| {
        let len = inputs[0];
        expect_input(f, len);
        f.match_value(len, |arms| {
            arms.case(0, |f| {
                let digest = empty_digest(f, compress);
                f.ret(&digest)
            });
            arms.default(|f| {
                let last = f.sub_const(len, 1);
                digest(f, last, last_block, spine)
            });
        })
    });
    let rare = [&[blake3, spine, last_block], tail.functions()].concat();
    program.group(&rare);
    program.finish()
}

fn empty_digest(f: &mut Body, compress: FunctionHandle) -> Vec<Value> {
    let zero = f.constant(0);
    let flags = f.constant(flags::CHUNK_START + flags::CHUNK_END + flags::ROOT);
    let block = Block { len: zero, ..Block::from_iv(f, [zero; 3], flags) };
    let message = zeros(f, 64);
    block.compress(f, compress, &message)
}

/// Ends the entry with the digest of an input whose last byte is number `last`.
///
/// Proven: the bits of `last` are those of an integer below 2^32. From the lowest
/// they number the byte in its block, the block in its chunk, and the chunk.
fn digest(
    f: &mut Body,
    last: Value,
    last_block: FunctionHandle,
    spine: FunctionHandle,
) -> traceloom_bytecode::builder::End {
    let bits = small_bits::<4>(f, last, "the length is at most 2^32");
    let (in_block, bits) = bits.split_at(TAIL_BITS);
    let (in_chunk, bits) = bits.split_at(4);
    let block = pack_bits(f, in_chunk);
    let counter: Vec<_> = bits.chunks(8).map(|byte| pack_bits(f, byte)).collect();
    let chunk = pack_bits(f, bits);
    let args = [&counter[..], &[block], in_block].concat();
    f.match_value(chunk, |arms| {
        arms.case(0, |f| {
            let flags = f.constant(flags::CHUNK_END + flags::ROOT);
            let digest = f.call(last_block, &[&args[..], &[flags]].concat());
            f.ret(&digest)
        });
        arms.default(|f| {
            let flags = f.constant(flags::CHUNK_END);
            let chaining_value = f.call(last_block, &[&args[..], &[flags]].concat());
            let size = f.constant(1);
            let digest = f.call(spine, &[&chaining_value[..], &counter, &[size]].concat());
            f.ret(&digest)
        });
    })
}

#[cfg(test)]
mod tests;
