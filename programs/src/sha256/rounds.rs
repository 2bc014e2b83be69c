//! The rounds, four per row, with the message schedule in step.
//!
//! Words that only go into sums, `d`, `h` and the results, are values; words
//! whose bits are looked at are four bytes.

use traceloom_bytecode::builder::{Body, FunctionHandle, ProgramBuilder, Value};

use super::bits::{Word, big_sigma_0, big_sigma_1, choose, majority, small_sigma_0, small_sigma_1};
use crate::gadgets::{pack, words};

/// Rounds in a row.
const ROUNDS_PER_ROW: usize = 4;

/// Number of the last row.
const LAST_STAGE: u64 = (CONSTANTS.len() / ROUNDS_PER_ROW) as u64 - 1;

#[rustfmt::skip]
const CONSTANTS: [u32; 64] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4,
    0xab1c_5ed5, 0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe,
    0x9bdc_06a7, 0xc19b_f174, 0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f,
    0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da, 0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7,
    0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967, 0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc,
    0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85, 0xa2bf_e8a1, 0xa81a_664b,
    0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070, 0x19a4_c116,
    0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7,
    0xc671_78f2,
];

/// The eight working variables.
#[derive(Clone, Copy)]
struct State {
    a: Word,
    b: Word,
    c: Word,
    d: Value,
    e: Word,
    f: Word,
    g: Word,
    h: Value,
}

/// Number of cells that a [`State`] takes as arguments.
const STATE_WIDTH: usize = 26;

impl State {
    fn from_args(args: &[Value]) -> Self {
        let word = |at: usize| std::array::from_fn(|i| args[at + i]);
        let (a, b, c, d) = (word(0), word(4), word(8), args[12]);
        let (e, f, g, h) = (word(13), word(17), word(21), args[25]);
        Self { a, b, c, d, e, f, g, h }
    }

    fn to_args(self) -> Vec<Value> {
        let (upper, lower) = ([self.a, self.b, self.c], [self.e, self.f, self.g]);
        [upper.as_flattened(), &[self.d], lower.as_flattened(), &[self.h]].concat()
    }

    fn values(self, f: &mut Body) -> [Value; 8] {
        let [a, b, c] = [self.a, self.b, self.c].map(|word| pack(f, &word));
        let [e, g, h] = [self.e, self.f, self.g].map(|word| pack(f, &word));
        [a, b, c, self.d, e, g, h, self.h]
    }
}

/// Declares and defines `sha256_constants(stage)`: the constants of a row.
///
/// Proven: one arm per stage, no default. Sixteen rows serve any input.
pub(super) fn define_constants(program: &mut ProgramBuilder) -> FunctionHandle {
    let function = program.function("sha256_constants", 1, ROUNDS_PER_ROW as u32);
    program.define(function, |f, inputs| {
        f.match_value(inputs[0], |arms| {
            for (stage, row) in CONSTANTS.chunks(ROUNDS_PER_ROW).enumerate() {
                arms.case(stage as u64, |f| {
                    let row: Vec<_> = row.iter().map(|&k| f.constant(u64::from(k))).collect();
                    f.ret(&row)
                });
            }
        })
    });
    function
}

/// Declares and defines `sha256_rounds(stage, state, schedule) -> 8 words`: the
/// working variables after the last round, as values below 2^32.
///
/// Proven, if the words of state and schedule are bytes or values below 2^32,
/// which callers ensure: sums are reduced by [`reduce`]; stages go up by one to
/// the last, which has its own arm.
pub(super) fn define_rounds(
    program: &mut ProgramBuilder,
    constants: FunctionHandle,
) -> FunctionHandle {
    let rounds = program.function("sha256_rounds", 1 + STATE_WIDTH as u32 + 64, 8);
    program.define(rounds, |f, inputs| {
        let stage = inputs[0];
        let mut state = State::from_args(&inputs[1..]);
        let mut schedule = words(&inputs[1 + STATE_WIDTH..]);
        let constants = f.call(constants, &[stage]);
        let mut carries = Vec::new();
        for constant in constants {
            state = round(f, state, constant, schedule[0], &mut carries);
            let next = next_word(f, &schedule, &mut carries);
            schedule.remove(0);
            schedule.push(next);
        }
        f.range_check_bytes(&carries);
        f.match_value(stage, |arms| {
            arms.case(LAST_STAGE, |f| {
                // No further round looks at these two.
                f.range_check_bytes(&[state.a, state.e].concat());
                let values = state.values(f);
                f.ret(&values)
            });
            arms.default(|f| {
                let next = f.add_const(stage, 1);
                let args = [&[next], &state.to_args()[..], schedule.as_flattened()].concat();
                let values = f.call(rounds, &args);
                f.ret(&values)
            });
        })
    });
    rounds
}

fn round(f: &mut Body, old: State, k: Value, w: Word, carries: &mut Vec<Value>) -> State {
    let terms = [old.h, big_sigma_1(f, old.e), choose(f, old.e, old.f, old.g), k, pack(f, &w)];
    let first = f.sum(&terms);
    let second = [big_sigma_0(f, old.a), majority(f, old.a, old.b, old.c)];
    let sum_e = f.add(old.d, first);
    let sum_a = f.sum(&[first, second[0], second[1]]);
    let e = reduce(f, sum_e, carries);
    let a = reduce(f, sum_a, carries);
    let (d, h) = (pack(f, &old.c), pack(f, &old.g));
    State { a, b: old.a, c: old.b, d, e, f: old.e, g: old.f, h }
}

fn next_word(f: &mut Body, schedule: &[Word], carries: &mut Vec<Value>) -> Word {
    let terms = [
        pack(f, &schedule[0]),
        small_sigma_0(f, schedule[1]),
        pack(f, &schedule[9]),
        small_sigma_1(f, schedule[14]),
    ];
    let sum = f.sum(&terms);
    reduce(f, sum, carries)
}

/// The four low bytes of a sum of a few words; the fifth goes to `carries`, and
/// whoever calls this checks that all five are bytes. Then they are the bytes of
/// the sum, because no other five bytes pack to the same field element.
///
/// The rounds check carries in their row. Bytes of `a` and `e` are checked by the
/// next round's sigmas, and those of a schedule word by the sigma at position 14
/// or 1 before position 0 is read; words that never get there are never used.
pub(super) fn reduce(f: &mut Body, sum: Value, carries: &mut Vec<Value>) -> Word {
    let bytes = f.hint_field_to_bytes(sum);
    let low = [bytes[0], bytes[1], bytes[2], bytes[3]];
    let value = pack(f, &low);
    let high = f.scale(bytes[4], 1 << 32);
    let packed = f.add(value, high);
    f.assert_eq(sum, packed, "a sum of words has five bytes");
    carries.push(bytes[4]);
    low
}

/// Arguments of the first row: `state` as 32 bytes, `schedule` as sixteen words.
pub(super) fn first_args(f: &mut Body, state: &[Word], schedule: &[Word]) -> Vec<Value> {
    let stage = f.constant(0);
    let (d, h) = (pack(f, &state[3]), pack(f, &state[7]));
    let (a, e) = (&state[..3], &state[4..7]);
    let state = [a.as_flattened(), &[d], e.as_flattened(), &[h]].concat();
    [&[stage], &state[..], schedule.as_flattened()].concat()
}
