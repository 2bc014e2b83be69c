//! Compiled bytecode: what a program is, what it does, what proves it.
//!
//! In reading order:
//! - [`model`]: programs as flat, index-based data;
//! - [`text`], [`json`], [`mod@import`]: the forms of a program;
//! - [`malformed`] and [`limits`]: what readers refuse; [`near`]: names in their messages;
//! - [`builder`]: programs written in Rust;
//! - [`advice`]: warnings of advice that nothing ties;
//! - [`check`]: validation, and [`CheckedProgram`] with everything derived;
//! - `operations`: all rules of every operation, a file per family; `control`: those of
//!   match, yield, return and continuation;
//! - [`layout`], [`callgraph`], [`paths`], [`fingerprint`]: what is derived;
//! - [`columns`]: what columns are for, in words; [`mod@reference`]: every operation in words;
//! - [`contract`]: what generated code of a function relies on;
//! - [`system`]: constraints and lookups of all circuits;
//! - [`lower`]: plans of rows;
//! - [`execute`]: from a claim to the record of what happened;
//! - [`statements`]: what emitted executors do for operations.
//!
//! Programs come from outside and are untrusted: nothing here recurses over
//! their nesting, and every error names function, block and operation.

pub mod advice;
pub mod builder;
pub mod callgraph;
pub mod check;
pub mod columns;
pub mod contract;
mod control;
pub mod execute;
mod fields;
pub mod fingerprint;
mod forms;
pub mod import;
pub mod json;
pub mod layout;
pub mod limits;
pub mod lower;
pub mod malformed;
pub mod model;
pub mod near;
mod number;
mod operations;
pub mod paths;
pub mod reference;
pub mod statements;
pub mod system;
mod tape;
pub mod text;

pub use check::{CheckedProgram, InvalidProgram};
pub use malformed::{Diagnostic, Malformed};
pub use model::Program;
