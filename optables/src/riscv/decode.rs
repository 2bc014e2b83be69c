//! DECODE: the code of the program as fixed columns. Its rows only count how often an instruction
//! was executed, so nothing else can be executed.

use traceloom_abi::ops::OpRecords;
use traceloom_riscv::records::Decoded;
use traceloom_riscv::{Op, Program};

use super::buses::DECODE;
use super::cpu::PADDING_PC;
use super::machine::{FixedRows, MachineTable, Padding, Run};
use crate::check::TableFaults;
use crate::column::{Limb, Role};
use crate::op_record;
use crate::poly::{Poly, constant, sum};
use crate::record::OpRecord;
use crate::table::{Table, TableBuilder};
use crate::values;

op_record! {
    /// How often an instruction was executed.
    pub struct DecodeOp as DecodeFields {
        /// How often.
        count: u32,
    }
}

/// How the table is made and fed.
pub const TABLE: MachineTable =
    MachineTable { settle, ..MachineTable::new(table, feed).with_fixed(fixed) };

/// What a packed word is made of.
pub(super) struct Parts<T> {
    /// read1, read2, write, word, ALU, ADD, SUB, MEMORY, BRANCH, ECALL: a bit each.
    pub flags: [T; 10],
    /// rs1, rs2, rd, half of the length, ALU flags, memory flags: a byte each.
    pub bytes: [T; 6],
}

/// The packed word. Flags are bits and bytes are bytes, so it gives back its parts.
pub(super) fn packed(parts: Parts<Poly>) -> Poly {
    let flags = parts.flags.into_iter().zip(0..);
    let bytes = parts.bytes.into_iter().zip((10..).step_by(8));
    sum(flags.chain(bytes).map(|(part, shift)| part * constant(1 << shift)))
}

/// The packed word of an instruction. Registers that are x0 are not accessed.
fn word(decoded: &Decoded) -> u64 {
    let masked = Decoded {
        read1: decoded.read1 && decoded.rs1 != 0,
        read2: decoded.read2 && decoded.rs2 != 0,
        write: decoded.write && decoded.rd != 0,
        ..*decoded
    };
    masked.word()
}

/// What can be executed: the instruction where padding stays, then all words that are
/// instructions. `ebreak` is none.
fn code(program: &Program) -> impl Iterator<Item = (u64, Decoded)> {
    let can_run = |op: Op| !matches!(op, Op::Illegal | Op::Ebreak);
    let all = program.instructions().filter(move |(_, instruction)| can_run(instruction.op));
    all.map(|(pc, instruction)| (pc, Decoded::new(&instruction)))
}

/// Rows at [`PADDING_PC`] before, and behind up to a power of two.
fn fixed(program: &Program) -> FixedRows {
    let stays = vec![PADDING_PC, 0, 0, 0, 0];
    let [low, high] = [|x: u64| x & 0xffff_ffff, |x: u64| x >> 32];
    let row = |(pc, decoded): (u64, Decoded)| {
        vec![low(pc), high(pc), low(decoded.imm), high(decoded.imm), word(&decoded)]
    };
    let mut rows: FixedRows =
        std::iter::once(stays.clone()).chain(code(program).map(row)).collect();
    rows.resize(rows.len().next_power_of_two(), stays);
    rows
}

fn feed(run: &Run<'_>, records: &mut OpRecords) {
    let mut counts = run.records.decode.iter().peekable();
    let executed = code(run.program)
        .map(|(pc, _)| counts.next_if(|op| op.pc == pc).map_or(0, |op| op.count as u32));
    for count in std::iter::once(0).chain(executed) {
        records.push(|words| DecodeOp { count }.put(words));
    }
}

/// Padding rows of CPU are at the first instruction.
fn settle(padding: &Padding, records: &mut OpRecords) {
    records.replace(0, |words| DecodeOp { count: padding.cpu_rows }.put(words));
}

/// The table.
///
/// # Errors
/// Never: tests make it.
pub fn table() -> Result<Table, TableFaults> {
    let mut t = TableBuilder::new("decode");
    let [pc0, pc1, imm0, imm1, word] =
        ["pc[0]", "pc[1]", "imm[0]", "imm[1]", "word"].map(|name| t.fixed(name));
    let count = t.column("count", Limb::Word, Role::Multiplicity);
    t.rows::<DecodeOp>(|row, op| {
        row.step("count");
        row.put(count, op.count);
    });
    t.receive(DECODE, count, values![pc0, pc1, imm0, imm1, word]);
    t.finish()
}
