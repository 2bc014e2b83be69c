//! The records themselves. "ALU flags" and "memory flags" are the bytes of
//! [`alu_flags`](super::alu_flags) and [`memory_flags`](super::memory_flags).

/// One instruction: the table CPU. Its timestamp follows from its number. With the decoded word
/// at its pc it gives the whole row: [`CpuOp::row`](CpuOp::row).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CpuOp {
    /// Address of the instruction.
    pub pc: u64,
    /// Address of the next one.
    pub next_pc: u64,
    /// First source: the pc if it reads register [`PC`](super::PC), 0 if it reads none.
    pub rv1: u64,
    /// Second source, of stores the value; 0 if it reads none.
    pub rv2: u64,
    /// What it computed: the value for rd, the value loaded, of conditional branches 1 if taken
    /// else 0, of `jal` and `jalr` the address after them, of stores and `ecall` 0.
    pub result: u64,
}

/// One word of code that was executed: the table DECODE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DecodeOp {
    /// Address of the instruction.
    pub pc: u64,
    /// The immediate, sign-extended.
    pub imm: u64,
    /// The packed decode word, 58 bits: [`Decoded::word`](super::Decoded::word).
    pub word: u64,
    /// How often it was executed, at least once.
    pub count: u64,
}

/// One 32-bit form (`addw` and others): the table CPU32, which makes the register accesses of
/// the instruction, at the usual times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cpu32Op {
    /// Timestamp of the instruction.
    pub timestamp: u64,
    /// Address of the instruction.
    pub pc: u64,
    /// First source register, 0 for x0.
    pub rv1: u64,
    /// Second source register, 0 if it reads none.
    pub rv2: u64,
    /// The immediate, sign-extended; 0 if it has none.
    pub imm: u64,
    /// The value for rd: 32 bits, sign-extended.
    pub result: u64,
    /// The packed decode word, 58 bits.
    pub word: u64,
}

/// One access of a register that was accessed not long ago: the table MEMW_R.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RegisterOp {
    /// When.
    pub timestamp: u64,
    /// The value afterwards.
    pub value: u64,
    /// The value before; of reads `value`.
    pub old_value: u64,
    /// The low 32 bits of the timestamp of the access before; the others are those of
    /// `timestamp`, and the difference is 1 to 65,536.
    pub old_timestamp_low: u32,
    /// The register: 1 to 31, 253, 254 or 255.
    pub register: u8,
    /// 1 for a write, 0 for a read.
    pub is_write: u8,
}

/// One access of 1, 2, 4 or 8 bytes at a multiple of that, whose bytes all have one old
/// timestamp, or of a register that [`RegisterOp`] cannot state: the table MEMW_A.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AlignedOp {
    /// The address, or twice the register.
    pub base: u64,
    /// When.
    pub timestamp: u64,
    /// When its bytes were accessed before, all of them.
    pub old_timestamp: u64,
    /// Memory: eight bytes, the first in the low bits. A read has the loaded value, extension
    /// included; a write has the whole source, whatever the width. Register: its value.
    pub value: u64,
    /// The value before. A read has `value`. A write of memory has the bytes that it replaces,
    /// and zeros above them.
    pub old_value: u64,
    /// Bit 0: write; bits 2, 3, 4: exactly 2, 4, 8 bytes, else 1; bit 5: register, which has
    /// bit 2 set, for two cells.
    pub flags: u8,
}

/// Any other access of memory: the table MEMW.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GeneralOp {
    /// The address of the first byte. Addresses wrap around at 2^64.
    pub base: u64,
    /// When.
    pub timestamp: u64,
    /// As in [`AlignedOp`].
    pub value: u64,
    /// As in [`AlignedOp`].
    pub old_value: u64,
    /// When each byte was accessed before; 0 beyond the width.
    pub old_timestamps: [u64; 8],
    /// As in [`AlignedOp`].
    pub flags: u8,
}

/// One load: the table LOAD, which asks for the access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LoadOp {
    /// The address.
    pub base: u64,
    /// When.
    pub timestamp: u64,
    /// The value for rd, extended.
    pub result: u64,
    /// Memory flags: bit 1 signed, bits 2, 3, 4 exactly 2, 4, 8 bytes.
    pub flags: u8,
}

/// One store: the table STORE, which asks for the access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StoreOp {
    /// The address.
    pub base: u64,
    /// When.
    pub timestamp: u64,
    /// The whole source register, whatever the width.
    pub value: u64,
    /// Memory flags: bit 0 set, bits 2, 3, 4 exactly 2, 4, 8 bytes.
    pub flags: u8,
}

/// Declares the records of requests on the ALU bus.
macro_rules! requests {
    ($($(#[$doc:meta])* $name:ident, $lhs:literal, $rhs:literal, $flags:literal;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $name {
            #[doc = $lhs]
            pub lhs: u64,
            #[doc = $rhs]
            pub rhs: u64,
            #[doc = $flags]
            pub flags: u8,
        }
    )* };
}

