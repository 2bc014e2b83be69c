//! Rows of the RISC-V tables: plans, emitted Rust and emitted CUDA against the reference; and the
//! constraints and messages of a small machine's rows.

mod cases;
mod known;
mod ledger;
mod machine;
mod ops;
mod parity;
mod reference;
mod size;
mod soundness;
