//! Compiled bytecode: what a program is, what it does, what proves it.
//!
//! In reading order:
//! - [`model`]: programs as flat, index-based data;
//! - [`builder`]: the typed way to write one;
//! - [`check`]: validation, and [`CheckedProgram`] with everything derived;
//! - [`layout`], [`callgraph`], [`paths`], [`fingerprint`]: what is derived;
//! - [`system`]: constraints and lookups of all circuits;
//! - [`execute`](mod@execute): from claims to a record of all that happened.
//!
//! Programs come from outside and are untrusted: nothing here recurses over
//! their nesting, and every error names function, block and operation.

pub mod builder;
pub mod callgraph;
pub mod check;
pub mod execute;
pub mod fingerprint;
pub mod layout;
pub mod model;
pub mod paths;
pub mod system;

pub use check::{CheckedProgram, InvalidProgram};
pub use model::Program;
