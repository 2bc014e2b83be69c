//! CPU: one row per instruction. It adds and subtracts, moves the pc, and asks other tables for
//! everything else. Instructions of 32 bits are CPU32's: their rows say little more.

use traceloom_abi::ops::OpRecords;
use traceloom_air::bytes::ByteOp;
use traceloom_riscv::Instruction;

use traceloom_riscv::records::{self, Decoded as Word};

use super::buses::{
    ALU, BRANCH, CPU32, DECODE, ECALL, MEMORY_OP, MEMORY_TOKEN, MEMW_READ, MEMW_WRITE, carry,
    register_read, register_write, words_of_halves,
};
use super::decode::{self, Parts};
use super::machine::{MachineTable, Padding, Run};
use crate::check::TableFaults;
use crate::column::{Column, Limb};
use crate::op_record;
use crate::poly::{Poly, constant, is_bit, not};
use crate::record::OpRecord;
use crate::row::{Int, Long, Row};
use crate::table::{Table, TableBuilder};
use crate::values;

op_record! {
    /// An instruction.
    pub struct CpuOp as CpuFields {
        /// Time.
        timestamp: u32,
        /// Where it is.
        pc: u64,
        /// Immediate operand, with a sign.
        imm: u32,
        /// The first source register, if it is read. The row has the pc for register 255.
        rv1: u64,
        /// The second source register, if it is read.
        rv2: u64,
        /// What another table computes: the loaded value, the result of the ALU, or the bit that
        /// a branch compares. Sums and differences are computed here.
        result: u64,
        /// As the decoder says, bit by bit: word, read1, read2, write, ALU, ADD, SUB, MEMORY,
        /// BRANCH, ECALL.
        flags: u16[0x3ff],
        /// First source register.
        rs1: u8,
        /// Second source register.
        rs2: u8,
        /// Destination register.
        rd: u8,
        /// Half of its length in bytes.
        half_length: u8,
        /// Flags of the ALU.
        alu_flags: u8,
        /// Flags of memory. On a branch, 1 for JAL and JALR.
        memory_flags: u8,
    }
}

op_record! {
    /// What padding rows need to know.
    pub struct CpuPadding as CpuPaddingFields {
        /// Time of the last instruction; 0 without any.
        last_timestamp: u32,
    }
}

/// How the table is made and fed.
pub const TABLE: MachineTable = MachineTable { pad, ..MachineTable::new(table, feed) };

/// One record per instruction. Of a record of the execution the decoder says the rest.
fn feed(run: &Run<'_>, records: &mut OpRecords) {
    for (op, index) in run.records.cpu.iter().zip(0..) {
        let instruction = run.program.instruction(op.pc).unwrap_or(Instruction::ILLEGAL);
        let op = CpuOp::new(op, index, &Word::new(&instruction));
        records.push(|words| op.put(words));
    }
}

fn pad(table: &Table, padding: &Padding, count: usize, records: &mut OpRecords) {
    let last_timestamp = padding.last_timestamp;
    if let Some(program) = &table.padding {
        program.push_padding(records, &CpuPadding { last_timestamp }, 1, count);
    }
}

impl CpuOp {
    /// The record of instruction number `index`, from what it did and how it is decoded.
    #[must_use]
    pub fn new(op: &records::CpuOp, index: u32, decoded: &Word) -> Self {
        let flags = [
            decoded.word32,
            decoded.read1,
            decoded.read2,
            decoded.write,
            decoded.alu,
            decoded.add,
            decoded.sub,
            decoded.memory,
            decoded.branch,
            decoded.ecall,
        ];
        Self {
            timestamp: 4 * index + 4,
            pc: op.pc,
            imm: decoded.imm as u32,
            rv1: op.rv1,
            rv2: op.rv2,
            result: op.result,
            flags: flags.iter().rev().fold(0, |all, &flag| all << 1 | u16::from(flag)),
            rs1: decoded.rs1,
            rs2: decoded.rs2,
            rd: decoded.rd,
            half_length: records::HALF_LENGTH,
            alu_flags: decoded.alu_flags,
            memory_flags: decoded.memory_flags,
        }
    }
}

/// Time from one instruction to the next.
const STEP: u64 = 4;
/// The register that is the pc.
pub(super) const PC: u64 = 255;
/// Where padding rows are: the decode table has an entry that stays there.
pub(super) const PADDING_PC: u64 = 1;

