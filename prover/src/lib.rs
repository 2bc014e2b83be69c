//! The prover of the protocol that `traceloom_verifier` checks.
//!
//! In reading order:
//! - [`backend`]: the seam between protocol and kernels, and who owns what;
//! - [`mod@prove`], [`metrics`]: the driver, which owns order and transcript;
//! - [`key`]: what the prover keeps of a system;
//! - [`cpu`], `evaluator`, `rows`, `stage_two`, `quotient`, `domain`: the CPU's kernels.
//!
//! This crate knows no program, no record, no generated code and no device.

pub mod backend;
pub mod cpu;
mod domain;
mod evaluator;
mod grind;
pub mod key;
pub mod metrics;
pub mod prove;
mod quotient;
mod rows;
mod scheme;
mod stage_two;

pub use key::{ProvingKey, SetupError};
pub use metrics::{Metrics, Span, Stage};
pub use prove::{
    Batch, BatchReport, Committed, Finished, OnBackend, Part, Progress, ProveError, ProveOptions,
    Retention, ShardSource, ShardStore, ShardWorker, Task, Worker, WorkerReport, prove,
    prove_shards, prove_with, stage_cost,
};
