//! What an instruction tells the tables: registers that it reads, the bytes of flags, the packed
//! decode word, and the row of CPU.

use super::{CpuOp, DecodeOp, PC};
use crate::instruction::{Form, Instruction, Op};

/// Bytes of an instruction, halved: there is no compressed code.
pub const HALF_LENGTH: u8 = 2;

/// An instruction as the tables see it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Decoded {
    /// It reads rs1; `auipc` and `jal` read the pc.
    pub read1: bool,
    /// It reads rs2.
    pub read2: bool,
    /// It writes rd.
    pub write: bool,
    /// It is a 32-bit form, which CPU32 does.
    pub word32: bool,
    /// Another table computes the result, over the ALU bus.
    pub alu: bool,
    /// CPU adds: also the addresses of loads and stores.
    pub add: bool,
    /// CPU subtracts.
    pub sub: bool,
    /// It loads or stores.
    pub memory: bool,
    /// It jumps or branches.
    pub branch: bool,
    /// It is `ecall`.
    pub ecall: bool,
    /// First source: 0 to 31, or [`PC`].
    pub rs1: u8,
    /// Second source.
    pub rs2: u8,
    /// Destination.
    pub rd: u8,
    /// [`alu_flags`]; 0 if no other table computes.
    pub alu_flags: u8,
    /// [`memory_flags`].
    pub memory_flags: u8,
    /// The immediate, sign-extended.
    pub imm: u64,
}

impl Decoded {
    /// What `instruction` tells the tables.
    #[must_use]
    pub fn new(instruction: &Instruction) -> Self {
        let Instruction { op, form, rd, rs1, rs2, .. } = *instruction;
        let is_pc = matches!(op, Op::Auipc | Op::Jal);
        let is_ecall = op == Op::Ecall;
        let memory = matches!(form, Form::Load | Form::Store);
        let word32 = is_word(op);
        Self {
            read1: is_pc || is_ecall || !matches!(form, Form::Upper | Form::Fence | Form::System),
            read2: matches!(form, Form::Register | Form::Branch | Form::Store),
            write: !matches!(form, Form::Branch | Form::Store | Form::Fence | Form::System),
            word32,
            alu: alu_flags(op).is_some(),
            add: memory || matches!(op, Op::Add | Op::Addw | Op::Auipc),
            sub: matches!(op, Op::Sub | Op::Subw),
            memory,
            branch: form == Form::Branch || matches!(op, Op::Jal | Op::Jalr),
            ecall: is_ecall,
            rs1: match (is_pc, is_ecall) {
                (true, _) => PC,
                (_, true) => 17,
                _ => rs1,
            },
            rs2,
            rd,
            alu_flags: alu_flags(op).unwrap_or(0),
            memory_flags: memory_flags(op),
            imm: instruction.imm_word(),
        }
    }

    /// The packed decode word. Bits 0 to 9: read1, read2, write, word32, alu, add, sub, memory,
    /// branch, ecall. From bit 10 on a byte each: rs1, rs2, rd, half the length in bytes, ALU
    /// flags, memory flags.
    #[must_use]
    pub fn word(&self) -> u64 {
        let bits = [
            self.read1,
            self.read2,
            self.write,
            self.word32,
            self.alu,
            self.add,
            self.sub,
            self.memory,
            self.branch,
            self.ecall,
        ];
        let bytes = [self.rs1, self.rs2, self.rd, HALF_LENGTH, self.alu_flags, self.memory_flags];
        let low = bits.iter().rev().fold(0, |word, &bit| word << 1 | u64::from(bit));
        let high = bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        low | high << 10
    }

    /// The record of the table DECODE.
    #[must_use]
    pub fn op(&self, pc: u64, count: u64) -> DecodeOp {
        DecodeOp { pc, imm: self.imm, word: self.word(), count }
    }
}

const fn is_word(op: Op) -> bool {
    matches!(
        op,
        Op::Addw
            | Op::Subw
            | Op::Sllw
            | Op::Srlw
            | Op::Sraw
            | Op::Mulw
            | Op::Divw
            | Op::Divuw
            | Op::Remw
            | Op::Remuw
    )
}

