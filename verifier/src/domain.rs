//! Evaluation domains at one point: selectors, and which points are legal.

use p3_field::{Field, TwoAdicField};
use traceloom_air::field::PrimeCharacteristicRing;

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
}
