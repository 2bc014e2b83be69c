//! ELF files. The crate `object` reads the format; this module decides what is accepted:
//! RISC-V, 64 bits, little-endian, static, executable, no compressed code, segments apart.

mod error;
mod header;
mod layout;

pub use error::{LoadError, SegmentProblem};

use crate::decode::decode;
use crate::instruction::Instruction;
use crate::limits::Limits;
use crate::memory::{PAGE_BYTES, Region};

/// The end of the stack, which grows down from here. At entry `sp` is [`STACK_POINTER`].
pub const STACK_TOP: u64 = 1 << 38;
/// `sp` at entry: eight zero words lie above it, which a C runtime reads as no arguments, no
/// environment and no auxiliary vector.
pub const STACK_POINTER: u64 = STACK_TOP - 64;

/// A loadable segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Its number among the program headers.
    pub index: usize,
    /// Its first address.
    pub address: u64,
    /// Its bytes in memory, at least one.
    pub size: u64,
    /// Its first bytes; the others are zero.
    pub bytes: Vec<u8>,
    /// Whether loads may read it.
    pub is_readable: bool,
    /// Whether stores may write it.
    pub is_writable: bool,
    /// Whether it holds code.
    pub is_executable: bool,
}

impl Segment {
    /// The last address.
    #[must_use]
    pub const fn last(&self) -> u64 {
        self.address + (self.size - 1)
    }
}

/// The instructions of an executable segment, one per four bytes of its file part.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    /// The address of the first one, a multiple of four.
    pub base: u64,
    /// Decoded; words that are no instruction are [`Instruction::ILLEGAL`].
    pub instructions: Vec<Instruction>,
}

/// A program that was loaded from an ELF file.
#[derive(Clone, Debug)]
pub struct Program {
    entry: u64,
    segments: Vec<Segment>,
    pub(crate) code: Vec<Code>,
    pub(crate) regions: Vec<Region>,
}

impl Program {
    /// Whether `bytes` begin like an ELF file of any kind.
    #[must_use]
    pub fn is_elf(bytes: &[u8]) -> bool {
        bytes.starts_with(&object::elf::ELFMAG)
    }

    /// Loads an ELF file and decodes its code.
    ///
    /// # Errors
    /// [`LoadError`]: what is wrong, where in the file, and what to do about it.
    pub fn load(bytes: &[u8], limits: &Limits) -> Result<Self, LoadError> {
        let header::Parsed { entry, mut segments } = header::parse(bytes, limits)?;
        segments.sort_by_key(|segment| segment.address);
        let regions = layout::regions(&segments, limits)?;
        let is_code = |segment: &&Segment| segment.is_executable;
        let code: Vec<Code> = segments.iter().filter(is_code).map(predecode).collect();
        let program = Self { entry, segments, code, regions };
        if !entry.is_multiple_of(4) {
            return Err(LoadError::EntryUnaligned { entry });
        }
        match program.word(entry) {
            Some(_) => Ok(program),
            None => Err(LoadError::EntryOutside { entry, code: program.code_ranges() }),
        }
    }

    /// Where execution begins.
    #[must_use]
    pub const fn entry(&self) -> u64 {
        self.entry
    }

    /// The loadable segments that have bytes, by address.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The word at `address` of an executable segment; none outside, or if `address` is no
    /// multiple of four.
    #[must_use]
    pub fn word(&self, address: u64) -> Option<u32> {
        let (code, index) = self.place(address)?;
        let base = self.code[code].base + 4 * index as u64;
        let segment = self.segments.iter().find(|segment| {
            segment.is_executable && segment.address <= base && base <= segment.last()
        })?;
        let start = usize::try_from(base - segment.address).ok()?;
        let bytes = segment.bytes.get(start..start + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    }

    /// The instruction at `address`, as [`Self::word`]; [`Instruction::ILLEGAL`] if its word is
    /// none.
    #[must_use]
    pub fn instruction(&self, address: u64) -> Option<Instruction> {
        self.place(address).map(|(code, index)| self.code[code].instructions[index])
    }

    /// All words of code with their addresses, by address; those that are no instruction are
    /// [`Instruction::ILLEGAL`].
    pub fn instructions(&self) -> impl Iterator<Item = (u64, Instruction)> {
        let addresses = |code: &Code| (code.base..).step_by(4);
        self.code
            .iter()
            .flat_map(move |code| addresses(code).zip(code.instructions.iter().copied()))
    }

    /// The mapped pages in groups with the same permissions, by address. The stack is one.
    #[must_use]
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// The number of the code and the index in it.
    pub(crate) fn place(&self, address: u64) -> Option<(usize, usize)> {
        if !address.is_multiple_of(4) {
            return None;
        }
        self.code.iter().enumerate().find_map(|(number, code)| {
            let index = usize::try_from(address.checked_sub(code.base)? / 4).ok()?;
            (index < code.instructions.len()).then_some((number, index))
        })
    }

    /// The executable addresses, for messages.
    pub(crate) fn code_ranges(&self) -> String {
        let range = |code: &Code| {
            format!("{:#x} to {:#x}", code.base, code.base + 4 * code.instructions.len() as u64)
        };
        let ranges: Vec<String> = self.code.iter().map(range).collect();
        if ranges.is_empty() { "nowhere".into() } else { ranges.join(" and ") }
    }

    /// What a page holds before execution: bytes of segments, else zeros.
    pub fn fill(&self, page: u64, bytes: &mut [u8; PAGE_BYTES]) {
        let start = page.wrapping_mul(PAGE_BYTES as u64);
        let last = start.saturating_add(PAGE_BYTES as u64 - 1);
        for segment in &self.segments {
            if segment.address > last || segment.last() < start {
                continue;
            }
            let offset = segment.address.saturating_sub(start) as usize;
            let skipped = usize::try_from(start.saturating_sub(segment.address));
            let from = skipped.ok().and_then(|skipped| segment.bytes.get(skipped..));
            for (to, &byte) in bytes[offset..].iter_mut().zip(from.unwrap_or_default()) {
                *to = byte;
            }
        }
    }
}

fn predecode(segment: &Segment) -> Code {
    // The first multiple of four; addresses before it can hold no instruction.
    let skipped = (segment.address.wrapping_neg() % 4) as usize;
    let words = segment.bytes.get(skipped..).unwrap_or_default().chunks_exact(4);
    let instructions = words
        .map(|word| {
            let word = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
            decode(word).unwrap_or(Instruction::ILLEGAL)
        })
        .collect();
    Code { base: segment.address + skipped as u64, instructions }
}
