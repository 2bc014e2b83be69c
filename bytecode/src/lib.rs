//! Compiled bytecode: what a program is, what it does, what proves it.
//!
//! In reading order:
//! - [`model`]: programs as flat, index-based data;
//! - [`check`]: validation, and [`CheckedProgram`] with everything derived;
//! - [`text`], [`json`], [`import`]: the forms of a program;
//! - [`malformed`] and [`limits`]: what readers refuse;
//! - [`layout`], [`callgraph`], [`paths`], [`fingerprint`]: what is derived.
//!
//! Programs come from outside and are untrusted: nothing here recurses over
//! their nesting, and every error names function, block and operation.

mod fields;
mod forms;
pub mod import;
pub mod json;
pub mod limits;
pub mod malformed;
pub mod model;
mod number;
mod tape;
pub mod text;

pub use malformed::Malformed;
pub use model::Program;