/// The columns.
struct Columns {
    timestamp: Column,
    pc: [Column; 2],
    rs1: Column,
    rs2: Column,
    rd: Column,
    read1: Column,
    read2: Column,
    write: Column,
    imm: [Column; 2],
    half_length: Column,
    word: Column,
    alu: Column,
    alu_flags: Column,
    add: Column,
    sub: Column,
    memory: Column,
    memory_flags: Column,
    branch: Column,
    ecall: Column,
    next_pc: [Column; 2],
    rvd: [Column; 2],
    borrow: Column,
    double_read: Column,
    rv1: [Column; 2],
    rv2: [Column; 2],
    arg2: [Column; 2],
    res: [Column; 4],
    taken: Column,
}

/// The table.
///
/// # Errors
/// Never: tests make it.
pub fn table() -> Result<Table, TableFaults> {
    let mut t = TableBuilder::new("cpu");
    let c = columns(&mut t);
    t.rows::<CpuOp>(|row, op| rows(&c, row, op));
    t.padding::<CpuPadding>(|row, scalars, number| {
        row.step("time goes on, the pc stays");
        let later = row.scale(STEP, number);
        let timestamp = row.add(scalars.last_timestamp, later);
        let timestamp = row.low32(timestamp);
        row.put(c.timestamp, timestamp);
        let pc = row.constant(PADDING_PC);
        row.put_all([c.pc[0], c.next_pc[0]], [pc; 2]);
        row.put_zero_elsewhere();
    });
    constraints(&c, &mut t);
    requests(&c, &mut t);
    registers(&c, &mut t);
    t.finish()
}

fn columns(t: &mut TableBuilder) -> Columns {
    Columns {
        timestamp: t.limb("timestamp", Limb::Word),
        pc: t.words("pc"),
        rs1: t.limb("rs1", Limb::Byte),
        rs2: t.limb("rs2", Limb::Byte),
        rd: t.limb("rd", Limb::Byte),
        read1: t.flag("read1"),
        read2: t.flag("read2"),
        write: t.flag("write"),
        imm: t.words("imm"),
        half_length: t.limb("half_length", Limb::Byte),
        word: t.flag("word"),
        alu: t.flag("alu"),
        alu_flags: t.limb("alu_flags", Limb::Byte),
        add: t.flag("add"),
        sub: t.flag("sub"),
        memory: t.flag("memory"),
        memory_flags: t.limb("memory_flags", Limb::Byte),
        branch: t.flag("branch"),
        ecall: t.flag("ecall"),
        next_pc: t.words("next_pc"),
        rvd: t.words("rvd"),
        borrow: t.flag("borrow"),
        double_read: t.flag("double_read"),
        rv1: t.words("rv1"),
        rv2: t.words("rv2"),
        arg2: t.words("arg2"),
        res: t.limbs("res", Limb::Half),
        taken: t.limb("taken", Limb::Bit),
    }
}

/// What a row takes from the decoder, with zeros where an instruction of 32 bits is CPU32's.
struct Decoded {
    long: Int,
    add: Int,
    sub: Int,
    memory: Int,
    branch: Int,
    read1: Int,
    read2: Int,
    /// On a memory row: a store; on a branch: JAL or JALR.
    memory_bit: Int,
    imm: Long,
}

