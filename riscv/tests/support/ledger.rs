//! Whether records balance: every bus of docs/riscv.md, written from the other side than the
//! recorder. What one table asks for, another must have a record of; every token of memory that
//! is taken must have been given.

use std::collections::HashMap;

use traceloom_riscv::records::{AlignedOp, CpuOp, Decoded, INPUT_LEFT, OUTPUT_INDEX, PC, Stored};
use traceloom_riscv::{Op, Program};

/// Messages with how often they were sent minus how often they were taken.
#[derive(Default)]
struct Bus(HashMap<Vec<u64>, i64>);

impl Bus {
    fn send(&mut self, message: &[u64]) {
        *self.0.entry(message.to_vec()).or_default() += 1;
    }

    fn take(&mut self, message: &[u64]) {
        *self.0.entry(message.to_vec()).or_default() -= 1;
    }

    fn imbalance(&self) -> Option<String> {
        let open = self.0.iter().find(|(_, count)| **count != 0);
        open.map(|(message, count)| format!("{message:x?} is sent {count} times too often"))
    }
}

/// All buses.
#[derive(Default)]
pub struct Ledger {
    /// (is register, address, time, value), for each cell.
    tokens: Bus,
    /// (is register, base, time, width, value), of reads also the old value.
    accesses: Bus,
    /// (time, address, stored value, flags, loaded value).
    memory: Bus,
    /// (left, right, flags, result).
    alu: Bus,
    branch: Bus,
    decode: Bus,
    cpu32: Bus,
    ecall: Bus,
}

/// Enters all records of an execution of `program` that exited with 0; says what is open.
pub fn imbalance(program: &Program, records: &Stored) -> Option<String> {
    let mut ledger = Ledger::default();
    ledger.cpu(program, records);
    ledger.accesses(records);
    ledger.loads_and_stores(records);
    ledger.alu(records);
    ledger.calls(records);
    ledger.ends(records);
    let Ledger { tokens, accesses, memory, alu, branch, decode, cpu32, ecall } = ledger;
    [
        ("tokens", tokens),
        ("accesses", accesses),
        ("memory", memory),
        ("alu", alu),
        ("branch", branch),
        ("decode", decode),
        ("cpu32", cpu32),
        ("ecall", ecall),
    ]
    .into_iter()
    .find_map(|(name, bus)| bus.imbalance().map(|open| format!("{name}: {open}")))
}

const fn low(value: u64) -> u64 {
    value & 0xffff_ffff
}

impl Ledger {
    fn register_access(&mut self, register: u8, time: u64, value: u64, old: Option<u64>) {
        self.access(1, 2 * u64::from(register), time, 2, value, old);
    }

    fn access(
        &mut self,
        space: u64,
        base: u64,
        time: u64,
        width: u64,
        value: u64,
        old: Option<u64>,
    ) {
        let mut message = vec![space, base, time, width, value];
        message.extend(old);
        self.accesses.send(&message);
    }

    fn cpu(&mut self, program: &Program, records: &Stored) {
        for (index, op) in records.cpu.iter().enumerate() {
            let instruction = program.instruction(op.pc).unwrap();
            let decoded = Decoded::new(&instruction);
            let row = op.row(index as u64, &decoded);
            self.decode.send(&[op.pc, decoded.imm, decoded.word()]);
            self.pc(op, row.timestamp, &decoded);
            let is_real = |register: u8| register != 0;
            if decoded.read1 && is_real(decoded.rs1) {
                self.register_access(decoded.rs1, row.timestamp, op.rv1, Some(op.rv1));
            }
            if decoded.read2 && is_real(decoded.rs2) {
                self.register_access(decoded.rs2, row.timestamp + 1, op.rv2, Some(op.rv2));
            }
            if decoded.write && is_real(decoded.rd) {
                self.register_access(decoded.rd, row.timestamp + 2, row.rvd, None);
            }
            if decoded.word32 {
                let Decoded { imm, .. } = decoded;
                self.cpu32.send(&[row.timestamp, op.pc, op.rv1, op.rv2, imm, op.result]);
            } else if decoded.alu {
                self.alu.send(&[op.rv1, row.arg2, u64::from(decoded.alu_flags), row.res]);
            }
            if decoded.memory {
                let flags = u64::from(decoded.memory_flags);
                self.memory.send(&[row.timestamp, row.res, op.rv2, flags, row.rvd]);
            }
            if row.is_taken {
                let is_jalr = u64::from(matches!(instruction.op, Op::Jal | Op::Jalr));
                self.branch.send(&[op.next_pc, op.pc, decoded.imm, op.rv1, is_jalr]);
            } else {
                assert_eq!(op.next_pc, op.pc + 4, "{op:?}");
            }
            if decoded.ecall {
                self.ecall.send(&[row.timestamp, op.rv1]);
            }
        }
    }

