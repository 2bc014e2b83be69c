//! The two facts that fix quotient and remainder.

use traceloom_air::field::{element, inverse_or_zero, word};
use traceloom_bytecode::builder::{Body, Value};

use crate::gadgets::{pack, small_bytes};

/// Proves `a < b` for little-endian bytes, and all of them to be bytes: the
/// subtraction borrows at the end. At most one of the two steps of a byte borrows.
pub(super) fn less_than(f: &mut Body, a: &[Value], b: &[Value]) {
    let mut borrow = f.constant(0);
    for (&a, &b) in a.iter().zip(b) {
        let [difference, first] = f.u8_sub(a, b);
        let [_, second] = f.u8_sub(difference, borrow);
        borrow = f.add(first, second);
    }
    let one = f.constant(1);
    f.assert_eq(borrow, one, "the remainder is less than the divisor");
}

/// Proves `q·b + r = a` for numbers of equally many checked bytes.
///
/// Works on digits of 16 bits. Column k adds the products of digits i + j = k, the
/// digit of r and the carry from below; minus the digit of a, that is 2^16 times
/// its carry. With carries checked to be below 2^24 both sides stay below 2^41, far
/// from p, so the columns hold as integers. Products above the
/// highest column are not negative, hence all zero if their sum is.
pub(super) fn product_and_sum(f: &mut Body, q: &[Value], b: &[Value], r: &[Value], a: &[Value]) {
    let [q, b, r, a] = [q, b, r, a].map(|bytes| digits(f, bytes));
    let n = a.len();
    let shift = word(inverse_or_zero(element(1 << 16)));
    let mut carry = f.constant(0);
    for k in 0..n {
        let products = (0..=k).map(|i| f.mul(q[i], b[k - i])).collect::<Vec<_>>();
        let sum = f.sum(&[&products[..], &[r[k], carry]].concat());
        let rest = f.sub(sum, a[k]);
        carry = f.scale(rest, shift);
        if k + 1 < n {
            let bytes: [_; 3] = small_bytes(f, carry, "a column is 16 bits and a small carry");
            carry = pack(f, &bytes);
        }
    }
    let overflow: Vec<_> = (1..n)
        .map(|i| {
            let high = f.sum(&b[n - i..]);
            f.mul(q[i], high)
        })
        .collect();
    let overflow = f.sum(&overflow);
    let zero = f.constant(0);
    f.assert_all_eq(&[carry, overflow], &[zero; 2], "quotient and divisor fit the dividend");
}

fn digits(f: &mut Body, bytes: &[Value]) -> Vec<Value> {
    bytes.chunks(2).map(|digit| pack(f, digit)).collect()
}