/// The byte of flags on the ALU bus: the operation (0 and, 1 or, 2 exclusive or, 3 equality, 4
/// less than, 5 shift, 6 shift of a word, 7 product, 8 division) + 32 if signed + 64 if the
/// second operand is signed, the result inverted or the shift to the right + 128 for the high
/// word or the remainder. None if CPU or CPU32 computes the result.
#[must_use]
pub const fn alu_flags(op: Op) -> Option<u8> {
    const SIGNED: u8 = 32;
    const SECOND: u8 = 64;
    const UPPER: u8 = 128;
    Some(match op {
        Op::And => 0,
        Op::Or => 1,
        Op::Xor => 2,
        Op::Beq => 3,
        Op::Bne => 3 + SECOND,
        Op::Sltu | Op::Bltu => 4,
        Op::Slt | Op::Blt => 4 + SIGNED,
        Op::Bgeu => 4 + SECOND,
        Op::Bge => 4 + SIGNED + SECOND,
        Op::Sll => 5,
        Op::Srl => 5 + SECOND,
        Op::Sra => 5 + SIGNED + SECOND,
        Op::Sllw => 6,
        Op::Srlw => 6 + SECOND,
        Op::Sraw => 6 + SIGNED + SECOND,
        Op::Mul | Op::Mulw => 7,
        Op::Mulh => 7 + SIGNED + SECOND + UPPER,
        Op::Mulhsu => 7 + SIGNED + UPPER,
        Op::Mulhu => 7 + UPPER,
        Op::Div | Op::Divw => 8 + SIGNED,
        Op::Divu | Op::Divuw => 8,
        Op::Rem | Op::Remw => 8 + SIGNED + UPPER,
        Op::Remu | Op::Remuw => 8 + UPPER,
        _ => return None,
    })
}

/// The byte of memory flags: bit 0 store, or `jal` and `jalr`; bit 1 signed load; bits 2, 3, 4
/// exactly 2, 4, 8 bytes, none of them for one byte. `ld` is not signed.
#[must_use]
pub const fn memory_flags(op: Op) -> u8 {
    match op {
        Op::Jal | Op::Jalr | Op::Sb => 1,
        Op::Sh => 1 + 4,
        Op::Sw => 1 + 8,
        Op::Sd => 1 + 16,
        Op::Lb => 2,
        Op::Lh => 2 + 4,
        Op::Lw => 2 + 8,
        Op::Ld => 16,
        Op::Lhu => 4,
        Op::Lwu => 8,
        _ => 0,
    }
}

/// What the row of CPU states beside its decoded instruction; before masking on 32-bit forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CpuRow {
    /// `4 * index + 4`.
    pub timestamp: u64,
    /// The second operand: `imm` of loads and stores, `rv2` of branches and jumps, else
    /// `rv2 + imm`.
    pub arg2: u64,
    /// What CPU or the ALU computed: an address, a sum, a difference, an ALU result, of
    /// conditional branches the comparison, of jumps 0.
    pub res: u64,
    /// The value for rd: loaded, the address after a jump or branch, 0 of stores, else `res`.
    pub rvd: u64,
    /// Whether a jump or branch is taken.
    pub is_taken: bool,
}

impl CpuOp {
    /// Joins the record of instruction number `index` with its decoded word.
    #[must_use]
    pub fn row(&self, index: u64, decoded: &Decoded) -> CpuRow {
        let arg2 = match (decoded.memory, decoded.branch) {
            (true, _) => decoded.imm,
            (_, true) => self.rv2,
            _ => self.rv2.wrapping_add(decoded.imm),
        };
        let is_jump = decoded.branch && !decoded.alu;
        let res = match decoded {
            _ if is_jump || decoded.ecall => 0,
            _ if decoded.word32 => self.result,
            Decoded { add: true, .. } => self.rv1.wrapping_add(arg2),
            _ => self.result,
        };
        let rvd = match (decoded.memory, decoded.branch) {
            (true, _) => self.result,
            (_, true) => self.pc.wrapping_add(2 * u64::from(HALF_LENGTH)),
            _ => res,
        };
        let is_taken = is_jump || (decoded.branch && res == 1);
        CpuRow { timestamp: 4 * index + 4, arg2, res, rvd, is_taken }
    }
}
