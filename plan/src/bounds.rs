//! Exclusive upper bounds, upwards from producers.
//!
//! A bound below the modulus also says that the value is the integer result of
//! its expression: nothing wrapped. The modulus is "unknown". The bound 0 says
//! that nothing produces the value (yet): the least point of fixpoints.

use traceloom_abi::seed::Meaning;
use traceloom_air::bytes::ByteOp;
use traceloom_air::field::MODULUS;

use crate::value::{Expr, Value, ValueNo};

/// Nothing is known but that words are canonical.
pub(crate) const UNKNOWN: u64 = MODULUS;

/// A bound on a sum, a product or the like, from the largest value.
fn of_largest(largest: u128) -> u64 {
    if largest >= u128::from(MODULUS) - 1 { UNKNOWN } else { largest as u64 + 1 }
}

/// The bound of `expr` from those of its operands. Seed words and merged values
/// are looked up.
pub fn bound_of(
    expr: &Expr,
    of: impl Fn(ValueNo) -> u64,
    outside: impl FnOnce(&Expr) -> u64,
) -> u64 {
    let operands = expr.operands();
    if operands.iter().any(|&operand| of(operand) == 0) {
        return 0;
    }
    let most = |value: ValueNo| u128::from(of(value) - 1);
    let known = operands.iter().all(|&operand| of(operand) < UNKNOWN);
    match *expr {
        Expr::Constant(word) => of_largest(word.into()),
        Expr::Seed(_) | Expr::Merged(_) => outside(expr),
        Expr::Add(a, b) if known => of_largest(most(a) + most(b)),
        Expr::Mul(a, b) if known => of_largest(most(a) * most(b)),
        Expr::Pack(bytes) if known => {
            let terms = bytes.iter().enumerate();
            of_largest(terms.map(|(i, &byte)| most(byte) << (8 * i)).sum())
        }
        Expr::Add(..) | Expr::Sub(..) | Expr::Mul(..) | Expr::Pack(_) => UNKNOWN,
        Expr::InverseOrZero(_) => UNKNOWN,
        Expr::IsZero(_) | Expr::ByteCarry(..) | Expr::ByteBorrow(..) | Expr::Less(..) => 2,
        Expr::Unary(op, result, _) | Expr::Binary(op, result, ..) => byte_result_bound(op, result),
        Expr::PackLow(_) | Expr::LessRest(..) | Expr::RankGap(..) => 1 << 32,
        Expr::Low32(a) => of(a).min(1 << 32),
        Expr::Select(_, b, c) => of(b).max(of(c)),
        Expr::ByteOf(a, 0) => of(a).min(256),
        Expr::ByteOf(..) => 256,
        Expr::LimbOf(a, 0) => of(a).min(1 << 16),
        Expr::LimbOf(..) => 1 << 16,
        Expr::High32(a) => (((u128::from(of(a)) - 1) >> 32) + 1) as u64,
    }
}

fn byte_result_bound(op: ByteOp, result: u8) -> u64 {
    match (op, result) {
        (ByteOp::Bits | ByteOp::LessThan, _) | (ByteOp::XorSplit7, 0) => 2,
        (ByteOp::ShiftRight, _) => 128,
        (ByteOp::XorSplit4, 0) => 16,
        _ => 256,
    }
}

/// Fills [`Value::proven`] and [`Value::bound`]: seed words are unbounded in the
/// one and below `seed` in the other.
pub(crate) fn assign(
    values: &mut [Value],
    seed: impl Fn(Meaning) -> u64,
    merged: impl Fn(usize) -> u64,
) {
    for index in 0..values.len() {
        let expr = values[index].expr;
        let outside = |expr: &Expr| match expr {
            Expr::Seed(meaning) => seed(*meaning),
            _ => merged(index),
        };
        let bound = bound_of(&expr, |value| values[value.index()].bound, outside);
        let proven = bound_of(&expr, |value| values[value.index()].proven, |_| UNKNOWN);
        values[index].bound = bound;
        values[index].proven = proven;
    }
}

/// Rounds up to a width class, so that fixpoints have few points: bits, bytes,
/// u16, u32, anything.
pub(crate) fn round_up(bound: u64) -> u64 {
    let classes = [0, 2, 1 << 8, 1 << 16, 1 << 32, UNKNOWN];
    classes.into_iter().find(|&class| bound <= class).unwrap_or(UNKNOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_that_could_wrap_is_unknown() {
        let sum = Expr::Add(ValueNo(0), ValueNo(1));
        let bound = |a: u64, b: u64| bound_of(&sum, |v| [a, b][v.index()], |_| UNKNOWN);
        assert_eq!(bound(256, 256), 511);
        assert_eq!(bound(MODULUS - 1, 1), MODULUS - 1);
        assert_eq!(bound(MODULUS - 1, 2), UNKNOWN);
        assert_eq!(bound(UNKNOWN, 1), UNKNOWN);
        assert_eq!(bound(0, UNKNOWN), 0);
        let product = Expr::Mul(ValueNo(0), ValueNo(1));
        let bound = |a: u64, b: u64| bound_of(&product, |v| [a, b][v.index()], |_| UNKNOWN);
        assert_eq!(bound(1 << 32, 1 << 32), 0xffff_ffff * 0xffff_ffff + 1);
        assert_eq!(bound((1 << 32) + 1, 1 << 32), UNKNOWN);
        assert_eq!(bound(1 << 32, 0x8000_0001), (0xffff_ffff << 31) + 1);
    }

    #[test]
    fn classes_cover_their_bounds() {
        for bound in [0, 1, 2, 3, 256, 257, 1 << 16, 1 << 32, (1 << 32) + 1, UNKNOWN] {
            assert!(round_up(bound) >= bound);
        }
    }

    #[test]
    fn byte_bounds_hold_for_every_operand() {
        let ops = ByteOp::UNARY.into_iter().chain(ByteOp::BINARY);
        for op in ops {
            for (a, b) in (0..=255_u8).flat_map(|a| (0..=255_u8).map(move |b| (a, b))) {
                for (result, &word) in op.results(a, b)[..op.num_results()].iter().enumerate() {
                    assert!(u64::from(word) < byte_result_bound(op, result as u8), "{op:?}");
                }
            }
        }
    }
}
