//! From executed instructions to records: keeps when every register and every byte was accessed.

use super::ops::*;
use super::{Decoded, INPUT_LEFT, OUTPUT_INDEX, PC, Route, Sink, route};
use crate::elf::{Program, STACK_POINTER};
use crate::instruction::{Form, Instruction};
use crate::memory::{Memory, PAGE_BYTES};

/// Flags of an access, as [`AlignedOp::flags`] has them.
const WRITE: u8 = 1;
const REGISTER: u8 = 32;
/// ALU flags: what is read from them here.
const KIND: u8 = 31;
const SIGNED: u8 = 32;
/// What every comparison of timestamps asks for: less than, unsigned.
const BEFORE: u8 = 4;

/// An instruction that was executed.
pub(crate) struct Step {
    pub pc: u64,
    pub instruction: Instruction,
    /// As [`CpuOp::result`].
    pub result: u64,
    pub next_pc: u64,
    /// Of loads and stores.
    pub address: u64,
    /// What a store replaced.
    pub old: u64,
}

/// An environment call that was executed, before it wrote memory.
pub(crate) struct Call<'b> {
    pub number: u64,
    pub arguments: [u64; 3],
    pub result: u64,
    pub kind: CallKind,
    /// The bytes that it moves.
    pub bytes: &'b [u8],
    /// How many of the input or of the output were moved before.
    pub index: u64,
}

/// What an environment call does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallKind {
    Read,
    Write,
    Exit,
}

/// Is told what the machine does.
pub(crate) trait Observer {
    /// Whether anybody listens; where not, the machine computes nothing for it.
    const ACTIVE: bool;
    /// An environment call; its [`Self::step`] follows.
    fn ecall(&mut self, call: &Call<'_>, memory: &Memory<'_>);
    /// An instruction, after it was executed.
    fn step(&mut self, step: &Step, memory: &Memory<'_>);
}

/// Listens to nothing.
pub(crate) struct Nobody;

impl Observer for Nobody {
    const ACTIVE: bool = false;
    fn ecall(&mut self, _: &Call<'_>, _: &Memory<'_>) {}
    fn step(&mut self, _: &Step, _: &Memory<'_>) {}
}

/// An access of memory.
struct Access {
    base: u64,
    width: usize,
    timestamp: u64,
    value: u64,
    old_value: u64,
    is_write: bool,
}

/// Makes records and gives them to a sink.
pub(crate) struct Recorder<'p, 's, S> {
    program: &'p Program,
    sink: &'s mut S,
    cycle: u64,
    initial: [u64; 256],
    values: [u64; 256],
    times: [u64; 256],
    /// When each byte of each touched page was accessed, in the order of [`Memory::pages`].
    stamps: Vec<Box<[u64; PAGE_BYTES]>>,
    /// How often each instruction was executed, for each code of the program.
    counts: Vec<Vec<u64>>,
}

impl<'p, 's, S: Sink> Recorder<'p, 's, S> {
    /// Before the first instruction, with so many bytes of input.
    pub fn new(program: &'p Program, input: u64, sink: &'s mut S) -> Self {
        let counts = program.code.iter().map(|code| vec![0; code.instructions.len()]).collect();
        let values = initial_registers(program, input);
        let initial = values;
        let (cycle, times, stamps) = (0, [1; 256], Vec::new());
        Self { program, sink, cycle, initial, values, times, stamps, counts }
    }

    /// After the last instruction, which was an exit with this code.
    pub fn finish(mut self, exit_code: u64, memory: &Memory<'_>) {
        let timestamp = 4 * self.cycle;
        self.sink.halt(HaltOp { timestamp, next_pc: self.values[PC as usize], exit_code });
        self.values[PC as usize] = 1;
        self.decode_table();
        for register in (1..32).chain([INPUT_LEFT, OUTPUT_INDEX, PC]) {
            let r = register as usize;
            let (initial, last, timestamp) = (self.initial[r], self.values[r], self.times[r]);
            self.sink.register_cell(RegisterCell { register, initial, last, timestamp });
        }
        self.pages(memory);
    }

    fn decode_table(&mut self) {
        for (code, counts) in self.program.code.iter().zip(&self.counts) {
            for (index, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                let pc = code.base + 4 * index as u64;
                self.sink.decode(Decoded::new(&code.instructions[index]).op(pc, count));
            }
        }
    }

    fn pages(&mut self, memory: &Memory<'_>) {
        self.grow(memory);
        for ((page, bytes), stamps) in memory.pages().zip(&self.stamps) {
            let mut initial = [0; PAGE_BYTES];
            self.program.fill(page, &mut initial);
            for offset in 0..PAGE_BYTES {
                self.sink.page_cell(PageCell {
                    address: page * PAGE_BYTES as u64 + offset as u64,
                    initial: initial[offset],
                    last: bytes[offset],
                    timestamp: stamps[offset],
                });
            }
        }
    }

