//! Operations at all boundary operands: the rows that emitted code writes hold, and what they
//! answer is what plain arithmetic gives.

use traceloom_abi::io::Io;
use traceloom_abi::record::Record;
use traceloom_air::field::element;
use traceloom_optables::OpRecord;
use traceloom_optables::record::Counted;
use traceloom_optables::riscv::buses::ALU;
use traceloom_optables::riscv::dvrm::{self, DvrmOp};
use traceloom_optables::riscv::{Machine, alu};
use traceloom_riscv::records::{BytewiseOp, DivRemOp, EqOp, LtOp, MulOp, ShiftOp};
use traceloom_riscv::{Limits, Program};

use crate::ledger::{Broken, Ledger};
use crate::ops::BOUNDARY;
use crate::support::ledger::computed;
use crate::support::{elf, exit};
use crate::whole::write;

/// All pairs of operands at which something changes.
fn pairs() -> impl Iterator<Item = (u64, u64)> {
    let more = [2, 3, 15, 16, 17, 31, 32, 33, 48, 63, 64, 0x8000_0001, (1 << 63) + 1, u64::MAX - 1];
    let all: Vec<u64> = BOUNDARY.into_iter().chain(more).collect();
    let others = all.clone();
    all.into_iter().flat_map(move |lhs| others.clone().into_iter().map(move |rhs| (lhs, rhs)))
}

/// Rows of one table, one for each pair and each of `flags`, answer what they are asked.
fn check<R: OpRecord>(table: &str, flags: &[u8], op: impl Fn(u64, u64, u8) -> R) {
    let program = Program::load(&elf(&exit(0), &[1]), &Limits::default()).expect("it loads");
    let machine = Machine::new(program);
    let (system, index) = (machine.system(), machine.position(table));
    let rows_index = machine.tables().rows_index(index);
    let mut record = Record::new([], [], Io::default());
    record.ops = machine.tables().records();
    let all: Vec<_> =
        pairs().flat_map(|(lhs, rhs)| flags.iter().map(move |&flags| (lhs, rhs, flags))).collect();
    for &(lhs, rhs, flags) in &all {
        record.ops[rows_index].push(|words| op(lhs, rhs, flags).put(words));
    }
    let words = |x: u64| [x & 0xffff_ffff, x >> 32];
    for (row, (lhs, rhs, flags)) in write(&record, rows_index, all.len()).iter().zip(all) {
        let mut ledger = Ledger::default();
        ledger.row(&system.circuits[index], 0, row, true);
        let result = computed(lhs, rhs, flags.into());
        assert_eq!(alu::answer(lhs, rhs, flags), Some(result), "{table} {lhs:x} {rhs:x} {flags}");
        let operands = [words(lhs), words(rhs)].concat();
        let [low, high] = words(result);
        // Of a shift of 32 bits, the high word is nobody's.
        let is_answer = |message: &[u64]| {
            let high = if flags & 31 == 6 { message[6] } else { high };
            message[..] == [&operands[..], &[flags.into(), low, high]].concat()
        };
        let answers = ledger.on(ALU);
        let answered = answers.iter().filter(|(message, _)| is_answer(message));
        let sums: Vec<_> = answered.map(|(_, sum)| *sum).collect();
        assert_eq!(sums, [element(0) - element(1)], "{table} {lhs:x} {rhs:x} {flags}: {answers:?}");
        let broken = ledger.broken();
        // Other buses are open, for there is nobody else; byte tables are not.
        let is_broken = |b: &&Broken| match b {
            Broken::Constraint(..) => true,
            Broken::Message(message) => message[0] < 1 << 16,
        };
        let broken: Vec<_> = broken.iter().filter(is_broken).collect();
        assert!(broken.is_empty(), "{table} {lhs:x} {rhs:x} {flags}: {broken:?}");
    }
}

#[test]
fn comparisons() {
    let op = |lhs, rhs, flags| Counted { op: LtOp { lhs, rhs, flags }, count: 1_u8 };
    check("lt", &[4, 4 + 32, 4 + 64, 4 + 96], op);
    let op = |lhs, rhs, flags| Counted { op: EqOp { lhs, rhs, flags }, count: 1_u32 };
    check("eq", &[3, 3 + 64], op);
}

#[test]
fn shifts_and_logic() {
    let op = |lhs, rhs, flags| ShiftOp { lhs, rhs, flags };
    check("shift", &[5, 5 + 64, 5 + 96, 6, 6 + 64, 6 + 96], op);
    let op = |lhs, rhs, flags| Counted { op: BytewiseOp { lhs, rhs, flags }, count: 1_u32 };
    check("bytewise", &[0, 1, 2], op);
}

#[test]
fn products() {
    let op = |lhs, rhs, flags| Counted { op: MulOp { lhs, rhs, flags }, count: 1_u32 };
    check("mul", &[7, 7 + 128, 7 + 32 + 128, 7 + 96 + 128], op);
}

#[test]
fn quotients_and_remainders() {
    let op = |lhs, rhs, flags| DvrmOp::from(&DivRemOp { lhs, rhs, flags });
    check("dvrm", &[8, 8 + 32, 8 + 128, 8 + 160], op);
    // What a division asks of other tables is what these answer.
    for (lhs, rhs) in pairs() {
        for flags in [8, 8 + 32] {
            let asked = DivRemOp { lhs, rhs, flags };
            let row = crate::reference_more::dvrm(&DvrmOp::from(&asked));
            let product = |i: usize| row[i] + (row[i + 1] << 32);
            let found = dvrm::products(&asked);
            let right = found.map(|op| computed(op.lhs, op.rhs, op.flags.into()));
            assert_eq!(right, [product(23), product(25)], "{asked:?}");
            let less = dvrm::comparison(&asked).map(|op| computed(op.lhs, op.rhs, 4));
            assert_eq!(less, (rhs != 0).then_some(1), "{asked:?}");
        }
    }
}
