//! The types that every traceloom crate shares, and nothing that decides.
//!
//! - [`field`]: Goldilocks and its canonical words;
//! - [`bytes`]: the byte tables, defined once as data for executor, tables,
//!   rows and constraints;
//! - [`biguint`]: integers as lists in memory;
//! - [`message`]: channels and message layouts of the lookup argument;
//! - [`system`]: constraint and lookup expressions of all circuits;
//! - [`claim`]: what a proof states;
//! - [`record`] and [`io`]: what one execution leaves behind;
//! - [`seed`]: what a row cannot compute, packed;
//! - [`pack`] and [`row`]: what emitted packers and writers are made of;
//! - [`registry`]: what generated code offers;
//! - [`trace`]: main traces and the witness of a shard;
//! - [`evaluate`]: what emitted evaluators read and write;
//! - [`cuda`]: support headers of emitted CUDA text;
//! - [`device_abi`]: what they and the host say to each other, made from the C header.
//!
//! This crate knows no program, no protocol and no device.

pub mod biguint;
pub mod bytes;
pub mod claim;
pub mod cuda;
#[allow(missing_docs)] // The header comments what a name does not say.
#[rustfmt::skip]
pub mod device_abi;
pub mod evaluate;
pub mod field;
pub mod io;
pub mod message;
pub mod pack;
pub mod record;
pub mod registry;
pub mod row;
pub mod seed;
pub mod system;
pub mod trace;
