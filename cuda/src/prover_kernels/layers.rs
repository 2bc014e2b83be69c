//! Layers of FRI: launches. `cuda/kernels/layers.cuh` has the formulas.

use traceloom_air::field::{Field, Goldilocks, word};

use super::openings::{NUM_ROOTS, blocks, element_words};
use super::tree::plain_nodes;
use super::{Launch, Word};

const THREADS: u32 = 128;
const DIGEST_BYTES: u64 = 32;

/// A codeword as the rows of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerShape {
    /// Degree of the challenge field.
    pub degree: u64,
    /// Logarithm of the number of elements.
    pub log_size: u32,
    /// Logarithm of the elements of a row, 1 to 4, at most `log_size`.
    pub log_arity: u32,
}

impl LayerShape {
    /// Words of the codeword.
    #[must_use]
    pub fn words(&self) -> u64 {
        self.degree << self.log_size
    }

    /// Words of a row.
    #[must_use]
    pub fn row_words(&self) -> u64 {
        self.degree << self.log_arity
    }

    /// Logarithm of the number of rows.
    #[must_use]
    pub fn log_rows(&self) -> u32 {
        self.log_size - self.log_arity
    }

    /// Bytes of the digests of the tree, the root last.
    #[must_use]
    pub fn digest_bytes(&self) -> u64 {
        DIGEST_BYTES * ((2 << self.log_rows()) - 1)
    }

    /// Builds the tree over the codeword in buffer `from`, its digests in buffer `digests`.
    #[must_use]
    pub fn tree(&self, from: usize, digests: usize) -> Vec<Launch> {
        let rows = 1_u64 << self.log_rows();
        let leaves = Launch {
            kernel: "tl_layer_leaves".into(),
            blocks: blocks(rows),
            threads: THREADS,
            shared_bytes: 0,
            words: vec![
                Word::words(from, 0, self.words()),
                Word::Part { buffer: digests, offset: 0, bytes: DIGEST_BYTES * rows },
                Word::Number(self.row_words()),
                Word::Number(rows),
            ],
        };
        [leaves].into_iter().chain(plain_nodes(digests, self.log_rows())).collect()
    }

    /// Folds with `beta`; `joined` is a codeword of the folded size and its weight.
    #[must_use]
    pub fn fold(
        &self,
        beta: &[u64],
        joined: Option<(usize, &[u64])>,
        places: &FoldPlaces,
    ) -> Launch {
        let (degree, groups) = (self.degree, 1_u64 << self.log_rows());
        let folded = |buffer| Word::words(buffer, 0, degree * groups);
        let mut words = vec![
            Word::words(places.from, 0, self.words()),
            folded(places.to),
            joined.map_or(Word::Number(0), |(buffer, _)| folded(buffer)),
            Word::words(places.roots, NUM_ROOTS, NUM_ROOTS),
            Word::Number(groups),
            Word::Number(word(Goldilocks::new(2).inverse())),
        ];
        words.extend(element_words(beta));
        words.extend(element_words(joined.map_or(&[], |(_, weight)| weight)));
        Launch {
            kernel: format!("tl_fold_{degree}_{}", self.log_arity),
            blocks: blocks(groups),
            threads: THREADS,
            shared_bytes: 0,
            words,
        }
    }
}

/// Where a fold reads and writes: positions among the buffers of its launch.
#[derive(Clone, Copy, Debug)]
pub struct FoldPlaces {
    /// Buffer of the codeword.
    pub from: usize,
    /// Buffer of the folded one.
    pub to: usize,
    /// Buffer of [`super::openings::roots`].
    pub roots: usize,
}
