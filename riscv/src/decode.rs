//! From a word to an instruction. Everything that RV64IM does not define is refused, so that
//! no bit of a word is ignored but those of `fence`, which the manual reserves for hints.

use crate::instruction::{Form, Instruction, Op};

/// Why a word is no instruction of RV64IM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Illegal {
    /// An instruction of 16 bits (extension C).
    Compressed,
    /// An instruction of another extension, which is named.
    Extension(&'static str),
    /// Nothing that the manual defines for user mode.
    Unknown,
}

/// Decodes one instruction of 32 bits.
///
/// # Errors
/// [`Illegal`]: the word is no instruction of RV64IM.
pub const fn decode(word: u32) -> Result<Instruction, Illegal> {
    if word & 3 != 3 {
        return Err(Illegal::Compressed);
    }
    match word & 0x7f {
        0x37 => Ok(with_rd(word, Op::Add, Form::Upper, (word & 0xffff_f000) as i32)),
        0x17 => Ok(with_rd(word, Op::Auipc, Form::Upper, (word & 0xffff_f000) as i32)),
        0x6f => Ok(with_rd(word, Op::Jal, Form::Jump, jump_distance(word))),
        0x67 => known(immediate(word, jalr(word))),
        0x63 => known(branch(word)),
        0x03 => known(load(word)),
        0x23 => known(store(word)),
        0x13 => known(immediate_op(word)),
        0x1b => known(immediate_op_32(word)),
        0x33 => known(register(word, register_op(word))),
        0x3b => known(register(word, register_op_32(word))),
        0x0f => fence(word),
        0x73 => system(word),
        0x07 | 0x27 | 0x43 | 0x47 | 0x4b | 0x4f | 0x53 => {
            Err(Illegal::Extension("F or D (floating point)"))
        }
        0x2f => Err(Illegal::Extension("A (atomics)")),
        0x57 => Err(Illegal::Extension("V (vectors)")),
        _ => Err(Illegal::Unknown),
    }
}

const fn known(instruction: Option<Instruction>) -> Result<Instruction, Illegal> {
    match instruction {
        Some(instruction) => Ok(instruction),
        None => Err(Illegal::Unknown),
    }
}

const fn rd(word: u32) -> u8 {
    (word >> 7 & 31) as u8
}

const fn rs1(word: u32) -> u8 {
    (word >> 15 & 31) as u8
}

const fn rs2(word: u32) -> u8 {
    (word >> 20 & 31) as u8
}

const fn funct3(word: u32) -> u32 {
    word >> 12 & 7
}

const fn funct7(word: u32) -> u32 {
    word >> 25
}

const fn with_rd(word: u32, op: Op, form: Form, imm: i32) -> Instruction {
    Instruction { op, form, rd: rd(word), rs1: 0, rs2: 0, imm }
}

const fn jump_distance(word: u32) -> i32 {
    let sign = (word as i32 >> 31) << 20;
    let low = (word >> 20 & 0x7fe) | (word >> 9 & 0x800) | (word & 0xf_f000);
    sign | low as i32
}

const fn branch_distance(word: u32) -> i32 {
    let sign = (word as i32 >> 31) << 12;
    let low = (word >> 7 & 0x1e) | (word >> 20 & 0x7e0) | (word << 4 & 0x800);
    sign | low as i32
}

const fn jalr(word: u32) -> Option<Op> {
    if funct3(word) == 0 { Some(Op::Jalr) } else { None }
}

const fn immediate(word: u32, op: Option<Op>) -> Option<Instruction> {
    let Some(op) = op else { return None };
    let imm = word as i32 >> 20;
    Some(Instruction { op, form: Form::Immediate, rd: rd(word), rs1: rs1(word), rs2: 0, imm })
}

const fn shift(word: u32, op: Op, amount: u32) -> Option<Instruction> {
    let imm = amount as i32;
    let form = Form::Immediate;
    Some(Instruction { op, form, rd: rd(word), rs1: rs1(word), rs2: 0, imm })
}

const fn register(word: u32, op: Option<Op>) -> Option<Instruction> {
    let Some(op) = op else { return None };
    let (rd, rs1, rs2) = (rd(word), rs1(word), rs2(word));
    Some(Instruction { op, form: Form::Register, rd, rs1, rs2, imm: 0 })
}

const fn branch(word: u32) -> Option<Instruction> {
    let op = match funct3(word) {
        0 => Op::Beq,
        1 => Op::Bne,
        4 => Op::Blt,
        5 => Op::Bge,
        6 => Op::Bltu,
        7 => Op::Bgeu,
        _ => return None,
    };
    let (rs1, rs2, imm) = (rs1(word), rs2(word), branch_distance(word));
    Some(Instruction { op, form: Form::Branch, rd: 0, rs1, rs2, imm })
}

