//! ZERO: eight bytes of memory that begin as zero. Rows go up through a region, so that no byte
//! has two of them.

use std::ops::RangeInclusive;

use traceloom_abi::ops::OpRecords;
use traceloom_air::bytes::ByteOp;
use traceloom_riscv::memory::PAGE_BYTES;

use super::buses::ORDER;
use super::image::{Eight, EightFields, EightOp, words};
use super::layout;
use super::machine::{MachineTable, Run};
use crate::check::TableFaults;
use crate::column::{Limb, Role};
use crate::op_record;
use crate::poly::{Poly, constant, is_bit};
use crate::record::{Declare, OpRecord};
use crate::table::{Table, TableBuilder};
use crate::values;

op_record! {
    /// Where eight bytes are.
    pub struct PlaceOp as PlaceFields {
        /// Number of the region.
        region: u32,
        /// High word of the address.
        high: u32,
        /// Low word of the address behind the last eight bytes below that have a row, or of the
        /// first eight bytes of the region.
        from: u32,
        /// How many times eight bytes are between there and here.
        between: u16,
    }
}

/// Eight bytes that begin as zero, and where they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ZeroOp {
    /// Where.
    pub place: PlaceOp,
    /// What they end as.
    pub eight: EightOp,
}

/// Values of the fields of [`ZeroOp`].
#[derive(Clone, Copy, Debug)]
pub struct ZeroFields {
    /// Where.
    pub place: PlaceFields,
    /// What they end as.
    pub eight: EightFields,
}

impl OpRecord for ZeroOp {
    type Fields = ZeroFields;

    fn declare(declare: &mut Declare<'_>) -> ZeroFields {
        ZeroFields { place: PlaceOp::declare(declare), eight: EightOp::declare(declare) }
    }

    fn put(&self, words: &mut Vec<u32>) {
        self.place.put(words);
        self.eight.put(words);
    }
}

/// How the table is made and fed.
pub const TABLE: MachineTable = MachineTable::new(table, feed);

/// The addresses of eight bytes of a region that a run accessed, in order.
pub(super) fn touched<'a>(
    run: &'a Run<'_>,
    region: RangeInclusive<u64>,
) -> impl Iterator<Item = u64> + 'a {
    let (first, last) = region.into_inner();
    let size = PAGE_BYTES as u64;
    let pages = run.pages.range(first / size..=last / size).map(move |(&page, _)| page * size);
    let eights = pages.flat_map(move |page| (0..size / 8).map(move |i| page + 8 * i));
    eights.filter(move |address| {
        let is_touched = |address| {
            run.eight(address).is_some_and(|cells| cells.iter().any(|cell| cell.timestamp > 0))
        };
        (first..=last).contains(address) && is_touched(*address)
    })
}

fn feed(run: &Run<'_>, records: &mut OpRecords) {
    for (region, number) in layout::regions(run.program).into_iter().zip(0..) {
        let mut from = *region.start();
        for address in touched(run, region) {
            let between = ((address - from) / 8) as u16;
            let [low, high] = words(from).map(|word| word as u32);
            let place = PlaceOp { region: number, high, from: low, between };
            let eight = EightOp::new(run, address);
            records.push(|words| ZeroOp { place, eight }.put(words));
            from = address.wrapping_add(8);
        }
    }
}

/// The table.
///
/// # Errors
/// Never: tests make it.
pub fn table() -> Result<Table, TableFaults> {
    let mut t = TableBuilder::new("zero");
    let region = t.limb("region", Limb::Word);
    let high = t.limb("high", Limb::Word);
    let from = t.limb("from", Limb::Word);
    let between = t.limb("between", Limb::Half);
    let eight = Eight::new(&mut t);
    let mu = t.column("mu", Limb::Bit, Role::Multiplicity);
    t.rows::<ZeroOp>(|row, op| {
        row.step("address");
        row.put_all([region, high], [op.place.region, op.place.high]);
        row.put_all([from, between], [op.place.from, op.place.between]);
        eight.rows(row, &op.eight);
        let one = row.constant(1);
        row.put(mu, one);
    });
    t.zero("mu is a bit", is_bit(mu));
    let low = from + between * constant(8);
    t.look_up(ByteOp::RangeCheck16, constant(1), values![between]);
    t.receive(ORDER, mu, values![region, from, high]);
    t.send(ORDER, mu, values![region, &low + constant(8), high]);
    eight.tokens(&mut t, &mu.into(), [low, high.into()], [(); 8].map(|()| Poly::from(0)));
    t.finish()
}
