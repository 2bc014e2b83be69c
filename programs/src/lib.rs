//! The example programs of traceloom, written with the builder.

#[cfg(test)]
mod interpreter;

mod gadgets;
mod input;

pub mod blake3;
pub mod fibonacci;
pub mod sha256;
