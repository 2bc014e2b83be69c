//! Records of operations: what the rows of an op table are made from.
//!
//! An execution that fills op tables leaves one list per row program. A record is a few words
//! below 2^32 each; a field of 64 bits is two of them, the low one first. Unlike queries, records
//! are in row order already, nothing looks them up, and each of them is one row.

/// Records of operations, in row order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpRecords {
    num_words: usize,
    words: Vec<u32>,
}

impl OpRecords {
    /// An empty list of records of `num_words` words.
    ///
    /// # Panics
    /// If `num_words` is zero.
    #[must_use]
    pub fn new(num_words: usize) -> Self {
        assert!(num_words > 0, "records have words");
        Self { num_words, words: Vec::new() }
    }

    /// Number of words of a record.
    #[must_use]
    pub fn num_words(&self) -> usize {
        self.num_words
    }

    /// Number of records.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.len() / self.num_words
    }

    /// Whether there is no record.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Bytes of all words, without room for more.
    #[must_use]
    pub fn num_bytes(&self) -> usize {
        size_of_val(&self.words[..])
    }

    /// Appends a record; `put` appends its words to what it is given.
    ///
    /// # Panics
    /// If `put` appends another number of words than a record has.
    #[inline]
    pub fn push(&mut self, put: impl FnOnce(&mut Vec<u32>)) {
        let end = self.words.len() + self.num_words;
        put(&mut self.words);
        assert!(self.words.len() == end, "a record has {} words", self.num_words);
    }

    /// Writes record `record` again, as [`Self::push`] does.
    ///
    /// # Panics
    /// If there is no such record, or `put` appends another number of words than a record has.
    pub fn replace(&mut self, record: usize, put: impl FnOnce(&mut Vec<u32>)) {
        let mut words = Vec::with_capacity(self.num_words);
        put(&mut words);
        self.words[record * self.num_words..][..self.num_words].copy_from_slice(&words);
    }

    /// The words of record `record`.
    #[inline]
    #[must_use]
    pub fn words(&self, record: usize) -> &[u32] {
        &self.words[record * self.num_words..][..self.num_words]
    }

    /// Word `i` of record `record`.
    #[inline]
    #[must_use]
    pub fn input(&self, record: usize, i: usize) -> u64 {
        self.words(record)[i].into()
    }

    /// Stores words of `record` from `first` on, `WIDTH` bytes each, as many as fill `out`; the
    /// bits that do not fit.
    #[inline(always)]
    pub fn pack_inputs<const WIDTH: usize>(
        &self,
        record: usize,
        first: usize,
        out: &mut [u8],
    ) -> u64 {
        let (out, _) = out.as_chunks_mut::<WIDTH>();
        let mut over = 0;
        for (out, &word) in out.iter_mut().zip(&self.words(record)[first..]) {
            let word = u64::from(word);
            out.copy_from_slice(&word.to_le_bytes()[..WIDTH]);
            over |= word.checked_shr(8 * WIDTH as u32).unwrap_or(0);
        }
        over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_do_not_fit_are_reported() {
        let mut records = OpRecords::new(3);
        records.push(|words| words.extend([7, 255, 256]));
        records.push(|words| words.extend([1, 2, 3]));
        assert_eq!((records.len(), records.words(1)), (2, &[1, 2, 3][..]));
        let mut out = [9; 2];
        assert_eq!(records.pack_inputs::<1>(0, 0, &mut out), 0);
        assert_eq!(out, [7, 255]);
        assert_ne!(records.pack_inputs::<1>(0, 1, &mut out), 0);
        let mut wide = [0; 12];
        assert_eq!(records.pack_inputs::<4>(0, 0, &mut wide), 0);
        assert_eq!(wide, [7, 0, 0, 0, 255, 0, 0, 0, 0, 1, 0, 0]);
    }
}
