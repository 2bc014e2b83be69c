//! The header and the program headers.

use object::LittleEndian;
use object::elf::{
    EM_RISCV, ET_DYN, ET_EXEC, ET_REL, FileHeader64, PF_R, PF_W, PF_X, PT_DYNAMIC, PT_INTERP,
    PT_LOAD, ProgramHeader64,
};
use object::read::elf::{FileHeader as _, ProgramHeader as _};

use super::{LoadError, Segment, SegmentProblem};
use crate::limits::Limits;

type Header = FileHeader64<LittleEndian>;
type Entry = ProgramHeader64<LittleEndian>;

const LITTLE: LittleEndian = LittleEndian;
/// Length of the header of an ELF file of 64 bits.
const HEADER_BYTES: u64 = 64;
const MARCH: &str = "compile with -march=rv64im -mabi=lp64";
const STATIC: &str = "link with -static -no-pie";

/// What the headers say.
pub(super) struct Parsed {
    pub entry: u64,
    /// Segments with bytes in memory, in the order of the file.
    pub segments: Vec<Segment>,
}

/// Reads all headers and the bytes of the segments.
pub(super) fn parse(bytes: &[u8], limits: &Limits) -> Result<Parsed, LoadError> {
    let len = bytes.len() as u64;
    if len > limits.file {
        return Err(LoadError::FileTooLarge { len, limit: limits.file });
    }
    check_identification(bytes)?;
    let offset = u64::from_le_bytes([
        bytes[32], bytes[33], bytes[34], bytes[35], bytes[36], bytes[37], bytes[38], bytes[39],
    ]);
    let malformed =
        |error: object::Error| LoadError::ProgramHeaders { offset, problem: error.to_string() };
    let header = Header::parse(bytes).map_err(malformed)?;
    check_header(header)?;
    let count = header.phnum(LITTLE, bytes).map_err(malformed)? as u64;
    let end = offset.saturating_add(count.saturating_mul(size_of::<Entry>() as u64));
    if end > len {
        return Err(LoadError::Truncated { what: "the table of program headers".into(), end, len });
    }
    let entries = header.program_headers(LITTLE, bytes).map_err(malformed)?;
    Ok(Parsed { entry: header.e_entry(LITTLE), segments: segments(entries, bytes, limits)? })
}

