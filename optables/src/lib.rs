//! Op tables: tables whose rows are made from records of operations. The second front end.
//!
//! A table has columns, constraints, messages on buses, and a *row program*: an integer program
//! that makes the cells of a row of the fields of one record. [`TableBuilder`] declares them,
//! [`mod@check`] finds what is wrong with them, and a [`TableProgram`] of some tables lowers to
//! the same drafts, plans and [`System`](traceloom_air::system::System) as bytecode does. So
//! packers, writers for CPU and device, and proofs come from the same code.
//!
//! In reading order:
//! - [`record`]: records as structs with fields of u8 to u64;
//! - [`mod@column`], [`row`], [`poly`], [`bus`]: what a table is made of;
//! - [`table`], [`mod@check`]: the builder and the rules;
//! - `draft`, [`program`], `system`: plans, digests and constraint system;
//! - [`riscv`]: the tables of a RISC-V machine.
//!
//! # What plans and generated code know of records
//!
//! Plans, packers and units were made for functions: a row was a query with a multiplicity, a
//! path and inputs that are columns. Three decisions let them serve records, and change no text
//! of a function:
//!
//! - *A row program is a function with one path and no selector, whose layout says that its rows
//!   are made from records* ([`RowSource`](traceloom_plan::RowSource)). The words of the record
//!   take the place of the inputs in its seed. No column holds them as they are, so a table has
//!   auxiliary columns only. Its packer reads `record.ops`, where a packer of a function reads
//!   `record.functions`; that is all that printers of packers know of it. There is no
//!   multiplicity word: 8 bytes would be a fifth to a third of the seeds of these tables. If a
//!   table counts how often a row is asked for, the count is a field like any other.
//! - *A field of 64 bits is two words.* Then every word of a seed and every value is an integer
//!   below the modulus; neither the bounds of plans nor the representation of words need a
//!   second kind of number. A device computes with 32 bits anyway. Types bound the words, so
//!   the typed packing of a record always fits.
//! - *A padding program is a row program of its own*, over records of the scalars of a launch and
//!   the number of the row. It has a packer and writers like all others. Tables without one are
//!   padded with zeros by the kernel that all programs have.

pub mod bus;
pub mod check;
pub mod column;
mod draft;
pub mod poly;
pub mod program;
pub mod record;
pub mod riscv;
pub mod row;
mod system;
pub mod table;

pub use bus::Bus;
pub use check::{TableFault, TableFaults};
pub use column::{Column, Limb, Role};
pub use program::TableProgram;
pub use record::OpRecord;
pub use row::{Int, Long, Row};
pub use table::{Table, TableBuilder};
