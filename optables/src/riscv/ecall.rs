//! ECALL: environment calls. A call that moves bytes hands them to INPUT or COMMIT; a call that
//! ends the execution goes to HALT.

use traceloom_abi::ops::OpRecords;
use traceloom_riscv::records::{self, INPUT_LEFT, LtOp, OUTPUT_INDEX};

use super::buses::{
    ALU, ALU_LT, ECALL, HALT, MEMW_READ, MEMW_WRITE, MOVE, register_read, register_write,
};
use super::machine::{MachineTable, Run};
use crate::check::TableFaults;
use crate::column::{Column, Limb, Role};
use crate::op_record;
use crate::poly::{Poly, constant, is_bit, not};
use crate::record::OpRecord;
use crate::row::Row;
use crate::table::{Table, TableBuilder};
use crate::values;

/// Numbers of the calls, in a7.
const READ: u64 = 63;
const WRITE: u64 = 64;
const EXIT: u64 = 93;
/// Registers of arguments; the first one has the result, too.
const ARGUMENTS: [u64; 3] = [10, 11, 12];

op_record! {
    /// An environment call.
    pub struct EcallOp as EcallFields {
        /// Time.
        timestamp: u32,
        /// Where bytes are read to or written from.
        address: u64,
        /// How many bytes the guest asks for.
        most: u64,
        /// How many are moved.
        moved: u32,
        /// Before the call: of input how many bytes are left, of output how many were written.
        counter: u32,
        /// Bit 0: read. Bit 1: write. Neither: exit.
        flags: u8[3],
    }
}

impl From<&records::EcallOp> for EcallOp {
    fn from(op: &records::EcallOp) -> Self {
        let flags = u8::from(op.number == READ) | u8::from(op.number == WRITE) << 1;
        let moves = op.number != EXIT;
        Self {
            timestamp: op.timestamp as u32,
            address: op.arguments[1],
            most: op.arguments[2],
            moved: if moves { op.result as u32 } else { 0 },
            counter: op.counter as u32,
            flags,
        }
    }
}

/// The comparison that a call asks for: whether less is left than the guest asks for.
pub fn comparison(op: &records::EcallOp) -> Option<LtOp> {
    let (lhs, rhs) = (op.counter, op.arguments[2]);
    (op.number == READ).then_some(LtOp { lhs, rhs, flags: ALU_LT as u8 })
}

/// How the table is made and fed.
pub const TABLE: MachineTable = MachineTable::new(table, feed);

fn feed(run: &Run<'_>, records: &mut OpRecords) {
    for op in &run.records.ecall {
        records.push(|words| EcallOp::from(op).put(words));
    }
}

/// The columns.
struct Columns {
    timestamp: Column,
    address: [Column; 2],
    most: [Column; 2],
    moved: Column,
    counter: Column,
    is_short: Column,
    is_some: Column,
    is_read: Column,
    is_write: Column,
    is_exit: Column,
}

/// The table.
///
/// # Errors
/// Never: tests make it.
pub fn table() -> Result<Table, TableFaults> {
    let mut t = TableBuilder::new("ecall");
    let c = Columns {
        timestamp: t.limb("timestamp", Limb::Word),
        address: t.words("address"),
        most: t.words("most"),
        moved: t.limb("moved", Limb::Word),
        counter: t.limb("counter", Limb::Word),
        is_short: t.flag("is_short"),
        is_some: t.flag("is_some"),
        is_read: t.column("is_read", Limb::Bit, Role::Multiplicity),
        is_write: t.column("is_write", Limb::Bit, Role::Multiplicity),
        is_exit: t.column("is_exit", Limb::Bit, Role::Multiplicity),
    };
    t.rows::<EcallOp>(|row, op| rows(&c, row, &op));
    constraints(&c, &mut t);
    messages(&c, &mut t);
    t.finish()
}

fn rows(c: &Columns, row: &mut Row, op: &EcallFields) {
    row.step("arguments");
    row.put(c.timestamp, op.timestamp);
    row.put_long(c.address, op.address);
    row.put_long(c.most, op.most);
    row.step("kind of call");
    let [read, write] = [0, 1].map(|i| row.bit(op.flags, i));
    let moves = row.or(read, write);
    let exit = row.not(moves);
    row.put_all([c.is_read, c.is_write, c.is_exit], [read, write, exit]);
    row.step("bytes that are moved");
    row.put_all([c.moved, c.counter], [op.moved, op.counter]);
    let left = row.widen(op.counter);
    let short = row.less_long(left, op.most);
    let short = row.all(&[read, short]);
    let none = row.not(op.moved);
    let some = row.not(none);
    row.put_all([c.is_short, c.is_some], [short, some]);
}

fn constraints(c: &Columns, t: &mut TableBuilder) {
    let moves = c.is_read + c.is_write;
    let kinds = [(c.is_read, "is_read"), (c.is_write, "is_write"), (c.is_exit, "is_exit")];
    for (kind, name) in kinds {
        t.zero(&format!("{name} is a bit"), is_bit(kind));
    }
    t.zero("at most one kind", is_bit(&moves + c.is_exit));
    t.zero("only a read is short", c.is_short * not(c.is_read));
    t.zero("a short read takes all that is left", c.is_short * (c.moved - c.counter));
    // All that was asked for, unless less was left.
    let full = &moves - c.is_short;
    t.zero("any other call moves what is asked for", &full * (c.most[0] - c.moved));
    t.zero("and that is a word", full * c.most[1]);
    t.zero("only reads and writes move bytes", c.is_some * not(moves));
    t.zero("a call that moves none is not some", not(c.is_some) * c.moved);
}

fn messages(c: &Columns, t: &mut TableBuilder) {
    let (ts, read, write) = (c.timestamp, c.is_read, c.is_write);
    let (moves, all) = (read + write, read + write + c.is_exit);
    let time = |later: u64| [ts + constant(later), constant(0)];
    let number = read * constant(READ) + write * constant(WRITE) + c.is_exit * constant(EXIT);
    t.receive(ECALL, &all, values![ts, 0, number, 0]);
    // The first argument is the file, or the exit code, which is 0.
    let file: [Poly; 2] = [write.into(), constant(0)];
    let [a0, a1, a2] = ARGUMENTS.map(constant);
    t.send(MEMW_READ, all, register_read(a0.clone(), file, time(0)));
    t.send(MEMW_READ, &moves, register_read(a1, c.address, time(0)));
    t.send(MEMW_READ, &moves, register_read(a2, c.most, time(0)));
    let result: [Poly; 2] = [c.moved.into(), constant(0)];
    t.send(MEMW_WRITE, &moves, register_write(a0, result, time(2)));
    let counts = |after: Poly| -> [Poly; 2] { [after, constant(0)] };
    let register = || read * constant(INPUT_LEFT.into()) + write * constant(OUTPUT_INDEX.into());
    let before = counts(c.counter.into());
    t.send(MEMW_READ, &moves, register_read(register(), before, time(0)));
    let after = counts(c.counter + (write - read) * c.moved);
    t.send(MEMW_WRITE, moves, register_write(register(), after, time(2)));

    let most = c.most;
    t.send(ALU, read, values![c.counter, 0, most[0], most[1], ALU_LT, c.is_short, 0]);
    let [low, high] = c.address;
    t.send(MOVE, c.is_some, values![write, ts, low, high, c.counter, c.moved]);
    t.send(HALT, c.is_exit, values![ts]);
}
