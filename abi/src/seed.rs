//! Seeds: what one row cannot compute, packed as words of fixed width.
//!
//! Layout (owned here)
//! - *Typed seed* of a (function, path): the words of a [`SeedSchema`], each in the
//!   width that its bounds allow. The multiplicity is full width at offset 0; then
//!   wide words first, so that every word is naturally aligned; the stride is
//!   padded with zero bytes to a multiple of 8. Numbers are little-endian.
//! - A seed of an op table has no multiplicity: each record is one row. None of its words is
//!   full width, so its stride is a multiple of 4.
//! - *Full seed* of a function: 8-byte words in the order of [`FullLayout`]:
//!   multiplicity, path number, own rank if the function is ranked, inputs, then
//!   the external reads of the path in order. The stride is the one of the longest
//!   path; words after the last one of a shorter path are zero.

use crate::field::{MODULUS, is_canonical};

/// What a seed word means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Meaning {
    /// The row's multiplicity.
    Multiplicity,
    /// The path number; in full seeds only.
    Path,
    /// The rank of the row's own query.
    Rank,
    /// An input of the function; in an op table, a word of the record.
    Input(u32),
    /// An external read of the path, numbered in order of execution. The rank of a
    /// callee follows the outputs of its call.
    Read(u32),
}

/// Width class of a seed word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Width {
    /// One byte.
    U8,
    /// Two bytes.
    U16,
    /// Four bytes.
    U32,
    /// Eight bytes, any canonical word.
    Full,
}

impl Width {
    /// All classes, narrow ones first.
    pub const ALL: [Self; 4] = [Self::U8, Self::U16, Self::U32, Self::Full];

    /// The narrowest class that holds every word below `bound`.
    #[must_use]
    pub const fn of_bound(bound: u64) -> Self {
        match bound {
            0..=0x100 => Self::U8,
            0x101..=0x1_0000 => Self::U16,
            0x1_0001..=0x1_0000_0000 => Self::U32,
            _ => Self::Full,
        }
    }

    /// Number of bytes.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::U16 => 2,
            Self::U32 => 4,
            Self::Full => 8,
        }
    }

    /// Exclusive upper bound of the words of this class.
    #[must_use]
    pub const fn bound(self) -> u64 {
        match self {
            Self::U8 => 1 << 8,
            Self::U16 => 1 << 16,
            Self::U32 => 1 << 32,
            Self::Full => MODULUS,
        }
    }

    /// Whether `word` is of this class.
    #[must_use]
    pub const fn holds(self, word: u64) -> bool {
        word < self.bound()
    }

    /// Name in tables and plans.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::Full => "full",
        }
    }
}

/// One word of a typed seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SeedWord {
    /// What it means.
    pub meaning: Meaning,
    /// Its width class.
    pub width: Width,
    /// First byte, a multiple of the width.
    pub offset: u32,
}

impl SeedWord {
    /// A word by its place, as registries list them.
    #[must_use]
    pub const fn at(offset: u32, width: Width, meaning: Meaning) -> Self {
        Self { meaning, width, offset }
    }

    /// The word in `seed`.
    ///
    /// # Panics
    /// If `seed` is shorter than the stride of the schema.
    #[must_use]
    pub fn read(self, seed: &[u8]) -> u64 {
        let mut bytes = [0; 8];
        let count = self.width.bytes();
        bytes[..count].copy_from_slice(&seed[self.offset as usize..][..count]);
        u64::from_le_bytes(bytes)
    }

    /// Puts `word` into `seed`. Returns whether the word fits the width class; a word that does
    /// not fit leaves the seed unchanged.
    ///
    /// # Panics
    /// If `seed` is shorter than the stride of the schema.
    pub fn write(self, seed: &mut [u8], word: u64) -> bool {
        if !self.width.holds(word) {
            return false;
        }
        let count = self.width.bytes();
        seed[self.offset as usize..][..count].copy_from_slice(&word.to_le_bytes()[..count]);
        true
    }
}

/// The typed seed of one (function, path). `W` is `Vec<SeedWord>` in plans and a
/// static slice in generated registries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeedSchema<W = &'static [SeedWord]> {
    /// The words, by offset.
    pub words: W,
    /// Bytes per row, a multiple of 8, or of 4 if no word is full width.
    pub stride: u32,
}

/// A schema that owns its words.
pub type OwnedSchema = SeedSchema<Vec<SeedWord>>;