    fn access_register(&mut self, register: u8, timestamp: u64, value: u64, is_write: bool) {
        let r = register as usize;
        let (old_value, old_timestamp) = (self.values[r], self.times[r]);
        (self.values[r], self.times[r]) = (value, timestamp);
        let base = 2 * u64::from(register);
        if route(true, base, timestamp, &[old_timestamp]) == Route::Register {
            self.sink.register(RegisterOp {
                timestamp,
                value,
                old_value,
                old_timestamp_low: old_timestamp as u32,
                register,
                is_write: u8::from(is_write),
            });
        } else {
            let flags = REGISTER | width_flag(2) | if is_write { WRITE } else { 0 };
            let op = AlignedOp { base, timestamp, old_timestamp, value, old_value, flags };
            self.sink.aligned(op);
            self.ask_before(old_timestamp, timestamp);
        }
    }

    fn access_memory(&mut self, access: &Access, memory: &Memory<'_>) {
        let &Access { base, width, timestamp, value, old_value, is_write } = access;
        let mut old = [0; 8];
        for (index, old) in old[..width].iter_mut().enumerate() {
            let stamp = self.stamp(base.wrapping_add(index as u64), memory);
            *old = std::mem::replace(stamp, timestamp);
        }
        let flags = width_flag(width) | if is_write { WRITE } else { 0 };
        if route(false, base, timestamp, &old[..width]) == Route::Aligned {
            let old_timestamp = old[0];
            let op = AlignedOp { base, timestamp, old_timestamp, value, old_value, flags };
            self.sink.aligned(op);
            self.ask_before(old_timestamp, timestamp);
        } else {
            let old_timestamps = old;
            let op = GeneralOp { base, timestamp, value, old_value, old_timestamps, flags };
            self.sink.general(op);
            old[..width].iter().for_each(|&old| self.ask_before(old, timestamp));
        }
    }

    fn ask_before(&mut self, old: u64, new: u64) {
        self.sink.lt(LtOp { lhs: old, rhs: new, flags: BEFORE });
    }

    /// When the byte at `address`, whose page was touched, was accessed.
    fn stamp(&mut self, address: u64, memory: &Memory<'_>) -> &mut u64 {
        self.grow(memory);
        let frame = memory.frame(address / PAGE_BYTES as u64).expect("the page was touched");
        &mut self.stamps[frame][(address % PAGE_BYTES as u64) as usize]
    }

    fn grow(&mut self, memory: &Memory<'_>) {
        while self.stamps.len() < memory.num_pages() {
            self.stamps.push(Box::new([0; PAGE_BYTES]));
        }
    }

    /// The load or store of a step.
    fn load_or_store(&mut self, step: &Step, decoded: &Decoded, rv2: u64, memory: &Memory<'_>) {
        let (base, timestamp, flags) = (step.address, self.now(), decoded.memory_flags);
        let is_write = step.instruction.form == Form::Store;
        let (value, old_value) =
            if is_write { (rv2, step.old) } else { (step.result, step.result) };
        if is_write {
            self.sink.store(StoreOp { base, timestamp, value, flags });
        } else {
            self.sink.load(LoadOp { base, timestamp, result: value, flags });
        }
        let width = width_of(flags);
        self.access_memory(&Access { base, width, timestamp, value, old_value, is_write }, memory);
    }

    /// What an instruction asks of another table, over the ALU bus.
    fn ask(&mut self, flags: u8, lhs: u64, rhs: u64) {
        match flags & KIND {
            0..=2 => self.sink.bytewise(BytewiseOp { lhs, rhs, flags }),
            3 => self.sink.eq(EqOp { lhs, rhs, flags }),
            4 => self.sink.lt(LtOp { lhs, rhs, flags }),
            5 | 6 => self.sink.shift(ShiftOp { lhs, rhs, flags }),
            7 => self.sink.mul(MulOp { lhs, rhs, flags }),
            _ => self.sink.div_rem(DivRemOp { lhs, rhs, flags }),
        }
    }

    /// A 32-bit form, and what it asks for.
    fn word32(&mut self, step: &Step, decoded: &Decoded, rv1: u64, rv2: u64) {
        self.sink.cpu32(Cpu32Op {
            timestamp: self.now(),
            pc: step.pc,
            rv1,
            rv2,
            imm: decoded.imm,
            result: step.result,
            word: decoded.word(),
        });
        if decoded.alu {
            let is_signed = decoded.alu_flags & SIGNED != 0;
            let extended = |value: u64| match is_signed {
                true => value as i32 as u64,
                false => value & u64::from(u32::MAX),
            };
            let rhs = rv2.wrapping_add(decoded.imm);
            self.ask(decoded.alu_flags, extended(rv1), extended(rhs));
        }
    }

