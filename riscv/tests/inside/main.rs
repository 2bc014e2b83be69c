//! Tests that need nothing but this crate.

#[path = "../support/mod.rs"]
mod support;

mod guests;
mod loading;
mod operands;
mod records;
mod traps;
