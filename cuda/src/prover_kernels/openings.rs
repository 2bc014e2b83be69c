//! Opened values and reduced openings: launches. `cuda/kernels/inverses.cuh`, `values.cuh` and
//! `reduction.cuh` have the formulas.
//!
//! Elements of the challenge field are `degree` words side by side, two or three.

use traceloom_air::field::{Field, Goldilocks, TwoAdicField, word};

use super::tree::MatrixAt;
use super::{Launch, Word};

/// Orders of roots that [`roots`] has: 2 to 2^32.
pub const NUM_ROOTS: u64 = 32;

const THREADS: u64 = 128;
const INVERSES_PER_THREAD: u64 = 4;
const VALUE_COLUMNS: u64 = 4;
/// Parts of a sum that a block adds up last.
const VALUE_PARTS: u64 = 4;
/// Rows of a chunk at least, and chunks at most.
const LEAST_CHUNK_ROWS: u64 = 16 * THREADS;
const MOST_CHUNKS: u64 = 128;

/// The generators of the subgroups of order 2, 4, …, 2^32, and behind them their inverses.
#[must_use]
pub fn roots() -> Vec<u64> {
    let roots = (1..=NUM_ROOTS as usize).map(Goldilocks::two_adic_generator);
    let inverses = roots.clone().map(|root| root.inverse());
    roots.chain(inverses).map(word).collect()
}

/// Words of an element as a kernel's parameter has them.
pub(super) fn element_words(element: &[u64]) -> impl Iterator<Item = Word> + use<'_> {
    (0..3).map(|index| Word::Number(element.get(index).copied().unwrap_or(0)))
}

pub(super) fn blocks(count: u64) -> u64 {
    count.div_ceil(THREADS)
}

/// Writes `1 / (point - x)` for the `2^log_size` points x of a committed domain, in storage
/// order, to buffer `to`; buffer `table` has [`roots`].
#[must_use]
pub fn inverses(point: &[u64], log_size: u32, to: usize, table: usize) -> Launch {
    let (degree, count) = (point.len() as u64, 1_u64 << log_size);
    let mut words = vec![
        Word::words(to, 0, degree * count),
        Word::words(table, 0, NUM_ROOTS),
        Word::Number(count),
        Word::Number(word(Goldilocks::new(7))),
    ];
    words.extend(element_words(point));
    Launch {
        kernel: format!("tl_inverses_{degree}"),
        blocks: blocks(count.div_ceil(INVERSES_PER_THREAD)),
        threads: THREADS as u32,
        shared_bytes: 0,
        words,
    }
}

/// Sums over the columns of a matrix from which the host has their values at a point.
#[derive(Clone, Copy, Debug)]
pub struct Values {
    /// The matrix; its height is that of the trace, so these are the first rows of what is
    /// committed.
    pub matrix: MatrixAt,
    /// Degree of the challenge field.
    pub degree: u64,
}

/// Where [`Values`] are read and written: positions among the buffers of the launches.
#[derive(Clone, Copy, Debug)]
pub struct ValuePlaces {
    /// Buffer of the matrix.
    pub matrix: usize,
    /// Buffer of [`inverses`] for the point.
    pub inverses: usize,
    /// Buffer of [`Values::partial_words`].
    pub partial: usize,
    /// Buffer of results.
    pub to: usize,
    /// Word of it where those of this matrix begin, [`Values::words`] of them.
    pub first: u64,
}

impl Values {
    /// Words of the result: per column the sum of `value / (point - x)`, an element, and the
    /// sum of values, a word.
    #[must_use]
    pub fn words(&self) -> u64 {
        self.matrix.width * (self.degree + 1)
    }

    fn chunk_rows(&self) -> u64 {
        LEAST_CHUNK_ROWS.max(self.matrix.height.div_ceil(MOST_CHUNKS))
    }

    fn num_chunks(&self) -> u64 {
        self.matrix.height.div_ceil(self.chunk_rows())
    }

