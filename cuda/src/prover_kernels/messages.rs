//! Stage 2 of one circuit: launches. The header of `cuda/kernels/messages.cuh` has the
//! formulas.

use traceloom_air::field::Goldilocks;
use traceloom_air::system::Circuit;
use traceloom_verifier::LookupChallenges;
use traceloom_verifier::layout::CircuitLayout;
use traceloom_verifier::scheme::Extension;

use super::evaluator::{
    BLOCK_ROWS, Evaluator, KIND_WORDS, RowPlaces, Rows, THREADS, WordsAt, check,
};
use super::tape::{Part, TapeError};
use super::transform::ColumnsAt;
use super::{Launch, ShapeError, Word};

/// Rows of a chunk: those of a block.
const CHUNK_ROWS: u64 = BLOCK_ROWS;
const SCAN_THREADS: u64 = 256;
/// Selectors of a row.
const SELECTORS: u64 = 2;
/// Groups of a block that adds what is in front of rows.
const GROUP_TILE: u64 = 32;

/// Stage 2 of a circuit with lookups.
#[derive(Clone, Debug)]
pub struct Messages {
    rows: Rows,
    num_groups: u64,
}

/// Where stage 2 reads and writes.
#[derive(Clone, Copy, Debug)]
pub struct MessagePlaces {
    /// What rows are evaluated from: columns on the trace domain, natural order, and
    /// [`Messages::parameters`].
    pub rows: RowPlaces,
    /// [`Messages::num_columns`] columns on the trace domain, natural order: coefficient k
    /// of group g is column `g · DEGREE + k`.
    pub to: ColumnsAt,
    /// [`Messages::sum_words`] words of scratch memory.
    pub sums: WordsAt,
    /// [`Messages::result_words`] words: the coefficients of the terminal, then the first
    /// row with a denominator of 0, all ones if there is none. With such a row nothing else
    /// has a meaning.
    pub result: WordsAt,
}

impl Messages {
    /// For a circuit with this layout, which has groups, and an extension of this degree.
    ///
    /// # Errors
    /// [`TapeError`].
    pub fn new(
        circuit: &Circuit,
        layout: &CircuitLayout,
        degree: usize,
    ) -> Result<Self, TapeError> {
        let rows = Rows::new(circuit, layout, Part::Lookups, degree)?;
        Ok(Self { rows, num_groups: layout.groups.len() as u64 })
    }

    /// How its rows are evaluated.
    #[must_use]
    pub fn evaluator(&self) -> &Evaluator {
        &self.rows.evaluator
    }

    /// Base columns.
    #[must_use]
    pub fn num_columns(&self) -> u64 {
        self.num_groups * self.rows.degree()
    }

    /// Words of [`Self::parameters`].
    #[must_use]
    pub fn parameter_words(&self) -> u64 {
        self.rows.parameter_words()
    }

    /// What a proof adds. `E` has the degree that this was made for.
    #[must_use]
    pub fn parameters<E: Extension>(
        &self,
        challenges: &LookupChallenges<E>,
        publics: &[Goldilocks],
        log_height: u32,
    ) -> Vec<u64> {
        self.rows.parameters(challenges, publics, [log_height; 2])
    }

    /// Words of sums of rows and chunks.
    #[must_use]
    pub fn sum_words(&self, log_height: u32) -> u64 {
        let height = 1_u64 << log_height;
        self.rows.degree() * (height + height.div_ceil(CHUNK_ROWS))
    }

    /// Words of a result.
    #[must_use]
    pub fn result_words(&self) -> u64 {
        self.rows.degree() + 1
    }

    /// Bytes that it moves at least for a circuit of `width` main and fixed columns.
    #[must_use]
    pub fn bytes(&self, width: u64, log_height: u32) -> u64 {
        (8 * (width + 3 * self.num_columns())) << log_height
    }

    /// Computes all columns and the terminal.
    ///
    /// # Errors
    /// [`ShapeError`].
    pub fn launches(
        &self,
        places: &MessagePlaces,
        log_height: u32,
    ) -> Result<Vec<Launch>, ShapeError> {
        check(log_height, &[&places.rows.main, &places.to])?;
        if let Some(fixed) = &places.rows.fixed {
            check(log_height, &[fixed])?;
        }
        let (degree, height) = (self.rows.degree(), 1_u64 << log_height);
        let num_chunks = height.div_ceil(CHUNK_ROWS);
        let sums = places.sums.part(0, degree * height);
        let chunks = places.sums.part(degree * height, degree * num_chunks);
        let to = places.to.column(0, height, self.num_columns());
        let zero_row = places.result.part(degree, 1);
        let launch = |kernel, blocks, threads: u64, words| Launch {
            kernel,
            blocks,
            threads: threads as u32,
            shared_bytes: (8 * degree * CHUNK_ROWS) as u32,
            words,
        };
        let mut launches = vec![launch("tl_messages_clear".into(), 1, 32, vec![zero_row])];
        let kernel = format!("tl_messages_fractions_{degree}");
        let blocks = self.rows.evaluator.blocks(height, places.rows.scratch_words)?;
        let mut words = self.rows.words(&places.rows, [height, blocks], log_height);
        words.extend([to, Word::Number(places.to.stride), sums, chunks]);
        let uses_selector = u64::from(self.rows.evaluator.reads_selectors());
        words.extend([Word::Number(num_chunks), zero_row, Word::Number(uses_selector)]);
        let fractions = launch(kernel, blocks, THREADS, words);
        let beside = 8 * (SELECTORS * CHUNK_ROWS + KIND_WORDS) as u32;
        launches.push(Launch { shared_bytes: fractions.shared_bytes + beside, ..fractions });
        let words = vec![chunks, Word::Number(num_chunks), places.result.part(0, degree)];
        launches.push(launch(format!("tl_messages_chunks_{degree}"), 1, SCAN_THREADS, words));
        let mut words = vec![to, Word::Number(places.to.stride), sums, chunks];
        words.extend([num_chunks, self.num_groups, height].map(Word::Number));
        let blocks = num_chunks * self.num_groups.div_ceil(GROUP_TILE);
        launches.push(launch(format!("tl_messages_add_{degree}"), blocks, SCAN_THREADS, words));
        Ok(launches)
    }
}