    /// The tokens of the pc that CPU moves itself.
    fn pc(&mut self, op: &CpuOp, time: u64, decoded: &Decoded) {
        let before = if decoded.read1 && decoded.rs1 == PC { time } else { time - 3 };
        self.move_register(PC, (before, op.pc), (time + 1, op.next_pc));
    }

    fn move_register(&mut self, register: u8, old: (u64, u64), new: (u64, u64)) {
        for (cell, shift) in [(0, 0), (1, 32)] {
            let address = 2 * u64::from(register) + cell;
            self.tokens.send(&[1, address, old.0, low(old.1 >> shift)]);
            self.tokens.take(&[1, address, new.0, low(new.1 >> shift)]);
        }
    }

    fn move_byte(&mut self, address: u64, old: (u64, u64), new: (u64, u64)) {
        self.tokens.send(&[0, address, old.0, old.1 & 255]);
        self.tokens.take(&[0, address, new.0, new.1 & 255]);
    }

    fn accesses(&mut self, records: &Stored) {
        for op in &records.register {
            let high = op.timestamp >> 32 << 32;
            let old = high | u64::from(op.old_timestamp_low);
            assert!((1..=1 << 16).contains(&(op.timestamp - old)), "{op:?}");
            let moved = (op.timestamp, op.value);
            self.move_register(op.register, (old, op.old_value), moved);
            let base = 2 * u64::from(op.register);
            self.take_access(1, base, moved, 2, (op.is_write == 0).then_some(op.old_value));
        }
        for op in &records.aligned {
            let width = width(op.flags);
            self.before(op.old_timestamp, op.timestamp);
            let is_register = op.flags & 32 != 0;
            if is_register {
                let register = (op.base / 2) as u8;
                let old = (op.old_timestamp, op.old_value);
                self.move_register(register, old, (op.timestamp, op.value));
            } else {
                assert_eq!(op.base % width, 0, "{op:?}");
                self.bytes(op, &[op.old_timestamp; 8]);
            }
            let old = (op.flags & 1 == 0).then_some(op.old_value);
            let moved = (op.timestamp, op.value);
            self.take_access(u64::from(is_register), op.base, moved, width, old);
        }
        for op in &records.general {
            let width = width(op.flags);
            op.old_timestamps[..width as usize]
                .iter()
                .for_each(|&old| self.before(old, op.timestamp));
            let (base, timestamp) = (op.base, op.timestamp);
            let (value, old_value, flags) = (op.value, op.old_value, op.flags);
            let old_timestamp = 0;
            let same = AlignedOp { base, timestamp, old_timestamp, value, old_value, flags };
            self.bytes(&same, &op.old_timestamps);
            let old = (flags & 1 == 0).then_some(old_value);
            self.take_access(0, base, (timestamp, value), width, old);
        }
    }

    fn bytes(&mut self, op: &AlignedOp, old_timestamps: &[u64; 8]) {
        for index in 0..width(op.flags) {
            let (address, shift) = (op.base.wrapping_add(index), 8 * index);
            let old = (old_timestamps[index as usize], op.old_value >> shift);
            self.move_byte(address, old, (op.timestamp, op.value >> shift));
        }
    }

    fn take_access(
        &mut self,
        space: u64,
        base: u64,
        (time, value): (u64, u64),
        width: u64,
        old: Option<u64>,
    ) {
        let mut message = vec![space, base, time, width, value];
        message.extend(old);
        self.accesses.take(&message);
    }

    fn before(&mut self, old: u64, new: u64) {
        assert!(old < new, "time runs backwards from {old} to {new}");
        self.alu.send(&[old, new, 4, 1]);
    }

    fn loads_and_stores(&mut self, records: &Stored) {
        for op in &records.load {
            let flags = u64::from(op.flags);
            self.memory.take(&[op.timestamp, op.base, 0, flags, op.result]);
            let width = width(op.flags);
            self.access(0, op.base, op.timestamp, width, op.result, Some(op.result));
        }
        for op in &records.store {
            self.memory.take(&[op.timestamp, op.base, op.value, u64::from(op.flags), 0]);
            self.access(0, op.base, op.timestamp, width(op.flags), op.value, None);
        }
    }

