//! What one execution of a claim leaves behind, enough to build every row.
//!
//! Storage is behind methods: a query's words may one day be kept in the widths
//! of its function, so nothing outside this file sees how they lie.

use crate::bytes::{ByteOp, ByteTable};
use crate::field::MODULUS;
use crate::index::Index;
use crate::io::Io;
use crate::ops::OpRecords;
use crate::pack;

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
        let bytes = self.bytes.iter().map(|counts| size_of_val(&counts.counts[..])).sum::<usize>();
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

/// The queries of one function: an insertion-ordered map from inputs to what is
/// known of the query. A query is entered when it is first requested and
/// finished when its body has returned.
#[derive(Clone, Debug)]
pub struct QueryTable {
    num_inputs: usize,
    num_outputs: usize,
    inputs: Vec<u64>,
    outputs: Vec<u64>,
    queries: Vec<Query>,
    callee_ranks: Vec<u32>,
    index: Index,
}

#[derive(Clone, Copy, Debug)]
struct Query {
    multiplicity: u64,
    callee_ranks: usize,
    path: u32,
    rank: u32,
    num_callee_ranks: u32,
    finished: bool,
}

/// What the body of a query reached.
#[derive(Clone, Copy, Debug)]
pub struct Finish<'a> {
    /// Path number, 0 where the function has too many paths to number.
    pub path: u32,
    /// 1 + the largest rank of its callees in the same recursive component whose calls
    /// are constrained; 0 without any, and outside of recursive components.
    pub rank: u32,
    /// Ranks of the ranked constrained callees on the path, in order, without those of
    /// lone calls, which are one less than the own.
    pub callee_ranks: &'a [u32],
    /// As many words as the function has outputs.
    pub outputs: &'a [u64],
}

impl QueryTable {
    fn new(num_inputs: usize, num_outputs: usize) -> Self {
        Self {
            num_inputs,
            num_outputs,
            inputs: Vec::new(),
            outputs: Vec::new(),
            queries: Vec::new(),
            callee_ranks: Vec::new(),
            index: Index::default(),
        }
    }

    fn num_bytes(&self) -> usize {
        size_of_val(&self.inputs[..])
            + size_of_val(&self.outputs[..])
            + size_of_val(&self.queries[..])
            + size_of_val(&self.callee_ranks[..])
            + self.index.allocation_size()
    }

