//! What tables answer on the bus ALU, in plain arithmetic: for records that have an answer as a
//! field.

/// The answer to `lhs`, `rhs` with these flags, if they name an operation.
#[must_use]
pub fn answer(lhs: u64, rhs: u64, flags: u8) -> Option<u64> {
    let [signed, second, upper] = [32, 64, 128].map(|bit| flags & bit != 0);
    let wide = |x: u64, signed: bool| if signed { i128::from(x as i64) } else { i128::from(x) };
    Some(match flags & 31 {
        0 => lhs & rhs,
        1 => lhs | rhs,
        2 => lhs ^ rhs,
        3 => u64::from((lhs == rhs) != second),
        4 => u64::from((wide(lhs, signed) < wide(rhs, signed)) != second),
        kind @ (5 | 6) => {
            let amount = rhs & if kind == 5 { 63 } else { 31 };
            if second { (wide(lhs, signed) >> amount) as u64 } else { lhs << amount }
        }
        7 => {
            // Modulo 2^128 all signs are the same.
            let product = wide(lhs, signed).wrapping_mul(wide(rhs, second)) as u128;
            if upper { (product >> 64) as u64 } else { product as u64 }
        }
        8 => {
            let (quotient, remainder) = divide(lhs, rhs, signed);
            if upper { remainder } else { quotient }
        }
        _ => return None,
    })
}

/// Quotient and remainder; by zero all ones and the dividend.
#[must_use]
pub fn divide(lhs: u64, rhs: u64, signed: bool) -> (u64, u64) {
    match (rhs, signed) {
        (0, _) => (u64::MAX, lhs),
        (_, false) => (lhs / rhs, lhs % rhs),
        (_, true) => {
            let (a, b) = (lhs as i64, rhs as i64);
            (a.wrapping_div(b) as u64, a.wrapping_rem(b) as u64)
        }
    }
}
