//! What emitted seed packers are made of.
//!
//! A packer reads a record, never changes it, and stores words in fixed widths.
//! Storing returns the bits that did not fit; a packer collects them and says at
//! the end whether the row is narrow.

use crate::biguint;
use crate::record::{MemoryTable, QueryTable, Record};

/// The record lacks something that the bytecode requires. It is a record of another program,
/// or traceloom has a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("operation {op}: {problem}")]
pub struct PackError {
    /// Number of the operation in its function.
    pub op: u32,
    /// What is missing or disagrees.
    pub problem: Problem,
}

/// What is missing or disagrees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// No finished query of the callee has these inputs.
    #[error("the record has no such call")]
    NoCall,
    /// The values were never stored.
    #[error("the record has no such values in memory")]
    NotStored,
    /// Nothing is at the pointer.
    #[error("the record has no such pointer")]
    NoPointer,
    /// Io has no such key or words.
    #[error("the record has no such io")]
    NoIo,
    /// The integers or their quotient are not in memory.
    #[error("the record has no such integers")]
    NoInteger,
    /// Fewer ranks of callees than the path needs.
    #[error("the record has no such rank of a callee")]
    NoRank,
    /// No case of a match fits.
    #[error("no case of the match fits")]
    NoCase,
    /// The row's own output is not what the checker found.
    #[error("the record's output is not what the bytecode computes")]
    Disagrees,
}

/// Stores `word` in `WIDTH` bytes at `offset`. Returns the bits that do not fit.
#[inline(always)]
pub fn put<const WIDTH: usize>(seed: &mut [u8], offset: usize, word: u64) -> u64 {
    seed[offset..offset + WIDTH].copy_from_slice(&word.to_le_bytes()[..WIDTH]);
    word.checked_shr(8 * WIDTH as u32).unwrap_or(0)
}

/// Stores words one after the other in `WIDTH` bytes each. Returns the bits that do not fit.
#[inline(always)]
pub fn put_all<const WIDTH: usize>(words: &[u64], out: &mut [u8]) -> u64 {
    let (out, _) = out.as_chunks_mut::<WIDTH>();
    let mut over = 0;
    for (out, word) in out.iter_mut().zip(words) {
        out.copy_from_slice(&word.to_le_bytes()[..WIDTH]);
        over |= word.checked_shr(8 * WIDTH as u32).unwrap_or(0);
    }
    over
}

/// Packs one seed per query into `seeds`. Returns whether all rows are narrow.
///
/// # Errors
/// The first [`PackError`] of a row.
///
/// # Panics
/// If there is not one seed per query.
pub fn pack_rows<const STRIDE: usize>(
    record: &Record,
    queries: &[u32],
    seeds: &mut [u8],
    pack: impl Fn(&Record, usize, &mut [u8; STRIDE]) -> Result<u64, PackError>,
) -> Result<bool, PackError> {
    let (seeds, rest) = seeds.as_chunks_mut::<STRIDE>();
    assert!(rest.is_empty() && seeds.len() == queries.len(), "one seed per query");
    let mut over = 0;
    for (seed, &query) in seeds.iter_mut().zip(queries) {
        over |= pack(record, query as usize, seed)?;
    }
    Ok(over == 0)
}

/// The finished query of a callee.
///
/// # Errors
/// [`Problem::NoCall`].
#[inline]
pub fn find_call(table: &QueryTable, inputs: &[u64], op: u32) -> Result<usize, PackError> {
    let found = table.find(inputs).filter(|&query| table.is_finished(query));
    found.ok_or(PackError { op, problem: Problem::NoCall })
}

/// The pointer to stored values.
///
/// # Errors
/// [`Problem::NotStored`].
#[inline]
pub fn find_stored(memory: &MemoryTable, values: &[u64], op: u32) -> Result<u64, PackError> {
    let pointer = memory.find(values).map(|pointer| pointer as u64);
    pointer.ok_or(PackError { op, problem: Problem::NotStored })
}

/// The values behind a pointer, as many as the memory is wide.
///
/// # Errors
/// [`Problem::NoPointer`], also for a memory that is not so wide.
#[inline]
pub fn load<const N: usize>(
    memory: &MemoryTable,
    pointer: u64,
    op: u32,
) -> Result<[u64; N], PackError> {
    let values = memory.load(pointer).and_then(|values| values.words(0));
    values.ok_or(PackError { op, problem: Problem::NoPointer })
}

/// Index and length under an io key.
///
/// # Errors
/// [`Problem::NoIo`].
#[inline]
pub fn io_info(record: &Record, channel: u64, key: &[u64], op: u32) -> Result<[u64; 2], PackError> {
    let info = record.io.info(channel, key);
    info.map(|(index, len)| [index, len]).map_err(|_| PackError { op, problem: Problem::NoIo })
}

/// Words of an io channel.
///
/// # Errors
/// [`Problem::NoIo`].
#[inline]
pub fn io_words(
    record: &Record,
    channel: u64,
    index: u64,
    len: u64,
    op: u32,
) -> Result<&[u64], PackError> {
    record.io.read(channel, index, len).map_err(|_| PackError { op, problem: Problem::NoIo })
}

/// Pointers to quotient and remainder.
///
/// # Errors
/// [`Problem::NoInteger`].
#[inline]
pub fn div_rem(memory: &MemoryTable, a: u64, b: u64, op: u32) -> Result<[u64; 2], PackError> {
    let found = biguint::find_div_rem(memory, a, b);
    found.map_err(|_| PackError { op, problem: Problem::NoInteger })
}

/// Rank number `rank` of the ranked callees of `query`.
///
/// # Errors
/// [`Problem::NoRank`].
#[inline]
pub fn callee_rank(own: &QueryTable, query: usize, rank: usize, op: u32) -> Result<u64, PackError> {
    let rank = own.callee_ranks(query).get(rank).map(|&rank| rank.into());
    rank.ok_or(PackError { op, problem: Problem::NoRank })
}

/// Checks that the row's own output, as the record has it, is the word that was found elsewhere.
///
/// # Errors
/// [`Problem::Disagrees`].
#[inline]
pub fn agree(recorded: u64, found: u64, op: u32) -> Result<(), PackError> {
    match recorded == found {
        true => Ok(()),
        false => Err(PackError { op, problem: Problem::Disagrees }),
    }
}
