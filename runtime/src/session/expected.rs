//! What a verifier expects of a proof. The expectation comes from the verifier, never from the
//! proof. Expected numbers are those of one entry function, so if a program has several, the
//! verifier has to name one.

use std::fmt;

use traceloom_air::claim::{BoundaryMessage, Claim};
use traceloom_air::field::{Goldilocks, word};
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::execute::Words;

use super::{Session, SessionError};

/// What the claims of a proof have to be.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    claims: Option<Vec<Claim>>,
    entry: Option<String>,
    inputs: Option<Vec<u64>>,
    outputs: Option<Vec<u64>>,
    boundary: Option<Vec<BoundaryMessage>>,
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

    /// Exactly these messages at the boundary, in this order: what is stated of a guest.
    #[must_use]
    pub fn boundary(messages: impl Into<Vec<BoundaryMessage>>) -> Self {
        Self { boundary: Some(messages.into()), ..Self::default() }
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
    #[error(
        "the claims of the proof are not the expected ones, first claim {index}: the proof has \
         {found}, expected {expected}"
    )]
    Claims {
        /// Position of the first claim that differs.
        index: usize,
        /// The claim of the proof, in words.
        found: String,
        /// The expected claim, in words.
        expected: String,
    },
    /// Another statement about a guest.
    #[error(
        "the proof states other messages at the boundary than the expected ones, first message \
         {index} of {expected}; the proof has {found}"
    )]
    Boundary {
        /// Position of the first message that differs.
        index: usize,
        /// Number of messages of the proof.
        found: usize,
        /// Number of messages that are expected.
        expected: usize,
    },
    /// Another function.
    #[error("the proof claims a call of {found:?}, expected {expected:?}")]
    Entry {
        /// Name of the function in the proof.
        found: String,
        /// Name of the function that is expected.
        expected: String,
    },
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
        /// The words in the proof.
        found: Words,
        /// The words that are expected.
        expected: Words,
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
                let (counts, both) = ((found.total, expected.total), (found, expected));
                write!(
                    f,
                    "{} numbers, expected {}: {}, expected {}",
                    counts.0, counts.1, both.0, both.1
                )
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
        let found = Words::new(found.iter().map(|&found| word(found)));
        let expected = Words::new(expected.iter().copied());
        return Some(Difference::Length { found, expected });
    }
    let mut pairs = found.iter().map(|&found| word(found)).zip(expected).enumerate();
    let (position, (found, &expected)) = pairs.find(|(_, (found, expected))| found != *expected)?;
    Some(Difference::Word { position, found, expected })
}

impl Session {
    /// The claims to verify: those that the proof states, if they are as expected.
    pub(super) fn compare(
        &self,
        program: &CheckedProgram,
        expected: &Expected,
        stated: Vec<Claim>,
    ) -> Result<Vec<Claim>, SessionError> {
        if let Some(claims) = &expected.claims {
            if *claims == stated {
                return Ok(stated);
            }
            let index = claims.iter().zip(&stated).take_while(|(a, b)| a == b).count();
            let show = |claims: &[Claim]| match claims.get(index) {
                Some(claim) => shown(program, claim),
                None => "no such claim".to_owned(),
            };
            let (found, expected) = (show(&stated), show(claims));
            return Err(Mismatch::Claims { index, found, expected }.into());
        }
        let [claim] = &stated[..] else { return Err(Mismatch::Count(stated.len()).into()) };
        let Expected { entry, inputs, outputs, .. } = expected;
        if entry.is_some() || inputs.is_some() || outputs.is_some() {
            let function = self.entry(program, entry.as_deref())?;
            if function.0 != claim.function {
                let expected = program.function(function).name.clone();
                return Err(Mismatch::Entry { found: name_of(program, claim), expected }.into());
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

    /// Whether a proof states the messages at the boundary that are expected of it.
    pub(super) fn compare_boundary(
        expected: &Expected,
        stated: &[BoundaryMessage],
    ) -> Result<(), SessionError> {
        let Some(expected) = &expected.boundary else { return Ok(()) };
        if expected == stated {
            return Ok(());
        }
        let index = expected.iter().zip(stated).take_while(|(a, b)| a == b).count();
        let (found, expected) = (stated.len(), expected.len());
        Err(Mismatch::Boundary { index, found, expected }.into())
    }
}

/// A claim as `name [inputs] = [outputs]`, its first numbers.
fn shown(program: &CheckedProgram, claim: &Claim) -> String {
    let words = |list: &[Goldilocks]| Words::new(list.iter().map(|&x| word(x)));
    let (inputs, outputs) = (words(&claim.inputs), words(&claim.outputs));
    format!("{:?} {inputs} = {outputs}", name_of(program, claim))
}

/// Name of the function that a claim is about. A proof may claim anything.
fn name_of(program: &CheckedProgram, claim: &Claim) -> String {
    let function = program.program().functions.get(claim.function as usize);
    function.map_or_else(|| format!("function {}", claim.function), |f| f.name.clone())
}
