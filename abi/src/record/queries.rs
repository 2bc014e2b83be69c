//! The queries of one function.

use super::keys::Keys;
use super::one_more;
use super::words::{Part, Stored, Words};
use crate::index::Hash;

/// The path of a query that has none yet. Paths are numbered below it.
const UNFINISHED: u32 = u32::MAX;

/// The queries of one function: an insertion-ordered map from inputs to what is
/// known of the query. A query is entered when it is first requested and
/// finished when its body has returned.
#[derive(Clone, Debug)]
pub struct QueryTable {
    inputs: Keys,
    outputs: Words,
    queries: Vec<Query>,
    /// By query, as far as there was any such rank.
    ranges: Vec<RankRange>,
    callee_ranks: Vec<u32>,
    /// For the bytes of outputs.
    raw: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Query {
    multiplicity: u64,
    path: u32,
    rank: u32,
}

/// Where the ranks of a query's callees are.
#[derive(Clone, Copy, Debug, Default)]
struct RankRange {
    first: usize,
    count: u32,
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
    pub outputs: &'a [Part<'a>],
}

impl QueryTable {
    pub(super) fn new(num_inputs: usize, num_outputs: usize) -> Self {
        Self {
            inputs: Keys::new(num_inputs),
            outputs: Words::new(num_outputs),
            queries: Vec::new(),
            ranges: Vec::new(),
            callee_ranks: Vec::new(),
            raw: Vec::new(),
        }
    }

    pub(super) fn num_bytes(&self) -> usize {
        self.inputs.num_bytes()
            + self.outputs.num_bytes()
            + size_of_val(&self.queries[..])
            + size_of_val(&self.ranges[..])
            + size_of_val(&self.callee_ranks[..])
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
        self.inputs.find(inputs)
    }

    /// Enters a query that [`Self::find`] does not find; multiplicity 0, unfinished.
    ///
    /// # Panics
    /// As [`Self::find_or_insert`].
    pub fn insert(&mut self, inputs: &[u64]) -> usize {
        self.find_or_insert(&[Part::Words(inputs)]).0
    }

    /// The query with these inputs, and whether it was entered just now, with
    /// multiplicity 0 and unfinished.
    ///
    /// # Panics
    /// If the number of inputs is wrong or 2^32 queries are there: the executor
    /// checks both before.
    pub fn find_or_insert(&mut self, inputs: &[Part<'_>]) -> (usize, bool) {
        let (query, is_new) = self.inputs.find_or_enter(inputs);
        if is_new {
            self.add_query();
        }
        (query, is_new)
    }

    /// Sets `raw` to the bytes of a query's inputs and begins to look for it; `None` if they
    /// need more bytes than inputs have: see [`Self::widen`].
    #[inline]
    pub(crate) fn prepare<'p>(
        &self,
        inputs: impl Iterator<Item = Part<'p>>,
        raw: &mut Vec<u8>,
    ) -> Option<Hash> {
        self.inputs.prepare(inputs, raw)
    }

    /// Makes place for inputs.
    #[cold]
    pub(crate) fn widen(&mut self, inputs: &[u64]) {
        self.inputs.widen(inputs);
    }

    /// The query that was prepared, as [`Self::find_or_insert`] gives it.
    ///
    /// # Panics
    /// As [`Self::find_or_insert`].
    #[inline]
    pub(crate) fn enter(&mut self, hash: Hash, raw: &[u8]) -> (usize, bool) {
        let (query, is_new) = self.inputs.enter(hash, raw);
        if is_new {
            self.add_query();
        }
        (query, is_new)
    }

    #[inline]
    fn add_query(&mut self) {
        self.outputs.push_zeros();
        self.queries.push(Query { multiplicity: 0, path: UNFINISHED, rank: 0 });
    }

    /// Records what the body of `query` reached.
    ///
    /// # Panics
    /// If the number of outputs is wrong: the executor checks it before.
    pub fn finish(&mut self, query: usize, finish: Finish<'_>) {
        let (mut raw, outputs) = (std::mem::take(&mut self.raw), finish.outputs.iter().copied());
        if !self.write_outputs(outputs.clone(), &mut raw) {
            assert_eq!(Part::total(finish.outputs), self.outputs.num_words(), "one per output");
            self.widen_outputs(&Part::words(outputs.clone()).collect::<Vec<_>>());
            self.write_outputs(outputs, &mut raw);
        }
        self.finish_raw(query, &raw, finish);
        self.raw = raw;
    }

    /// Sets `raw` to the bytes of a query's outputs; false if they need more bytes than
    /// outputs have: see [`Self::widen_outputs`].
    #[inline]
    pub(crate) fn write_outputs<'p>(
        &self,
        outputs: impl Iterator<Item = Part<'p>>,
        raw: &mut Vec<u8>,
    ) -> bool {
        self.outputs.write(outputs, raw)
    }

    /// Makes place for outputs.
    #[cold]
    pub(crate) fn widen_outputs(&mut self, outputs: &[u64]) {
        self.outputs.widen(outputs);
    }

    /// The same as [`Self::finish`], with the outputs as [`Self::write_outputs`] gives them.
    #[inline]
    pub(crate) fn finish_raw(&mut self, query: usize, outputs: &[u8], finish: Finish<'_>) {
        self.outputs.set_raw(query, outputs);
        let entry = &mut self.queries[query];
        entry.path = finish.path.min(UNFINISHED - 1);
        entry.rank = finish.rank;
        if finish.callee_ranks.is_empty() && self.ranges.len() <= query {
            return;
        }
        let (first, count) = (self.callee_ranks.len(), finish.callee_ranks.len() as u32);
        self.callee_ranks.extend_from_slice(finish.callee_ranks);
        if self.ranges.len() <= query {
            self.ranges.resize(query + 1, RankRange::default());
        }
        self.ranges[query] = RankRange { first, count };
    }

    /// Whether the body of `query` has returned.
    #[must_use]
    pub fn is_finished(&self, query: usize) -> bool {
        self.queries[query].path != UNFINISHED
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

    /// Path number of `query`, 0 until it is finished.
    #[must_use]
    pub fn path(&self, query: usize) -> u32 {
        match self.queries[query].path {
            UNFINISHED => 0,
            path => path,
        }
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
        let range = self.ranges.get(query).copied().unwrap_or_default();
        &self.callee_ranks[range.first..][..range.count as usize]
    }

    /// Input `i` of `query`.
    #[must_use]
    pub fn input(&self, query: usize, i: usize) -> u64 {
        self.inputs(query).word(i)
    }

    /// Output `i` of `query`.
    #[must_use]
    pub fn output(&self, query: usize, i: usize) -> u64 {
        self.outputs(query).word(i)
    }

    /// Copies the outputs of `query`.
    pub fn copy_outputs(&self, query: usize, out: &mut [u64]) {
        self.outputs(query).copy_to(out);
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
        self.inputs(query).pack::<WIDTH>(first, out)
    }

    /// The same for outputs.
    #[inline(always)]
    pub fn pack_outputs<const WIDTH: usize>(
        &self,
        query: usize,
        first: usize,
        out: &mut [u8],
    ) -> u64 {
        self.outputs(query).pack::<WIDTH>(first, out)
    }

    /// All inputs of `query`.
    #[inline]
    #[must_use]
    pub fn inputs(&self, query: usize) -> Stored<'_> {
        self.inputs.get(query)
    }

    /// All outputs of `query`; zeros until it is finished.
    #[inline]
    #[must_use]
    pub fn outputs(&self, query: usize) -> Stored<'_> {
        self.outputs.get(query)
    }
}
