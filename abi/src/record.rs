//! What one execution of a claim leaves behind, enough to build every row.
//!
//! Words are stored in few bytes ([`Stored`] is how they are read), and nothing outside of
//! this module sees how they lie. Records of one execution are equal whoever filled them.

mod bytes;
mod keys;
mod memory;
mod queries;
#[cfg(test)]
mod tests;
mod words;

pub use bytes::ByteCounts;
pub use memory::MemoryTable;
pub use queries::{Finish, QueryTable};
pub use words::{Part, Stored};

use crate::bytes::{ByteOp, ByteTable};
use crate::field::MODULUS;
use crate::io::Io;
use crate::ops::OpRecords;

/// `multiplicity + 1` in the field.
#[must_use]
pub const fn one_more(multiplicity: u64) -> u64 {
    if multiplicity + 1 == MODULUS { 0 } else { multiplicity + 1 }
}

/// The rank of a query of which `rank` is known so far, above that of a callee inside of its
/// component whose call is constrained.
#[must_use]
pub const fn above(rank: u32, callee: u32) -> u32 {
    // A chain of calls is no longer than there are queries: at most 2^32 - 1.
    if rank > callee { rank } else { callee + 1 }
}

/// Everything that happened.
#[derive(Clone, Debug)]
pub struct Record {
    /// By function index.
    pub functions: Vec<QueryTable>,
    /// By position in the program's list of memory widths.
    pub memories: Vec<MemoryTable>,
    /// Uses of table bytes1 and bytes2.
    pub bytes: [ByteCounts; 2],
    /// Input and output, as it was at the end.
    pub io: Io,
    /// Records of operations, by row program of the op tables; none for programs of functions.
    pub ops: Vec<OpRecords>,
}

impl Record {
    /// An empty record for functions of `(inputs, outputs)` and memory widths.
    pub fn new(
        signatures: impl IntoIterator<Item = (usize, usize)>,
        widths: impl IntoIterator<Item = usize>,
        io: Io,
    ) -> Self {
        let functions = signatures.into_iter().map(|(i, o)| QueryTable::new(i, o)).collect();
        let memories = widths.into_iter().map(MemoryTable::new).collect();
        let bytes = ByteTable::ALL.map(ByteCounts::new);
        Self { functions, memories, bytes, io, ops: Vec::new() }
    }

    /// Bytes of all tables and of the words of io, without room for more.
    #[must_use]
    pub fn num_bytes(&self) -> u64 {
        let functions = self.functions.iter().map(QueryTable::num_bytes).sum::<usize>();
        let memories = self.memories.iter().map(MemoryTable::num_bytes).sum::<usize>();
        let bytes = self.bytes.iter().map(|counts| counts.num_bytes()).sum::<usize>();
        let ops = self.ops.iter().map(OpRecords::num_bytes).sum::<usize>();
        (functions + memories + bytes + ops) as u64 + 8 * self.io.total_words()
    }

    /// Uses of one byte table.
    #[must_use]
    pub fn byte_counts(&self, table: ByteTable) -> &ByteCounts {
        &self.bytes[table as usize]
    }

    /// Counts the checks of both limbs of `word`, 16 bits each.
    #[inline]
    pub fn count_limbs(&mut self, word: u32) {
        let [low_b, low_a, high_b, high_a] = word.to_le_bytes();
        self.count_byte_op(ByteOp::RangeCheck16, low_a, low_b);
        self.count_byte_op(ByteOp::RangeCheck16, high_a, high_b);
    }

    /// Counts one use of `op` on `a`, `b`.
    #[inline]
    pub fn count_byte_op(&mut self, op: ByteOp, a: u8, b: u8) {
        self.bytes[op.table() as usize].add(op, a, b, 1);
    }
}
