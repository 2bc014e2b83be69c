//! Security figures (to be written).
use crate::key::VerifyingKey;
use crate::params::Params;
use crate::shape::ShardShape;
use crate::verify::VerifyError;

/// Figures.
#[derive(Clone, Debug, PartialEq)]
pub struct SecurityFigures {
    /// bits
    pub conjectured: f64,
    /// bits
    pub proven: f64,
}
impl SecurityFigures {
    /// Check.
    ///
    /// # Errors
    /// Low.
    pub fn check_floor(&self, _params: &Params) -> Result<(), VerifyError> {
        Ok(())
    }
}
/// Figures.
#[must_use]
pub fn security(
    _key: &VerifyingKey,
    _shapes: &[ShardShape],
    _num_claims: usize,
) -> SecurityFigures {
    SecurityFigures { conjectured: 0.0, proven: 0.0 }
}
