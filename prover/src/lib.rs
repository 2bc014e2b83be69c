//! The prover of the protocol that `traceloom_verifier` checks.
//!
//! In reading order:
//! - `evaluator`, `rows`, `stage_two`, `quotient`, `domain`: rows to committed columns;
//! - [`key`]: what the prover keeps of a system;
//! - [`backend`], [`cpu`]: who computes;
//! - [`mod@prove`], [`metrics`]: the driver, which owns order and transcript.
//!
//! This crate knows no program, no record, no generated code and no device.

pub mod backend;
pub mod cpu;
mod domain;
mod evaluator;
pub mod key;
pub mod metrics;
pub mod prove;
mod quotient;
mod rows;
mod scheme;
mod stage_two;

pub use key::ProvingKey;
pub use metrics::{Metrics, Stage};
pub use prove::{ProveError, ProveOptions, prove, prove_with};
