//! REGISTER: first and last values of all registers. First values are fixed, but for the number
//! of input bytes, which the statement gives; the pc ends at [`PADDING_PC`], where only the end of
//! the execution leads.
//!
//! The statement gives one first value, so the table is there once. It asks for the tables of
//! memory that must be there once.

use traceloom_abi::ops::OpRecords;
use traceloom_riscv::Program;
use traceloom_riscv::elf::STACK_POINTER;
use traceloom_riscv::records::{INPUT_LEFT, OUTPUT_INDEX, PC, RegisterCell};

use super::buses::{MEMORY_TOKEN, ONCE};
use super::cpu::PADDING_PC;
use super::machine::{FixedRows, MachineTable, Padding, Run};
use super::{image, region};
use crate::check::TableFaults;
use crate::column::Limb;
use crate::op_record;
use crate::record::OpRecord;
use crate::table::{Table, TableBuilder};
use crate::values;

op_record! {
    /// The last value of a cell of a register.
    pub struct CellOp as CellFields {
        /// The value.
        last: u32,
        /// When it was accessed last.
        timestamp: u32,
    }
}

/// How the table is made and fed.
pub const TABLE: MachineTable =
    MachineTable { settle, ..MachineTable::new(table, feed).with_fixed(fixed) };

/// All registers; the first two rows are those of the pc.
fn registers() -> impl Iterator<Item = u8> {
    [PC, INPUT_LEFT, OUTPUT_INDEX].into_iter().chain(1..32)
}

fn fixed(program: &Program) -> FixedRows {
    let mut rows = FixedRows::new();
    for register in registers() {
        let (initial, end) = match register {
            PC => (program.entry(), Some(PADDING_PC)),
            2 => (STACK_POINTER, None),
            _ => (0, None),
        };
        for cell in 0..2 {
            let word = |value: u64| value >> (32 * cell) & 0xffff_ffff;
            // The statement gives the low word of the number of input bytes.
            let is_given = register == INPUT_LEFT && cell == 0;
            let is_first = rows.is_empty();
            let flags = [!is_given, end.is_some(), is_first].map(u64::from);
            let address = 2 * u64::from(register) + cell;
            let [gives, ends, first] = flags;
            rows.push(vec![address, 1, gives, word(initial), ends, word(end.unwrap_or(0)), first]);
        }
    }
    rows.resize(rows.len().next_power_of_two(), vec![0; 7]);
    rows
}

fn feed(run: &Run<'_>, records: &mut OpRecords) {
    for register in registers() {
        let cell = run.records.register_cell.iter().find(|cell| cell.register == register);
        let unused = RegisterCell { register, initial: 0, last: 0, timestamp: 1 };
        let RegisterCell { last, timestamp, .. } = *cell.unwrap_or(&unused);
        for last in [last as u32, (last >> 32) as u32] {
            let timestamp = timestamp as u32;
            records.push(|words| CellOp { last, timestamp }.put(words));
        }
    }
}

/// Padding rows of CPU go on with the pc.
fn settle(padding: &Padding, records: &mut OpRecords) {
    let timestamp = padding.last_timestamp + 4 * padding.cpu_rows + 1;
    for (cell, last) in [PADDING_PC as u32, 0].into_iter().enumerate() {
        records.replace(cell, |words| CellOp { last, timestamp }.put(words));
    }
}

/// The table.
///
/// # Errors
/// Never: tests make it.
pub fn table() -> Result<Table, TableFaults> {
    let mut t = TableBuilder::new("register");
    let [address, is_cell, gives, initial, ends, end, is_first] =
        ["address", "is_cell", "gives", "initial", "ends", "end", "is_first"]
            .map(|name| t.fixed(name));
    let last = t.limb("last", Limb::Word);
    let timestamp = t.limb("timestamp", Limb::Word);
    t.rows::<CellOp>(|row, op| {
        row.step("last value");
        row.put_all([last, timestamp], [op.last, op.timestamp]);
    });
    t.zero("where the execution ends", ends * (last - end));
    t.receive(MEMORY_TOKEN, gives, values![1, address, 0, 1, 0, initial]);
    t.send(MEMORY_TOKEN, is_cell, values![1, address, 0, timestamp, 0, last]);
    for table in [image::NUMBER, region::NUMBER] {
        t.send(ONCE, is_first, values![table]);
    }
    t.finish()
}
