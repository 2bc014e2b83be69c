//! From the bytes of a proof to what it proves.

use std::time::Instant;

use traceloom_air::claim::BoundaryMessage;
use traceloom_verifier::verify::{self, verify_expected};
use traceloom_verifier::{Params, Profile, Proof};

use super::program::Subject;
use super::progress::Tracker;
use super::{Expected, Session, SessionError, Step, Verified};

impl Session {
    /// Verifies a proof file about this session's program with this session's parameters.
    ///
    /// # Errors
    /// [`SessionError`]: the bytes are not a proof, its claims are not as `expected`, or it is
    /// invalid.
    pub fn verify(&self, bytes: &[u8], expected: &Expected) -> Result<Verified, SessionError> {
        self.verify_proof(&Proof::decode(bytes)?, expected)
    }

    /// The same for a proof that was decoded before.
    ///
    /// # Errors
    /// As [`Session::verify`].
    pub fn verify_proof(
        &self,
        proof: &Proof,
        expected: &Expected,
    ) -> Result<Verified, SessionError> {
        let start = Instant::now();
        Tracker::new(self, Step::Verify).begin(Step::Verify);
        if proof.params != self.settings.params {
            return Err(SessionError::Profile {
                found: profile_name(&proof.params),
                expected: profile_name(&self.settings.params),
            });
        }
        let fingerprint = self.fingerprint();
        if proof.fingerprint != fingerprint {
            let (found, expected) = (proof.fingerprint, fingerprint);
            return Err(SessionError::OtherProgram { found, expected });
        }
        let boundary: Vec<BoundaryMessage> = proof.boundary().cloned().collect();
        let claims = match &self.subject {
            Subject::Functions(program) => {
                self.compare(program, expected, proof.claims().cloned().collect())?
            }
            Subject::Machine(machine) => {
                machine.check_statement(&boundary).map_err(SessionError::Statement)?;
                Self::compare_boundary(expected, &boundary)?;
                Vec::new()
            }
        };
        let stated = verify::Expected { claims: &claims, boundary: &boundary };
        let report = verify_expected(self.verifying_key()?, &stated, proof)
            .map_err(|error| SessionError::Verify(Box::new(error)))?;
        Ok(Verified { claims, boundary, report, time: start.elapsed() })
    }
}

/// The name of these parameters.
pub(super) fn profile_name(params: &Params) -> String {
    let profile = Profile::ALL.into_iter().find(|profile| profile.params() == *params);
    profile.map_or("no known profile", Profile::name).to_owned()
}