    /// Number of queries, those without multiplicity included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.queries.len()
    }

    /// Whether there is no query.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.queries.is_empty()
    }

    /// The query with these inputs.
    #[must_use]
    pub fn find(&self, inputs: &[u64]) -> Option<usize> {
        self.index.find(inputs, |query| self.key(query) == inputs)
    }

    /// Enters a query that [`Self::find`] does not find; multiplicity 0, unfinished.
    ///
    /// # Panics
    /// As [`Self::find_or_insert`].
    pub fn insert(&mut self, inputs: &[u64]) -> usize {
        self.find_or_insert(inputs).0
    }

    /// The query with these inputs, and whether it was entered just now, with
    /// multiplicity 0 and unfinished.
    ///
    /// # Panics
    /// If the number of inputs is wrong or 2^32 queries are there: the executor
    /// checks both before.
    pub fn find_or_insert(&mut self, inputs: &[u64]) -> (usize, bool) {
        assert_eq!(inputs.len(), self.num_inputs, "the executor checks arities");
        let (keys, size, count) = (&self.inputs, self.num_inputs, self.queries.len());
        let is_key = |query: usize| &keys[query * size..][..size] == inputs;
        if let Some(query) = self.index.find_or_insert(inputs, count, is_key) {
            return (query, false);
        }
        self.inputs.extend_from_slice(inputs);
        self.outputs.resize(self.outputs.len() + self.num_outputs, 0);
        self.queries.push(Query {
            multiplicity: 0,
            callee_ranks: 0,
            path: 0,
            rank: 0,
            num_callee_ranks: 0,
            finished: false,
        });
        (count, true)
    }

    /// Records what the body of `query` reached.
    pub fn finish(&mut self, query: usize, finish: Finish<'_>) {
        let start = query * self.num_outputs;
        self.outputs[start..start + self.num_outputs].copy_from_slice(finish.outputs);
        let entry = &mut self.queries[query];
        entry.path = finish.path;
        entry.rank = finish.rank;
        entry.callee_ranks = self.callee_ranks.len();
        entry.num_callee_ranks = finish.callee_ranks.len() as u32;
        entry.finished = true;
        self.callee_ranks.extend_from_slice(finish.callee_ranks);
    }

    /// Whether the body of `query` has returned.
    #[must_use]
    pub fn is_finished(&self, query: usize) -> bool {
        self.queries[query].finished
    }

    /// How often `query` was requested with constraints, a field element.
    #[must_use]
    pub fn multiplicity(&self, query: usize) -> u64 {
        self.queries[query].multiplicity
    }

    /// Sets the multiplicity of `query` to a canonical word.
    pub fn set_multiplicity(&mut self, query: usize, multiplicity: u64) {
        self.queries[query].multiplicity = multiplicity;
    }

    /// Adds 1 to the multiplicity of `query`.
    pub fn count(&mut self, query: usize) {
        let multiplicity = &mut self.queries[query].multiplicity;
        *multiplicity = one_more(*multiplicity);
    }

    /// Path number of `query`.
    #[must_use]
    pub fn path(&self, query: usize) -> u32 {
        self.queries[query].path
    }

    /// Rank of `query`, 0 outside of recursive components.
    #[must_use]
    pub fn rank(&self, query: usize) -> u32 {
        self.queries[query].rank
    }

    /// Ranks of the ranked constrained callees on the path of `query`, in order, without
    /// those of lone calls.
    #[must_use]
    pub fn callee_ranks(&self, query: usize) -> &[u32] {
        let entry = &self.queries[query];
        &self.callee_ranks[entry.callee_ranks..][..entry.num_callee_ranks as usize]
    }

    /// Input `i` of `query`.
    #[must_use]
    pub fn input(&self, query: usize, i: usize) -> u64 {
        self.key(query)[i]
    }

    /// Copies the inputs of `query`.
    pub fn copy_inputs(&self, query: usize, out: &mut [u64]) {
        out.copy_from_slice(self.key(query));
    }

    /// Output `i` of `query`.
    #[must_use]
    pub fn output(&self, query: usize, i: usize) -> u64 {
        self.outputs[query * self.num_outputs..][..self.num_outputs][i]
    }

    /// Copies the outputs of `query`.
    pub fn copy_outputs(&self, query: usize, out: &mut [u64]) {
        out.copy_from_slice(&self.outputs[query * self.num_outputs..][..self.num_outputs]);
    }

    /// Stores inputs of `query` from `first` on, `WIDTH` bytes each, as many as fill
    /// `out`; the bits that do not fit.
    #[inline(always)]
    pub fn pack_inputs<const WIDTH: usize>(
        &self,
        query: usize,
        first: usize,
        out: &mut [u8],
    ) -> u64 {
        pack::put_all::<WIDTH>(&self.key(query)[first..], out)
    }

    /// The same for outputs.
    #[inline(always)]
    pub fn pack_outputs<const WIDTH: usize>(
        &self,
        query: usize,
        first: usize,
        out: &mut [u8],
    ) -> u64 {
        let outputs = &self.outputs[query * self.num_outputs..][..self.num_outputs];
        pack::put_all::<WIDTH>(&outputs[first..], out)
    }

    /// All inputs of `query`.
    #[must_use]
    pub fn inputs(&self, query: usize) -> &[u64] {
        self.key(query)
    }

    /// All outputs of `query`; zeros until it is finished.
    #[must_use]
    pub fn outputs(&self, query: usize) -> &[u64] {
        &self.outputs[query * self.num_outputs..][..self.num_outputs]
    }

    fn key(&self, query: usize) -> &[u64] {
        &self.inputs[query * self.num_inputs..][..self.num_inputs]
    }
}

/// The write-once memory of one width: equal values, equal pointer. Pointers
/// count from zero.
#[derive(Clone, Debug)]
pub struct MemoryTable {
    width: usize,
    values: Vec<u64>,
    multiplicities: Vec<u64>,
    index: Index,
}

impl MemoryTable {
    fn new(width: usize) -> Self {
        Self { width, values: Vec::new(), multiplicities: Vec::new(), index: Index::default() }
    }

