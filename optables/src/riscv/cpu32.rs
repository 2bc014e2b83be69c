//! CPU32: instructions of 32 bits. It takes the low words of its operands, adds, subtracts or asks
//! another table, and extends the sign of the low word of the result.

use traceloom_abi::ops::OpRecords;
use traceloom_air::bytes::ByteOp;
use traceloom_riscv::Instruction;
use traceloom_riscv::records::{self, Decoded};

use super::alu::answer;
use super::buses::{
    ALU, ALU_DIV, ALU_MUL, ALU_SECOND, ALU_SHIFT, ALU_SIGNED, ALU_UPPER, CPU32, DECODE, MEMW_READ,
    MEMW_WRITE, carry, register_read, register_write,
};
use super::decode::{self, Parts};
use super::machine::{MachineTable, Run};
use crate::check::TableFaults;
use crate::column::{Column, Limb, Role};
use crate::op_record;
use crate::poly::{Poly, constant, is_bit, join, not, sum};
use crate::record::OpRecord;
use crate::row::{Int, Row};
use crate::table::{Table, TableBuilder};
use crate::values;

/// The operation of ALU flags for shifts of 32 bits.
const ALU_SHIFT_WORD: u64 = ALU_SHIFT + 1;
const ONES: u64 = 0xffff_ffff;

op_record! {
    /// An instruction of 32 bits.
    pub struct Cpu32Op as Cpu32Fields {
        /// Time.
        timestamp: u32,
        /// Where it is.
        pc: u64,
        /// Immediate operand, with a sign.
        imm: u32,
        /// The first source register, if it is read.
        rv1: u64,
        /// The second source register, if it is read.
        rv2: u64,
        /// What another table computes, all 64 bits. Sums and differences are computed here.
        result: u64,
        /// Bit by bit: read1, read2, write, ADD, SUB, shift, product, division, and of the ALU
        /// flags signed, second, upper.
        flags: u16[0x7ff],
        /// First source register.
        rs1: u8,
        /// Second source register.
        rs2: u8,
        /// Destination register.
        rd: u8,
        /// Half of its length in bytes.
        half_length: u8,
    }
}

impl Cpu32Op {
    /// The record of an instruction, from what it did and how it is decoded.
    #[must_use]
    pub fn new(op: &records::Cpu32Op, decoded: &Decoded) -> Self {
        let kind = u64::from(decoded.alu_flags & 31);
        let flag = |flag: u64| u64::from(decoded.alu_flags) & flag != 0;
        let is = |of: u64| decoded.alu && kind == of;
        let flags = [
            decoded.read1 && decoded.rs1 != 0,
            decoded.read2 && decoded.rs2 != 0,
            decoded.write && decoded.rd != 0,
            decoded.add,
            decoded.sub,
            is(ALU_SHIFT_WORD),
            is(ALU_MUL),
            is(ALU_DIV),
            flag(ALU_SIGNED),
            flag(ALU_SECOND),
            flag(ALU_UPPER),
        ];
        let word = |x: u64| if flag(ALU_SIGNED) { x as i32 as u64 } else { x & ONES };
        let arg2 = op.rv2.wrapping_add(decoded.imm);
        let result = answer(word(op.rv1), word(arg2), decoded.alu_flags);
        Self {
            timestamp: op.timestamp as u32,
            pc: op.pc,
            imm: decoded.imm as u32,
            rv1: op.rv1,
            rv2: op.rv2,
            result: result.filter(|_| decoded.alu).unwrap_or(0),
            flags: flags.iter().rev().fold(0, |all, &flag| all << 1 | u16::from(flag)),
            rs1: decoded.rs1,
            rs2: decoded.rs2,
            rd: decoded.rd,
            half_length: records::HALF_LENGTH,
        }
    }
}

/// How the table is made and fed.
pub const TABLE: MachineTable = MachineTable::new(table, feed);

fn feed(run: &Run<'_>, records: &mut OpRecords) {
    for op in &run.records.cpu32 {
        let instruction = run.program.instruction(op.pc).unwrap_or(Instruction::ILLEGAL);
        let op = Cpu32Op::new(op, &Decoded::new(&instruction));
        records.push(|words| op.put(words));
    }
}

