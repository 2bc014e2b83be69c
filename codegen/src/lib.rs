//! From bytecode to the text that fills traces.
//!
//! In reading order:
//! - [`plan`]: what a row is, decided once per function and path;
//! - [`mangle`]: names of untrusted functions in emitted text;
//! - [`cuda`]: CUDA text, row writers in it;
//! - [`evaluator`]: constraint and lookup evaluators of a circuit, Rust and CUDA.
//!
//! Everything is a function of the program alone: ordered collections, no clock,
//! no path, no thread order.

pub mod cuda;
pub mod evaluator;
pub mod mangle;
pub mod plan;
