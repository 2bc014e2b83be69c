//! What generated code and its users say to each other: records, seeds, rows, registries.
//!
//! - [`record`] and [`io`]: what one execution leaves behind;
//! - [`biguint`]: integers as lists in memory;
//! - [`seed`]: what a row cannot compute, packed;
//! - [`pack`] and [`row`]: what emitted packers and writers are made of;
//! - [`registry`]: what generated code offers;
//! - [`evaluate`]: what emitted evaluators read and write; units have none, tests compile them;
//! - [`cuda`]: support headers of emitted CUDA text;
//! - [`device_abi`]: what they and the host say to each other, made from the C header.
//!
//! Emitted text depends on this crate alone, so the two modules of `air` that it
//! names, [`bytes`] and [`field`], are here too.
//!
//! This crate knows no program, no protocol and no device, and decides nothing.

pub use traceloom_air::{bytes, field};

pub mod biguint;
pub mod cuda;
#[allow(missing_docs)] // The header comments what a name does not say.
#[rustfmt::skip]
pub mod device_abi;
pub mod evaluate;
pub mod io;
pub mod pack;
pub mod record;
pub mod registry;
pub mod row;
pub mod seed;
