//! Why an execution stopped before the guest ended it.

use crate::decode::{Illegal, decode};
use crate::disassembly::text_of;
use crate::elf::Program;
use crate::memory::AccessError;

/// An execution that stopped before the guest ended it: where, when and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trap {
    /// Address of the instruction that could not be executed.
    pub pc: u64,
    /// Instructions that were executed before it.
    pub cycle: u64,
    /// The instruction in assembly, if there is one.
    pub instruction: Option<String>,
    /// Why.
    pub kind: TrapKind,
}

impl std::error::Error for Trap {}

impl std::fmt::Display for Trap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "pc {:#x}", self.pc)?;
        if let Some(instruction) = &self.instruction {
            write!(f, " ({instruction})")?;
        }
        write!(f, ", after {} instructions: {}", self.cycle, self.kind)
    }
}

/// Why an execution stopped. Messages end with what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TrapKind {
    /// A word that no manual defines for user mode, or that this machine lacks.
    #[error("the word {word:#010x} is no instruction of RV64IM; {remedy}")]
    Illegal {
        /// The word.
        word: u32,
        /// What to do.
        remedy: String,
    },
    /// An instruction of 16 bits.
    #[error("the half {half:#06x} is compressed code; compile with -march=rv64im (no c)")]
    Compressed {
        /// The half.
        half: u16,
    },
    /// `ebreak`.
    #[error("the guest stopped itself with ebreak (an assertion or abort); mend the guest")]
    Breakpoint,
    /// A jump to an address that is no multiple of four.
    #[error(
        "the jump goes to {target:#x}, no multiple of 4; check function pointers and the return \
         address on the stack"
    )]
    UnalignedJump {
        /// Where to.
        target: u64,
    },
    /// A jump to bytes that are not executable.
    #[error(
        "execution goes on at {target:#x}, which is {what}; code is at {code}; check function \
         pointers and the return address on the stack"
    )]
    NoCode {
        /// Where to.
        target: u64,
        /// What is there: data, or nothing.
        what: &'static str,
        /// Where code is.
        code: String,
    },
    /// A load or store at an unaligned address, where that is not allowed.
    #[error(
        "{width} bytes at {address:#x} are not aligned; compile with -mstrict-align, or allow \
         unaligned accesses"
    )]
    Unaligned {
        /// The address.
        address: u64,
        /// Bytes of the access.
        width: u64,
    },
    /// Memory refused an access.
    #[error("{}", access(.0))]
    Access(AccessError),
    /// An environment call that this machine does not know.
    #[error("ecall {number} (in a7) is unknown; use 63 to read, 64 to write and 93 to exit")]
    UnknownEcall {
        /// The number in a7.
        number: u64,
    },
    /// Reading or writing another file than standard input and output.
    #[error("ecall {number} names file {file} in a0; only {allowed} is there")]
    UnknownFile {
        /// The number in a7.
        number: u64,
        /// The file in a0.
        file: u64,
        /// The file that it may name.
        allowed: u64,
    },
    /// The guest executed as many instructions as it may.
    #[error(
        "the limit of {limit} instructions is reached; look for an endless loop at this pc, or \
         raise the limit"
    )]
    Cycles {
        /// The limit.
        limit: u64,
    },
    /// The guest wrote more than it may.
    #[error("the output would have {bytes} bytes, more than the limit of {limit}; raise the limit")]
    Output {
        /// Bytes that there would be.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
}

fn access(error: &AccessError) -> String {
    match *error {
        AccessError::Unmapped { address } => format!(
            "nothing is mapped at {address:#x}; check the pointer, and the size of the stack"
        ),
        AccessError::Unreadable { address } => {
            format!("{address:#x} is in a segment that may not be read; link it with read access")
        }
        AccessError::ReadOnly { address } => format!(
            "{address:#x} is in a segment that may not be written; check the pointer, and keep \
             variables out of .text and .rodata"
        ),
        AccessError::Exhausted { address } => format!(
            "touching {address:#x} needs more memory than the limit; use less memory, or raise \
             the limit"
        ),
    }
}

impl From<AccessError> for TrapKind {
    fn from(error: AccessError) -> Self {
        Self::Access(error)
    }
}

impl TrapKind {
    /// Why the word at `pc` cannot be executed.
    pub(crate) fn illegal(word: u32) -> Self {
        let remedy = match decode(word) {
            Err(Illegal::Compressed) => return Self::Compressed { half: word as u16 },
            Err(Illegal::Extension(name)) => {
                format!("it belongs to extension {name}: compile with -march=rv64im -mabi=lp64")
            }
            _ if word == 0 || word == u32::MAX => {
                "it is padding: check where the jump came from".into()
            }
            _ => "compile with -march=rv64im, and check that the pc is in code".into(),
        };
        Self::Illegal { word, remedy }
    }

    /// Why execution cannot go on at `target`.
    pub(crate) fn no_code(program: &Program, target: u64) -> Self {
        if !target.is_multiple_of(4) {
            return Self::UnalignedJump { target };
        }
        let page = target / crate::memory::PAGE_BYTES as u64;
        let is_mapped =
            program.regions.iter().any(|region| region.first <= page && page <= region.last);
        let what = if is_mapped { "data" } else { "not mapped" };
        Self::NoCode { target, what, code: program.code_ranges() }
    }

    /// The trap at a place of a program.
    pub(crate) fn at(self, program: &Program, pc: u64, cycle: u64) -> Trap {
        let instruction = program.word(pc).and_then(|word| text_of(pc, word));
        Trap { pc, cycle, instruction, kind: self }
    }
}
