//! Rows of the RISC-V tables: plans, emitted Rust and emitted CUDA against the reference; and the
//! constraints and messages of whole executions.

mod cases;
mod known;
mod ledger;
mod operands;
mod ops;
mod parity;
mod reference;
mod reference_more;
mod size;
mod soundness;
#[path = "../../../../riscv/tests/support/mod.rs"]
mod support;
mod whole;
