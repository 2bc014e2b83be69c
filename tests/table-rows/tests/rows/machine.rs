//! A small machine: random instructions whose records fill all seven tables, and the messages
//! of everything that is not one of these tables.

use std::collections::BTreeMap;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use traceloom_optables::Bus;
use traceloom_optables::riscv::buses::{BRANCH, DECODE, ECALL, MEMORY_TOKEN};
use traceloom_optables::riscv::cpu::CpuOp;
use traceloom_optables::riscv::load::LoadOp;
use traceloom_optables::riscv::lt::LtOp;
use traceloom_optables::riscv::memw_a::AlignedOp;
use traceloom_optables::riscv::memw_r::{self, RegisterOp};
use traceloom_optables::riscv::shift::ShiftOp;
use traceloom_optables::riscv::store::StoreOp;

use crate::reference;

const PC: u8 = 255;
/// The register that points to memory.
const POINTER: u8 = 7;
/// Registers were written so long before the first instruction that MEMW_R takes no first access.
const FIRST_TIME: u64 = 80_004;
/// Where memory begins; the upper half of the address is not zero.
const MEMORY: u64 = 0x1_2345_fff8;

/// A message: the number by which it counts, its bus, its values.
pub type Outside = (i64, Bus, Vec<u64>);

/// A machine, and what it did.
pub struct Machine {
    rng: ChaCha8Rng,
    /// By register and memory address: value and time.
    registers: BTreeMap<u8, (u64, u64)>,
    memory: BTreeMap<u64, (u8, u64)>,
    time: u64,
    cpu: Vec<CpuOp>,
    memw_r: Vec<RegisterOp>,
    memw_a: Vec<AlignedOp>,
    load: Vec<LoadOp>,
    store: Vec<StoreOp>,
    lt: BTreeMap<(u64, u64, u8), usize>,
    shift: Vec<ShiftOp>,
    /// What other tables send and receive.
    pub outside: Vec<Outside>,
}

fn words(x: u64) -> [u64; 2] {
    [x & 0xffff_ffff, x >> 32]
}

impl Machine {
    /// A machine that has run `count` instructions and halted.
    pub fn run(seed: u64, count: usize) -> Self {
        let mut machine = Self {
            rng: ChaCha8Rng::seed_from_u64(seed),
            registers: BTreeMap::new(),
            memory: BTreeMap::new(),
            time: FIRST_TIME,
            cpu: Vec::new(),
            memw_r: Vec::new(),
            memw_a: Vec::new(),
            load: Vec::new(),
            store: Vec::new(),
            lt: BTreeMap::new(),
            shift: Vec::new(),
            outside: Vec::new(),
        };
        let pc = 0x1_0000_0000;
        machine.registers.insert(PC, (pc, FIRST_TIME - 3));
        machine.registers.extend((1..POINTER).map(|register| (register, (0, 1))));
        machine.registers.insert(POINTER, (MEMORY, 1));
        machine.memory.extend((0..64).map(|i| (MEMORY + i, ((i as u8).wrapping_mul(37), 0))));
        machine.tokens(-1);
        (0..count).for_each(|_| machine.step());
        machine.tokens(1);
        machine.halt();
        machine
    }

    /// Every cell as it is now: received before the run, sent behind it.
    fn tokens(&mut self, count: i64) {
        let mut tokens = Vec::new();
        for (&register, &(value, time)) in &self.registers {
            let [low, high] = words(time);
            for (cell, word) in words(value).into_iter().enumerate() {
                let address = 2 * u64::from(register) + cell as u64;
                tokens.push(vec![1, address, 0, low, high, word]);
            }
        }
        for (&address, &(value, time)) in &self.memory {
            let ([a, b], [low, high]) = (words(address), words(time));
            tokens.push(vec![0, a, b, low, high, value.into()]);
        }
        let tokens = tokens.into_iter().map(|token| (count, MEMORY_TOKEN, token));
        self.outside.extend(tokens);
    }

    /// Padding rows of CPU go on from 1, and decode it.
    fn halt(&mut self) {
        let last = self.time - 4;
        let missing = (self.cpu.len().next_power_of_two() - self.cpu.len()) as u64;
        let end = last + 4 * missing + 1;
        for (address, value) in [(510, 1), (511, 0)] {
            let token = |time| vec![1, address, 0, time, 0, value];
            self.outside.push((-1, MEMORY_TOKEN, token(last + 1)));
            self.outside.push((1, MEMORY_TOKEN, token(end)));
        }
        self.outside.push((-(missing as i64), DECODE, vec![1, 0, 0, 0, 0]));
    }

