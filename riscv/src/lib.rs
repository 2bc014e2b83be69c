//! What does an RV64IM program do?
//!
//! [`Program::load`] reads an ELF file strictly, [`execute`] runs it, and [`record`] also gives
//! one typed record per row of the trace tables to a [`Sink`]. [`Disassembly`] prints code.
//! docs/riscv.md describes the machine for authors of guests; [`records`] is the contract with
//! the tables. This crate knows no table, no constraint and no proof.

pub mod alu;
pub mod decode;
mod disassembly;
mod ecall;
pub mod elf;
mod instruction;
mod limits;
mod machine;
pub mod memory;
pub mod records;
mod trap;

pub use disassembly::{Disassembly, Line};
pub use elf::{LoadError, Program, Segment};
pub use instruction::{Form, Instruction, Op, REGISTER_NAMES};
pub use limits::Limits;
pub use machine::{Execution, execute, record};
pub use records::{Counts, Sink, Stored};
pub use trap::{Trap, TrapKind};
