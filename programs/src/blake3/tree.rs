//! The chunk tree: complete subtrees to the left, the last chunk at the right.
//!
//! A tree over chunks 0 to c splits at the largest power of two that is at most
//! c: the highest bit of c. So the left siblings on the way up from the last
//! chunk are complete subtrees, one per bit of c that is set, smallest first.

use traceloom_bytecode::builder::{Body, FunctionHandle, ProgramBuilder, Value};

use super::chunk::COUNTER_BYTES;
use super::compress::Block;
use super::flags;
use crate::gadgets::{halve_bytes, pack, small_bytes};
use traceloom_air::field::{element, inverse_or_zero, word};

/// Declares and defines `blake3_subtree(first, size) -> 32 bytes`: the chaining
/// value of `size` complete chunks from number `first` on.
///
/// Proven: callers give powers of two below 2^23, so halving is exact, ends at
/// 1, and the two halves are adjacent. A chunk's number is decomposed into
/// checked bytes, which prove it small.
pub(super) fn define_subtree(
    program: &mut ProgramBuilder,
    compress: FunctionHandle,
    block: FunctionHandle,
) -> FunctionHandle {
    let subtree = program.function("blake3_subtree", 2, 32);
    let one_half = word(inverse_or_zero(element(2)));
    program.define(subtree, |f, inputs| {
        let (first, size) = (inputs[0], inputs[1]);
        f.match_value(size, |arms| {
            arms.case(1, |f| {
                let counter: [_; COUNTER_BYTES] = small_bytes(f, first, "a chunk number is small");
                let (last, end) = (f.constant(15), f.constant(flags::CHUNK_END));
                let digest = f.call(block, &[counter[0], counter[1], counter[2], last, end]);
                f.ret(&digest)
            });
            arms.default(|f| {
                let half = f.scale(size, one_half);
                let left = f.call(subtree, &[first, half]);
                let middle = f.add(first, half);
                let right = f.call(subtree, &[middle, half]);
                let digest = parent(f, compress, &left, &right, flags::PARENT);
                f.ret(&digest)
            });
        })
    });
    subtree
}

/// Declares and defines `blake3_spine(chaining value, count, size) -> 32 bytes`:
/// the root over `count · size` complete chunks and, behind them, the subtree with
/// this chaining value. `count` is three bytes and not zero, `size` a power of two.
///
/// Proven: the shifts prove the bytes of `count` and give its lowest bit and its
/// half. If the bit is set, the last `size` of the chunks are the left sibling.
/// Then both cases go on with the half and twice the size, so that `count · size`
/// stays the number of chunks in front. Counts halve down to 1, the root.
pub(super) fn define_spine(
    program: &mut ProgramBuilder,
    compress: FunctionHandle,
    subtree: FunctionHandle,
) -> FunctionHandle {
    let spine = program.function("blake3_spine", 32 + COUNTER_BYTES as u32 + 1, 32);
    program.define(spine, |f, inputs| {
        let (right, rest) = inputs.split_at(32);
        let (bytes, size) = (&rest[..COUNTER_BYTES], rest[COUNTER_BYTES]);
        let count = pack(f, bytes);
        let (half, bit) = halve_bytes(f, bytes);
        f.match_value(count, |arms| {
            arms.case(1, |f| {
                let first = f.constant(0);
                let left = f.call(subtree, &[first, size]);
                let root = parent(f, compress, &left, right, flags::PARENT + flags::ROOT);
                f.ret(&root)
            });
            arms.default(|f| {
                let twice = f.add(size, size);
                f.match_value(bit, |arms| {
                    arms.case(0, |f| {
                        let args = [right, &half[..], &[twice]].concat();
                        let root = f.call(spine, &args);
                        f.ret(&root)
                    });
                    arms.case(1, |f| {
                        let before = f.sub_const(count, 1);
                        let first = f.mul(before, size);
                        let left = f.call(subtree, &[first, size]);
                        let joined = parent(f, compress, &left, right, flags::PARENT);
                        let args = [&joined[..], &half, &[twice]].concat();
                        let root = f.call(spine, &args);
                        f.ret(&root)
                    });
                })
            });
        })
    });
    spine
}

/// The chaining value over two children.
fn parent(
    f: &mut Body,
    compress: FunctionHandle,
    left: &[Value],
    right: &[Value],
    flags: u64,
) -> Vec<Value> {
    let counter = [f.constant(0); COUNTER_BYTES];
    let flags = f.constant(flags);
    Block::from_iv(f, counter, flags).compress(f, compress, &[left, right].concat())
}
