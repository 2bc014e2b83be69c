//! The machine: executes predecoded code.

use crate::alu::{alu, is_taken};
use crate::elf::{Code, Program, STACK_POINTER};
use crate::instruction::{Instruction, Op};
use crate::limits::Limits;
use crate::memory::Memory;
use crate::records::{Nobody, Observer, Recorder, Sink, Step};
use crate::trap::{Trap, TrapKind};

/// What an execution did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Execution {
    /// What the guest gave to the exit call: all 64 bits of a0. 0 is success.
    pub exit_code: u64,
    /// Instructions that were executed, the exit call included.
    pub cycles: u64,
    /// The bytes that the guest wrote.
    pub output: Vec<u8>,
    /// How many bytes of its input the guest read.
    pub input_read: u64,
    /// Pages of memory that loads, stores and environment calls touched.
    pub pages: u64,
}

/// Executes `program` on `input`.
///
/// # Errors
/// [`Trap`]: the guest did what it may not, or reached a limit.
pub fn execute(program: &Program, input: &[u8], limits: &Limits) -> Result<Execution, Trap> {
    let mut machine = Machine::new(program, input, limits);
    machine.run(&mut Nobody).map(|exit_code| machine.execution(exit_code))
}

/// Executes `program` on `input` as [`execute`] does, and gives a record of every operation to
/// `sink`.
///
/// # Errors
/// As [`execute`]; `sink` then has the records of the instructions before the trap, and none of
/// the end.
pub fn record<S: Sink>(
    program: &Program,
    input: &[u8],
    limits: &Limits,
    sink: &mut S,
) -> Result<Execution, Trap> {
    let mut machine = Machine::new(program, input, limits);
    let mut recorder = Recorder::new(program, input.len() as u64, sink);
    let exit_code = machine.run(&mut recorder)?;
    recorder.finish(exit_code, &machine.memory);
    Ok(machine.execution(exit_code))
}

/// Why the machine does not go on.
pub(crate) enum Stop {
    Exit(u64),
    Trap(Box<TrapKind>),
}

impl<E: Into<TrapKind>> From<E> for Stop {
    #[cold]
    fn from(kind: E) -> Self {
        Self::Trap(Box::new(kind.into()))
    }
}

/// The state of an execution.
pub(crate) struct Machine<'p, 'i> {
    program: &'p Program,
    pub limits: &'i Limits,
    pub memory: Memory<'p>,
    pub x: [u64; 32],
    pub input: &'i [u8],
    /// How many bytes of the input were read.
    pub input_read: usize,
    pub output: Vec<u8>,
    cycles: u64,
}

impl<'p, 'i> Machine<'p, 'i> {
    fn new(program: &'p Program, input: &'i [u8], limits: &'i Limits) -> Self {
        let memory = Memory::new(program, limits);
        let mut x = [0; 32];
        x[2] = STACK_POINTER;
        Self { program, limits, memory, x, input, input_read: 0, output: Vec::new(), cycles: 0 }
    }

    fn execution(self, exit_code: u64) -> Execution {
        Execution {
            exit_code,
            cycles: self.cycles,
            output: self.output,
            input_read: self.input_read as u64,
            pages: self.memory.num_pages() as u64,
        }
    }

    /// Executes until the guest exits; returns its exit code.
    fn run<O: Observer>(&mut self, observer: &mut O) -> Result<u64, Trap> {
        let program = self.program;
        let (mut pc, mut left) = (program.entry(), self.limits.cycles);
        let mut code = code_at(program, pc);
        let mut previous = pc;
        loop {
            let index = (pc.wrapping_sub(code.base) / 4) as usize;
            let Some(instruction) = code.instructions.get(index) else {
                code = code_at(program, pc);
                if code.instructions.is_empty() {
                    let executed = self.limits.cycles - left;
                    let kind = TrapKind::no_code(program, pc);
                    return Err(kind.at(program, previous, executed.saturating_sub(1)));
                }
                continue;
            };
            if left == 0 {
                let limit = self.limits.cycles;
                return Err(TrapKind::Cycles { limit }.at(program, pc, limit));
            }
            previous = pc;
            match self.step(pc, instruction, observer) {
                Ok(next) => pc = next,
                Err(Stop::Exit(exit_code)) => {
                    self.cycles = self.limits.cycles - left + 1;
                    return Ok(exit_code);
                }
                Err(Stop::Trap(kind)) => {
                    return Err(kind.at(program, pc, self.limits.cycles - left));
                }
            }
            left -= 1;
        }
    }

