//! From bytecode to the text that fills traces. `traceloom-plan` decides what a row is; this
//! crate prints it and keeps the printed files.
//!
//! In reading order:
//! - [`compile()`]: the passes, on one screen;
//! - [`rust`]: plans printed as packers and scalar writers;
//! - [`executor`]: executors, printed from bytecode;
//! - [`cuda`]: CUDA text, row writers in it;
//! - [`evaluator`]: constraint and lookup evaluators of a circuit, Rust and CUDA; they are
//!   not part of units;
//! - [`digest`]: identities of units and of their inputs;
//! - [`device`]: CUDA text compiled to images, where there is a compiler;
//! - `abi_header`: the Rust side of the device ABI (a feature);
//! - [`units`]: the files of a crate, which builds write, compare and keep up to date;
//! - [`whole`]: files that have their new content or their old one, never a part.
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
pub mod executor;
pub mod rust;
pub mod units;
pub mod whole;

pub use compile::{
    Front, Planned, Unit, compile, compile_front, compile_tables, planned, planned_each,
};
pub use units::Units;
