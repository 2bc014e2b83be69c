//! From bytecode to the text that fills traces.
//!
//! In reading order:
//! - [`compile()`]: the passes, on one screen;
//! - [`plan`]: what a row is, decided once per function and path;
//! - [`verify`](mod@verify): the plan's invariants, derived again;
//! - [`interpret`]: plans run as they are, to compare with;
//! - [`rust`]: plans printed as packers and scalar writers;
//! - [`cuda`]: CUDA text, row writers in it;
//! - [`evaluator`]: constraint and lookup evaluators of a circuit, Rust and CUDA; no
//!   part of units;
//! - [`mangle`]: names of untrusted functions and programs in emitted text;
//! - [`digest`], [`json`], [`inventory`]: a plan's identity, file and table;
//! - [`device`]: CUDA text compiled to images, where there is a compiler;
//! - `abi_header`: the Rust side of the device ABI (a feature);
//! - [`units`]: the files of a crate, written, compared, kept up to date by builds;
//! - [`whole`]: files that are there whole, or as they were.
//!
//! Everything is a function of the program alone: ordered collections, no clock,
//! no path, no thread order.

#[cfg(feature = "abi-header")]
pub mod abi_header;
pub mod compile;
pub mod cuda;
pub mod device;
pub mod digest;
pub mod evaluator;
pub mod interpret;
pub mod inventory;
pub mod json;
pub mod mangle;
pub mod plan;
pub mod rust;
pub mod units;
pub mod verify;
pub mod whole;

pub use compile::{Planned, Unit, compile, planned};
pub use units::Units;
