//! What a verifier expects of a proof, and whether it holds.
//!
//! - [`expectation`]: the file that states what is expected; docs/json.md describes it;
//! - [`mod@verify`]: program, proof and expectation to a verdict, with nothing but the crate
//!   `verifier` behind it;
//! - [`page`]: the same for the page of a browser, from bytes to JSON.
//!
//! This crate knows no prover, no thread, no file and no network, so that it runs where a
//! browser runs it.

pub mod expectation;
pub mod page;
pub mod verify;

pub use expectation::{ExpectError, Expectation};
pub use verify::{Verdict, verify};
