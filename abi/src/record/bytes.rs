//! Uses of the byte tables.

use crate::bytes::{ByteOp, ByteTable};

/// Multiplicities of one byte table: by operation, then by row, since an execution uses a
/// few operations on many rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByteCounts {
    table: ByteTable,
    counts: Vec<u64>,
}

impl ByteCounts {
    pub(crate) fn new(table: ByteTable) -> Self {
        Self { table, counts: vec![0; table.height() * table.ops().len()] }
    }

    pub(super) fn num_bytes(&self) -> usize {
        size_of_val(&self.counts[..])
    }

    /// Takes the counts out and leaves none, not even zeros.
    pub(crate) fn take(&mut self) -> Self {
        Self { table: self.table, counts: std::mem::take(&mut self.counts) }
    }

    /// The multiplicities as an array of its size, by operation.
    pub(crate) fn ops<const HEIGHT: usize, const OPS: usize>(
        &mut self,
    ) -> Option<&mut [[u64; HEIGHT]; OPS]> {
        self.counts.as_chunks_mut().0.try_into().ok()
    }

    /// Adds `count` uses of `op`, an operation of this table, on `a`, `b`.
    #[inline]
    pub fn add(&mut self, op: ByteOp, a: u8, b: u8, count: u64) {
        let row = self.table.row(a, b);
        self.counts[op.position() * self.table.height() + row] += count;
    }

    /// The multiplicity of `row` for the operation at `position` of its table.
    #[must_use]
    pub fn count(&self, row: usize, position: usize) -> u64 {
        self.counts[position * self.table.height() + row]
    }

    /// The multiplicities of `row`, one per operation.
    pub fn row(&self, row: usize) -> impl Iterator<Item = u64> {
        self.counts.iter().skip(row).step_by(self.table.height()).copied()
    }
}