/// The columns.
struct Columns {
    timestamp: Column,
    pc: [Column; 2],
    imm: [Column; 2],
    /// First source, second source, destination.
    registers: [Column; 3],
    /// Whether they are accessed.
    accessed: [Column; 3],
    half_length: Column,
    add: Column,
    sub: Column,
    /// Shift, product, division.
    kinds: [Column; 3],
    /// Signed, second, upper.
    alu_flags: [Column; 3],
    rv1: [Column; 2],
    rv1_high: Column,
    rv2: [Column; 2],
    arg2: [Column; 2],
    /// Whether the low words have a sign, and that is set.
    negative: [Column; 2],
    result: [Column; 2],
    result_high: Column,
    result_negative: Column,
    mu: Column,
}

/// The table.
///
/// # Errors
/// Never: tests make it.
pub fn table() -> Result<Table, TableFaults> {
    let mut t = TableBuilder::new("cpu32");
    let c = Columns {
        timestamp: t.limb("timestamp", Limb::Word),
        pc: t.words("pc"),
        imm: t.words("imm"),
        registers: ["rs1", "rs2", "rd"].map(|name| t.limb(name, Limb::Byte)),
        accessed: ["read1", "read2", "write"].map(|name| t.flag(name)),
        half_length: t.limb("half_length", Limb::Byte),
        add: t.flag("add"),
        sub: t.flag("sub"),
        kinds: ["shift", "product", "division"].map(|name| t.flag(name)),
        alu_flags: ["signed", "second", "upper"].map(|name| t.flag(name)),
        rv1: t.limbs("rv1", Limb::Half),
        rv1_high: t.limb("rv1_high", Limb::Word),
        rv2: t.words("rv2"),
        arg2: t.limbs("arg2", Limb::Half),
        negative: [t.flag("rv1_negative"), t.flag("arg2_negative")],
        result: t.limbs("result", Limb::Half),
        result_high: t.limb("result_high", Limb::Word),
        result_negative: t.flag("result_negative"),
        mu: t.column("mu", Limb::Bit, Role::Multiplicity),
    };
    t.rows::<Cpu32Op>(|row, op| rows(&c, row, &op));
    constraints(&c, &mut t);
    messages(&c, &mut t);
    t.finish()
}

fn put_halves(row: &mut Row, columns: [Column; 2], word: Int) {
    let halves = [0, 1].map(|i| row.half(word, i));
    row.put_all(columns, halves);
}

fn rows(c: &Columns, row: &mut Row, op: &Cpu32Fields) {
    row.step("decoded instruction");
    row.put(c.timestamp, op.timestamp);
    row.put_long(c.pc, op.pc);
    let imm = row.sign_extend(op.imm);
    row.put_long(c.imm, imm);
    row.put_all(c.registers, [op.rs1, op.rs2, op.rd]);
    row.put(c.half_length, op.half_length);
    let flags = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(|i| row.bit(op.flags, i));
    let [read1, read2, write, add, sub, shift, product, division, signed, second, upper] = flags;
    row.put_all(c.accessed, [read1, read2, write]);
    row.put_all([c.add, c.sub], [add, sub]);
    row.put_all(c.kinds, [shift, product, division]);
    row.put_all(c.alu_flags, [signed, second, upper]);

    row.step("operands");
    let rv1 = row.keep_long(read1, op.rv1);
    let rv2 = row.keep_long(read2, op.rv2);
    put_halves(row, c.rv1, rv1.low);
    row.put(c.rv1_high, rv1.high);
    row.put_long(c.rv2, rv2);
    let arg2 = row.add(rv2.low, imm.low);
    let arg2 = row.low32(arg2);
    put_halves(row, c.arg2, arg2);
    let negative = [rv1.low, arg2].map(|word| {
        let top = row.bit(word, 31);
        row.all(&[signed, top])
    });
    row.put_all(c.negative, negative);

    row.step("result");
    let sum = row.add(rv1.low, arg2);
    let sum = row.low32(sum);
    let difference = row.sub_wrapping(rv1.low, arg2);
    let result = row.select(sub, difference, op.result.low);
    let result = row.select(add, sum, result);
    put_halves(row, c.result, result);
    row.put(c.result_high, op.result.high);
    let top = row.bit(result, 31);
    row.put(c.result_negative, top);
    let one = row.constant(1);
    row.put(c.mu, one);
}