    fn access(&mut self, register: u8, time: u64, write: Option<u64>) -> u64 {
        let cell = self.registers.get_mut(&register).expect("a register of the machine");
        let (old_value, old_timestamp) = *cell;
        let value = write.unwrap_or(old_value);
        *cell = (value, time);
        let is_read = u8::from(write.is_none());
        if memw_r::accepts(old_timestamp, time) {
            let (timestamp, old_timestamp) = (time, old_timestamp as u32);
            let op =
                RegisterOp { register, timestamp, value, old_value, old_timestamp, flags: is_read };
            self.memw_r.push(op);
        } else {
            let flags = 1 | is_read << 1 | 1 << 2;
            let base = 2 * u64::from(register);
            self.aligned(AlignedOp {
                base,
                timestamp: time,
                old_timestamp,
                value,
                old: old_value,
                flags,
            });
        }
        value
    }

    fn aligned(&mut self, op: AlignedOp) {
        self.compare(op.old_timestamp, op.timestamp, 0);
        self.memw_a.push(op);
    }

    /// Asks LT; the answer.
    fn compare(&mut self, lhs: u64, rhs: u64, flags: u8) -> u64 {
        *self.lt.entry((lhs, rhs, flags)).or_default() += 1;
        reference::lt(&LtOp { lhs, rhs, flags, count: 1 })[15]
    }

    fn read(&mut self, register: u8, time: u64) -> u64 {
        if register == 0 { 0 } else { self.access(register, time, None) }
    }

    fn step(&mut self) {
        let (word, timestamp) = (self.time, self.time as u32);
        let (pc, pc_time) = self.registers[&PC];
        let mut op = CpuOp { timestamp, pc, half_length: 2, ..CpuOp::default() };
        let (read1, read2, write, alu, add, sub) = (2, 4, 8, 16, 32, 64);
        let (memory, branch) = (128, 256);
        let bits: u8 = self.rng.random();
        let signed = bits & 1;
        let inverted = bits >> 1 & 1;
        (op.flags, op.imm) = match self.rng.random_range(0..10) {
            0 => (read1 | read2 | write | add, 0),
            1 => (read1 | write | add, self.rng.random()),
            2 => (read1 | read2 | write | sub, 0),
            3 | 4 => (read1 | read2 | write | alu, 0),
            5 | 6 => (read1 | write | add | memory, 8 * (bits as u32 >> 5)),
            7 => (read1 | read2 | add | memory, 8 * (bits as u32 >> 5)),
            8 => (read1 | read2 | alu | branch, self.rng.random::<u32>() & !1),
            _ => (read1 | write | branch, self.rng.random()),
        };
        let [rs1, rs2, rd] = [(); 3].map(|()| self.rng.random_range(0..POINTER));
        let from_pc = self.rng.random_range(0..4) == 0 && op.flags & (add | branch) != 0;
        let is_memory = op.flags & memory != 0;
        op.rs1 = match (is_memory, from_pc) {
            (true, _) => POINTER,
            (_, true) => PC,
            _ => rs1,
        };
        op.rs2 = if op.flags & read2 != 0 { rs2 } else { 0 };
        op.rd = if op.flags & write != 0 { rd } else { 0 };
        let double = op.rs1 == PC;
        op.rv1 = self.read(op.rs1, word);
        op.rv2 = if op.flags & read2 != 0 { self.read(op.rs2, word + 1) } else { 0 };
        self.delegate(&mut op, signed, inverted);
        let row = reference::cpu(&op);
        let (next, value) = (row[21] + (row[22] << 32), row[23] + (row[24] << 32));
        let before = if double { word } else { word - 3 };
        assert_eq!(self.registers[&PC].1, before, "the pc of {pc_time} was written then");
        self.registers.insert(PC, (next, word + 1));
        if op.rd != 0 {
            self.access(op.rd, word + 2, Some(value));
        }
        self.stand_in(&op, &row);
        self.cpu.push(op);
        self.time += 4;
    }

    /// What LT, SHIFT, LOAD and STORE do for an instruction.
    fn delegate(&mut self, op: &mut CpuOp, signed: u8, inverted: u8) {
        let (alu, memory, branch) = (16, 128, 256);
        if op.flags & memory != 0 {
            return self.access_memory(op, signed);
        }
        if op.flags & alu == 0 {
            op.memory_flags = u8::from(op.flags & branch != 0);
            return;
        }
        if op.flags & branch != 0 || inverted == 0 {
            let flags = signed | inverted << 1;
            op.alu_flags = 4 + 32 * signed + 64 * inverted;
            op.result = self.compare(op.rv1, op.rv2, flags);
        } else {
            let right = u8::from(!op.rv1.is_multiple_of(3));
            op.alu_flags = 5 + 32 * (signed & right) + 64 * right;
            let flags = right | (signed & right) << 1;
            let shift = ShiftOp { value: op.rv1, amount: op.rv2, flags };
            let row = reference::shift(&shift);
            op.result = row[8] + (row[9] << 32);
            self.shift.push(shift);
        }
    }