requests! {
    /// One comparison, less than: the table LT. Asked for by CPU, MEMW_A and MEMW.
    LtOp, "Left operand.", "Right operand.",
        "ALU flags: 4; bit 5 signed, bit 6 the result is inverted.";
    /// One shift: the table SHIFT. Asked for by CPU and CPU32.
    ShiftOp, "What is shifted; of 32-bit forms the low word, sign-extended for `sraw` and else \
        zero-extended.", "The amount, not reduced; of 32-bit forms the low word, extended likewise.",
        "ALU flags: 5, or 6 for 32-bit forms; bit 5 arithmetic, bit 6 right.";
    /// One product: the table MUL. Asked for by CPU and CPU32.
    MulOp, "Left operand; of `mulw` the low word, zero-extended.", "Right operand, likewise.",
        "ALU flags: 7; bit 5 left signed, bit 6 right signed, bit 7 the high word. A low word has \
        no sign bits set.";
    /// One division: the table DVRM. Asked for by CPU and CPU32.
    DivRemOp, "Dividend; of 32-bit forms the low word, extended as signed or unsigned.",
        "Divisor, likewise.", "ALU flags: 8; bit 5 signed, bit 7 the remainder.";
    /// One operation bit by bit: the table BYTEWISE. Asked for by CPU.
    BytewiseOp, "Left operand.", "Right operand.", "ALU flags: 0 and, 1 or, 2 exclusive or.";
    /// One comparison for equality: the table EQ. Asked for by CPU.
    EqOp, "Left operand.", "Right operand.", "ALU flags: 3; bit 6 the result is inverted.";
}

/// One jump or one branch that is taken: the table BRANCH. Asked for by CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BranchOp {
    /// Where to: `base + imm`, of `jal` and `jalr` with bit 0 cleared.
    pub next_pc: u64,
    /// Address of the instruction.
    pub pc: u64,
    /// The immediate, sign-extended.
    pub imm: u64,
    /// First source as in [`CpuOp::rv1`]: the base of `jal` (the pc) and of `jalr`. Conditional
    /// branches have the pc as base.
    pub rv1: u64,
    /// 1 for `jal` and `jalr`, 0 for conditional branches.
    pub is_jalr: u8,
}

/// One environment call. It reads a7 as its rs1; it also reads a0, and the calls 63 and 64 read
/// a1 and a2, at the same time; these two write a0 at `timestamp + 2`. Call 63 also reads register
/// [`INPUT_LEFT`](super::INPUT_LEFT) at `timestamp` and writes it at `timestamp + 2`, call 64
/// register [`OUTPUT_INDEX`](super::OUTPUT_INDEX).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EcallOp {
    /// When.
    pub timestamp: u64,
    /// a7: 63, 64 or 93.
    pub number: u64,
    /// a0, a1 and a2 before; of 93 only a0, else 0.
    pub arguments: [u64; 3],
    /// a0 afterwards: the number of bytes that were read or written, of 93 a0 before.
    pub result: u64,
    /// Before the call: of 63 how many bytes of input are left, of 64 how many bytes of output were
    /// written; of 93 0.
    pub counter: u64,
}

/// One byte that an environment call moved. Its access has one byte, at the timestamp of the
/// call: INPUT (call 63) writes memory, COMMIT (call 64) reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IoOp {
    /// When.
    pub timestamp: u64,
    /// The address of the byte.
    pub address: u64,
    /// Its number among all bytes of input or of output, from 0.
    pub index: u64,
    /// How many bytes of this call are left, this one included.
    pub remaining: u64,
    /// The byte.
    pub value: u8,
}

/// The end: the table HALT. It takes the pc's token at `timestamp + 1` and gives one with pc 1
/// and the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HaltOp {
    /// Timestamp of the environment call.
    pub timestamp: u64,
    /// The pc after it.
    pub next_pc: u64,
    /// The exit code: all 64 bits of a0. Only 0 can be proven.
    pub exit_code: u64,
}

/// First and last value of a register: the table REGISTER, two cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RegisterCell {
    /// The register: 1 to 31, 253, 254 or 255.
    pub register: u8,
    /// Its value before execution, at time 1.
    pub initial: u64,
    /// Its last value: of the pc 1, before any padding of CPU.
    pub last: u64,
    /// When it was accessed last.
    pub timestamp: u64,
}

/// First and last value of a byte of memory: the table PAGE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PageCell {
    /// Its address.
    pub address: u64,
    /// Its value before execution, at time 0: as the program says.
    pub initial: u8,
    /// Its last value.
    pub last: u8,
    /// When it was accessed last; 0 if never.
    pub timestamp: u64,
}
