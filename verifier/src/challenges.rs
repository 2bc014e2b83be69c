//! The challenges of the lookup argument.

use crate::scheme::{Extension, F};

/// The challenges of the lookup argument, one pair per batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LookupChallenges<E> {
    /// Shift of every fingerprint.
    pub beta: E,
    /// Base of every fingerprint: `fp = sum gamma^i·argument_i`.
    pub gamma: E,
}

impl<E: Extension> LookupChallenges<E> {
    /// `beta + fp(message)`.
    pub fn denominator(&self, message: &[F]) -> E {
        let mut sum = self.beta;
        let mut power = E::ONE;
        for &argument in message {
            sum += power * argument;
            power *= self.gamma;
        }
        sum
    }
}