    fn branch(&mut self, step: &Step, decoded: &Decoded, rv1: u64) {
        let is_jalr = u8::from(!decoded.alu);
        if is_jalr == 1 || step.result == 1 {
            let (next_pc, pc, imm) = (step.next_pc, step.pc, decoded.imm);
            self.sink.branch(BranchOp { next_pc, pc, imm, rv1, is_jalr });
        }
    }

    /// Reads a register, unless it is x0.
    fn source(&mut self, reads: bool, register: u8, timestamp: u64) -> u64 {
        if !reads || register == 0 {
            return 0;
        }
        let value = self.values[register as usize];
        self.access_register(register, timestamp, value, false);
        value
    }

    const fn now(&self) -> u64 {
        4 * self.cycle + 4
    }
}

impl<S: Sink> Observer for Recorder<'_, '_, S> {
    const ACTIVE: bool = true;

    fn ecall(&mut self, call: &Call<'_>, memory: &Memory<'_>) {
        let timestamp = self.now();
        let &Call { number, arguments, result, kind, .. } = call;
        let counted = match kind {
            CallKind::Read => Some(INPUT_LEFT),
            CallKind::Write => Some(OUTPUT_INDEX),
            CallKind::Exit => None,
        };
        let counter = counted.map_or(0, |register| self.values[register as usize]);
        self.sink.ecall(EcallOp { timestamp, number, arguments, result, counter });
        self.source(true, 10, timestamp);
        let Some(counted) = counted else { return };
        self.source(true, 11, timestamp);
        self.source(true, 12, timestamp);
        let is_write = kind == CallKind::Read;
        for (offset, &value) in call.bytes.iter().enumerate() {
            let offset = offset as u64;
            let address = arguments[1].wrapping_add(offset);
            let (index, remaining) = (call.index + offset, call.bytes.len() as u64 - offset);
            let op = IoOp { timestamp, address, index, remaining, value };
            if is_write {
                self.sink.input(op)
            } else {
                self.sink.commit(op)
            }
            let (base, value) = (address, u64::from(value));
            let old_value = u64::from(memory.peek(address));
            let access = Access { base, width: 1, timestamp, value, old_value, is_write };
            self.access_memory(&access, memory);
        }
        let moved = call.bytes.len() as u64;
        let after = if is_write { counter - moved } else { counter + moved };
        self.access_register(counted, timestamp, counter, false);
        self.access_register(counted, timestamp + 2, after, true);
        self.access_register(10, timestamp + 2, result, true);
    }

    fn step(&mut self, step: &Step, memory: &Memory<'_>) {
        let decoded = Decoded::new(&step.instruction);
        let timestamp = self.now();
        let rv1 = self.source(decoded.read1, decoded.rs1, timestamp);
        let rv2 = self.source(decoded.read2, decoded.rs2, timestamp + 1);
        if decoded.memory {
            self.load_or_store(step, &decoded, rv2, memory);
        }
        if decoded.word32 {
            self.word32(step, &decoded, rv1, rv2);
        } else if decoded.alu {
            let arg2 = if decoded.branch { rv2 } else { rv2.wrapping_add(decoded.imm) };
            self.ask(decoded.alu_flags, rv1, arg2);
        }
        if decoded.branch {
            self.branch(step, &decoded, rv1);
        }
        (self.values[PC as usize], self.times[PC as usize]) = (step.next_pc, timestamp + 1);
        if decoded.write && decoded.rd != 0 {
            self.access_register(decoded.rd, timestamp + 2, step.result, true);
        }
        let &Step { pc, next_pc, result, .. } = step;
        self.sink.cpu(CpuOp { pc, next_pc, rv1, rv2, result });
        if let Some((code, index)) = self.program.place(pc) {
            self.counts[code][index] += 1;
        }
        self.cycle += 1;
    }
}

/// All registers before execution, [`PC`], [`OUTPUT_INDEX`] and [`INPUT_LEFT`] included.
fn initial_registers(program: &Program, input: u64) -> [u64; 256] {
    let mut values = [0; 256];
    values[2] = STACK_POINTER;
    values[PC as usize] = program.entry();
    values[INPUT_LEFT as usize] = input;
    values
}

/// Bits 2 to 4 of the flags of an access.
const fn width_flag(width: usize) -> u8 {
    match width {
        2 => 4,
        4 => 8,
        8 => 16,
        _ => 0,
    }
}

/// Bytes of a load or store, from its memory flags.
const fn width_of(flags: u8) -> usize {
    match flags & 28 {
        4 => 2,
        8 => 4,
        16 => 8,
        _ => 1,
    }
}
