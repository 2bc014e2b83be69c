//! Chunks: up to sixteen blocks of 64 bytes, chained.

use traceloom_bytecode::builder::{Body, FunctionHandle, ProgramBuilder, Value};

use super::compress::Block;
use super::flags;
use crate::gadgets::pack;
use crate::input::{TAIL_BITS, Tail, read_bytes};

/// Number of counter bytes in use: chunk numbers are below 2^22.
pub(super) const COUNTER_BYTES: usize = 3;

/// Declares and defines `blake3_block(counter, block, flags) -> 32 bytes`: the
/// chaining value after the full blocks 0 to `block` of a chunk; `flags` are
/// those of the last of them, without the start flag.
///
/// Proven: `block` is at most 15 in every outside call and goes down by one to
/// the 0 that has its own arm, so the chunk has exactly `block + 1` blocks. Each
/// block is asked for by one caller only, so the advice is one byte string.
pub(super) fn define_block(
    program: &mut ProgramBuilder,
    compress: FunctionHandle,
) -> FunctionHandle {
    let function = program.function("blake3_block", COUNTER_BYTES as u32 + 2, 32);
    program.define(function, |f, inputs| {
        let counter = [inputs[0], inputs[1], inputs[2]];
        let (block, flags) = (inputs[3], inputs[4]);
        let position = position(f, counter, block);
        let message = read_bytes(f, position, 64);
        f.match_value(block, |arms| {
            arms.case(0, |f| {
                let flags = f.add_const(flags, flags::CHUNK_START);
                let digest = Block::from_iv(f, counter, flags).compress(f, compress, &message);
                f.ret(&digest)
            });
            arms.default(|f| {
                let chaining_value = previous(f, function, counter, block);
                let len = f.constant(64);
                let block = Block { chaining_value, counter, len, flags };
                let digest = block.compress(f, compress, &message);
                f.ret(&digest)
            });
        })
    });
    function
}

/// Declares and defines `blake3_last_block(counter, block, bits, flags) -> 32
/// bytes`: the same for the last chunk of an input that is not empty; its last
/// block has one byte more than the six bits say.
///
/// Proven like [`define_block`]; the number of bytes is exact by [`Tail`], and the
/// block length that is hashed is the sum of the same bits.
pub(super) fn define_last_block(
    program: &mut ProgramBuilder,
    compress: FunctionHandle,
    block_function: FunctionHandle,
    tail: &Tail,
) -> FunctionHandle {
    let num_inputs = COUNTER_BYTES + 2 + TAIL_BITS;
    let function = program.function("blake3_last_block", num_inputs as u32, 32);
    program.define(function, |f, inputs| {
        let counter = [inputs[0], inputs[1], inputs[2]];
        let block = inputs[3];
        let (bits, flags) = (&inputs[4..4 + TAIL_BITS], inputs[4 + TAIL_BITS]);
        let position = position(f, counter, block);
        let mut message = read_bytes(f, position, 1);
        let second = f.add_const(position, 1);
        message.extend(tail.read(f, second, bits));
        let len_minus_one = crate::gadgets::pack_bits(f, bits);
        let len = f.add_const(len_minus_one, 1);
        f.match_value(block, |arms| {
            arms.case(0, |f| {
                let flags = f.add_const(flags, flags::CHUNK_START);
                let block = Block { len, ..Block::from_iv(f, counter, flags) };
                let digest = block.compress(f, compress, &message);
                f.ret(&digest)
            });
            arms.default(|f| {
                let chaining_value = previous(f, block_function, counter, block);
                let block = Block { chaining_value, counter, len, flags };
                let digest = block.compress(f, compress, &message);
                f.ret(&digest)
            });
        })
    });
    function
}

/// Position of a block in the input.
fn position(f: &mut Body, counter: [Value; 3], block: Value) -> Value {
    let chunk = pack(f, &counter);
    f.weighted_sum(&[chunk, block], &[1024, 64])
}

/// The chaining value in front of `block`, which is not the first.
fn previous(
    f: &mut Body,
    block_function: FunctionHandle,
    counter: [Value; 3],
    block: Value,
) -> Vec<Value> {
    let before = f.sub_const(block, 1);
    let no_flags = f.constant(0);
    f.call(block_function, &[counter[0], counter[1], counter[2], before, no_flags])
}