fn refuse<T>(
    (offset, field): (u64, &'static str),
    found: u64,
    meaning: &'static str,
    remedy: &'static str,
) -> Result<T, LoadError> {
    Err(LoadError::Header { offset, field, found, meaning, remedy })
}

/// The first bytes, which say how to read all others.
fn check_identification(bytes: &[u8]) -> Result<(), LoadError> {
    let len = bytes.len() as u64;
    let magic = &object::elf::ELFMAG[..];
    if !bytes.starts_with(&magic[..magic.len().min(bytes.len())]) {
        return Err(LoadError::NotElf);
    }
    if len < HEADER_BYTES {
        return Err(LoadError::Truncated { what: "the ELF header".into(), end: HEADER_BYTES, len });
    }
    let found = |offset: usize| u64::from(bytes[offset]);
    match (bytes[4], bytes[5], bytes[6]) {
        (2, 1, 1) => Ok(()),
        (1, ..) => refuse((4, "EI_CLASS"), found(4), "the file has 32 bits", MARCH),
        (2, 2, _) => refuse((5, "EI_DATA"), found(5), "the file is big-endian", MARCH),
        (2, 1, _) => {
            refuse((6, "EI_VERSION"), found(6), "only version 1 is known", "link it again")
        }
        (2, ..) => refuse((5, "EI_DATA"), found(5), "no byte order", "link it again"),
        _ => refuse((4, "EI_CLASS"), found(4), "no class", "link it again"),
    }
}

/// The fields that name a machine and a kind of file.
fn check_header(header: &Header) -> Result<(), LoadError> {
    let kind = header.e_type(LITTLE);
    let kind_field = (16, "e_type");
    match kind {
        ET_EXEC => {}
        ET_REL => return refuse(kind_field, 1, "the file is an object file", "link it"),
        ET_DYN => {
            let meaning = "the file is position-independent or a shared library";
            return refuse(kind_field, 3, meaning, STATIC);
        }
        _ => return refuse(kind_field, u64::from(kind.0), "the file is no executable", STATIC),
    }
    let machine = header.e_machine(LITTLE);
    if machine != EM_RISCV {
        return refuse((18, "e_machine"), u64::from(machine.0), "RISC-V is 0xf3", MARCH);
    }
    let flags = u64::from(header.e_flags(LITTLE).0);
    let flags_field = (48, "e_flags");
    if flags & 1 != 0 {
        return refuse(flags_field, flags, "the file has compressed code", MARCH);
    }
    if flags & 6 != 0 {
        return refuse(flags_field, flags, "the file passes floating point in registers", MARCH);
    }
    if flags != 0 {
        return refuse(flags_field, flags, "only 0 is RV64I with the ABI lp64", MARCH);
    }
    Ok(())
}

/// The loadable segments, each checked alone.
fn segments(entries: &[Entry], bytes: &[u8], limits: &Limits) -> Result<Vec<Segment>, LoadError> {
    let (mut memory, mut file) = (0u64, 0u64);
    let mut segments = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        match entry.p_type(LITTLE) {
            PT_INTERP => return Err(LoadError::Dynamic { index, kind: "PT_INTERP" }),
            PT_DYNAMIC => return Err(LoadError::Dynamic { index, kind: "PT_DYNAMIC" }),
            PT_LOAD => {}
            _ => continue,
        }
        memory = memory.saturating_add(entry.p_memsz(LITTLE));
        if memory > limits.memory {
            let limit = limits.memory;
            return Err(LoadError::MemoryTooLarge { index, bytes: memory, limit });
        }
        file = file.saturating_add(entry.p_filesz(LITTLE));
        if file > bytes.len() as u64 && entry.p_filesz(LITTLE) <= bytes.len() as u64 {
            return Err(LoadError::SharedFile { bytes: file, len: bytes.len() as u64 });
        }
        segments.extend(segment(index, entry, bytes)?);
    }
    Ok(segments)
}

/// One loadable segment; none if it is empty.
fn segment(index: usize, entry: &Entry, bytes: &[u8]) -> Result<Option<Segment>, LoadError> {
    let (address, size) = (entry.p_vaddr(LITTLE), entry.p_memsz(LITTLE));
    let (offset, file) = (entry.p_offset(LITTLE), entry.p_filesz(LITTLE));
    let refused = |problem| LoadError::Segment { index, address, problem };
    if file > size {
        return Err(refused(SegmentProblem::FileExceedsMemory { memory: size, file }));
    }
    if size == 0 {
        return Ok(None);
    }
    if address.checked_add(size - 1).is_none() {
        return Err(refused(SegmentProblem::Wraps { size }));
    }
    let flags = entry.p_flags(LITTLE);
    let has = |flag| flags & flag == flag;
    if has(PF_W) && has(PF_X) {
        return Err(refused(SegmentProblem::WritableCode));
    }
    let end = offset.saturating_add(file);
    let content = (file > 0).then(|| {
        let range = usize::try_from(offset).ok()?..usize::try_from(end).ok()?;
        bytes.get(range)
    });
    let Some(content) = content.unwrap_or(Some(&[])) else {
        let what = format!("segment {index} at {address:#x}");
        return Err(LoadError::Truncated { what, end, len: bytes.len() as u64 });
    };
    Ok(Some(Segment {
        index,
        address,
        size,
        bytes: content.to_vec(),
        is_readable: has(PF_R),
        is_writable: has(PF_W),
        is_executable: has(PF_X),
    }))
}