    fn access_memory(&mut self, op: &mut CpuOp, signed: u8) {
        let base = op.rv1.wrapping_add(i64::from(op.imm as i32) as u64);
        // Every place has one width, so that all of its bytes have one time.
        let (width, flag) = [(1, 0), (2, 1), (4, 2), (8, 4)][(base / 8 % 4) as usize];
        let timestamp = u64::from(op.timestamp);
        let cells: Vec<(u8, u64)> = (0..width).map(|i| self.memory[&(base + i)]).collect();
        let old_timestamp = cells[0].1;
        let mut bytes = [0; 8];
        bytes.iter_mut().zip(&cells).for_each(|(byte, cell)| *byte = cell.0);
        let old = u64::from_le_bytes(bytes);
        if op.flags & 8 != 0 {
            let up = 64 - 8 * width as u32;
            let extended = (old << up) as i64 >> up;
            let result = if signed == 1 { extended as u64 } else { old };
            op.result = result;
            let signed = if width == 8 { 0 } else { signed };
            op.memory_flags = (2 * signed) | (flag << 2);
            self.load.push(LoadOp { base, timestamp, result, flags: signed | flag << 1 });
            let flags = 2 | flag << 2;
            self.aligned(AlignedOp {
                base,
                timestamp,
                old_timestamp,
                value: result,
                old: 0,
                flags,
            });
        } else {
            op.memory_flags = 1 | flag << 2;
            self.store.push(StoreOp { base, timestamp, value: op.rv2, flags: flag });
            let flags = flag << 2;
            self.aligned(AlignedOp { base, timestamp, old_timestamp, value: op.rv2, old, flags });
            bytes = op.rv2.to_le_bytes();
        }
        for i in 0..width {
            self.memory.insert(base + i, (bytes[i as usize], timestamp));
        }
    }

    /// What the decoder and BRANCH receive.
    fn stand_in(&mut self, op: &CpuOp, row: &[u64]) {
        let ([p0, p1], [i0, i1]) = (words(op.pc), words(i64::from(op.imm as i32) as u64));
        let flags = [(1, 0, op.rs1), (2, 1, op.rs2), (3, 2, op.rd)];
        let mut packed = 0;
        for (flag, place, register) in flags {
            packed |= u64::from(op.flags >> flag & 1 == 1 && register != 0) << place;
        }
        packed |= u64::from(op.flags >> 4) << 4;
        let bytes = [op.rs1, op.rs2, op.rd, op.half_length, op.alu_flags, op.memory_flags];
        for (byte, place) in bytes.into_iter().zip((10..).step_by(8)) {
            packed |= u64::from(byte) << place;
        }
        self.outside.push((-1, DECODE, vec![p0, p1, i0, i1, packed]));
        if op.flags >> 9 & 1 == 1 {
            self.outside.push((-1, ECALL, vec![op.timestamp.into(), 0, row[27], row[28]]));
        }
        if row[37] == 1 {
            let next = [row[21], row[22], p0, p1, i0, i1];
            let rest = [row[27], row[28], op.memory_flags.into()];
            self.outside.push((-1, BRANCH, [&next[..], &rest].concat()));
        }
    }

    /// The rows of all tables, padding included.
    pub fn tables(&self) -> Vec<Vec<Vec<u64>>> {
        let lt = self.lt.iter().flat_map(|(&(lhs, rhs, flags), &count)| {
            let full = std::iter::repeat_n(255, count / 255);
            let rest = Some(count % 255).filter(|&rest| rest > 0);
            let op = move |count| LtOp { lhs, rhs, flags, count: count as u8 };
            full.chain(rest).map(op)
        });
        let last = (self.time - 4) as u32;
        let cpu = |number| reference::cpu_padding(last, number);
        vec![
            padded(self.cpu.iter().map(reference::cpu), cpu),
            padded(self.memw_r.iter().map(reference::memw_r), |_| vec![0; 10]),
            padded(self.memw_a.iter().map(reference::memw_a), |_| vec![0; 29]),
            padded(self.load.iter().map(reference::load), |_| vec![0; 18]),
            padded(self.store.iter().map(reference::store), |_| vec![0; 16]),
            padded(lt.map(|op| reference::lt(&op)), |_| vec![0; 17]),
            padded(self.shift.iter().map(reference::shift), |_| reference::shift_padding()),
        ]
    }

    /// Numbers of real rows, by table.
    pub fn real_rows(&self) -> [usize; 7] {
        let lt = self.lt.values().map(|count| count.div_ceil(255)).sum();
        let [cpu, memw_r, memw_a] = [self.cpu.len(), self.memw_r.len(), self.memw_a.len()];
        [cpu, memw_r, memw_a, self.load.len(), self.store.len(), lt, self.shift.len()]
    }
}

fn padded(
    rows: impl Iterator<Item = Vec<u64>>,
    padding: impl Fn(u32) -> Vec<u64>,
) -> Vec<Vec<u64>> {
    let mut rows: Vec<Vec<u64>> = rows.collect();
    let missing = rows.len().next_power_of_two() - rows.len();
    rows.extend((1..=missing as u32).map(padding));
    rows
}
