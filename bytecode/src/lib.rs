//! Compiled bytecode: what a program is, what it does, what proves it.
//!
//! In reading order:
//! - [`model`]: programs as flat, index-based data;
//! - [`builder`]: the typed way to write one;
//! - [`check`]: validation, and [`CheckedProgram`] with everything derived;
//! - [`text`], [`json`], [`import`]: the forms of a program;
//! - [`malformed`] and [`limits`]: what readers refuse;
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
mod fields;
pub mod fingerprint;
mod forms;
pub mod import;
pub mod json;
pub mod layout;
pub mod limits;
pub mod malformed;
pub mod model;
mod number;
pub mod paths;
pub mod system;
mod tape;
pub mod text;

pub use check::{CheckedProgram, InvalidProgram};
pub use malformed::Malformed;
pub use model::Program;
