//! Files that state what a verifier expects of a proof: read, and as the session has it.

use std::path::Path;

use traceloom_expect::{ExpectError, Expectation};
use traceloom_runtime::session::{Expected, read_program};

use super::Failure;

/// Reads a file.
pub fn read(path: &Path) -> Result<Expectation, Failure> {
    let bytes = read_program(path)?;
    Ok(Expectation::parse(&path.display().to_string(), &bytes)?)
}

/// What is expected of the claim.
pub fn expected(expectation: &Expectation) -> Expected {
    let mut expected = Expected::any();
    if let Some(name) = &expectation.entry {
        expected = expected.entry(name);
    }
    if let Some(inputs) = &expectation.inputs {
        expected = expected.inputs(inputs.clone());
    }
    if let Some(outputs) = &expectation.outputs {
        expected = expected.outputs(outputs.clone());
    }
    expected
}

impl From<ExpectError> for Failure {
    fn from(error: ExpectError) -> Self {
        match error {
            ExpectError::Malformed(what) => Self::Malformed(what),
            ExpectError::Refused(what) => Self::Refused(what),
        }
    }
}
