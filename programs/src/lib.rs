//! The example programs of traceloom, written with the builder.
//!
//! - [`catalog`]: all of them, with what they take and how their claims read;
//! - [`trace_plans`]: the files under `trace-plans/`;
//! - [`blake3`], [`sha256`]: digests of a file that the prover knows;
//! - [`fibonacci`]: memoised recursion, the smallest example;
//! - [`merge_sort`]: lists in memory;
//! - [`div_rem`]: advice from a function without a circuit, then proven.
//!
//! Beside each function stands why what it returns is proven.

mod gadgets;
mod input;

pub mod blake3;
pub mod catalog;
pub mod div_rem;
pub mod fibonacci;
pub mod merge_sort;
pub mod sha256;
pub mod trace_plans;

pub use catalog::{ALL, Example, Inputs, find};

#[cfg(test)]
mod testing;
