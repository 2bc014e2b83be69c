//! From bytecode to the text that fills traces.
//!
//! In reading order:
//! - [`plan`]: what a row is, decided once per function and path;
//! - [`mangle`]: names of untrusted functions in emitted text.
//!
//! Everything is a function of the program alone: ordered collections, no clock,
//! no path, no thread order.

pub mod mangle;
pub mod plan;
