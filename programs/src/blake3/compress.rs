//! The compression function: one round per row, byte by byte.
//!
//! Cells of a row on the path of a round: 129 inputs, 320 auxiliaries of the
//! round, the 32 outputs of the next row and a few for control. Additions cost
//! four bytes each, their carries no column; rotations by 16 and 8 move bytes,
//! those by 12 and 7 come out of the lookup of the xor before them.

use traceloom_bytecode::builder::{Body, FunctionHandle, ProgramBuilder, Value};

use crate::gadgets::{constant_words, words, zeros};

/// The initial chaining value, also the third row of the state.
pub(super) const IV: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

/// Word `i` of the next round's message is word `PERMUTATION[i]` of this one's.
const PERMUTATION: [usize; 16] = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];

/// Columns, then diagonals.
const QUARTERS: [[usize; 4]; 8] = [
    [0, 4, 8, 12],
    [1, 5, 9, 13],
    [2, 6, 10, 14],
    [3, 7, 11, 15],
    [0, 5, 10, 15],
    [1, 6, 11, 12],
    [2, 7, 8, 13],
    [3, 4, 9, 14],
];

/// Number of the last of seven rounds.
const LAST_STAGE: u64 = 6;

type Word = [Value; 4];

/// What is compressed, besides the message.
pub(super) struct Block {
    /// 32 bytes.
    pub(super) chaining_value: Vec<Value>,
    /// Low bytes of the chunk counter; the rest is zero.
    pub(super) counter: [Value; 3],
    /// Number of bytes in the block, at most 64.
    pub(super) len: Value,
    /// Sum of the domain flags.
    pub(super) flags: Value,
}

impl Block {
    /// A full block of a parent node or of a chunk's start.
    pub(super) fn from_iv(f: &mut Body, counter: [Value; 3], flags: Value) -> Self {
        let len = f.constant(64);
        Self { chaining_value: constant_words(f, &IV), counter, len, flags }
    }

    /// Calls the compression with this block's `message` of 64 bytes.
    pub(super) fn compress(
        self,
        f: &mut Body,
        compress: FunctionHandle,
        message: &[Value],
    ) -> Vec<Value> {
        let mut args = vec![f.constant(0)];
        args.extend(self.chaining_value);
        args.extend(constant_words(f, &IV[..4]));
        args.extend(self.counter);
        args.extend(zeros(f, 5));
        args.push(self.len);
        args.extend(zeros(f, 3));
        args.push(self.flags);
        args.extend(zeros(f, 3));
        args.extend(message);
        f.call(compress, &args)
    }
}

/// Declares and defines `blake3_compress(stage, state, message) -> 32 bytes`: the
/// rounds from `stage` to 6, then the upper half of the state xored to the lower.
///
/// Proven, if the 128 bytes are bytes, which callers ensure: the round returns
/// bytes again (see [`quarter`]), each row proves one round, and stages go up by
/// one from the 0 of every other caller, so that the match ends them at 6.
pub(super) fn define(program: &mut ProgramBuilder) -> FunctionHandle {
    let compress = program.function("blake3_compress", 129, 32);
    program.define(compress, |f, inputs| {
        let stage = inputs[0];
        let mut state = words(&inputs[1..65]);
        let message = words(&inputs[65..]);
        for (i, [a, b, c, d]) in QUARTERS.into_iter().enumerate() {
            let mixed = [state[a], state[b], state[c], state[d]];
            let mixed = quarter(f, mixed, message[2 * i], message[2 * i + 1]);
            [state[a], state[b], state[c], state[d]] = mixed;
        }
        f.match_value(stage, |arms| {
            arms.case(LAST_STAGE, |f| {
                let (low, high) = state.split_at(8);
                let pairs = low.iter().flatten().zip(high.iter().flatten());
                let digest: Vec<_> = pairs.map(|(&a, &b)| f.u8_xor(a, b)).collect();
                f.ret(&digest)
            });
            arms.default(|f| {
                let mut args = vec![f.add_const(stage, 1)];
                args.extend(state.iter().flatten());
                args.extend(PERMUTATION.iter().flat_map(|&i| message[i]));
                let digest = f.call(compress, &args);
                f.ret(&digest)
            });
        })
    });
    compress
}

/// The mixing function on four words of the state.
///
/// Proven: the bytes of `a` and `c` are advice, but each is an operand of an xor,
/// which proves it to be a byte, and results of xors are bytes. With those, a sum
/// minus its bytes lies strictly between -2^32 and 3·2^32 and equals 2^32 times
/// the carry. A carry that is a byte makes both sides integers far below p, so
/// the carry is the true one. That needs half a lookup and no column.
fn quarter(f: &mut Body, [a, b, c, d]: [Word; 4], x: Word, y: Word) -> [Word; 4] {
    let (a, carry_a) = f.hint_u32_add3(a, b, x);
    let d = rotate_bytes(xor(f, d, a), 2);
    let (c, carry_c) = f.hint_u32_add(c, d);
    f.u8_range_check(carry_a, carry_c);
    let b = rotate_12(f, b, c);
    let (a, carry_a) = f.hint_u32_add3(a, b, y);
    let d = rotate_bytes(xor(f, d, a), 1);
    let (c, carry_c) = f.hint_u32_add(c, d);
    f.u8_range_check(carry_a, carry_c);
    let b = rotate_7(f, b, c);
    [a, b, c, d]
}

fn xor(f: &mut Body, a: Word, b: Word) -> Word {
    std::array::from_fn(|i| f.u8_xor(a[i], b[i]))
}

/// Rotation to the right by whole bytes.
fn rotate_bytes(word: Word, bytes: usize) -> Word {
    std::array::from_fn(|i| word[(i + bytes) % 4])
}

/// `a ^ b`, rotated to the right by 12: by a byte, then by half a byte.
fn rotate_12(f: &mut Body, a: Word, b: Word) -> Word {
    let halves: [_; 4] = std::array::from_fn(|i| f.u8_xor_split4(a[i], b[i]));
    std::array::from_fn(|i| f.add(halves[(i + 1) % 4][0], halves[(i + 2) % 4][1]))
}

/// `a ^ b`, rotated to the right by 7.
fn rotate_7(f: &mut Body, a: Word, b: Word) -> Word {
    let halves: [_; 4] = std::array::from_fn(|i| f.u8_xor_split7(a[i], b[i]));
    std::array::from_fn(|i| f.add(halves[i][0], halves[(i + 1) % 4][1]))
}
