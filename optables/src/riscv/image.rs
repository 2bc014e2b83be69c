//! IMAGE: memory that holds bytes of the file. First values are fixed columns; the table is there
//! once, since [`super::register`] asks for it once.

use traceloom_abi::ops::OpRecords;
use traceloom_riscv::Program;

use super::buses::{MEMORY_TOKEN, ONCE};
use super::layout;
use super::machine::{FixedRows, MachineTable, Run};
use crate::check::TableFaults;
use crate::column::{Column, Limb};
use crate::op_record;
use crate::poly::{Poly, constant};
use crate::record::OpRecord;
use crate::row::Row;
use crate::table::{Table, TableBuilder};
use crate::values;

/// Its number on the bus ONCE.
pub const NUMBER: u64 = 1;

op_record! {
    /// Last values of eight bytes, and when each was accessed last.
    pub struct EightOp as EightFields {
        /// The values.
        last: u64,
        /// Byte 0; 0 if it was never accessed, as for those that follow.
        timestamp_0: u32,
        /// Byte 1.
        timestamp_1: u32,
        /// Byte 2.
        timestamp_2: u32,
        /// Byte 3.
        timestamp_3: u32,
        /// Byte 4.
        timestamp_4: u32,
        /// Byte 5.
        timestamp_5: u32,
        /// Byte 6.
        timestamp_6: u32,
        /// Byte 7.
        timestamp_7: u32,
    }
}

impl EightOp {
    /// What a run left at `address`, a multiple of 8.
    #[must_use]
    pub fn new(run: &Run<'_>, address: u64) -> Self {
        let Some(cells) = run.eight(address) else {
            let last = u64::from_le_bytes(layout::initial(run.program, address));
            return Self { last, ..Self::default() };
        };
        let last = cells.iter().rev().fold(0, |all, cell| all << 8 | u64::from(cell.last));
        let time = |i: usize| cells[i].timestamp as u32;
        Self {
            last,
            timestamp_0: time(0),
            timestamp_1: time(1),
            timestamp_2: time(2),
            timestamp_3: time(3),
            timestamp_4: time(4),
            timestamp_5: time(5),
            timestamp_6: time(6),
            timestamp_7: time(7),
        }
    }
}

/// Columns for an [`EightOp`].
#[derive(Clone, Copy)]
pub(super) struct Eight {
    last: [Column; 8],
    timestamps: [Column; 8],
}

impl Eight {
    pub(super) fn new(t: &mut TableBuilder) -> Self {
        Self { last: t.limbs("last", Limb::Byte), timestamps: t.limbs("timestamp", Limb::Word) }
    }

    pub(super) fn rows(&self, row: &mut Row, op: &EightFields) {
        row.step("last values");
        let bytes = row.bytes(op.last);
        row.put_all(self.last, bytes);
        let times = [
            op.timestamp_0,
            op.timestamp_1,
            op.timestamp_2,
            op.timestamp_3,
            op.timestamp_4,
            op.timestamp_5,
            op.timestamp_6,
            op.timestamp_7,
        ];
        row.put_all(self.timestamps, times);
    }

    /// First and last tokens of eight bytes from an address on.
    pub(super) fn tokens(
        &self,
        t: &mut TableBuilder,
        count: &Poly,
        [low, high]: [Poly; 2],
        initial: [Poly; 8],
    ) {
        for (i, initial) in initial.into_iter().enumerate() {
            let low = &low + constant(i as u64);
            t.receive(MEMORY_TOKEN, count, values![0, &low, &high, 0, 0, initial]);
            let (time, last) = (self.timestamps[i], self.last[i]);
            t.send(MEMORY_TOKEN, count, values![0, low, &high, time, 0, last]);
        }
    }
}

/// An address, or another value of 64 bits, in two words.
pub(super) fn words(long: u64) -> [u64; 2] {
    [long & 0xffff_ffff, long >> 32]
}

/// How the table is made and fed.
pub const TABLE: MachineTable = MachineTable::new(table, feed).with_fixed(fixed);

fn fixed(program: &Program) -> FixedRows {
    let mut rows = FixedRows::new();
    for address in layout::image(program) {
        let [low, high] = words(address);
        let mut row = vec![low, high, 1, u64::from(rows.is_empty())];
        row.extend(layout::initial(program, address).map(u64::from));
        rows.push(row);
    }
    rows.resize(rows.len().next_power_of_two(), vec![0; 12]);
    rows
}

fn feed(run: &Run<'_>, records: &mut OpRecords) {
    for address in layout::image(run.program) {
        records.push(|words| EightOp::new(run, address).put(words));
    }
}

/// The table.
///
/// # Errors
/// Never: tests make it.
pub fn table() -> Result<Table, TableFaults> {
    let mut t = TableBuilder::new("image");
    let [low, high, is_memory, is_first] =
        ["address[0]", "address[1]", "is_memory", "is_first"].map(|name| t.fixed(name));
    let initial = [0, 1, 2, 3, 4, 5, 6, 7].map(|i| t.fixed(&format!("initial[{i}]")));
    let eight = Eight::new(&mut t);
    t.rows::<EightOp>(|row, op| eight.rows(row, &op));
    t.receive(ONCE, is_first, values![NUMBER]);
    let address = [low, high].map(Poly::from);
    eight.tokens(&mut t, &is_memory.into(), address, initial.map(Poly::from));
    t.finish()
}
