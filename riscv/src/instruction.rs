//! Instructions after decoding.

/// What an instruction does. The register form, the immediate form and, for [`Op::Add`], `lui`
/// and `fence` share an operation: the second operand is `x[rs2] + imm`, one of which is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // The names are those of the RISC-V manual.
#[rustfmt::skip]
pub enum Op {
    Add, Sub, And, Or, Xor, Sll, Srl, Sra, Slt, Sltu,
    Addw, Subw, Sllw, Srlw, Sraw,
    Mul, Mulh, Mulhsu, Mulhu, Mulw,
    Div, Divu, Rem, Remu, Divw, Divuw, Remw, Remuw,
    Auipc, Jal, Jalr,
    Beq, Bne, Blt, Bge, Bltu, Bgeu,
    Lb, Lh, Lw, Ld, Lbu, Lhu, Lwu,
    Sb, Sh, Sw, Sd,
    Ecall, Ebreak,
    /// A word that is no instruction of RV64IM; executing it is a trap.
    Illegal,
}

/// How the instruction was written, which decides its mnemonic and which registers it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// Two registers and a destination.
    Register,
    /// A register, an immediate and a destination.
    Immediate,
    /// `lui` and `auipc`.
    Upper,
    /// `jal`.
    Jump,
    /// A conditional branch.
    Branch,
    /// A load; `jalr` is [`Form::Immediate`].
    Load,
    /// A store.
    Store,
    /// `fence`, which does nothing here.
    Fence,
    /// `ecall`, `ebreak` and what is illegal.
    System,
}

/// A decoded instruction. Registers and immediates that its form lacks are zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// What it does.
    pub op: Op,
    /// How it was written.
    pub form: Form,
    /// Destination register, 0 to 31.
    pub rd: u8,
    /// First source register, 0 to 31.
    pub rs1: u8,
    /// Second source register, 0 to 31.
    pub rs2: u8,
    /// The immediate, sign-extended; shift amounts are 0 to 63; `lui` and `auipc` have it
    /// shifted by 12 already; branches and `jal` have the distance in bytes.
    pub imm: i32,
}

impl Instruction {
    /// What a word that is no instruction decodes to.
    pub const ILLEGAL: Self =
        Self { op: Op::Illegal, form: Form::System, rd: 0, rs1: 0, rs2: 0, imm: 0 };

    /// The immediate as a word of the machine.
    #[must_use]
    pub const fn imm_word(&self) -> u64 {
        self.imm as i64 as u64
    }

    /// The mnemonic of the RISC-V manual.
    #[must_use]
    pub const fn mnemonic(&self) -> &'static str {
        match (self.form, self.op) {
            (Form::Immediate, op) => immediate_name(op),
            (Form::Upper, Op::Add) => "lui",
            (Form::Fence, _) => "fence",
            (_, op) => name(op),
        }
    }
}

/// The names of the registers in the calling convention.
#[rustfmt::skip]
pub const REGISTER_NAMES: [&str; 32] = [
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4",
    "a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4",
    "t5", "t6",
];

const fn immediate_name(op: Op) -> &'static str {
    match op {
        Op::Add => "addi",
        Op::And => "andi",
        Op::Or => "ori",
        Op::Xor => "xori",
        Op::Sll => "slli",
        Op::Srl => "srli",
        Op::Sra => "srai",
        Op::Slt => "slti",
        Op::Sltu => "sltiu",
        Op::Addw => "addiw",
        Op::Sllw => "slliw",
        Op::Srlw => "srliw",
        Op::Sraw => "sraiw",
        other => name(other),
    }
}

#[rustfmt::skip]
const fn name(op: Op) -> &'static str {
    match op {
        Op::Add => "add", Op::Sub => "sub", Op::And => "and", Op::Or => "or", Op::Xor => "xor",
        Op::Sll => "sll", Op::Srl => "srl", Op::Sra => "sra", Op::Slt => "slt", Op::Sltu => "sltu",
        Op::Addw => "addw", Op::Subw => "subw", Op::Sllw => "sllw", Op::Srlw => "srlw",
        Op::Sraw => "sraw", Op::Mul => "mul", Op::Mulh => "mulh", Op::Mulhsu => "mulhsu",
        Op::Mulhu => "mulhu", Op::Mulw => "mulw", Op::Div => "div", Op::Divu => "divu",
        Op::Rem => "rem", Op::Remu => "remu", Op::Divw => "divw", Op::Divuw => "divuw",
        Op::Remw => "remw", Op::Remuw => "remuw", Op::Auipc => "auipc", Op::Jal => "jal",
        Op::Jalr => "jalr", Op::Beq => "beq", Op::Bne => "bne", Op::Blt => "blt", Op::Bge => "bge",
        Op::Bltu => "bltu", Op::Bgeu => "bgeu", Op::Lb => "lb", Op::Lh => "lh", Op::Lw => "lw",
        Op::Ld => "ld", Op::Lbu => "lbu", Op::Lhu => "lhu", Op::Lwu => "lwu", Op::Sb => "sb",
        Op::Sh => "sh", Op::Sw => "sw", Op::Sd => "sd", Op::Ecall => "ecall",
        Op::Ebreak => "ebreak", Op::Illegal => "illegal",
    }
}