fn constraints(c: &Columns, t: &mut TableBuilder) {
    let [read1, read2, _] = c.accessed;
    let [rv1, arg2, result] = [c.rv1, c.arg2, c.result].map(|halves| join(16, &halves));
    t.zero("mu is a bit", is_bit(c.mu));
    let flags = sum(c.kinds.into_iter().chain(c.accessed));
    t.zero("padding asks for nothing", not(c.mu) * flags);
    t.zero("at most one operation", is_bit(sum(c.kinds)));
    t.zero("rv1[0] is read or zero", not(read1) * &rv1);
    t.zero("rv1[1] is read or zero", not(read1) * c.rv1_high);
    for i in 0..2 {
        t.zero(&format!("rv2[{i}] is read or zero"), not(read2) * c.rv2[i]);
        t.zero(&format!("a register or imm[{i}]"), read2 * c.imm[i]);
    }
    t.zero("arg2", c.rv2[0] + c.imm[0] - &arg2);
    for (negative, name) in c.negative.into_iter().zip(["rv1", "arg2"]) {
        t.zero(&format!("{name} without a sign"), not(c.alu_flags[0]) * negative);
    }
    t.zero("the sum", c.add * is_bit(carry(&rv1 + &arg2 - &result)));
    t.zero("the difference", c.sub * is_bit(carry(arg2 + result - rv1)));
}

fn messages(c: &Columns, t: &mut TableBuilder) {
    let (mu, [read1, read2, write], [rs1, rs2, rd]) = (c.mu, c.accessed, c.registers);
    let ([pc0, pc1], [imm0, imm1], ts) = (c.pc, c.imm, c.timestamp);
    let [shift, product, division] = c.kinds;
    let [signed, second, upper] = c.alu_flags;
    t.receive(CPU32, mu, values![ts, 0, pc0, pc1, c.half_length]);
    let alu_flags = shift * constant(ALU_SHIFT_WORD)
        + product * constant(ALU_MUL)
        + division * constant(ALU_DIV)
        + signed * constant(ALU_SIGNED)
        + second * constant(ALU_SECOND)
        + upper * constant(ALU_UPPER);
    let no = || constant(0);
    let packed = decode::packed(Parts {
        flags: [
            read1.into(),
            read2.into(),
            write.into(),
            constant(1),
            sum(c.kinds),
            c.add.into(),
            c.sub.into(),
            no(),
            no(),
            no(),
        ],
        bytes: [rs1.into(), rs2.into(), rd.into(), c.half_length.into(), alu_flags.clone(), no()],
    });
    t.send(DECODE, mu, values![pc0, pc1, imm0, imm1, packed]);
    for pair in [[rs1, rs2], [rd, c.half_length]] {
        t.look_up(ByteOp::RangeCheck, constant(1), values![pair[0], pair[1]]);
    }
    let halves = [c.rv1, c.arg2, c.result].concat();
    for half in halves {
        t.look_up(ByteOp::RangeCheck16, constant(1), values![half]);
    }
    let signs = [
        (c.rv1[1], c.negative[0], signed.into()),
        (c.arg2[1], c.negative[1], signed.into()),
        (c.result[1], c.result_negative, constant(1)),
    ];
    for (half, negative, count) in signs {
        let rest = half * constant(2) - negative * constant(1 << 16);
        t.look_up(ByteOp::RangeCheck16, count, vec![rest]);
    }

    let [rv1, arg2, result] = [c.rv1, c.arg2, c.result].map(|halves| join(16, &halves));
    let time = |later: u64| [ts + constant(later), constant(0)];
    let first = [rv1.clone(), c.rv1_high.into()];
    t.send(MEMW_READ, read1, register_read(rs1.into(), first, time(0)));
    t.send(MEMW_READ, read2, register_read(rs2.into(), c.rv2, time(1)));
    let extended: [Poly; 2] = [result.clone(), c.result_negative * constant(ONES)];
    t.send(MEMW_WRITE, write, register_write(rd.into(), extended, time(2)));
    let [a1, b1] = c.negative.map(|negative| negative * constant(ONES));
    t.send(ALU, sum(c.kinds), values![rv1, a1, arg2, b1, alu_flags, result, c.result_high]);
}
