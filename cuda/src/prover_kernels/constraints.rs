//! The quotient of one circuit and its slices: launches. The header of
//! `cuda/kernels/constraints.cuh` has the formulas.

use traceloom_air::field::{Field, Goldilocks, PrimeCharacteristicRing, TwoAdicField, word};
use traceloom_air::system::Circuit;
use traceloom_verifier::LookupChallenges;
use traceloom_verifier::layout::CircuitLayout;
use traceloom_verifier::scheme::Extension;

use super::evaluator::{
    BLOCK_ROWS, Evaluator, KIND_WORDS, RowPlaces, Rows, THREADS, WordsAt, check, optional, push,
};
use super::tape::{Part, TapeError};
use super::transform::{self, ColumnsAt, Places, coset};
use super::{Launch, ShapeError, Word};

const SLICE_THREADS: u64 = 256;

/// Selectors of a row; sums take four words per coefficient.
const SELECTORS: u64 = 3;

/// The quotient of a circuit.
#[derive(Clone, Debug)]
pub struct Quotient {
    rows: Rows,
    num_constraints: u64,
    num_groups: u64,
    log_slices: u32,
}

/// Where a quotient is read from and written to.
#[derive(Clone, Copy, Debug)]
pub struct QuotientPlaces {
    /// What rows are evaluated from: columns on the committed domain, storage order, of which
    /// the first `num_slices · height` rows are read, and [`Quotient::parameters`].
    pub rows: RowPlaces,
    /// Columns of stage 2 on the committed domain; without lookups none.
    pub stage_two: Option<ColumnsAt>,
    /// [`Quotient::num_columns`] columns of the trace's height: values of the parts of the
    /// domain, for [`SliceTransform`].
    pub to: ColumnsAt,
}

/// What a proof adds to a circuit: see `docs/protocol.md`.
#[derive(Clone, Copy, Debug)]
pub struct QuotientParameters<'a, E> {
    /// beta and gamma.
    pub lookup: &'a LookupChallenges<E>,
    /// Of this circuit; zero without lookups.
    pub terminal: E,
    /// Folds constraints.
    pub alpha: E,
    /// Public values of this circuit.
    pub publics: &'a [Goldilocks],
}

impl Quotient {
    /// For a circuit with this layout, and an extension of this degree.
    ///
    /// # Errors
    /// [`TapeError`].
    pub fn new(
        circuit: &Circuit,
        layout: &CircuitLayout,
        degree: usize,
    ) -> Result<Self, TapeError> {
        Ok(Self {
            rows: Rows::new(circuit, layout, Part::All, degree)?,
            num_constraints: circuit.constraints.len() as u64,
            num_groups: layout.groups.len() as u64,
            log_slices: layout.num_slices.ilog2(),
        })
    }

    /// How its rows are evaluated.
    #[must_use]
    pub fn evaluator(&self) -> &Evaluator {
        &self.rows.evaluator
    }

    /// Logarithm of the number of slices.
    #[must_use]
    pub fn log_slices(&self) -> u32 {
        self.log_slices
    }

    /// Base columns: coefficient k of slice j is column `j · DEGREE + k`.
    #[must_use]
    pub fn num_columns(&self) -> u64 {
        self.rows.degree() << self.log_slices
    }

    fn num_folded(&self) -> u64 {
        self.num_constraints + self.num_groups + u64::from(self.num_groups > 0)
    }

    /// Words of [`Self::parameters`].
    #[must_use]
    pub fn parameter_words(&self) -> u64 {
        let elements = self.num_folded() + 1;
        self.rows.parameter_words() + elements * self.rows.degree() + (2 << self.log_slices)
    }

