//! What bytecode means as a table, as text in Rust and CUDA.

pub mod cuda;
pub mod evaluator;
