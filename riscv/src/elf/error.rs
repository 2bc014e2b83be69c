//! Why a file was refused.

/// Why an ELF file was refused. Each message says what is wrong, where, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The file is longer than the limit.
    #[error(
        "the file has {len} bytes, more than the limit of {limit}; strip it, or raise the limit"
    )]
    FileTooLarge {
        /// Its length.
        len: u64,
        /// The limit.
        limit: u64,
    },
    /// The file ends too early.
    #[error(
        "{what} takes bytes up to {end}, but the file ends at byte {len}: it is truncated; copy \
         or link it again"
    )]
    Truncated {
        /// What is cut.
        what: String,
        /// Where it would end.
        end: u64,
        /// Where the file ends.
        len: u64,
    },
    /// The magic is missing.
    #[error("byte 0: the file does not begin with 7f 45 4c 46, so it is no ELF file")]
    NotElf,
    /// A field of the header has a value for another machine.
    #[error("byte {offset}, {field} is {found:#x}: {meaning}; {remedy}")]
    Header {
        /// Where the field is.
        offset: u64,
        /// Its name in the ELF specification.
        field: &'static str,
        /// Its value.
        found: u64,
        /// What the value says.
        meaning: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// The table of program headers cannot be read.
    #[error("program headers at byte {offset}: {problem}; link the file again")]
    ProgramHeaders {
        /// Where the table should be.
        offset: u64,
        /// What is wrong with it.
        problem: String,
    },
    /// The file needs a dynamic linker.
    #[error(
        "program header {index} is {kind}: the file is dynamically linked; link with -static \
         -no-pie"
    )]
    Dynamic {
        /// Number of the program header.
        index: usize,
        /// Its type.
        kind: &'static str,
    },
    /// A loadable segment is refused.
    #[error("segment {index} at {address:#x}: {problem}")]
    Segment {
        /// Number of the program header.
        index: usize,
        /// The first address.
        address: u64,
        /// What is wrong.
        problem: SegmentProblem,
    },
    /// The segments use more bytes of the file than it has.
    #[error(
        "the segments take {bytes} bytes from a file of {len}: they share bytes of the file; link \
         it again without a script that does so"
    )]
    SharedFile {
        /// The sum of the file sizes of the segments.
        bytes: u64,
        /// The length of the file.
        len: u64,
    },
    /// The segments need more memory than the limit.
    #[error(
        "segments up to number {index} take {bytes} bytes of memory, more than the limit of \
         {limit}; make static arrays smaller, or raise the limit"
    )]
    MemoryTooLarge {
        /// Number of the program header that passes the limit.
        index: usize,
        /// The sum up to it.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// The entry is no multiple of four.
    #[error(
        "byte 24, e_entry is {entry:#x}, no multiple of 4; link without compressed code \
         (-march=rv64im) and with an aligned entry"
    )]
    EntryUnaligned {
        /// The entry.
        entry: u64,
    },
    /// The entry is not in executable bytes of the file.
    #[error(
        "byte 24, e_entry is {entry:#x}, but the file has code at {code}; name the entry with \
         ld's -e, and keep it in .text"
    )]
    EntryOutside {
        /// The entry.
        entry: u64,
        /// Where code is.
        code: String,
    },
}

/// What is wrong with a loadable segment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SegmentProblem {
    /// It has fewer bytes in memory than in the file.
    #[error("it has {memory} bytes in memory and {file} in the file; link the file again")]
    FileExceedsMemory {
        /// Bytes in memory.
        memory: u64,
        /// Bytes in the file.
        file: u64,
    },
    /// It ends beyond the last address.
    #[error("its {size} bytes end beyond address 2^64 - 1; link it at a lower address")]
    Wraps {
        /// Bytes in memory.
        size: u64,
    },
    /// It can be written and executed.
    #[error(
        "it is writable and executable, and code that changes cannot be proven; link without -N, \
         and keep data out of .text"
    )]
    WritableCode,
    /// It overlaps another one.
    #[error("it overlaps {other}, which ends at {last:#x}; link them apart")]
    Overlap {
        /// The other segment, or the stack.
        other: String,
        /// Its last address.
        last: u64,
    },
    /// It shares a page with a segment of other permissions.
    #[error(
        "it shares the page {page:#x} with {other}, which has other permissions; link with \
         -z max-page-size=4096 and without -n"
    )]
    SharedPage {
        /// The other segment, or the stack.
        other: String,
        /// The first address of the page.
        page: u64,
    },
}