    fn alu(&mut self, records: &Stored) {
        for op in &records.cpu32 {
            self.cpu32.take(&[op.timestamp, op.pc, op.rv1, op.rv2, op.imm, op.result]);
            let flags = op.word >> 42 & 255;
            let arg2 = op.rv2.wrapping_add(op.imm);
            let extended = |value: u64| {
                if flags & 32 != 0 { value as i32 as u64 } else { low(value) }
            };
            let result = match (op.word >> 4 & 1, op.word >> 5 & 1) {
                (0, 1) => op.rv1.wrapping_add(arg2),
                (0, _) => op.rv1.wrapping_sub(arg2),
                _ => {
                    let result = computed(extended(op.rv1), extended(arg2), flags);
                    self.alu.send(&[extended(op.rv1), extended(arg2), flags, result]);
                    result
                }
            };
            assert_eq!(result as i32 as u64, op.result, "{op:?}");
        }
        macro_rules! take {
            ($($table:ident)*) => { $(for op in &records.$table {
                let flags = u64::from(op.flags);
                self.alu.take(&[op.lhs, op.rhs, flags, computed(op.lhs, op.rhs, flags)]);
            })* };
        }
        take!(lt shift mul div_rem bytewise eq);
        for op in &records.branch {
            self.branch.take(&[op.next_pc, op.pc, op.imm, op.rv1, u64::from(op.is_jalr)]);
            let base = if op.is_jalr == 1 { op.rv1 } else { op.pc };
            assert_eq!(op.next_pc, base.wrapping_add(op.imm) & !1, "{op:?}");
        }
        for op in &records.decode {
            (0..op.count).for_each(|_| self.decode.take(&[op.pc, op.imm, op.word]));
        }
    }

    fn calls(&mut self, records: &Stored) {
        let (mut read, mut written) = (0, 0);
        for op in &records.ecall {
            self.ecall.take(&[op.timestamp, op.number]);
            let count = if op.number == 93 { 1 } else { 3 };
            for (register, value) in (10..).zip(op.arguments).take(count) {
                self.register_access(register, op.timestamp, value, Some(value));
            }
            if op.number != 93 {
                self.register_access(10, op.timestamp + 2, op.result, None);
            }
            let counted = match op.number {
                63 => Some((INPUT_LEFT, op.counter - op.result)),
                64 => Some((OUTPUT_INDEX, op.counter + op.result)),
                _ => None,
            };
            if let Some((register, after)) = counted {
                self.register_access(register, op.timestamp, op.counter, Some(op.counter));
                self.register_access(register, op.timestamp + 2, after, None);
            }
            written += if op.number == 64 { op.result } else { 0 };
            read += if op.number == 63 { op.result } else { 0 };
        }
        assert_eq!((records.input.len() as u64, records.commit.len() as u64), (read, written));
        for op in &records.input {
            self.access(0, op.address, op.timestamp, 1, u64::from(op.value), None);
        }
        for op in &records.commit {
            let value = u64::from(op.value);
            self.access(0, op.address, op.timestamp, 1, value, Some(value));
        }
    }

    fn ends(&mut self, records: &Stored) {
        let [halt] = records.halt[..] else { panic!("{:?}", records.halt) };
        assert_eq!(halt.exit_code, 0);
        self.move_register(PC, (halt.timestamp + 1, halt.next_pc), (halt.timestamp + 1, 1));
        for cell in &records.register_cell {
            self.move_register(cell.register, (cell.timestamp, cell.last), (1, cell.initial));
        }
        for cell in &records.page_cell {
            let (last, initial) = (u64::from(cell.last), u64::from(cell.initial));
            self.move_byte(cell.address, (cell.timestamp, last), (0, initial));
        }
    }
}

const fn width(flags: u8) -> u64 {
    match flags & (32 | 28) {
        0 => 1,
        4 | 36 => 2,
        8 => 4,
        _ => 8,
    }
}

/// What a table on the ALU bus answers, in 128 bits.
pub fn computed(lhs: u64, rhs: u64, flags: u64) -> u64 {
    let (signed, second, upper) = (flags & 32 != 0, flags & 64 != 0, flags & 128 != 0);
    let wide = |value: u64, signed: bool| if signed { value as i64 as i128 } else { value as i128 };
    let (a, b) = (wide(lhs, signed), wide(rhs, signed));
    match flags & 31 {
        0 => lhs & rhs,
        1 => lhs | rhs,
        2 => lhs ^ rhs,
        3 => u64::from((lhs == rhs) != second),
        4 => u64::from((a < b) != second),
        5 | 6 => {
            let amount = rhs & if flags & 31 == 5 { 63 } else { 31 };
            if second { (a >> amount) as u64 } else { (a << amount) as u64 }
        }
        7 => {
            let product = a.wrapping_mul(wide(rhs, second));
            if upper && !signed && !second {
                ((lhs as u128 * rhs as u128) >> 64) as u64
            } else if upper {
                (product >> 64) as u64
            } else {
                product as u64
            }
        }
        8 if rhs == 0 => {
            if upper {
                lhs
            } else {
                u64::MAX
            }
        }
        8 => (if upper { a % b } else { a / b }) as u64,
        other => panic!("no ALU operation {other}"),
    }
}