    /// Executes one instruction; returns the next pc.
    #[inline(always)]
    fn step<O: Observer>(
        &mut self,
        pc: u64,
        instruction: &Instruction,
        observer: &mut O,
    ) -> Result<u64, Stop> {
        let &Instruction { op, rd, rs1, rs2, .. } = instruction;
        let imm = instruction.imm_word();
        let (a, b) = (self.x[rs1 as usize & 31], self.x[rs2 as usize & 31]);
        let address = a.wrapping_add(imm);
        let (mut next, mut old, mut exit) = (pc.wrapping_add(4), 0, None);
        let result = match op {
            Op::Lb => i8::from_le_bytes(self.load(address)?) as u64,
            Op::Lh => i16::from_le_bytes(self.load(address)?) as u64,
            Op::Lw => i32::from_le_bytes(self.load(address)?) as u64,
            Op::Ld => u64::from_le_bytes(self.load(address)?),
            Op::Lbu => u64::from(u8::from_le_bytes(self.load(address)?)),
            Op::Lhu => u64::from(u16::from_le_bytes(self.load(address)?)),
            Op::Lwu => u64::from(u32::from_le_bytes(self.load(address)?)),
            Op::Sb => self.store::<1, O>(address, (b as u8).to_le_bytes(), &mut old)?,
            Op::Sh => self.store::<2, O>(address, (b as u16).to_le_bytes(), &mut old)?,
            Op::Sw => self.store::<4, O>(address, (b as u32).to_le_bytes(), &mut old)?,
            Op::Sd => self.store::<8, O>(address, b.to_le_bytes(), &mut old)?,
            Op::Beq | Op::Bne | Op::Blt | Op::Bge | Op::Bltu | Op::Bgeu => {
                let taken = is_taken(op, a, b);
                if taken {
                    next = aligned(pc.wrapping_add(imm))?;
                }
                u64::from(taken)
            }
            Op::Auipc => pc.wrapping_add(imm),
            Op::Jal => {
                next = aligned(pc.wrapping_add(imm))?;
                pc.wrapping_add(4)
            }
            Op::Jalr => {
                next = aligned(address & !1)?;
                pc.wrapping_add(4)
            }
            Op::Ecall => {
                exit = self.ecall(observer)?;
                0
            }
            Op::Ebreak => return Err(TrapKind::Breakpoint.into()),
            Op::Illegal => return Err(self.illegal(pc)),
            _ => alu(op, a, b.wrapping_add(imm)),
        };
        self.x[rd as usize & 31] = result;
        self.x[0] = 0;
        if O::ACTIVE {
            let instruction = *instruction;
            let step = Step { pc, instruction, result, next_pc: next, address, old };
            observer.step(&step, &self.memory);
        }
        exit.map_or(Ok(next), |exit_code| Err(Stop::Exit(exit_code)))
    }

    #[inline(always)]
    fn load<const N: usize>(&mut self, address: u64) -> Result<[u8; N], Stop> {
        self.check_alignment::<N>(address)?;
        Ok(self.memory.read(address)?)
    }

    /// Stores bytes; returns 0, and in `old` what was there if anybody wants to know.
    #[inline(always)]
    fn store<const N: usize, O: Observer>(
        &mut self,
        address: u64,
        bytes: [u8; N],
        old: &mut u64,
    ) -> Result<u64, Stop> {
        self.check_alignment::<N>(address)?;
        if O::ACTIVE {
            self.memory.check_writable(address, N as u64)?;
            let byte = |index: usize| self.memory.peek(address.wrapping_add(index as u64));
            *old = (0..N).rev().fold(0, |word, index| word << 8 | u64::from(byte(index)));
        }
        self.memory.write(address, bytes)?;
        Ok(0)
    }

    #[inline(always)]
    fn check_alignment<const N: usize>(&self, address: u64) -> Result<(), Stop> {
        if N > 1 && !address.is_multiple_of(N as u64) && !self.limits.unaligned {
            return Err(TrapKind::Unaligned { address, width: N as u64 }.into());
        }
        Ok(())
    }

    #[cold]
    fn illegal(&self, pc: u64) -> Stop {
        TrapKind::illegal(self.program.word(pc).unwrap_or(0)).into()
    }
}

/// The code that holds an address; empty code if none does.
#[cold]
fn code_at(program: &Program, pc: u64) -> &Code {
    static NOWHERE: Code = Code { base: 0, instructions: Vec::new() };
    program.place(pc).map_or(&NOWHERE, |(code, _)| &program.code[code])
}

#[inline(always)]
fn aligned(target: u64) -> Result<u64, Stop> {
    match target % 4 {
        0 => Ok(target),
        _ => Err(TrapKind::UnalignedJump { target }.into()),
    }
}
