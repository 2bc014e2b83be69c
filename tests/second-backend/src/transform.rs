//! Transforms between values and coefficients, and inverses of many elements.

use p3_field::TwoAdicField;
use traceloom_air::field::{Field, PrimeCharacteristicRing, element};
use traceloom_verifier::scheme::F;

/// Generates the coset that is committed on.
pub const SHIFT: u64 = 7;

/// Generates the subgroup of order `2^log_order`.
pub fn root(log_order: usize) -> F {
    F::two_adic_generator(log_order)
}

/// Values at `root^0, root^1, ...` of the polynomial with these coefficients, lowest
/// first; `root` has the order of their number. Radix 2 and self-sorting (Stockham).
pub fn evaluate(mut values: Vec<F>, mut root: F) -> Vec<F> {
    let mut out = vec![F::ZERO; values.len()];
    let (mut half, mut stride) = (values.len() / 2, 1);
    while half > 0 {
        let mut twiddle = F::ONE;
        for block in 0..half {
            for lane in 0..stride {
                let (a, b) =
                    (values[lane + stride * block], values[lane + stride * (block + half)]);
                out[lane + stride * 2 * block] = a + b;
                out[lane + stride * (2 * block + 1)] = (a - b) * twiddle;
            }
            twiddle *= root;
        }
        std::mem::swap(&mut values, &mut out);
        (half, stride, root) = (half / 2, stride * 2, root.square());
    }
    values
}

/// Coefficients of the polynomial with these values at `shift·w^0, shift·w^1, ...`.
pub fn interpolate(values: Vec<F>, shift: F) -> Vec<F> {
    let inverse = root(values.len().ilog2() as usize).inverse();
    let mut scale = element(values.len() as u64).inverse();
    let mut coefficients = evaluate(values, inverse);
    let step = shift.inverse();
    for coefficient in &mut coefficients {
        *coefficient *= scale;
        scale *= step;
    }
    coefficients
}

/// Values of a polynomial at `7·w^0, 7·w^1, ...`, w of order `2^log_size`.
pub fn on_coset(coefficients: &[F], log_size: usize) -> Vec<F> {
    let mut scaled = vec![F::ZERO; 1 << log_size];
    let powers = element(SHIFT).powers();
    for ((cell, &coefficient), power) in scaled.iter_mut().zip(coefficients).zip(powers) {
        *cell = coefficient * power;
    }
    evaluate(scaled, root(log_size))
}

/// Inverses of nonzero elements, with one inversion.
pub fn inverses<V: Field>(values: &[V]) -> Vec<V> {
    let mut product = V::ONE;
    let mut prefixes: Vec<V> = (values.iter())
        .map(|&value| {
            let before = product;
            product *= value;
            before
        })
        .collect();
    let mut suffix = product.inverse();
    for (prefix, &value) in prefixes.iter_mut().zip(values).rev() {
        *prefix *= suffix;
        suffix *= value;
    }
    prefixes
}

/// `index` with its `bits` low bits reversed: natural to storage order and back.
pub fn reversed(index: usize, bits: usize) -> usize {
    (0..bits).fold(0, |sum, bit| sum | (index >> bit & 1) << (bits - 1 - bit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transforms_agree_with_horner() {
        for log_size in 0..5 {
            let coefficients: Vec<F> = (0..1u64 << log_size).map(|i| element(i * i + 3)).collect();
            let mut x = element(SHIFT);
            let values = on_coset(&coefficients, log_size);
            for &value in &values {
                let horner = coefficients.iter().rev().fold(F::ZERO, |sum, &c| sum * x + c);
                assert_eq!(value, horner);
                x *= root(log_size);
            }
            assert_eq!(interpolate(values, element(SHIFT)), coefficients);
        }
    }

    #[test]
    fn inverses_are_inverses() {
        let values: Vec<F> = (1..9).map(element).collect();
        for (value, inverse) in values.iter().zip(inverses(&values)) {
            assert_eq!(*value * inverse, F::ONE);
        }
    }
}
