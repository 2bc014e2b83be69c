//! Tables of a RISC-V machine of 64 bits.
//!
//! One file per table has its records, its columns, its row program, its constraints and its
//! messages. The list below is all that another table touches.
//!
//! Time: instruction i runs at 4·i + 4. It reads its first operand and memory then, its second
//! operand one later, and writes its result two later. Registers are memory of their own: register
//! r is the two words at 2·r and 2·r + 1, and the pc is register 255.

pub mod buses;
pub mod cpu;
pub mod load;
pub mod lt;
pub mod memw_a;
pub mod memw_r;
pub mod shift;
pub mod store;

use crate::check::TableFaults;
use crate::program::TableProgram;
use crate::table::Table;

/// Makes a table.
type Make = fn() -> Result<Table, TableFaults>;

/// All tables in order.
const TABLES: &[Make] =
    &[cpu::table, memw_r::table, memw_a::table, load::table, store::table, lt::table, shift::table];

/// The program of all tables.
///
/// # Panics
/// If a table breaks a rule: our fault, and a test finds it.
#[must_use]
pub fn program() -> TableProgram {
    let made = TABLES.iter().map(|make| make().unwrap_or_else(|faults| panic!("{faults}")));
    TableProgram::new("riscv", made.collect()).unwrap_or_else(|same| panic!("{same}"))
}
