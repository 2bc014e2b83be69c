//! Evaluation domains: rows in storage order, selectors, the legal points.

use p3_field::{Field, TwoAdicField, batch_multiplicative_inverse};
use p3_util::{reverse_bits_len, reverse_slice_index_bits};
use traceloom_abi::field::PrimeCharacteristicRing;

use crate::scheme::{Extension, F};

/// Whether zeta can be an out-of-domain point for traces up to `2^log_height`: it
/// is nonzero and neither in a trace domain nor in the committed coset `7·K`, which
/// contain the domains of all lower heights.
#[must_use]
pub fn is_out_of_domain<E: Extension>(zeta: E, log_height: usize, log_blowup: usize) -> bool {
    let coset = zeta * F::GENERATOR.inverse();
    zeta != E::ZERO
        && zeta.exp_power_of_2(log_height) != E::ONE
        && coset.exp_power_of_2(log_height + log_blowup) != E::ONE
}

/// Selectors of a trace domain of height `n = 2^log_height` with generator g at one
/// point outside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selectors<V> {
    /// `(x^n - 1)/(x - 1)`: nonzero on the first row only.
    pub first: V,
    /// `x - g^-1`: zero on the last row only.
    pub transition: V,
    /// `(x^n - 1)/(n·g·(x - g^-1))`: 1 on the last row, 0 on the others.
    pub last: V,
    /// `x^n - 1`.
    pub vanishing: V,
}

impl<E: Extension> Selectors<E> {
    /// At `zeta`, which [`is_out_of_domain`].
    pub fn at(zeta: E, log_height: usize) -> Self {
        let generator = F::two_adic_generator(log_height);
        let vanishing = zeta.exp_power_of_2(log_height) - E::ONE;
        let transition = zeta - generator.inverse();
        let scale = (F::from_u64(1 << log_height) * generator).inverse();
        Self {
            first: vanishing * (zeta - E::ONE).inverse(),
            transition,
            last: vanishing * transition.inverse() * scale,
            vanishing,
        }
    }
}

/// Selectors on the quotient domain `7·K`, `K` of `num_slices·n` elements, in
/// storage (bit-reversed) order.
#[derive(Clone, Debug)]
pub(crate) struct DomainSelectors {
    pub(crate) first: Vec<F>,
    pub(crate) transition: Vec<F>,
    pub(crate) last: Vec<F>,
    /// `1/(x^n - 1)`: the same for every block of n rows.
    pub(crate) inverse_vanishing: Vec<F>,
}

impl DomainSelectors {
    pub(crate) fn new(log_height: usize, log_slices: usize) -> Self {
        let log_size = log_height + log_slices;
        let generator = F::two_adic_generator(log_height);
        let step = F::two_adic_generator(log_size);
        let mut points: Vec<F> = step.shifted_powers(F::GENERATOR).collect_n(1 << log_size);
        reverse_slice_index_bits(&mut points);
        // x^n depends on the low bits of the natural index, which are the high
        // bits of the storage index.
        let vanishing: Vec<F> = (0..1 << log_slices)
            .map(|block| points[block << log_height].exp_power_of_2(log_height) - F::ONE)
            .collect();
        let transition: Vec<F> = points.iter().map(|&x| x - generator.inverse()).collect();
        let from_first: Vec<F> = points.iter().map(|&x| x - F::ONE).collect();
        let scale = (F::from_u64(1 << log_height) * generator).inverse();
        let over = |denominators: &[F], scale: F| -> Vec<F> {
            let mut values = batch_multiplicative_inverse(denominators);
            for (block, values) in values.chunks_mut(1 << log_height).enumerate() {
                values.iter_mut().for_each(|value| *value *= vanishing[block] * scale);
            }
            values
        };
        Self {
            first: over(&from_first, F::ONE),
            last: over(&transition, scale),
            transition,
            inverse_vanishing: batch_multiplicative_inverse(&vanishing),
        }
    }
}

/// Storage index of the row after storage row `index` on a domain of
/// `2^(log_height + log_slices)` points.
pub(crate) fn next_row(index: usize, log_height: usize, log_slices: usize) -> usize {
    let log_size = log_height + log_slices;
    let natural = reverse_bits_len(index, log_size) + (1 << log_slices);
    reverse_bits_len(natural & ((1 << log_size) - 1), log_size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheme::{Cubic, Quadratic};

    #[test]
    fn points_of_a_domain_are_refused() {
        for log_height in [0, 1, 5] {
            let outside = Quadratic::from_u64(12345);
            assert!(is_out_of_domain(outside, log_height, 2));
            assert!(!is_out_of_domain(Quadratic::ZERO, log_height, 2));
            assert!(!is_out_of_domain(Quadratic::ONE, log_height, 2));
            let row = F::two_adic_generator(log_height);
            assert!(!is_out_of_domain(Quadratic::from(row), log_height, 2));
            assert!(!is_out_of_domain(Cubic::from(row), log_height, 2));
            let committed = F::GENERATOR * F::two_adic_generator(log_height + 2);
            assert!(!is_out_of_domain(Quadratic::from(committed), log_height, 2));
        }
    }

    #[test]
    fn selectors_agree_at_points_and_on_domains() {
        for (log_height, log_slices) in [(0, 0), (0, 2), (3, 0), (3, 1), (4, 2)] {
            let domain = DomainSelectors::new(log_height, log_slices);
            let step = F::two_adic_generator(log_height + log_slices);
            for index in 0..1usize << (log_height + log_slices) {
                let natural = reverse_bits_len(index, log_height + log_slices);
                let x = Quadratic::from(F::GENERATOR * step.exp_u64(natural as u64));
                let point = Selectors::at(x, log_height);
                assert_eq!(Quadratic::from(domain.first[index]), point.first);
                assert_eq!(Quadratic::from(domain.last[index]), point.last);
                assert_eq!(Quadratic::from(domain.transition[index]), point.transition);
                let inverse = domain.inverse_vanishing[index >> log_height];
                assert_eq!(point.vanishing * inverse, Quadratic::ONE);
                let next = next_row(index, log_height, log_slices);
                let next = reverse_bits_len(next, log_height + log_slices) as u64;
                let generator = F::two_adic_generator(log_height);
                assert_eq!(
                    F::GENERATOR * step.exp_u64(next),
                    generator * step.exp_u64(natural as u64) * F::GENERATOR
                );
            }
        }
    }
}