    fn num_bytes(&self) -> usize {
        size_of_val(&self.values[..])
            + size_of_val(&self.multiplicities[..])
            + self.index.allocation_size()
    }

    /// Number of values per pointer.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of pointers, those without multiplicity included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.multiplicities.len()
    }

    /// Whether nothing was stored.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.multiplicities.is_empty()
    }

    /// The pointer to `values`, if they were stored.
    #[must_use]
    pub fn find(&self, values: &[u64]) -> Option<usize> {
        self.index.find(values, |pointer| self.values(pointer) == values)
    }

    /// The pointer to `values`, stored if they are new.
    ///
    /// # Panics
    /// As [`Self::find_or_store`].
    pub fn store(&mut self, values: &[u64]) -> usize {
        self.find_or_store(values).0
    }

    /// The pointer to `values`, and whether they were stored just now.
    ///
    /// # Panics
    /// If the number of values is wrong or 2^32 pointers are there: the executor
    /// checks both before.
    pub fn find_or_store(&mut self, values: &[u64]) -> (usize, bool) {
        assert_eq!(values.len(), self.width, "the executor checks widths");
        let (all, width, count) = (&self.values, self.width, self.multiplicities.len());
        let is_stored = |pointer: usize| &all[pointer * width..][..width] == values;
        if let Some(pointer) = self.index.find_or_insert(values, count, is_stored) {
            return (pointer, false);
        }
        self.values.extend_from_slice(values);
        self.multiplicities.push(0);
        (count, true)
    }

    /// The values behind `pointer`, if it was stored.
    #[must_use]
    pub fn load(&self, pointer: u64) -> Option<&[u64]> {
        let pointer = usize::try_from(pointer).ok().filter(|&pointer| pointer < self.len())?;
        Some(self.values(pointer))
    }

    /// How often `pointer` was stored or loaded with constraints.
    #[must_use]
    pub fn multiplicity(&self, pointer: usize) -> u64 {
        self.multiplicities[pointer]
    }

    /// Sets the multiplicity of `pointer` to a canonical word.
    pub fn set_multiplicity(&mut self, pointer: usize, multiplicity: u64) {
        self.multiplicities[pointer] = multiplicity;
    }

    /// Adds 1 to the multiplicity of `pointer`.
    pub fn count(&mut self, pointer: usize) {
        let multiplicity = &mut self.multiplicities[pointer];
        *multiplicity = one_more(*multiplicity);
    }

    fn values(&self, pointer: usize) -> &[u64] {
        &self.values[pointer * self.width..][..self.width]
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_keep_insertion_order_and_their_finish() {
        let mut record = Record::new([(2, 1), (0, 0)], [3], Io::default());
        let table = &mut record.functions[0];
        assert_eq!(table.insert(&[5, 6]), 0);
        assert_eq!(table.insert(&[5, 7]), 1);
        assert!(!table.is_finished(0));
        let finish = Finish { path: 3, rank: 9, callee_ranks: &[7, 8], outputs: &[11] };
        table.finish(1, finish);
        table.finish(0, Finish { path: 0, rank: 10, callee_ranks: &[], outputs: &[12] });
        assert_eq!(table.find(&[5, 7]), Some(1));
        assert_eq!(table.find(&[7, 5]), None);
        assert_eq!((table.output(0, 0), table.output(1, 0)), (12, 11));
        assert_eq!(table.callee_ranks(1), [7, 8]);
        assert!(table.callee_ranks(0).is_empty());
        // A function without inputs has at most one query.
        let empty = &mut record.functions[1];
        assert_eq!(empty.find(&[]), None);
        assert_eq!(empty.insert(&[]), 0);
        assert_eq!(empty.find(&[]), Some(0));
    }

    #[test]
    fn memory_is_content_addressed() {
        let mut record = Record::new([], [2], Io::default());
        let memory = &mut record.memories[0];
        assert_eq!(memory.store(&[1, 2]), 0);
        assert_eq!(memory.store(&[2, 1]), 1);
        assert_eq!(memory.store(&[1, 2]), 0);
        assert_eq!(memory.load(1), Some(&[2, 1][..]));
        assert_eq!(memory.load(2), None);
        assert_eq!(memory.load(u64::MAX), None);
    }
}
