//! Records of operations at random, many of them at the ends of their ranges.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use traceloom_optables::record::Counted;
use traceloom_optables::riscv::cpu::CpuOp;
use traceloom_optables::riscv::cpu32::Cpu32Op;
use traceloom_optables::riscv::dvrm::DvrmOp;
use traceloom_optables::riscv::ecall::EcallOp;
use traceloom_optables::riscv::image::EightOp;
use traceloom_optables::riscv::input::{InputOp, IsReadOp};
use traceloom_optables::riscv::memw::MemwOp;
use traceloom_optables::riscv::moves::MoveOp;
use traceloom_optables::riscv::zero::{PlaceOp, ZeroOp};
use traceloom_riscv::records::{
    AlignedOp, BranchOp, BytewiseOp, DivRemOp, EqOp, HaltOp, LoadOp, LtOp, MulOp, RegisterOp,
    ShiftOp, StoreOp,
};

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
            old_timestamp_low: self.long() as u32,
            is_write: self.below(2),
        }
    }

    pub fn memw_a(&mut self) -> AlignedOp {
        let [base, timestamp, old_timestamp, value, old_value] = [(); 5].map(|()| self.long());
        let is_write = self.below(2);
        // A register has two cells.
        let flags = if self.below(2) == 1 { 32 | 4 } else { self.width(2) };
        AlignedOp { base, timestamp, old_timestamp, value, old_value, flags: flags | is_write }
    }

    /// A load whose result is extended as its flags say.
    pub fn load(&mut self) -> LoadOp {
        let (signed, width) = (self.below(2), self.width(2));
        let bytes = match width {
            0 => 1,
            4 => 2,
            8 => 4,
            _ => 8,
        };
        let up = 64 - 8 * bytes;
        let raw = self.long() << up;
        let result = if signed == 1 { (raw as i64 >> up) as u64 } else { raw >> up };
        let [base, timestamp] = [(); 2].map(|()| self.long());
        LoadOp { base, timestamp, result, flags: signed << 1 | width }
    }

    pub fn store(&mut self) -> StoreOp {
        let [base, timestamp, value] = [(); 3].map(|()| self.long());
        StoreOp { base, timestamp, value, flags: 1 | self.width(2) }
    }

    /// Two operands, equal ones now and then.
    fn pair(&mut self) -> [u64; 2] {
        let lhs = self.long();
        [lhs, if self.below(4) == 0 { lhs } else { self.long() }]
    }

    pub fn lt(&mut self) -> Counted<LtOp, u8> {
        let ([lhs, rhs], flags) = (self.pair(), 4 | self.below(4) << 5);
        Counted { op: LtOp { lhs, rhs, flags }, count: 1 + self.below(255) }
    }

    pub fn shift(&mut self) -> ShiftOp {
        let (kind, flags) = (5 + self.below(2), self.below(4) << 5);
        ShiftOp { lhs: self.long(), rhs: self.long(), flags: kind | flags }
    }

    pub fn memw(&mut self) -> MemwOp {
        let mut times = [(); 8].map(|()| self.long()).into_iter();
        let mut time = || times.next().unwrap_or(0);
        let mut op = MemwOp {
            old_timestamp_0: time(),
            old_timestamp_1: time(),
            old_timestamp_2: time(),
            old_timestamp_3: time(),
            old_timestamp_4: time(),
            old_timestamp_5: time(),
            old_timestamp_6: time(),
            old_timestamp_7: time(),
            ..MemwOp::default()
        };
        [op.base, op.timestamp, op.value, op.old_value] = [(); 4].map(|()| self.long());
        op.base = op.base.wrapping_sub(self.below(8).into());
        op.flags = self.width(2) | self.below(2);
        op
    }

    fn counted<R>(&mut self, op: R) -> Counted<R> {
        Counted { op, count: self.long() as u32 }
    }

    pub fn mul(&mut self) -> Counted<MulOp> {
        let ([lhs, rhs], flags) = (self.pair(), [7, 7 + 128, 7 + 160, 7 + 224]);
        let flags = flags[self.below(4) as usize];
        self.counted(MulOp { lhs, rhs, flags })
    }

    pub fn dvrm(&mut self) -> DvrmOp {
        let ([lhs, rhs], flags) = (self.pair(), 8 | self.below(2) << 5 | self.below(2) << 7);
        DvrmOp::from(&DivRemOp { lhs, rhs, flags })
    }

    pub fn bytewise(&mut self) -> Counted<BytewiseOp> {
        let ([lhs, rhs], flags) = (self.pair(), self.below(3));
        self.counted(BytewiseOp { lhs, rhs, flags })
    }

    pub fn eq(&mut self) -> Counted<EqOp> {
        let ([lhs, mut rhs], flags) = (self.pair(), 3 | self.below(2) << 6);
        if self.below(4) == 0 {
            rhs = lhs ^ 1 << self.below(64);
        }
        self.counted(EqOp { lhs, rhs, flags })
    }

    pub fn branch(&mut self) -> Counted<BranchOp> {
        let ([pc, imm], rv1, is_jalr) = (self.pair().map(|x| x & !3), self.long(), self.below(2));
        let base = if is_jalr == 1 { rv1 } else { pc };
        let next_pc = base.wrapping_add(imm) & !1;
        self.counted(BranchOp { next_pc, pc, imm, rv1, is_jalr })
    }

    pub fn cpu32(&mut self) -> Cpu32Op {
        let kind = [8, 16, 32, 64, 128][self.below(5) as usize];
        let read = u16::from(self.below(8));
        Cpu32Op {
            timestamp: self.long() as u32,
            pc: self.long(),
            imm: if read & 2 == 0 { self.long() as u32 } else { 0 },
            rv1: self.long(),
            rv2: self.long(),
            result: self.long(),
            flags: read | kind | u16::from(self.below(8)) << 8,
            rs1: self.register(),
            rs2: self.register(),
            rd: self.register(),
            half_length: 1 + self.below(2),
        }
    }

    pub fn count(&mut self) -> u32 {
        self.long() as u32
    }

    pub fn eight(&mut self) -> EightOp {
        let mut times = [(); 8].map(|()| self.long() as u32).into_iter();
        let mut time = || times.next().unwrap_or(0);
        EightOp {
            last: self.long(),
            timestamp_0: time(),
            timestamp_1: time(),
            timestamp_2: time(),
            timestamp_3: time(),
            timestamp_4: time(),
            timestamp_5: time(),
            timestamp_6: time(),
            timestamp_7: time(),
        }
    }

    pub fn zero(&mut self) -> ZeroOp {
        let [region, high, from] = [(); 3].map(|()| self.long() as u32);
        let between = self.long() as u16;
        ZeroOp { place: PlaceOp { region, high, from, between }, eight: self.eight() }
    }

    pub fn ecall(&mut self) -> EcallOp {
        let (counter, flags) = (self.long() as u32, [1, 2, 0][self.below(3) as usize]);
        let (mut most, mut moved) = (self.long(), 0);
        match flags {
            1 => moved = u64::from(counter).min(most) as u32,
            2 => (most, moved) = (most >> 32, (most >> 32) as u32),
            _ => {}
        }
        EcallOp { timestamp: self.count(), address: self.long(), most, moved, counter, flags }
    }

    pub fn moves(&mut self) -> MoveOp {
        let remaining = if self.below(3) == 0 { 1 } else { self.long() as u32 };
        let [timestamp, counter] = [(); 2].map(|()| self.long() as u32);
        let address = if self.below(4) == 0 { 0xffff_ffff } else { self.long() };
        MoveOp { timestamp, address, counter, remaining, value: self.long() as u8 }
    }

    pub fn input(&mut self) -> InputOp {
        let is_read = self.below(2);
        let moves = self.moves();
        // A byte that is not read is none of a call.
        let remaining = if is_read == 1 { moves.remaining } else { 0 };
        InputOp { moves: MoveOp { remaining, ..moves }, read: IsReadOp { is_read } }
    }

    pub fn halt(&mut self) -> HaltOp {
        let (timestamp, next_pc) = (self.long() >> 32, self.long());
        HaltOp { timestamp, next_pc, exit_code: 0 }
    }
}
