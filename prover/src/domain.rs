//! Evaluation domains: rows in storage order and their selectors.

use p3_field::{Field, TwoAdicField, batch_multiplicative_inverse};
use p3_util::{reverse_bits_len, reverse_slice_index_bits};
use traceloom_air::field::PrimeCharacteristicRing;
use traceloom_verifier::scheme::F;

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
    use traceloom_verifier::domain::Selectors;
    use traceloom_verifier::scheme::Quadratic;

    use super::*;

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
