//! Tables with records, and the rows that they must have.

use traceloom_abi::io::Io;
use traceloom_abi::record::Record;
use traceloom_air::field::{element, word};
use traceloom_air::trace::Trace;
use traceloom_optables::record::NoScalars;
use traceloom_optables::riscv;
use traceloom_optables::riscv::cpu::CpuPadding;
use traceloom_optables::riscv::decode::DecodeOp;
use traceloom_optables::riscv::power::PowerOp;
use traceloom_optables::riscv::region::RegionOp;
use traceloom_optables::riscv::register::CellOp;
use traceloom_optables::{OpRecord, TableProgram};

use crate::ops::Ops;
use crate::{reference, reference_more as more};

/// Time of the last instruction.
const LAST: u32 = 4 * 4999 + 4;

/// All tables with records and padding.
pub struct Cases {
    pub program: TableProgram,
    /// Records of all row programs.
    pub record: Record,
    /// By table: the rows made from records.
    pub rows: Vec<Vec<Vec<u64>>>,
    /// By table: the padding rows.
    pub padding: Vec<Vec<Vec<u64>>>,
}

impl Cases {
    /// So many records per table. Their number decides how many padding rows there are.
    pub fn random(seed: u64, count: usize) -> Self {
        let program = riscv::program();
        let mut record = Record::new([], [], Io::default());
        record.ops = program.records();
        let mut ops = Ops::new(seed);
        let first = LAST - 4 * (count as u32 - 1);
        // The first instructions of all, where the pc was not written before.
        let time = |i: usize| if i < 4 { i as u32 } else { first + 4 * i as u32 };
        let mut cases = Self { program, record, rows: Vec::new(), padding: Vec::new() };
        cases.table(count, |i| ops.cpu(time(i)), reference::cpu);
        cases.table(count, |_| ops.memw_r(), reference::memw_r);
        cases.table(count, |_| ops.memw_a(), reference::memw_a);
        cases.table(count, |_| ops.load(), reference::load);
        cases.table(count, |_| ops.store(), reference::store);
        cases.table(count, |_| ops.lt(), reference::lt);
        cases.table(count, |_| ops.shift(), reference::shift);
        cases.table(count, |_| ops.memw(), more::memw);
        cases.table(count, |_| ops.mul(), more::mul);
        cases.table(count, |_| ops.dvrm(), more::dvrm);
        cases.table(count, |_| ops.bytewise(), more::bytewise);
        cases.table(count, |_| ops.eq(), more::eq);
        cases.table(count, |_| ops.branch(), more::branch);
        cases.table(count, |_| ops.cpu32(), more::cpu32);
        cases.table(count, |_| DecodeOp { count: ops.count() }, |op| vec![op.count.into()]);
        let cell = |op: &CellOp| vec![op.last.into(), op.timestamp.into()];
        cases.table(count, |_| CellOp { last: ops.count(), timestamp: ops.count() }, cell);
        cases.table(count, |_| ops.eight(), more::eight);
        cases.table(count, |_| RegionOp { rest: ops.count() as u16 }, |op| vec![op.rest.into()]);
        cases.table(count, |_| ops.zero(), more::zero);
        cases.table(count, |_| ops.ecall(), more::ecall);
        cases.table(count, |_| ops.input(), more::input);
        cases.table(count, |_| ops.moves(), more::commit);
        cases.table(count, |_| ops.halt(), more::halt);
        cases.table(count, |_| PowerOp { count: ops.count() }, |op| vec![op.count.into()]);
        assert_eq!(cases.rows.len(), cases.program.tables().len(), "all tables");
        cases.pad();
        cases
    }

    /// Fills the next table.
    fn table<R: OpRecord>(
        &mut self,
        count: usize,
        mut op: impl FnMut(usize) -> R,
        row: impl Fn(&R) -> Vec<u64>,
    ) {
        let index = self.program.rows_index(self.rows.len());
        let mut rows = Vec::new();
        for i in 0..count {
            let op = op(i);
            self.record.ops[index].push(|words| op.put(words));
            rows.push(row(&op));
        }
        self.rows.push(rows);
    }

    /// Fills all tables up to a power of two.
    fn pad(&mut self) {
        for (table, rows) in self.rows.iter().enumerate() {
            let missing = rows.len().next_power_of_two().max(4) - rows.len();
            let name = self.program.tables()[table].name;
            let row = |number: usize| match name {
                "cpu" => reference::cpu_padding(LAST, number as u32),
                "shift" => reference::shift_padding(),
                _ => vec![0; rows[0].len()],
            };
            self.padding.push((1..=missing).map(row).collect());
            let Some(index) = self.program.padding_index(table) else { continue };
            let records = &mut self.record.ops[index];
            let program = self.program.tables()[table].padding.as_ref().expect("it has an index");
            match name {
                "cpu" => {
                    let scalars = CpuPadding { last_timestamp: LAST };
                    program.push_padding(records, &scalars, 1, missing);
                }
                _ => program.push_padding(records, &NoScalars, 1, missing),
            }
        }
    }

    /// The rows of a table, padding included.
    pub fn all_rows(&self, table: usize) -> impl Iterator<Item = &Vec<u64>> {
        self.rows[table].iter().chain(&self.padding[table])
    }

    /// The same as a trace.
    pub fn trace(&self, table: usize) -> Trace {
        let cells = self.all_rows(table).flatten().map(|&cell| element(cell));
        Trace { width: self.rows[table][0].len(), values: cells.collect() }
    }

    /// By row program: its index, the rows that it writes.
    pub fn programs(&self) -> Vec<(usize, &[Vec<u64>])> {
        let mut all = Vec::new();
        for table in 0..self.rows.len() {
            all.push((self.program.rows_index(table), &self.rows[table][..]));
            if let Some(index) = self.program.padding_index(table) {
                all.push((index, &self.padding[table][..]));
            }
        }
        all
    }
}

/// Cells as words.
pub fn words(cells: &[traceloom_air::field::Goldilocks]) -> Vec<u64> {
    cells.iter().map(|&cell| word(cell)).collect()
}