    /// What a proof adds. `E` has the degree that this was made for.
    #[must_use]
    pub fn parameters<E: Extension>(
        &self,
        of: &QuotientParameters<'_, E>,
        log_height: u32,
    ) -> Vec<u64> {
        let domain = [log_height, log_height + self.log_slices];
        let mut words = self.rows.parameters(of.lookup, of.publics, domain);
        let alphas = of.alpha.powers().take(self.num_folded() as usize);
        alphas.for_each(|power| push(&mut words, power));
        push(&mut words, of.terminal);
        let vanishing: Vec<Goldilocks> = (0..1 << self.log_slices)
            .map(|part| {
                let shift = coset(log_height, self.log_slices, part);
                shift.exp_power_of_2(log_height as usize) - Goldilocks::ONE
            })
            .collect();
        words.extend(vanishing.iter().map(|&value| word(value)));
        words.extend(vanishing.iter().map(|value| word(value.inverse())));
        words
    }

    /// Bytes that evaluating it moves at least for a circuit of `width` main and fixed columns.
    #[must_use]
    pub fn bytes(&self, width: u64, log_height: u32) -> u64 {
        let of_row = width + (self.num_groups + 1) * self.rows.degree();
        (8 * of_row) << (log_height + self.log_slices)
    }

    /// Computes the values on all parts of the domain.
    ///
    /// # Errors
    /// [`ShapeError`].
    pub fn launch(&self, places: &QuotientPlaces, log_height: u32) -> Result<Launch, ShapeError> {
        let log_size = log_height + self.log_slices;
        check(log_size, &[&places.rows.main])?;
        for columns in places.rows.fixed.iter().chain(&places.stage_two) {
            check(log_size, &[columns])?;
        }
        check(log_height, &[&places.to])?;
        let (degree, height, size) = (self.rows.degree(), 1 << log_height, 1_u64 << log_size);
        let first = self.rows.parameter_words();
        let parameter = |first, count| places.rows.parameters.part(first, count);
        let terminal = first + self.num_folded() * degree;
        let generator = Goldilocks::two_adic_generator(log_height as usize);
        let last_scale = (Goldilocks::from_u64(height) * generator).inverse();
        let stage_two = places.stage_two.filter(|_| self.num_groups > 0);
        let blocks = self.rows.evaluator.blocks(size, places.rows.scratch_words)?;
        let mut words = self.rows.words(&places.rows, [size, blocks], log_height);
        words.extend([
            stage_two.map_or(Word::Number(0), |at| at.column(0, size, self.num_groups * degree)),
            Word::Number(stage_two.map_or(0, |at| at.stride)),
            Word::Number(stage_two.map_or(0, |_| self.num_groups)),
            optional(terminal - first, |count| parameter(first, count)),
            Word::Number(self.num_constraints),
            parameter(terminal, degree),
            parameter(terminal + degree, 2 << self.log_slices),
            Word::Number(self.log_slices.into()),
            Word::Number(word(last_scale)),
            places.to.column(0, height, self.num_columns()),
            Word::Number(places.to.stride),
        ]);
        Ok(Launch {
            kernel: format!("tl_constraints_values_{degree}"),
            blocks,
            threads: THREADS as u32,
            shared_bytes: (8 * (KIND_WORDS + BLOCK_ROWS * (SELECTORS + 4 * degree))) as u32,
            words,
        })
    }
}

/// Makes slices of quotient values: the same for all circuits of a height and a number of
/// slices.
#[derive(Clone, Debug)]
pub struct SliceTransform {
    parts: transform::Extension,
    log_height: u32,
    log_slices: u32,
}

/// Where slices are made.
#[derive(Clone, Copy, Debug)]
pub struct SlicePlaces {
    /// The values that [`Quotient::launch`] wrote, and at last the slices: values on the
    /// trace domain in natural order, ready to be extended.
    pub columns: ColumnsAt,
    /// As many columns of scratch memory.
    pub scratch: ColumnsAt,
    /// [`SliceTransform::matrix`].
    pub matrix: WordsAt,
    /// Buffer with [`SliceTransform::tables`].
    pub tables: usize,
    /// Buffer of [`SliceTransform::factor_words`] words, written by
    /// [`SliceTransform::prepare`].
    pub factors: usize,
    /// Buffer of [`SliceTransform::scratch_words`] words per column of a chunk.
    pub transform_scratch: usize,
    /// Columns that go through all launches of a transform before the next ones do.
    pub chunk: u64,
}

