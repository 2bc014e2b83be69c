//! The write-once memory of one width.

use super::keys::Keys;
use super::one_more;
use super::words::{Part, Stored};

/// The write-once memory of one width: equal values, equal pointer. Pointers
/// count from zero.
#[derive(Clone, Debug)]
pub struct MemoryTable {
    values: Keys,
    multiplicities: Vec<u64>,
}

impl MemoryTable {
    pub(super) fn new(width: usize) -> Self {
        Self { values: Keys::new(width), multiplicities: Vec::new() }
    }

    pub(super) fn num_bytes(&self) -> usize {
        self.values.num_bytes() + size_of_val(&self.multiplicities[..])
    }

    /// Number of values per pointer.
    #[must_use]
    pub fn width(&self) -> usize {
        self.values.num_words()
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
        self.values.find(values)
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
        let (pointer, is_new) = self.values.find_or_enter(&[Part::Words(values)]);
        if is_new {
            self.multiplicities.push(0);
        }
        (pointer, is_new)
    }

    /// The values behind `pointer`, if it was stored.
    #[must_use]
    pub fn load(&self, pointer: u64) -> Option<Stored<'_>> {
        let pointer = usize::try_from(pointer).ok().filter(|&pointer| pointer < self.len())?;
        Some(self.values.get(pointer))
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
}
