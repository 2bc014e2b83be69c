//! What a proof system sees of a program: tables, constraints, messages, claims.
//!
//! - [`field`]: Goldilocks and its canonical words;
//! - [`bytes`]: the byte tables, defined once as data for executor, tables,
//!   rows and constraints;
//! - [`message`]: channels and message layouts of the lookup argument;
//! - [`system`]: constraint and lookup expressions of all circuits;
//! - [`claim`]: what a proof states;
//! - [`trace`]: main traces and the witness of a shard.
//!
//! This crate knows no program, no record, no protocol and no device.

pub mod bytes;
pub mod claim;
pub mod field;
pub mod message;
pub mod system;
pub mod trace;
