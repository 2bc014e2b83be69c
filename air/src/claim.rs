//! What a proof states: an entry function maps inputs to outputs.

use crate::field::{Goldilocks, element};
use crate::message::function_message;
use crate::system::Direction;

/// "`function`, applied to `inputs`, returned `outputs`." Io is advice: a claim
/// binds inputs and outputs only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Index of an entry function.
    pub function: u32,
    /// As many elements as the function has inputs.
    pub inputs: Vec<Goldilocks>,
    /// As many elements as the function has outputs.
    pub outputs: Vec<Goldilocks>,
}

/// A claim and the rank of the query that answers it. The rank is chosen by the
/// prover and absorbed with the claim; it is not part of the statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankedClaim {
    /// The statement.
    pub claim: Claim,
    /// Present exactly when the function is in a recursive component.
    pub rank: Option<u32>,
}

impl RankedClaim {
    /// The message that the claim pushes, once.
    #[must_use]
    pub fn message(&self) -> Vec<Goldilocks> {
        function_message(self.claim.function, self.rank, &self.claim.inputs, &self.claim.outputs)
    }
}

/// A message of a claim that is not about a function, for example where an execution begins
/// or ends, or what it writes. A batch claims the messages that it states, and proves of them
/// only that it answers them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundaryMessage {
    /// Index of one of the system's boundaries.
    pub boundary: u32,
    /// As many elements as the boundary has values.
    pub values: Vec<Goldilocks>,
}

/// A kind of [`BoundaryMessage`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Boundary {
    /// Name, for people; not part of any identity.
    pub name: String,
    /// Channel, the first element of its messages.
    pub channel: u64,
    /// Number of elements after the channel.
    pub num_values: usize,
    /// Push if the claim uses the message, as a caller does; pull if it provides the message.
    pub direction: Direction,
}

impl Boundary {
    /// The message with these values.
    #[must_use]
    pub fn message(&self, values: &[Goldilocks]) -> Vec<Goldilocks> {
        [&[element(self.channel)], values].concat()
    }
}

/// A function that may be claimed, with the shape of its claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Function index, as in messages.
    pub function: u32,
    /// Name, for people; not part of any identity.
    pub name: String,
    /// Number of inputs.
    pub num_inputs: usize,
    /// Number of outputs.
    pub num_outputs: usize,
    /// Whether its claims carry a rank.
    pub ranked: bool,
}

/// Why a claim does not fit a system.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClaimError {
    /// The function is not an entry of the system.
    #[error("claim {index}: function {function} is not an entry of this program")]
    NotAnEntry {
        /// Position of the claim in its list.
        index: usize,
        /// The claimed function.
        function: u32,
    },
    /// The system has no such boundary.
    #[error("boundary message {index}: {boundary} is not a boundary of this program")]
    NoBoundary {
        /// Position of the message in its list.
        index: usize,
        /// The boundary it names.
        boundary: u32,
    },
    /// Wrong number of values.
    #[error("boundary message {index}, {name}: expected {expected} values, got {got}")]
    Values {
        /// Position of the message in its list.
        index: usize,
        /// Name of the boundary.
        name: String,
        /// What the boundary has.
        expected: usize,
        /// What the message has.
        got: usize,
    },
    /// Wrong number of inputs or outputs, or a rank where none belongs.
    #[error("claim {index} of {name}: expected {expected} {what}, got {got}")]
    Arity {
        /// Position of the claim in its list.
        index: usize,
        /// Name of the claimed function.
        name: String,
        /// `inputs`, `outputs` or `ranks`.
        what: &'static str,
        /// What the function has.
        expected: usize,
        /// What the claim has.
        got: usize,
    },
}

/// Checks that `message`, the `index`-th of its list, fits one of `boundaries`.
///
/// # Errors
/// [`ClaimError`] names the message and what is wrong with it.
pub fn check_boundary(
    boundaries: &[Boundary],
    index: usize,
    message: &BoundaryMessage,
) -> Result<(), ClaimError> {
    let number = message.boundary;
    let boundary = boundaries.get(number as usize);
    let boundary = boundary.ok_or(ClaimError::NoBoundary { index, boundary: number })?;
    let (expected, got) = (boundary.num_values, message.values.len());
    if expected != got {
        let name = boundary.name.clone();
        return Err(ClaimError::Values { index, name, expected, got });
    }
    Ok(())
}

/// Checks that `claim`, the `index`-th of its list, fits one of `entries`.
///
/// # Errors
/// [`ClaimError`] names the claim and the count that differs.
pub fn check_claim(entries: &[Entry], index: usize, claim: &RankedClaim) -> Result<(), ClaimError> {
    let function = claim.claim.function;
    let entry = entries
        .iter()
        .find(|entry| entry.function == function)
        .ok_or(ClaimError::NotAnEntry { index, function })?;
    let counts = [
        ("inputs", entry.num_inputs, claim.claim.inputs.len()),
        ("outputs", entry.num_outputs, claim.claim.outputs.len()),
        ("ranks", usize::from(entry.ranked), usize::from(claim.rank.is_some())),
    ];
    for (what, expected, got) in counts {
        if expected != got {
            let name = entry.name.clone();
            return Err(ClaimError::Arity { index, name, what, expected, got });
        }
    }
    Ok(())
}
