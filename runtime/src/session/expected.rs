//! What a verifier expects of a proof. The expectation comes from the verifier, never from the
//! proof. Expected numbers are those of one entry function, so if a program has several, the
//! verifier has to name one.

use std::fmt;

use traceloom_air::claim::Claim;
use traceloom_air::field::{Goldilocks, word};

use super::{Session, SessionError};

/// What the claims of a proof have to be.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    claims: Option<Vec<Claim>>,
    entry: Option<String>,
    inputs: Option<Vec<u64>>,
    outputs: Option<Vec<u64>>,
}

impl Expected {
    /// One claim of any content. The caller has to read the claim that comes back.
    #[must_use]
    pub fn any() -> Self {
        Self::default()
    }

    /// One claim of the only entry function with these inputs.
    #[must_use]
    pub fn args(inputs: impl Into<Vec<u64>>) -> Self {
        Self::default().inputs(inputs)
    }

    /// One claim of the entry function `name` with these inputs.
    #[must_use]
    pub fn call(name: impl Into<String>, inputs: impl Into<Vec<u64>>) -> Self {
        Self::args(inputs).entry(name)
    }

    /// Exactly these claims, in this order.
    #[must_use]
    pub fn claims(claims: impl Into<Vec<Claim>>) -> Self {
        Self { claims: Some(claims.into()), ..Self::default() }
    }

    /// Of the entry function `name`.
    #[must_use]
    pub fn entry(mut self, name: impl Into<String>) -> Self {
        self.entry = Some(name.into());
        self
    }

    /// With these inputs, as canonical words.
    #[must_use]
    pub fn inputs(mut self, inputs: impl Into<Vec<u64>>) -> Self {
        self.inputs = Some(inputs.into());
        self
    }

    /// With these outputs, as canonical words.
    #[must_use]
    pub fn outputs(mut self, outputs: impl Into<Vec<u64>>) -> Self {
        self.outputs = Some(outputs.into());
        self
    }
}

/// How the claims of a proof differ from what is expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// The proof has not exactly one claim.
    #[error("the proof has {0} claims, expected one")]
    Count(usize),
    /// The proof has other claims than the expected list.
    #[error("the claims of the proof are not the expected ones, first in claim {0}")]
    Claims(usize),
    /// Another function.
    #[error("the proof claims a call of a function other than {0:?}")]
    Entry(String),
    /// Other inputs.
    #[error("the proof claims other inputs than expected: {0}")]
    Inputs(Difference),
    /// Other outputs.
    #[error("the proof claims other outputs than expected: {0}")]
    Outputs(Difference),
}

/// Where two lists of words differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// They are not of one length.
    Length {
        /// Length in the proof.
        found: usize,
        /// Length that is expected.
        expected: usize,
    },
    /// A word.
    Word {
        /// Its position.
        position: usize,
        /// The word in the proof.
        found: u64,
        /// The word that is expected.
        expected: u64,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { found, expected } => {
                write!(f, "{found} numbers, expected {expected}")
            }
            Self::Word { position, found, expected } => {
                write!(f, "number {position} is {found}, expected {expected}")
            }
        }
    }
}

/// How `found` differs from `expected`, if it does.
fn difference(found: &[Goldilocks], expected: &[u64]) -> Option<Difference> {
    if found.len() != expected.len() {
        return Some(Difference::Length { found: found.len(), expected: expected.len() });
    }
    let mut pairs = found.iter().map(|&found| word(found)).zip(expected).enumerate();
    let (position, (found, &expected)) = pairs.find(|(_, (found, expected))| found != *expected)?;
    Some(Difference::Word { position, found, expected })
}

impl Session {
    /// The claims to verify: those that the proof states, if they are as expected.
    pub(super) fn compare(
        &self,
        expected: &Expected,
        stated: Vec<Claim>,
    ) -> Result<Vec<Claim>, SessionError> {
        if let Some(claims) = &expected.claims {
            if *claims == stated {
                return Ok(stated);
            }
            let same = claims.iter().zip(&stated).take_while(|(a, b)| a == b).count();
            return Err(Mismatch::Claims(same).into());
        }
        let [claim] = &stated[..] else { return Err(Mismatch::Count(stated.len()).into()) };
        let Expected { entry, inputs, outputs, .. } = expected;
        if entry.is_some() || inputs.is_some() || outputs.is_some() {
            let function = self.entry(entry.as_deref())?;
            if function.0 != claim.function {
                return Err(Mismatch::Entry(self.program.function(function).name.clone()).into());
            }
        }
        let differs = |found: &[Goldilocks], expected: &Option<Vec<u64>>| {
            expected.as_ref().and_then(|expected| difference(found, expected))
        };
        if let Some(difference) = differs(&claim.inputs, inputs) {
            return Err(Mismatch::Inputs(difference).into());
        }
        if let Some(difference) = differs(&claim.outputs, outputs) {
            return Err(Mismatch::Outputs(difference).into());
        }
        Ok(stated)
    }
}