impl SlicePlaces {
    fn transform(&self, part: u64, degree: u64) -> Places {
        let part = |at: ColumnsAt| ColumnsAt { first: at.first + part * degree * at.stride, ..at };
        Places {
            from: part(self.columns),
            to: part(self.scratch),
            tables: self.tables,
            factors: self.factors,
            scratch: self.transform_scratch,
            chunk: self.chunk,
        }
    }
}

impl SliceTransform {
    /// Of `2^log_slices` slices of `2^log_height` rows.
    ///
    /// # Errors
    /// [`ShapeError`].
    pub fn new(log_height: u32, log_slices: u32) -> Result<Self, ShapeError> {
        let shifts = (0..1 << log_slices).map(|part| coset(log_height, log_slices, part).inverse());
        let parts = transform::Extension::to_cosets(log_height, shifts.collect())?;
        Ok(Self { parts, log_height, log_slices })
    }

    /// Tables of its transforms.
    #[must_use]
    pub fn tables(&self) -> &[u64] {
        self.parts.tables()
    }

    /// Words of factors; 0 if columns have at most 2^12 rows.
    #[must_use]
    pub fn factor_words(&self) -> u64 {
        self.parts.factor_words()
    }

    /// Words of scratch memory per column of a chunk.
    #[must_use]
    pub fn scratch_words(&self) -> u64 {
        self.parts.scratch_words() >> self.log_slices
    }

    /// `matrix[j s + q]`: what slice j takes of part q. With t_q = 7^n w_s^rev(q), part q is
    /// `sum_j t_q^j Q_j`, so that is `7^(-n j) w_s^(-j rev(q)) / s`.
    #[must_use]
    pub fn matrix(&self) -> Vec<u64> {
        let num_slices = 1_u64 << self.log_slices;
        let scale = Goldilocks::from_u64(num_slices).inverse();
        let parts = (0..num_slices).map(|part| {
            let shift = coset(self.log_height, self.log_slices, part);
            shift.exp_power_of_2(self.log_height as usize).inverse()
        });
        let parts: Vec<Goldilocks> = parts.collect();
        let of_slice = |slice| parts.iter().map(move |part| word(part.exp_u64(slice) * scale));
        (0..num_slices).flat_map(of_slice).collect()
    }

    /// Writes the factors, once for any columns of this height.
    #[must_use]
    pub fn prepare(&self, places: &SlicePlaces) -> Vec<Launch> {
        self.parts.prepare(&places.transform(0, 1))
    }

    /// Makes the slices of a quotient in an extension of this degree.
    ///
    /// # Errors
    /// [`ShapeError`].
    pub fn launches(&self, places: &SlicePlaces, degree: u64) -> Result<Vec<Launch>, ShapeError> {
        let (height, num_slices) = (1_u64 << self.log_height, 1 << self.log_slices);
        let mut launches = Vec::new();
        for part in 0..num_slices {
            let of_part = places.transform(part, degree);
            launches.extend(self.parts.part_launches(&of_part, degree, part)?);
        }
        launches.push(Launch {
            kernel: "tl_constraints_slices".into(),
            blocks: height.div_ceil(SLICE_THREADS) * degree,
            threads: SLICE_THREADS as u32,
            shared_bytes: 0,
            words: vec![
                places.scratch.column(0, height, num_slices * degree),
                Word::Number(places.scratch.stride),
                places.columns.column(0, height, num_slices * degree),
                Word::Number(places.columns.stride),
                places.matrix.part(0, num_slices * num_slices),
                Word::Number(num_slices),
                Word::Number(degree),
                Word::Number(self.log_height.into()),
            ],
        });
        Ok(launches)
    }
}
