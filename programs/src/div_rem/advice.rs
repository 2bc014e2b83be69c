//! Where quotient and remainder come from. Nothing here is proven.

use traceloom_bytecode::builder::{Body, End, FunctionHandle, ProgramBuilder, Value};
use traceloom_bytecode::model::BIGUINT_WIDTH;

use super::BYTES;
use crate::gadgets::zeros;

const NODE: u64 = 0;
const END: u64 = 1;
const LIMB_BYTES: usize = 8;

/// Declares and defines `div_rem_advice(a, b) -> (q, r)`, 16 bytes each.
pub(super) fn define(program: &mut ProgramBuilder) -> FunctionHandle {
    let digits = define_digits(program);
    let advice = program.unconstrained("div_rem_advice", 2 * BYTES as u32, 2 * BYTES as u32);
    program.define(advice, |f, inputs| {
        let (a, b) = inputs.split_at(BYTES);
        let (a, b) = (list(f, a), list(f, b));
        let results = f.hint_biguint_div_rem(a, b);
        let bytes = results.map(|list| {
            let all = f.constant((BYTES / LIMB_BYTES) as u64);
            f.call_unconstrained(digits, &[list, all])
        });
        f.ret(&bytes.concat())
    });
    advice
}

/// A list of limbs, least significant first.
fn list(f: &mut Body, bytes: &[Value]) -> Value {
    let padding = zeros(f, BIGUINT_WIDTH as usize - 1);
    let tag = f.constant(END);
    let end = f.store(&[&[tag], &padding[..]].concat());
    let tag = f.constant(NODE);
    bytes
        .chunks(LIMB_BYTES)
        .rev()
        .fold(end, |next, limb| f.store(&[&[tag], limb, &[next]].concat()))
}

/// Declares and defines `biguint_bytes(list, limbs) -> 16 bytes`: the first limbs
/// of a list, zeros behind its end.
fn define_digits(program: &mut ProgramBuilder) -> FunctionHandle {
    let digits = program.unconstrained("biguint_bytes", 2, BYTES as u32);
    program.define(digits, |f, inputs| {
        let (list, limbs) = (inputs[0], inputs[1]);
        f.match_value(limbs, |arms| {
            arms.case(0, return_zero);
            arms.default(|f| {
                let row = f.load(BIGUINT_WIDTH, list);
                f.match_value(row[0], |arms| {
                    arms.case(END, return_zero);
                    arms.case(NODE, |f| {
                        let fewer = f.sub_const(limbs, 1);
                        let rest = f.call_unconstrained(digits, &[row[1 + LIMB_BYTES], fewer]);
                        let limb = &row[1..=LIMB_BYTES];
                        f.ret(&[limb, &rest[..BYTES - LIMB_BYTES]].concat())
                    });
                })
            });
        })
    });
    digits
}

fn return_zero(f: &mut Body) -> End {
    let bytes = zeros(f, BYTES);
    f.ret(&bytes)
}
