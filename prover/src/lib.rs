//! The proof protocol: Goldilocks, BLAKE3 Merkle trees, FRI, LogUp; transparent,
//! not zero-knowledge. `docs/protocol.md` describes every byte of it.
//!
//! In reading order:
//! - [`params`], [`scheme`], [`transcript`]: parameters, fields and hashes, sponge;
//! - [`layout`], [`mod@digest`], [`key`]: what both sides compute of a system;
//! - [`shape`], [`proof`], [`codec`]: what a proof consists of, and its file;
//! - [`evaluator`], `rows`, `stage_two`, `quotient`: rows to committed columns;
//! - [`backend`], [`cpu`], [`mod@prove`], [`metrics`]: the prover;
//! - [`domain`], [`interpret`], [`security`], [`mod@verify`]: the verifier.

pub mod backend;
pub mod codec;
pub mod cpu;
pub mod digest;
pub mod domain;
pub mod evaluator;
pub mod interpret;
pub mod key;
pub mod layout;
pub mod metrics;
pub mod params;
pub mod proof;
pub mod prove;
mod quotient;
mod rows;
pub mod scheme;
pub mod security;
pub mod shape;
mod stage_two;
mod steps;
pub mod transcript;
pub mod verify;

pub use codec::DecodeError;
pub use key::{KeyError, ProvingKey, VerifyingKey};
pub use metrics::{Metrics, Stage};
pub use params::{Params, Profile};
pub use proof::Proof;
pub use prove::{ProveError, ProveOptions, prove, prove_with};
pub use rows::LookupChallenges;
pub use verify::{Report, VerifyError, verify};