impl OwnedSchema {
    /// Lays out words in the given order of meanings: the multiplicity if there is one, then
    /// wide words before narrow ones, equal widths in the order given.
    ///
    /// # Panics
    /// If a multiplicity is not the first word, or not in full width.
    #[must_use]
    pub fn lay_out(order: &[(Meaning, Width)]) -> Self {
        let at = order.iter().position(|&(meaning, _)| meaning == Meaning::Multiplicity);
        let right = at.is_none_or(|at| at == 0 && order[0].1 == Width::Full);
        assert!(right, "the multiplicity is first and full");
        let mut words = Vec::with_capacity(order.len());
        let mut offset = 0;
        for width in Width::ALL.into_iter().rev() {
            for &(meaning, _) in order.iter().filter(|(_, of)| *of == width) {
                words.push(SeedWord { meaning, width, offset });
                offset += width.bytes() as u32;
            }
        }
        let mut schema = Self { words, stride: 0 };
        schema.stride = offset.next_multiple_of(schema.alignment());
        schema
    }
}

impl<W: AsRef<[SeedWord]>> SeedSchema<W> {
    /// What the stride is a multiple of: the size of the widest word, and at least 4, since
    /// devices read seeds in words of 32 bits.
    #[must_use]
    pub fn alignment(&self) -> u32 {
        let is_full = |word: &SeedWord| word.width == Width::Full;
        if self.words.as_ref().iter().any(is_full) { 8 } else { 4 }
    }

    /// The word with this meaning. Looks through all words: for many look-ups make
    /// [`Self::by_meaning`] once.
    #[must_use]
    pub fn word(&self, meaning: Meaning) -> Option<SeedWord> {
        self.words.as_ref().iter().copied().find(|word| word.meaning == meaning)
    }

    /// The words, to be looked up by meaning.
    #[must_use]
    pub fn by_meaning(&self) -> WordsByMeaning {
        let mut words = self.words.as_ref().to_vec();
        // Words of one width are in order already, so this is one merge.
        words.sort_by_key(|word| word.meaning);
        WordsByMeaning(words)
    }
}

/// The words of a [`SeedSchema`] in the order of their meanings.
#[derive(Clone, Debug)]
pub struct WordsByMeaning(Vec<SeedWord>);

impl WordsByMeaning {
    /// The word with this meaning.
    #[must_use]
    pub fn word(&self, meaning: Meaning) -> Option<SeedWord> {
        let first = self.0.partition_point(|word| word.meaning < meaning);
        self.0.get(first).copied().filter(|word| word.meaning == meaning)
    }
}

/// Order of the words of a full seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FullLayout {
    /// Whether the own rank is there.
    pub ranked: bool,
    /// Number of inputs.
    pub num_inputs: u32,
    /// External reads of the longest path.
    pub max_reads: u32,
}

impl FullLayout {
    /// Position of a word.
    #[must_use]
    pub const fn position(&self, meaning: Meaning) -> usize {
        let first_input = 2 + self.ranked as usize;
        match meaning {
            Meaning::Multiplicity => 0,
            Meaning::Path => 1,
            Meaning::Rank => 2,
            Meaning::Input(i) => first_input + i as usize,
            Meaning::Read(k) => first_input + self.num_inputs as usize + k as usize,
        }
    }

    /// Words per row.
    #[must_use]
    pub const fn num_words(&self) -> usize {
        self.position(Meaning::Read(self.max_reads))
    }

    /// Bytes per row.
    #[must_use]
    pub const fn stride(&self) -> usize {
        8 * self.num_words()
    }

    /// Turns one typed seed into a full one, word by word.
    ///
    /// # Panics
    /// If a slice is shorter than its stride.
    pub fn widen<W: AsRef<[SeedWord]>>(
        &self,
        schema: &SeedSchema<W>,
        path: u32,
        typed: &[u8],
        full: &mut [u8],
    ) {
        full[..self.stride()].fill(0);
        let mut put = |meaning, word: u64| {
            let position = self.position(meaning);
            full[8 * position..][..8].copy_from_slice(&word.to_le_bytes());
        };
        put(Meaning::Path, u64::from(path));
        for word in schema.words.as_ref() {
            put(word.meaning, word.read(typed));
        }
    }
}

/// Whether every word of a full seed is canonical.
#[must_use]
pub fn is_canonical_seed(full: &[u8]) -> bool {
    let (words, rest) = full.as_chunks::<8>();
    rest.is_empty() && words.iter().all(|word| is_canonical(u64::from_le_bytes(*word)))
}