const fn load(word: u32) -> Option<Instruction> {
    let op = match funct3(word) {
        0 => Op::Lb,
        1 => Op::Lh,
        2 => Op::Lw,
        3 => Op::Ld,
        4 => Op::Lbu,
        5 => Op::Lhu,
        6 => Op::Lwu,
        _ => return None,
    };
    let imm = word as i32 >> 20;
    Some(Instruction { op, form: Form::Load, rd: rd(word), rs1: rs1(word), rs2: 0, imm })
}

const fn store(word: u32) -> Option<Instruction> {
    let op = match funct3(word) {
        0 => Op::Sb,
        1 => Op::Sh,
        2 => Op::Sw,
        3 => Op::Sd,
        _ => return None,
    };
    let imm = (word as i32 >> 25 << 5) | (word >> 7 & 31) as i32;
    Some(Instruction { op, form: Form::Store, rd: 0, rs1: rs1(word), rs2: rs2(word), imm })
}

const fn immediate_op(word: u32) -> Option<Instruction> {
    let amount = word >> 20 & 63;
    let op = match (funct3(word), word >> 26) {
        (0, _) => Op::Add,
        (2, _) => Op::Slt,
        (3, _) => Op::Sltu,
        (4, _) => Op::Xor,
        (6, _) => Op::Or,
        (7, _) => Op::And,
        (1, 0) => return shift(word, Op::Sll, amount),
        (5, 0) => return shift(word, Op::Srl, amount),
        (5, 0x10) => return shift(word, Op::Sra, amount),
        _ => return None,
    };
    immediate(word, Some(op))
}

const fn immediate_op_32(word: u32) -> Option<Instruction> {
    let amount = word >> 20 & 31;
    match (funct3(word), funct7(word)) {
        (0, _) => immediate(word, Some(Op::Addw)),
        (1, 0) => shift(word, Op::Sllw, amount),
        (5, 0) => shift(word, Op::Srlw, amount),
        (5, 0x20) => shift(word, Op::Sraw, amount),
        _ => None,
    }
}

const fn register_op(word: u32) -> Option<Op> {
    Some(match (funct7(word), funct3(word)) {
        (0, 0) => Op::Add,
        (0x20, 0) => Op::Sub,
        (0, 1) => Op::Sll,
        (0, 2) => Op::Slt,
        (0, 3) => Op::Sltu,
        (0, 4) => Op::Xor,
        (0, 5) => Op::Srl,
        (0x20, 5) => Op::Sra,
        (0, 6) => Op::Or,
        (0, 7) => Op::And,
        (1, 0) => Op::Mul,
        (1, 1) => Op::Mulh,
        (1, 2) => Op::Mulhsu,
        (1, 3) => Op::Mulhu,
        (1, 4) => Op::Div,
        (1, 5) => Op::Divu,
        (1, 6) => Op::Rem,
        (1, 7) => Op::Remu,
        _ => return None,
    })
}

const fn register_op_32(word: u32) -> Option<Op> {
    Some(match (funct7(word), funct3(word)) {
        (0, 0) => Op::Addw,
        (0x20, 0) => Op::Subw,
        (0, 1) => Op::Sllw,
        (0, 5) => Op::Srlw,
        (0x20, 5) => Op::Sraw,
        (1, 0) => Op::Mulw,
        (1, 4) => Op::Divw,
        (1, 5) => Op::Divuw,
        (1, 6) => Op::Remw,
        (1, 7) => Op::Remuw,
        _ => return None,
    })
}

const fn fence(word: u32) -> Result<Instruction, Illegal> {
    match funct3(word) {
        0 => Ok(Instruction { op: Op::Add, form: Form::Fence, ..Instruction::ILLEGAL }),
        1 => Err(Illegal::Extension("Zifencei (fence.i)")),
        _ => Err(Illegal::Unknown),
    }
}

const fn system(word: u32) -> Result<Instruction, Illegal> {
    match word {
        0x0000_0073 => Ok(Instruction { op: Op::Ecall, ..Instruction::ILLEGAL }),
        0x0010_0073 => Ok(Instruction { op: Op::Ebreak, ..Instruction::ILLEGAL }),
        _ if funct3(word) & 3 != 0 => Err(Illegal::Extension("Zicsr (control registers)")),
        _ => Err(Illegal::Unknown),
    }
}
