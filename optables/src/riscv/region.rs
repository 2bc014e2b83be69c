//! REGION: where memory begins as zero. A region has fewer than 2^16 times eight bytes. The rows of
//! ZERO in a region are a chain of rising addresses from its first eight bytes on; this table begins each chain and ends it inside. It is there once, since [`super::register`] asks
//! for it once; so no byte of memory begins twice.

use traceloom_abi::ops::OpRecords;
use traceloom_air::bytes::ByteOp;
use traceloom_riscv::Program;

use super::buses::{ONCE, ORDER};
use super::image::words;
use super::machine::{FixedRows, MachineTable, Run};
use super::{layout, zero};
use crate::check::TableFaults;
use crate::column::Limb;
use crate::op_record;
use crate::poly::constant;
use crate::record::OpRecord;
use crate::table::{Table, TableBuilder};
use crate::values;

/// Its number on the bus ONCE.
pub const NUMBER: u64 = 2;

op_record! {
    /// How far the chain of a region goes.
    pub struct RegionOp as RegionFields {
        /// How many times eight bytes are in the region behind the end of its chain.
        rest: u16,
    }
}

/// How the table is made and fed.
pub const TABLE: MachineTable = MachineTable::new(table, feed).with_fixed(fixed);

fn fixed(program: &Program) -> FixedRows {
    let mut rows = FixedRows::new();
    for (region, number) in layout::regions(program).into_iter().zip(0..) {
        let ([first, high], [last, _]) = (words(*region.start()), words(*region.end()));
        rows.push(vec![number, first, last, high, 1, u64::from(rows.is_empty())]);
    }
    rows.resize(rows.len().next_power_of_two(), vec![0; 6]);
    rows
}

fn feed(run: &Run<'_>, records: &mut OpRecords) {
    for region in layout::regions(run.program) {
        let (first, last) = region.clone().into_inner();
        let end = zero::touched(run, region).last();
        let rest = end.map_or((last - first) / 8 + 1, |end| (last - end) / 8) as u16;
        records.push(|words| RegionOp { rest }.put(words));
    }
}

/// The table.
///
/// # Errors
/// Never: tests make it.
pub fn table() -> Result<Table, TableFaults> {
    let mut t = TableBuilder::new("region");
    let [number, first, last, high, is_region, is_first] =
        ["number", "first", "last", "high", "is_region", "is_first"].map(|name| t.fixed(name));
    let rest = t.limb("rest", Limb::Half);
    t.rows::<RegionOp>(|row, op| {
        row.step("end of the chain");
        row.put(rest, op.rest);
    });
    t.receive(ONCE, is_first, values![NUMBER]);
    t.send(ORDER, is_region, values![number, first, high]);
    let end = last + constant(8) - rest * constant(8);
    t.receive(ORDER, is_region, values![number, end, high]);
    t.look_up(ByteOp::RangeCheck16, constant(1), values![rest]);
    t.finish()
}
