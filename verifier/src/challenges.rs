//! The challenges of the lookup argument.

use traceloom_air::system::{Direction, System};

use crate::proof::ShardStatement;
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

    /// What claims and boundary messages, which fit `system`, add to the sum of the
    /// terminals.
    ///
    /// # Errors
    /// The position of the one whose denominator is zero; boundary messages count on
    /// after the claims.
    pub fn stated(&self, system: &System, statements: &[ShardStatement]) -> Result<E, usize> {
        let claims = statements.iter().flat_map(|statement| &statement.claims);
        let claims = claims.map(|claim| (claim.message(), Direction::Push));
        let boundary = statements.iter().flat_map(|statement| &statement.boundary);
        let boundary = boundary.map(|stated| {
            let boundary = &system.boundaries[stated.boundary as usize];
            (boundary.message(&stated.values), boundary.direction)
        });
        let mut sum = E::ZERO;
        for (index, (message, direction)) in claims.chain(boundary).enumerate() {
            let inverse = self.denominator(&message).try_inverse().ok_or(index)?;
            sum += if direction == Direction::Push { inverse } else { -inverse };
        }
        Ok(sum)
    }
}
