//! COMMIT: one row per byte of output, which the statement takes.

use traceloom_abi::ops::OpRecords;

use super::buses::{MEMW_READ, OUTPUT, first_cells, memw_read, memw_write};
use super::machine::{MachineTable, Run};
use super::moves::{Columns, MoveOp};
use crate::check::TableFaults;
use crate::poly::{Poly, constant};
use crate::record::OpRecord;
use crate::table::{Table, TableBuilder};
use crate::values;

/// How the table is made and fed.
pub const TABLE: MachineTable = MachineTable::new(table, feed);

fn feed(run: &Run<'_>, records: &mut OpRecords) {
    for op in &run.records.commit {
        records.push(|words| MoveOp::new(op, op.index).put(words));
    }
}

/// The table.
///
/// # Errors
/// Never: tests make it.
pub fn table() -> Result<Table, TableFaults> {
    let mut t = TableBuilder::new("commit");
    let c = Columns::new(&mut t);
    t.rows::<MoveOp>(|row, op| {
        c.rows(row, &op);
        let one = row.constant(1);
        row.put(c.mu, one);
    });
    c.pass_on(&mut t, 1, c.counter + constant(1));
    t.send(OUTPUT, c.mu, values![c.counter, c.value]);
    let (address, widths) = (c.address.map(Poly::from), [(); 3].map(|()| constant(0)));
    let time = [c.timestamp.into(), constant(0)];
    let write = memw_write(constant(0), address, first_cells([c.value]), time, widths);
    t.send(MEMW_READ, c.mu, memw_read(first_cells([c.value]), write));
    t.finish()
}