    /// Words between the two launches.
    #[must_use]
    pub fn partial_words(&self) -> u64 {
        self.num_chunks() * self.words()
    }

    /// Computes them.
    #[must_use]
    pub fn launches(&self, places: &ValuePlaces) -> [Launch; 2] {
        let Self { matrix, degree } = *self;
        let sums = VALUE_COLUMNS * (degree + 1);
        let partial = Word::words(places.partial, 0, self.partial_words());
        let chunks = Launch {
            kernel: format!("tl_values_{degree}"),
            blocks: matrix.width.div_ceil(VALUE_COLUMNS) * self.num_chunks(),
            threads: THREADS as u32,
            shared_bytes: 8 * (THREADS * (sums | 1) + VALUE_PARTS * sums) as u32,
            words: vec![
                matrix.part(places.matrix),
                Word::words(places.inverses, 0, degree * matrix.height),
                partial,
                Word::Number(matrix.width),
                Word::Number(matrix.stride),
                Word::Number(matrix.height),
                Word::Number(self.num_chunks()),
                Word::Number(self.chunk_rows()),
            ],
        };
        let whole = Launch {
            kernel: "tl_value_sums".into(),
            blocks: blocks(self.words()),
            threads: THREADS as u32,
            shared_bytes: 0,
            words: vec![
                partial,
                Word::words(places.to, places.first, self.words()),
                Word::Number(self.words()),
                Word::Number(self.num_chunks()),
            ],
        };
        [chunks, whole]
    }
}

/// A point at which a matrix joins a codeword.
#[derive(Clone, Debug)]
pub struct ReducedPoint {
    /// Buffer of [`inverses`] for the point.
    pub inverses: usize,
    /// The power of alpha of its first column.
    pub weight: Vec<u64>,
    /// That times `sum_c alpha^c value_c`.
    pub value: Vec<u64>,
}

/// Points that a [`Reduction`] has at most: zeta, that of the next row, and one more.
pub const MOST_POINTS: usize = 3;

/// Adds a matrix, at one to [`MOST_POINTS`] points, to the codeword of its height.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The matrix, as it is committed.
    pub matrix: MatrixAt,
    /// Its points.
    pub points: Vec<ReducedPoint>,
    /// Whether the codeword has nothing yet: then it is written and not read.
    pub is_first: bool,
}

/// Where a [`Reduction`] reads and writes: positions among the buffers of its launch.
#[derive(Clone, Copy, Debug)]
pub struct ReductionPlaces {
    /// Buffer of the matrix.
    pub matrix: usize,
    /// Buffer of the powers of alpha, at least as many as columns.
    pub powers: usize,
    /// Buffer of the codeword.
    pub codeword: usize,
}

impl Reduction {
    /// Computes it.
    #[must_use]
    pub fn launch(&self, places: &ReductionPlaces) -> Launch {
        let matrix = self.matrix;
        let degree = self.points.first().map_or(0, |point| point.weight.len() as u64);
        let elements = |buffer, count| Word::words(buffer, 0, degree * count);
        let mut words = vec![
            elements(places.codeword, matrix.height),
            matrix.part(places.matrix),
            elements(places.powers, matrix.width),
            Word::Number(matrix.width),
            Word::Number(matrix.stride),
            Word::Number(matrix.height),
            Word::Number(self.is_first.into()),
        ];
        for index in 0..MOST_POINTS {
            let point = self.points.get(index);
            let inverses = point.map(|point| elements(point.inverses, matrix.height));
            words.push(inverses.unwrap_or(Word::Number(0)));
            let of = point.map_or((&[][..], &[][..]), |of| (&of.value, &of.weight));
            words.extend(element_words(of.0));
            words.extend(element_words(of.1));
        }
        Launch {
            kernel: format!("tl_reduction_{degree}"),
            blocks: blocks(matrix.height),
            threads: THREADS as u32,
            shared_bytes: 0,
            words,
        }
    }
}
