//! Compiled bytecode: what a program is, what it does, what proves it.
//!
//! In reading order:
//! - [`model`]: programs as flat, index-based data;
//! - [`builder`]: the typed way to write one.
//!
//! Programs come from outside and are untrusted: nothing here recurses over
//! their nesting, and every error names function, block and operation.

pub mod builder;
pub mod model;

pub use model::Program;