fn rows(c: &Columns, row: &mut Row, op: CpuFields) {
    row.step("time and pc");
    row.put(c.timestamp, op.timestamp);
    row.put_long(c.pc, op.pc);
    let decoded = decode(c, row, &op);
    let Decoded { long, add, sub, memory, branch, read1, read2, memory_bit, imm } = decoded;

    row.step("operands");
    let is_pc = row.is(op.rs1, PC);
    let rv1 = row.select_long(is_pc, op.pc, op.rv1);
    let rv1 = row.keep_long(read1, rv1);
    let rv2 = row.keep_long(read2, op.rv2);
    let both = row.add_long(rv2, imm);
    let arg2 = row.select_long(branch, rv2, both);
    let arg2 = row.select_long(memory, imm, arg2);
    let arg2 = row.keep_long(long, arg2);
    row.put_long(c.rv1, rv1);
    row.put_long(c.rv2, rv2);
    row.put_long(c.arg2, arg2);

    row.step("result");
    let sum = row.add_long(rv1, arg2);
    let difference = row.sub_long(rv1, arg2);
    let res = row.select_long(sub, difference, op.result);
    let res = row.select_long(add, sum, res);
    let length = row.scale(2, op.half_length);
    let length = row.widen(length);
    let following = row.add_long(op.pc, length);
    let jumps = row.all(&[branch, memory_bit]);
    let res = row.select_long(jumps, following, res);
    let res = row.keep_long(long, res);
    let halves = row.halves(res);
    row.put_all(c.res, halves);

    row.step("next pc");
    let compared = row.bit(op.result.low, 0);
    let holds = row.or(memory_bit, compared);
    let taken = row.all(&[branch, holds]);
    let from = row.select_long(memory_bit, rv1, op.pc);
    let target = row.add_long(from, imm);
    // JALR clears the lowest bit.
    let odd = row.bit(target.low, 0);
    let odd = row.all(&[odd, memory_bit]);
    let target = Long { low: row.sub_wrapping(target.low, odd), high: target.high };
    let next = row.select_long(taken, target, following);
    row.put_long(c.next_pc, next);
    row.put(c.taken, taken);

    row.step("destination");
    let load = row.not(memory_bit);
    let loaded = row.keep_long(load, op.result);
    let rvd = row.select_long(branch, following, res);
    let rvd = row.select_long(memory, loaded, rvd);
    let rvd = row.keep_long(long, rvd);
    row.put_long(c.rvd, rvd);

    row.step("reads of the pc");
    let double = row.all(&[read1, is_pc]);
    let three = row.constant(3);
    let early = row.less(op.timestamp, three);
    let single = row.not(double);
    let borrow = row.all(&[single, early]);
    row.put_all([c.borrow, c.double_read], [borrow, double]);
}

fn decode(c: &Columns, row: &mut Row, op: &CpuFields) -> Decoded {
    row.step("decoded instruction");
    let flags = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(|i| row.bit(op.flags, i));
    let [word, read1, read2, write, alu, add, sub, memory, branch, ecall] = flags;
    let long = row.not(word);
    let [alu, add, sub, memory, branch, ecall] =
        [alu, add, sub, memory, branch, ecall].map(|flag| row.all(&[flag, long]));
    let registers = [(read1, op.rs1), (read2, op.rs2), (write, op.rd)];
    // Register 0 is never accessed.
    let [read1, read2, write] = registers.map(|(flag, register)| {
        let is_zero = row.not(register);
        let counts = row.not(is_zero);
        row.all(&[flag, long, counts])
    });
    let imm = row.sign_extend(op.imm);
    let imm = row.keep_long(long, imm);
    let bytes = [op.rs1, op.rs2, op.rd, op.alu_flags, op.memory_flags];
    let bytes = bytes.map(|byte| row.keep(long, byte));
    row.put_all([c.rs1, c.rs2, c.rd, c.alu_flags, c.memory_flags], bytes);
    row.put_all([c.read1, c.read2, c.write], [read1, read2, write]);
    row.put_all([c.word, c.half_length], [word, op.half_length]);
    row.put_all(
        [c.alu, c.add, c.sub, c.memory, c.branch, c.ecall],
        [alu, add, sub, memory, branch, ecall],
    );
    row.put_long(c.imm, imm);
    let memory_bit = row.bit(op.memory_flags, 0);
    Decoded { long, add, sub, memory, branch, read1, read2, memory_bit, imm }
}

fn constraints(c: &Columns, t: &mut TableBuilder) {
    let plain = || not(c.memory + c.branch);
    let res = words_of_halves(c.res);
    let length = [c.half_length * constant(2), constant(0)];
    let words = |columns: [Column; 2]| columns.map(Poly::from);
    sums(t, "the sum", c.add.into(), [words(c.rv1), words(c.arg2)], res.clone());
    sums(t, "the difference", c.sub.into(), [words(c.arg2), res.clone()], words(c.rv1));
    let delegated = [c.memory, c.branch, c.ecall, c.read1, c.read2, c.write];
    for (flag, name) in
        delegated.into_iter().zip(["memory", "branch", "ecall", "read1", "read2", "write"])
    {
        t.zero(&format!("a row of 32 bits has no {name}"), c.word * flag);
    }
    for (i, res) in res.iter().enumerate() {
        let arg2 = c.memory * c.imm[i] + c.branch * c.rv2[i] + plain() * (c.rv2[i] + c.imm[i]);
        t.zero(&format!("arg2[{i}]"), arg2 - c.arg2[i]);
        t.zero(&format!("rv1[{i}] is read or zero"), not(c.read1) * c.rv1[i]);
        t.zero(&format!("rv2[{i}] is read or zero"), not(c.read2) * c.rv2[i]);
        t.zero(&format!("rvd[{i}] of a plain row"), plain() * (c.rvd[i] - res));
        t.zero(&format!("a register or imm[{i}]"), plain() * c.read2 * c.imm[i]);
        // The words of `res` are made of halves, so those of the link are words, too.
        let jumps = c.branch * c.memory_flags;
        t.zero(&format!("rvd[{i}] of a jump"), jumps * (c.rvd[i] - res));
    }
    let following = [words(c.pc), length];
    sums(t, "the link of a branch", c.branch.into(), following.clone(), words(c.rvd));
    sums(t, "the next pc", not(c.taken), following, words(c.next_pc));
    let holds = c.memory_flags + not(c.memory_flags) * c.res[0];
    t.zero("whether a branch is taken", c.branch * holds - c.taken);
    t.zero("memory or branch", c.memory * c.branch);
    let flags = c.memory_flags * (c.memory_flags - c.branch);
    t.zero("memory flags of other rows", not(c.memory) * flags);
}

