//! Tables of a RISC-V machine of 64 bits.
//!
//! One file per table has its columns, its row program, its constraints, its messages, and where
//! its records come from. The list below is all that another table touches. Most records are those
//! of an execution ([`traceloom_riscv::records`]).
//!
//! Time: instruction i runs at 4·i + 4. It reads its first operand and memory then, its second
//! operand one later, and writes its result two later. Registers are memory of their own: register
//! r is the two words at 2·r and 2·r + 1, and the pc is register 255.
//!
//! docs/riscv.md lists what each table checks, and what a proof states.

pub mod alu;
pub mod branch;
pub mod buses;
pub mod bytewise;
pub mod commit;
pub mod cpu;
pub mod cpu32;
pub mod decode;
pub mod dvrm;
pub mod ecall;
pub mod eq;
pub mod halt;
pub mod image;
pub mod input;
mod layout;
pub mod load;
pub mod lt;
pub mod machine;
pub mod memw;
pub mod memw_a;
pub mod memw_r;
pub mod moves;
pub mod mul;
pub mod power;
pub mod region;
pub mod register;
pub mod shift;
pub mod store;
pub mod zero;

pub use machine::{Machine, MachineTable, Padding, Run, TooLong};

use crate::program::TableProgram;

/// All tables in order.
pub const TABLES: &[MachineTable] = &[
    cpu::TABLE,
    memw_r::TABLE,
    memw_a::TABLE,
    load::TABLE,
    store::TABLE,
    lt::TABLE,
    shift::TABLE,
    memw::TABLE,
    mul::TABLE,
    dvrm::TABLE,
    bytewise::TABLE,
    eq::TABLE,
    branch::TABLE,
    cpu32::TABLE,
    decode::TABLE,
    register::TABLE,
    image::TABLE,
    region::TABLE,
    zero::TABLE,
    ecall::TABLE,
    input::TABLE,
    commit::TABLE,
    halt::TABLE,
    power::TABLE,
];

/// The program of all tables.
///
/// # Panics
/// If a table breaks a rule: our fault, and a test finds it.
#[must_use]
pub fn program() -> TableProgram {
    let made =
        TABLES.iter().map(|table| (table.make)().unwrap_or_else(|faults| panic!("{faults}")));
    TableProgram::new("riscv", made.collect()).unwrap_or_else(|same| panic!("{same}"))
}
