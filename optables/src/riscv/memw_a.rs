//! MEMW_A: aligned accesses of cells that were all accessed last at one time.

use traceloom_air::bytes::ByteOp;
use traceloom_riscv::records::AlignedOp;

use super::buses::{ALU, ALU_LT, MEMORY_TOKEN, MEMW_READ, MEMW_WRITE, memw_read, memw_write};
use super::machine::{MachineTable, push_all};
use crate::check::TableFaults;
use crate::column::{Limb, Role};
use crate::op_record;
use crate::poly::{Poly, constant, is_bit, join, not, sum};
use crate::table::{Table, TableBuilder};
use crate::values;

op_record! {
    /// Values of the fields of [`AlignedOp`].
    AlignedOp as AlignedFields {
        base: u64,
        timestamp: u64,
        old_timestamp: u64,
        value: u64,
        old_value: u64,
        flags: u8[0x3d],
    }
}

/// How the table is made and fed.
pub const TABLE: MachineTable =
    MachineTable::new(table, |run, records| push_all(records, &run.records.aligned));

/// The table.
///
/// # Errors
/// Never: tests make it.
pub fn table() -> Result<Table, TableFaults> {
    let mut t = TableBuilder::new("memw_a");
    let is_register = t.limb("is_register", Limb::Bit);
    let base_halves = t.limbs::<2>("base", Limb::Half);
    let base_high = t.limb("base_high", Limb::Word);
    // The first two cells are words if they are a register.
    let cells = |t: &mut TableBuilder, name: &str| {
        let limb = |i: usize| if i < 2 { Limb::Word } else { Limb::Byte };
        [0, 1, 2, 3, 4, 5, 6, 7].map(|i| t.limb(&format!("{name}[{i}]"), limb(i)))
    };
    let value = cells(&mut t, "value");
    let timestamp = t.words("timestamp");
    let [w2, w4, w8] = ["w2", "w4", "w8"].map(|name| t.flag(name));
    let old = cells(&mut t, "old");
    let old_timestamp = t.words("old_timestamp");
    let mu_read = t.column("mu_read", Limb::Bit, Role::Multiplicity);
    let mu_write = t.column("mu_write", Limb::Bit, Role::Multiplicity);

    t.rows::<AlignedOp>(|row, op| {
        row.step("address");
        let [is_write, n2, n4, n8, register] = [0, 2, 3, 4, 5].map(|i| row.bit(op.flags, i));
        let is_read = row.not(is_write);
        row.put(is_register, register);
        let halves = [0, 1].map(|i| row.half(op.base.low, i));
        row.put_all(base_halves, halves);
        row.put(base_high, op.base.high);
        row.step("times and width");
        row.put_long(timestamp, op.timestamp);
        row.put_long(old_timestamp, op.old_timestamp);
        row.put_all([w2, w4, w8], [n2, n4, n8]);
        row.step("cells");
        let before = row.select_long(is_read, op.value, op.old_value);
        for (columns, long) in [(value, op.value), (old, before)] {
            let mut cells = row.bytes(long);
            cells[0] = row.select(register, long.low, cells[0]);
            cells[1] = row.select(register, long.high, cells[1]);
            for cell in &mut cells[2..] {
                let zero = row.constant(0);
                *cell = row.select(register, zero, *cell);
            }
            row.put_all(columns, cells);
        }
        row.step("multiplicities");
        row.put_all([mu_read, mu_write], [is_read, is_write]);
    });

    let mu = mu_read + mu_write;
    let wide = sum([w2, w4, w8]);
    t.zero("mu_read is a bit", is_bit(mu_read));
    t.zero("mu_write is a bit", is_bit(mu_write));
    t.zero("an access is a read or a write", is_bit(&mu));
    t.zero("at most one width", is_bit(&wide));
    t.zero("a width is of an access", &wide * not(&mu));

    // The addresses of all cells have the same upper half.
    let last = base_halves[0] + w2 + w4 * constant(3) + w8 * constant(7);
    t.look_up(ByteOp::RangeCheck16, &mu, vec![last]);
    let [now, before] = [timestamp, old_timestamp];
    t.send(ALU, &mu, values![before[0], before[1], now[0], now[1], ALU_LT, 1, 0]);
    let base_low = join(16, &base_halves);
    let counts: [Poly; 4] = [mu.clone(), wide, w4 + w8, w8.into()];
    for (i, count) in [0, 1, 2, 2, 3, 3, 3, 3].into_iter().enumerate() {
        let address = &base_low + constant(i as u64);
        let token = |time: [crate::Column; 2], cell: crate::Column| {
            values![is_register, &address, base_high, time[0], time[1], cell]
        };
        t.send(MEMORY_TOKEN, &counts[count], token(before, old[i]));
        t.receive(MEMORY_TOKEN, &counts[count], token(now, value[i]));
    }
    let base = [base_low, base_high.into()];
    let widths = [w2, w4, w8].map(Poly::from);
    let write = memw_write(is_register, base, value.map(Poly::from), now.map(Poly::from), widths);
    t.receive(MEMW_READ, mu_read, memw_read(old.map(Poly::from), write.clone()));
    t.receive(MEMW_WRITE, mu_write, write);
    t.finish()
}
