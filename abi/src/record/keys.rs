//! Distinct lists of words, numbered as they come.

use super::words::{Part, Stored, Words};
use crate::index::{Hash, Index};

/// Distinct lists of words of one length, and where each is.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    lists: Words,
    index: Index,
    /// Number of lists.
    len: usize,
    /// For the bytes of a list.
    raw: Vec<u8>,
}

impl Keys {
    /// No list, of so many words each.
    pub fn new(num_words: usize) -> Self {
        Self { lists: Words::new(num_words), index: Index::default(), len: 0, raw: Vec::new() }
    }

    /// Bytes of lists and index.
    pub fn num_bytes(&self) -> usize {
        self.lists.num_bytes() + self.index.allocation_size()
    }

    /// Number of words of a list.
    pub fn num_words(&self) -> usize {
        self.lists.num_words()
    }

    /// List number `list`.
    #[inline]
    pub fn get(&self, list: usize) -> Stored<'_> {
        self.lists.get(list)
    }

    /// The number of a list.
    pub fn find(&self, words: &[u64]) -> Option<usize> {
        let found = |key: &[u8]| self.index.find(key, |list| self.lists.raw(list) == key);
        self.lists.with_raw(words, found)?
    }

    /// Sets `raw` to the bytes of the list that `parts` are, and begins to look for it; `None`
    /// if it needs more bytes than lists have: see [`Self::widen`].
    #[inline]
    pub fn prepare<'p>(
        &self,
        parts: impl Iterator<Item = Part<'p>>,
        raw: &mut Vec<u8>,
    ) -> Option<Hash> {
        self.lists.write(parts, raw).then(|| self.index.prepare(raw))
    }

    /// Makes place for a list. What was prepared before has other bytes now.
    #[cold]
    pub fn widen(&mut self, words: &[u64]) {
        self.lists.widen(words);
        self.index.rebuild(self.len, |list| self.lists.raw(list));
    }

    /// The number of the list that was prepared, and whether it is new.
    ///
    /// # Panics
    /// If it is new and 2^32 - 1 are there: the executor limits them.
    #[inline]
    pub fn enter(&mut self, hash: Hash, raw: &[u8]) -> (usize, bool) {
        // Most lists are new. Storing one takes as long as its slot needs to come.
        self.lists.push_raw(raw);
        let is_raw = |list| self.lists.raw(list) == raw;
        match self.index.find_or_insert(hash, self.len, is_raw) {
            Some(list) => {
                self.lists.pop();
                (list, false)
            }
            None => {
                self.len += 1;
                (self.len - 1, true)
            }
        }
    }

    /// The number of the list that `parts` are, and whether it is new.
    ///
    /// # Panics
    /// If the number of words is wrong, or as [`Self::enter`].
    pub fn find_or_enter(&mut self, parts: &[Part<'_>]) -> (usize, bool) {
        assert_eq!(Part::total(parts), self.num_words(), "the executor checks lengths");
        let (mut raw, parts) = (std::mem::take(&mut self.raw), parts.iter().copied());
        let hash = self.prepare(parts.clone(), &mut raw).unwrap_or_else(|| {
            self.widen(&Part::words(parts.clone()).collect::<Vec<_>>());
            let hash = self.prepare(parts, &mut raw);
            hash.expect("positions are as wide as these words")
        });
        let entered = self.enter(hash, &raw);
        self.raw = raw;
        entered
    }
}
