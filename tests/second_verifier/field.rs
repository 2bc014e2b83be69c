//! Goldilocks and its extensions of degree 2 and 3, on plain words.
//!
//! A base element is a canonical `u64`. An element of E is its coefficients:
//! modulo X² - 7 for `D = 2`, modulo X³ - X - 1 for `D = 3`.

use std::ops::{Add, AddAssign, Mul, Sub};

/// The modulus, 2^64 - 2^32 + 1.
pub const P: u64 = 0xffff_ffff_0000_0001;
/// Shift of the coset on which polynomials are committed.
pub const SHIFT: u64 = 7;

/// Generator of the subgroup of order 2^32.
const TWO_ADIC_ROOT: u64 = 1_753_635_133_440_165_772;

/// `a + b`.
pub fn add(a: u64, b: u64) -> u64 {
    reduce(u128::from(a) + u128::from(b))
}

/// `a - b`.
pub fn sub(a: u64, b: u64) -> u64 {
    if a >= b { a - b } else { P - (b - a) }
}

/// `a · b`.
pub fn mul(a: u64, b: u64) -> u64 {
    reduce(u128::from(a) * u128::from(b))
}

/// `base^exponent`.
pub fn pow(base: u64, mut exponent: u64) -> u64 {
    let (mut square, mut result) = (base, 1);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = mul(result, square);
        }
        square = mul(square, square);
        exponent >>= 1;
    }
    result
}

/// The inverse, by Fermat; zero for zero.
pub fn inverse(a: u64) -> u64 {
    pow(a, P - 2)
}

/// Generator of the subgroup of order `2^log_order`, at most 2^32.
pub fn root_of_unity(log_order: usize) -> u64 {
    (log_order..32).fold(TWO_ADIC_ROOT, |root, _| mul(root, root))
}

/// The lowest `bits` bits of `index`, in reverse.
pub fn reverse_bits(index: usize, bits: usize) -> usize {
    (0..bits).fold(0, |reversed, bit| reversed << 1 | (index >> bit & 1))
}

/// A number below 2^128 modulo p, since 2^64 = 2^32 - 1 and 2^96 = -1.
fn reduce(wide: u128) -> u64 {
    let low = u128::from(wide as u64);
    let middle = u128::from((wide >> 64) as u32);
    let high = wide >> 96;
    let mut sum = low + (middle << 32) - middle + u128::from(P) - high;
    // Below 3·2^64 or so: fold what is above 64 bits, then subtract.
    sum = u128::from(sum as u64) + (sum >> 64) * 0xffff_ffff;
    while sum >= u128::from(P) {
        sum -= u128::from(P);
    }
    sum as u64
}

/// An element of the challenge field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ext<const D: usize>(pub [u64; D]);

impl<const D: usize> Ext<D> {
    /// The element 0.
    pub const ZERO: Self = Self([0; D]);

    /// The base element `word`.
    pub fn base(word: u64) -> Self {
        let mut coefficients = [0; D];
        coefficients[0] = word;
        Self(coefficients)
    }

    /// The element 1.
    pub fn one() -> Self {
        Self::base(1)
    }

    /// X^k.
    pub fn monomial(k: usize) -> Self {
        let mut coefficients = [0; D];
        coefficients[k] = 1;
        Self(coefficients)
    }

    /// This times a base element.
    pub fn scale(self, factor: u64) -> Self {
        Self(self.0.map(|coefficient| mul(coefficient, factor)))
    }

    /// This to the power `exponent`.
    pub fn pow(self, mut exponent: u64) -> Self {
        let (mut square, mut result) = (self, Self::one());
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = result * square;
            }
            square = square * square;
            exponent >>= 1;
        }
        result
    }

    /// The inverse, `None` for zero: the product of the other conjugates over the
    /// norm, which lies in the base field.
    pub fn inverse(self) -> Option<Self> {
        let (mut conjugate, mut others) = (self, Self::one());
        for _ in 1..D {
            conjugate = conjugate.pow(P);
            others = others * conjugate;
        }
        let norm = self * others;
        assert!(norm.0[1..].iter().all(|&coefficient| coefficient == 0), "a norm is in F");
        (norm.0[0] != 0).then(|| others.scale(inverse(norm.0[0])))
    }
}

impl<const D: usize> Add for Ext<D> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| add(self.0[i], other.0[i])))
    }
}

impl<const D: usize> AddAssign for Ext<D> {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<const D: usize> Sub for Ext<D> {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| sub(self.0[i], other.0[i])))
    }
}

impl<const D: usize> Mul for Ext<D> {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let mut product = [0; 5];
        for (i, &a) in self.0.iter().enumerate() {
            for (j, &b) in other.0.iter().enumerate() {
                product[i + j] = add(product[i + j], mul(a, b));
            }
        }
        for power in (D..2 * D - 1).rev() {
            let top = product[power];
            if D == 2 {
                product[power - 2] = add(product[power - 2], mul(7, top));
            } else {
                product[power - 2] = add(product[power - 2], top);
                product[power - 3] = add(product[power - 3], top);
            }
        }
        Self(std::array::from_fn(|i| product[i]))
    }
}

#[test]
fn field_laws_hold() {
    for a in [0, 1, 2, 7, 0xffff_ffff, 1 << 32, P - 2, P - 1] {
        for b in [0, 1, 3, 1 << 63, P - 1] {
            let wide = |x: u128| (x % u128::from(P)) as u64;
            assert_eq!(mul(a, b), wide(u128::from(a) * u128::from(b)));
            assert_eq!(add(a, b), wide(u128::from(a) + u128::from(b)));
            assert_eq!(add(sub(a, b), b), a);
        }
    }
    assert_eq!(root_of_unity(1), P - 1);
    let (two, three) = (Ext([5, P - 9]), Ext([3, 1 << 40, P - 1]));
    assert_eq!(two.inverse().map(|inverse| inverse * two), Some(Ext::one()));
    assert_eq!(three.inverse().map(|inverse| inverse * three), Some(Ext::one()));
    assert_eq!(Ext::<2>::ZERO.inverse(), None);
}
