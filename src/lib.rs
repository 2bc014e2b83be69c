//! traceloom: STARK traces and proofs from compiled bytecode.
//!
//! This crate is the facade: it re-exports the parts under one name, and holds
//! the command line. README.md shows the commands, ARCHITECTURE.md the map.
//! [`session()`] is where programs that use the library begin.

mod builtin;
pub mod cli;
pub mod html;
pub mod profile;

pub use traceloom_abi as abi;
pub use traceloom_air as air;
pub use traceloom_bytecode as bytecode;
pub use traceloom_codegen as codegen;
pub use traceloom_cuda as cuda;
pub use traceloom_guest as guest;
pub use traceloom_programs as programs;
pub use traceloom_prover as prover;
pub use traceloom_riscv as riscv;
pub use traceloom_runtime as runtime;
pub use traceloom_runtime::session;
pub use traceloom_verifier as verifier;

use builtin::{give, images, is_known, sources};
pub use builtin::{registry, session, session_of};

/// Compiles and runs what README.md shows in Rust.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
