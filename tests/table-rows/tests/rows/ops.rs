//! Records of operations at random, many of them at the ends of their ranges.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use traceloom_optables::riscv::cpu::CpuOp;
use traceloom_optables::riscv::load::LoadOp;
use traceloom_optables::riscv::lt::LtOp;
use traceloom_optables::riscv::memw_a::AlignedOp;
use traceloom_optables::riscv::memw_r::RegisterOp;
use traceloom_optables::riscv::shift::ShiftOp;
use traceloom_optables::riscv::store::StoreOp;

/// Values at which signs, carries and limbs change.
pub const BOUNDARY: [u64; 12] = [
    0,
    1,
    0x7f,
    0x80,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    1 << 32,
    i64::MAX as u64,
    1 << 63,
    u64::MAX,
];

/// A source of records.
pub struct Ops(ChaCha8Rng);

impl Ops {
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    fn long(&mut self) -> u64 {
        match self.0.random_range(0..3) {
            0 => BOUNDARY[self.0.random_range(0..BOUNDARY.len())],
            1 => self.0.random::<u64>() >> self.0.random_range(0..64),
            _ => self.0.random(),
        }
    }

    fn below(&mut self, bound: u8) -> u8 {
        self.0.random_range(0..bound)
    }

    /// None, or one of the flags from `first` on.
    fn width(&mut self, first: u32) -> u8 {
        let width = self.0.random_range(0..4);
        if width == 0 { 0 } else { 1 << (first + width - 1) }
    }

    /// A register: the zero register and the pc are frequent.
    fn register(&mut self) -> u8 {
        match self.0.random_range(0..4) {
            0 => 0,
            1 => 255,
            _ => self.below(32),
        }
    }

    /// An instruction as a decoder and a machine could have it.
    pub fn cpu(&mut self, timestamp: u32) -> CpuOp {
        let (word, read1, read2, write) = (1, 2, 4, 8);
        let (alu, add, sub, memory, branch, ecall) = (16, 32, 64, 128, 256, 512);
        let (imm, bit) = (self.long() as u32, u64::from(self.below(2)));
        let [long, flags] = [self.long(), self.long()].map(|x| x & !1);
        // Flags of the decoder, immediate, result, flags of memory.
        let (flags, imm, result, memory_flags) = match self.below(11) {
            0 => (read1 | write | add, imm, 0, 0),
            1 => (read1 | read2 | write | add, 0, 0, 0),
            2 => (read1 | read2 | write | sub, 0, 0, 0),
            3 => (read1 | read2 | write | alu, 0, long, 0),
            4 => (read1 | write | alu, imm, long, 0),
            5 => (read1 | write | add | memory, imm, long, flags as u8 & 0x1e),
            6 => (read1 | read2 | add | memory, imm, 0, flags as u8 & 0x1c | 1),
            7 => (read1 | read2 | alu | branch, imm & !1, bit, 0),
            8 => (read1 | write | branch, imm & !1, 0, 1),
            9 => (read1 | ecall, 0, 0, 0),
            _ => (word | read1 | read2 | write | alu, imm, long, 0),
        };
        CpuOp {
            timestamp,
            pc: self.long(),
            imm,
            rv1: self.long(),
            rv2: self.long(),
            result,
            flags,
            rs1: self.register(),
            rs2: self.register(),
            rd: self.register(),
            half_length: 1 + self.below(2),
            alu_flags: self.long() as u8,
            memory_flags,
        }
    }

    pub fn memw_r(&mut self) -> RegisterOp {
        RegisterOp {
            register: self.register(),
            timestamp: self.long(),
            value: self.long(),
            old_value: self.long(),
            old_timestamp: self.long() as u32,
            flags: self.below(2),
        }
    }

    pub fn memw_a(&mut self) -> AlignedOp {
        let [base, timestamp, old_timestamp, value, old] = [(); 5].map(|()| self.long());
        let is_read = 2 * self.below(2);
        // A register has two cells.
        let flags = if self.below(2) == 1 { 1 | 4 } else { self.width(2) };
        AlignedOp { base, timestamp, old_timestamp, value, old, flags: flags | is_read }
    }

    /// A load whose result is extended as its flags say.
    pub fn load(&mut self) -> LoadOp {
        let (signed, width) = (self.below(2), self.width(1));
        let bytes = match width {
            0 => 1,
            2 => 2,
            4 => 4,
            _ => 8,
        };
        let up = 64 - 8 * bytes;
        let raw = self.long() << up;
        let result = if signed == 1 { (raw as i64 >> up) as u64 } else { raw >> up };
        let [base, timestamp] = [(); 2].map(|()| self.long());
        LoadOp { base, timestamp, result, flags: signed | width }
    }

    pub fn store(&mut self) -> StoreOp {
        let [base, timestamp, value] = [(); 3].map(|()| self.long());
        StoreOp { base, timestamp, value, flags: self.width(0) }
    }

    pub fn lt(&mut self) -> LtOp {
        let lhs = self.long();
        let rhs = if self.below(4) == 0 { lhs } else { self.long() };
        LtOp { lhs, rhs, flags: self.below(4), count: 1 + self.below(255) }
    }

    pub fn shift(&mut self) -> ShiftOp {
        ShiftOp { value: self.long(), amount: self.long(), flags: self.below(8) }
    }
}
