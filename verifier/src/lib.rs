//! The verifier: Goldilocks, BLAKE3 Merkle trees, FRI, LogUp; transparent, not
//! zero-knowledge. `docs/protocol.md` describes every byte of the protocol.
//!
//! In reading order:
//! - [`params`], [`scheme`], [`transcript`]: parameters, fields and hashes, sponge;
//! - [`layout`], [`fixed`], [`mod@digest`], [`key`]: what both sides compute of a system;
//! - [`shape`], [`proof`], [`codec`]: what a proof consists of, and its file;
//! - [`challenges`], [`steps`]: the transcript, in the order of the protocol;
//! - [`domain`], [`interpret`], [`security`], [`mod@verify`]: the checks.
//!
//! This crate knows no program, no record, no prover, no thread and no device.

pub mod challenges;
pub mod codec;
pub mod digest;
pub mod domain;
pub mod fixed;
pub mod interpret;
pub mod key;
pub mod layout;
pub mod params;
pub mod proof;
pub mod scheme;
pub mod security;
pub mod shape;
pub mod steps;
pub mod transcript;
pub mod verify;

pub use challenges::LookupChallenges;
pub use codec::DecodeError;
pub use key::{KeyError, VerifyingKey};
pub use params::{Params, Profile};
pub use proof::Proof;
pub use verify::{Report, VerifyError, verify};
