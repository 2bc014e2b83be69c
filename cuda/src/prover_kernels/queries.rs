//! Gathering of rows, grinding, and columns from rows: launches. `cuda/kernels/queries.cuh`
//! has the formulas.

use super::openings::blocks;
use super::{Launch, Word};

const THREADS: u32 = 128;
const TILE: u64 = 32;
const TILE_THREADS: u32 = 256;

/// Where one word of every gathered row lies: word `first + (row >> shift) * scale`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GatherColumn {
    /// Its word in row 0.
    pub first: u64,
    /// How much shorter its matrix is, as a power of two.
    pub shift: u64,
    /// Words from row to row.
    pub scale: u64,
}

/// Words to gather: these columns of these rows.
#[derive(Clone, Debug, Default)]
pub struct Gather {
    /// The rows, in any order and any number of times.
    pub rows: Vec<u64>,
    /// The columns.
    pub columns: Vec<GatherColumn>,
}

/// Where a [`Gather`] reads and writes: positions among the buffers of its launch.
#[derive(Clone, Copy, Debug)]
pub struct GatherPlaces {
    /// Buffer that is gathered from.
    pub base: usize,
    /// Its size in words.
    pub base_words: u64,
    /// Buffer with [`Gather::list`].
    pub list: usize,
    /// Buffer of [`Gather::words`], by row and column.
    pub to: usize,
}

impl Gather {
    /// Words of the result.
    #[must_use]
    pub fn words(&self) -> u64 {
        self.rows.len() as u64 * self.columns.len() as u64
    }

    /// What the buffer of the list has.
    #[must_use]
    pub fn list(&self) -> Vec<u64> {
        let columns = self.columns.iter().flat_map(|at| [at.first, at.shift, at.scale]);
        self.rows.iter().copied().chain(columns).collect()
    }

    /// Gathers.
    #[must_use]
    pub fn launch(&self, places: &GatherPlaces) -> Launch {
        let (rows, columns) = (self.rows.len() as u64, self.columns.len() as u64);
        Launch {
            kernel: "tl_gather".into(),
            blocks: blocks(self.words()),
            threads: THREADS,
            shared_bytes: 0,
            words: vec![
                Word::words(places.base, 0, places.base_words),
                Word::words(places.list, 0, rows),
                Word::words(places.list, rows, 3 * columns),
                Word::words(places.to, 0, self.words()),
                Word::Number(rows),
                Word::Number(columns),
            ],
        }
    }
}

/// Keeps the least candidate of `first..first + count` that passes `bits` bits, if it is less
/// than the word in buffer `found`.
#[must_use]
pub fn grind(state: &[u8; 32], bits: u32, first: u64, count: u64, found: usize) -> Launch {
    let (state, _) = state.as_chunks::<8>();
    let mut words = vec![Word::words(found, 0, 1)];
    words.extend(state.iter().map(|word| Word::Number(u64::from_le_bytes(*word))));
    let mask = (1_u64 << bits) - 1;
    words.extend([first, count, mask].map(Word::Number));
    Launch {
        kernel: "tl_grind".into(),
        blocks: blocks(count),
        threads: THREADS,
        shared_bytes: 0,
        words,
    }
}

/// Turns a row-major matrix in buffer `from` into columns in buffer `to`.
#[must_use]
pub fn transpose(width: u64, height: u64, from: usize, to: usize) -> Launch {
    Launch {
        kernel: "tl_transpose".into(),
        blocks: width.div_ceil(TILE) * height.div_ceil(TILE),
        threads: TILE_THREADS,
        shared_bytes: 8 * (TILE * (TILE + 1)) as u32,
        words: vec![
            Word::words(from, 0, width * height),
            Word::words(to, 0, width * height),
            Word::Number(width),
            Word::Number(height),
        ],
    }
}
