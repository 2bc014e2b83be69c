//! The interface between generated code and its users: records, seeds, rows, registries.
//!
//! - [`record`], [`ops`] and [`io`]: what one execution leaves behind;
//! - [`execute`]: what emitted executors are made of, and [`limits`] what they may use;
//! - [`difference`]: where two records differ;
//! - [`biguint`]: integers as lists in memory;
//! - [`seed`]: what a row cannot compute, packed;
//! - [`pack`] and [`row`]: what emitted packers and writers are made of;
//! - [`registry`]: what generated code offers;
//! - [`evaluate`]: what emitted evaluators read and write; units have none, tests compile them;
//! - [`cuda`]: support headers of emitted CUDA text;
//! - [`device_abi`]: the interface between host and device, made from the C header.
//!
//! Emitted text depends on this crate alone. So this crate re-exports the two modules of `air`
//! that emitted text names, [`bytes`] and [`field`].
//!
//! This crate knows no program, no protocol and no device, and decides nothing.

pub use traceloom_air::{bytes, field};

pub mod biguint;
pub mod cuda;
// Hosts of devices have 64 bits; a verifier may have fewer.
#[cfg(target_pointer_width = "64")]
#[allow(missing_docs)] // The header comments what a name does not say.
#[rustfmt::skip]
pub mod device_abi;
pub mod difference;
pub mod evaluate;
pub mod execute;
mod index;
pub mod io;
pub mod limits;
pub mod ops;
pub mod pack;
pub mod record;
pub mod registry;
pub mod row;
pub mod seed;
