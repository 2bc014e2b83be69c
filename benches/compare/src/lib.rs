//! Compares two commands in pairs of runs, in the order A B B A.
//!
//! [`command`] turns text into two commands, [`pairs`] runs and measures them, [`stats`]
//! and [`compare`] say what the pairs show, [`provenance`] says what was measured where,
//! and [`report`] and [`document`] write all of it, as text and as JSON. The README beside
//! this crate defines every figure.
//!
//! [`job`] measures one complete job instead: provenance, samples of host and devices while it
//! runs, a cap on its memory, a stored baseline with a gate, and a page with plots.
//!
//! The crate depends on no other crate of the workspace: it measures programs, and knows
//! none. It needs a Unix system; what only Linux tells is absent elsewhere.

pub mod cli;
pub mod command;
pub mod compare;
pub mod document;
pub mod error;
pub mod job;
pub mod machine;
pub mod pairs;
pub mod provenance;
pub mod report;
pub mod run;
pub mod session;
pub mod stats;

pub use error::Error;
