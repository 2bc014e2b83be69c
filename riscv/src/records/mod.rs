//! Records of operations: one per row of a trace table. This is the contract with the tables.
//!
//! **Time.** Instruction number `i`, counted from 0, has timestamp `t = 4i + 4`. It reads rs1 and
//! accesses memory at `t`, reads rs2 and writes the pc at `t + 1`, and writes rd at `t + 2`. Reads
//! advance the timestamp of what they read, too. The bytes of one access, and of one environment
//! call, share a timestamp.
//! Memory begins with timestamp 0, registers with 1.
//!
//! **Registers are memory** in a space of their own. Register r owns the cells 2r and 2r + 1, a
//! word of 32 bits each, which are always accessed together. x0 is never accessed. Register
//! [`PC`] is the pc, [`OUTPUT_INDEX`] counts output bytes up, and [`INPUT_LEFT`] counts input bytes
//! down. The CPU table moves the pc itself;
//! only reads of the pc by `auipc` and `jal` are accesses with a record.
//!
//! **Who asks for what.** Records of one instruction come in this order: accesses of rs1 and rs2,
//! the operation (with what it asks of other tables), access of rd, [`CpuOp`]. An access has one
//! record: [`RegisterOp`], [`AlignedOp`] or [`GeneralOp`], as [`route`] decides. The second asks
//! for one [`LtOp`] that follows it, the third for one per byte. [`Cpu32Op`] asks for a shift, a
//! product or a quotient. [`DivRemOp`] asks for nothing here: which comparisons and products show
//! that a quotient is right is the affair of its table. Requests are not merged: equal records
//! come as often as they are asked for.
//!
//! **The end.** After the last instruction come [`HaltOp`] and then one [`DecodeOp`] per word of code that was executed, one
//! [`RegisterCell`] per register, and one [`PageCell`] per byte of each page that loads, stores
//! or environment calls touched.
//!
//! All fields are plain numbers without invalid values. Widths and meanings are with each field.

mod ops;
mod recorder;
mod route;
mod sink;
mod word;

pub use ops::{
    AlignedOp, BranchOp, BytewiseOp, Cpu32Op, CpuOp, DecodeOp, DivRemOp, EcallOp, EqOp, GeneralOp,
    HaltOp, IoOp, LoadOp, LtOp, MulOp, PageCell, RegisterCell, RegisterOp, ShiftOp, StoreOp,
};
pub(crate) use recorder::{Call, CallKind, Nobody, Observer, Recorder, Step};
pub use route::{Route, route};
pub use sink::{Counts, Sink, Stored};
pub use word::{CpuRow, Decoded, HALF_LENGTH, alu_flags, memory_flags};

/// The pc as a register.
pub const PC: u8 = 255;
/// The number of output bytes as a register.
pub const OUTPUT_INDEX: u8 = 254;
/// The number of input bytes that are left as a register.
pub const INPUT_LEFT: u8 = 253;
