//! Rows of the RISC-V tables: plans, emitted Rust and emitted CUDA against the reference.

mod cases;
mod known;
mod ops;
mod parity;
mod reference;
mod size;