/// Where `condition` is 1, `a + b` is `result` modulo 2^64.
fn sums(
    t: &mut TableBuilder,
    what: &str,
    condition: Poly,
    [a, b]: [[Poly; 2]; 2],
    result: [Poly; 2],
) {
    let ([a0, a1], [b0, b1], [r0, r1]) = (a, b, result);
    let low = carry(a0 + b0 - r0);
    let high = carry(a1 + b1 + &low - r1);
    t.zero(&format!("low word of {what}"), &condition * is_bit(low));
    t.zero(&format!("high word of {what}"), condition * is_bit(high));
}

/// Messages that ask other tables.
fn requests(c: &Columns, t: &mut TableBuilder) {
    let flags =
        [c.read1, c.read2, c.write, c.word, c.alu, c.add, c.sub, c.memory, c.branch, c.ecall];
    let bytes = [c.rs1, c.rs2, c.rd, c.half_length, c.alu_flags, c.memory_flags];
    let packed =
        decode::packed(Parts { flags: flags.map(Into::into), bytes: bytes.map(Into::into) });
    let ([pc0, pc1], [imm0, imm1]) = (c.pc, c.imm);
    let (ts, [next0, next1], [a0, a1]) = (c.timestamp, c.next_pc, c.rv1);
    let ([b0, b1], [s0, s1]) = (c.arg2, c.rv2);
    let [r0, r1] = words_of_halves(c.res);
    t.send(DECODE, not(c.word), values![pc0, pc1, imm0, imm1, packed]);
    t.send(ALU, c.alu, values![a0, a1, b0, b1, c.alu_flags, &r0, &r1]);
    t.send(CPU32, c.word, values![ts, 0, pc0, pc1, c.half_length]);
    t.send(
        MEMORY_OP,
        c.memory,
        values![ts, 0, r0, r1, s0, s1, c.memory_flags, c.rvd[0], c.rvd[1],],
    );
    t.send(BRANCH, c.taken, values![next0, next1, pc0, pc1, imm0, imm1, a0, a1, c.memory_flags,]);
    t.send(ECALL, c.ecall, values![ts, 0, a0, a1]);
    for [a, b] in [[c.rs1, c.rs2], [c.rd, c.half_length], [c.alu_flags, c.memory_flags]] {
        t.look_up(ByteOp::RangeCheck, constant(1), values![a, b]);
    }
    for half in c.res {
        t.look_up(ByteOp::RangeCheck16, constant(1), values![half]);
    }
}

/// Accesses of registers, the pc among them.
fn registers(c: &Columns, t: &mut TableBuilder) {
    let ts = c.timestamp;
    for (register, value, count, after) in [(c.rs1, c.rv1, c.read1, 0), (c.rs2, c.rv2, c.read2, 1)]
    {
        let time = [ts + constant(after), constant(0)];
        t.send(MEMW_READ, count, register_read(register.into(), value, time));
    }
    let time = [ts + constant(2), constant(0)];
    t.send(MEMW_WRITE, c.write, register_write(c.rd.into(), c.rvd, time));
    // The pc was written one after the last instruction began, or is read now.
    let before = ts - not(c.double_read) * constant(3) + c.borrow * constant(1 << 32);
    for cell in 0..2 {
        let address = 2 * PC + cell as u64;
        let old = values![1, address, 0, &before, constant(0) - c.borrow, c.pc[cell]];
        t.send(MEMORY_TOKEN, constant(1), old);
        let now = ts + constant(1);
        t.receive(MEMORY_TOKEN, constant(1), values![1, address, 0, now, 0, c.next_pc[cell]]);
    }
}
