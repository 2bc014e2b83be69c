//! Packers and writers of the RISC-V tables, as text that the build script generates. The tests
//! compare what they write, and what their CUDA twins and the plans behind them write, with a
//! reference that was written from the description of the tables.

#[allow(missing_docs)]
mod units {
    include!(concat!(env!("OUT_DIR"), "/units.rs"));
}

pub use units::riscv::PROGRAM;
