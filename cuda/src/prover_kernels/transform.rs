//! Low-degree extension: launches, and tables that they read. The header of
//! `cuda/kernels/extend.cuh` has the formulas.

use std::ops::Range;

use traceloom_air::field::{Field, Goldilocks, PrimeCharacteristicRing, TwoAdicField, word};

use super::{Launch, ShapeError, Word};

/// Logarithm of the most rows that a column may have.
pub const MOST_LOG_HEIGHT: u32 = 24;

/// Logarithm of the rows that one block extends.
const LOG_ROW: u32 = 12;
/// Logarithm of the elements that a block of `columns.cuh` transforms.
const LOG_TILE: u32 = 13;
const THREADS: u32 = 256;
const COLUMN_THREADS: u32 = 256;
const FACTOR_THREADS: u64 = 256;

/// Generator of the coset that committed values lie on.
const SHIFT: Goldilocks = Goldilocks::new(7);

/// An extension of columns of one height, with what it reads beside the columns.
#[derive(Clone, Debug)]
pub struct Extension {
    log_height: u32,
    /// Shifts of the cosets of `2^log_height` points that an extended column consists of.
    shifts: Vec<Goldilocks>,
    tables: Vec<u64>,
    /// Words of `tables` at which its parts begin.
    inverse_row: u64,
    forward_row: u64,
    inverse_column: u64,
    forward_column: u64,
    powers: u64,
}

/// Columns of one height in a buffer.
#[derive(Clone, Copy, Debug)]
pub struct ColumnsAt {
    /// Position among the buffers of a launch.
    pub buffer: usize,
    /// Word of the first cell.
    pub first: u64,
    /// Words from column to column.
    pub stride: u64,
}

impl ColumnsAt {
    pub(super) fn column(&self, column: u64, rows: u64, num_columns: u64) -> Word {
        let count = (num_columns - 1) * self.stride + rows;
        Word::words(self.buffer, self.first + column * self.stride, count)
    }
}

/// Where an extension reads and writes: positions among the buffers of its launches.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// Values on the subgroup, natural order. Not written to.
    pub from: ColumnsAt,
    /// Values on the coset, storage order.
    pub to: ColumnsAt,
    /// Buffer with [`Extension::tables`].
    pub tables: usize,
    /// Buffer of [`Extension::factor_words`] words, written by [`Extension::prepare`].
    pub factors: usize,
    /// Buffer of [`Extension::scratch_words`] words per column of a chunk.
    pub scratch: usize,
    /// Columns that go through all launches before the next ones do.
    pub chunk: u64,
}

impl Extension {
    /// Of columns of `2^log_height` rows to `2^(log_height + log_blowup)`.
    ///
    /// # Errors
    /// [`ShapeError`].
    pub fn new(log_height: u32, log_blowup: u32) -> Result<Self, ShapeError> {
        if !(1..=4).contains(&log_blowup) {
            return Err(ShapeError::Blowup { log_blowup });
        }
        check_height(log_height)?;
        let parts = 0..1_u64 << log_blowup;
        Self::to_cosets(log_height, parts.map(|part| coset(log_height, log_blowup, part)).collect())
    }

    /// Of columns of `2^log_height` rows to cosets of as many points: part q of an extended
    /// column has `shifts[q]`, row r of it is the value at `shifts[q] w^rev(r)`. Shifts are
    /// not 0.
    ///
    /// # Errors
    /// [`ShapeError`].
    pub fn to_cosets(log_height: u32, shifts: Vec<Goldilocks>) -> Result<Self, ShapeError> {
        check_height(log_height)?;
        let log_row = log_height.min(LOG_ROW);
        let log_column = log_height - log_row;
        let mut extension = Self {
            log_height,
            shifts,
            tables: Vec::new(),
            inverse_row: 0,
            forward_row: 0,
            inverse_column: 0,
            forward_column: 0,
            powers: 0,
        };
        extension.inverse_row = extension.append(step_tables(log_row, true));
        extension.forward_row = extension.append(step_tables(log_row, false));
        extension.inverse_column = extension.append(step_tables(log_column, true));
        extension.forward_column = extension.append(step_tables(log_column, false));
        if !extension.is_split() {
            extension.powers = extension.append(powers(log_height, &extension.shifts));
        }
        Ok(extension)
    }

    fn append(&mut self, words: Vec<u64>) -> u64 {
        let first = self.tables.len() as u64;
        self.tables.extend(words);
        first
    }

    /// What a buffer of tables has: less than 2^17 words, the same for any columns.
    #[must_use]
    pub fn tables(&self) -> &[u64] {
        &self.tables
    }

    /// Whether a column takes three launches.
    fn is_split(&self) -> bool {
        self.log_height > LOG_ROW
    }

    /// Rows of 2^12 words that a column has; 1 if it is shorter.
    fn num_rows(&self) -> u64 {
        1 << (self.log_height - self.log_height.min(LOG_ROW))
    }

    /// Rows of a column.
    #[must_use]
    pub fn height(&self) -> u64 {
        1 << self.log_height
    }

    /// Rows of an extended column.
    #[must_use]
    pub fn extended_height(&self) -> u64 {
        self.num_parts() << self.log_height
    }

    fn num_parts(&self) -> u64 {
        self.shifts.len() as u64
    }

    /// Words of factors: those of two columns and an extended one if columns have more than
    /// 2^12 rows, else 0.
    #[must_use]
    pub fn factor_words(&self) -> u64 {
        if self.is_split() { 2 * self.height() + self.extended_height() } else { 0 }
    }

    /// Words of scratch memory per column of a chunk.
    #[must_use]
    pub fn scratch_words(&self) -> u64 {
        if self.is_split() { self.extended_height() } else { 0 }
    }

    /// Bytes that extending `num_columns` columns moves at least in these launches.
    #[must_use]
    pub fn bytes(&self, num_columns: u64) -> u64 {
        let (n, extended) = (self.height(), self.extended_height());
        let words =
            if self.is_split() { 2 * n + n + extended + 2 * extended } else { n + extended };
        8 * words * num_columns
    }

    /// Elements times stages of all transforms: the unit of the issue floor.
    #[must_use]
    pub fn element_stages(&self, num_columns: u64) -> u64 {
        u64::from(self.log_height) * (self.height() + self.extended_height()) * num_columns
    }

    /// Writes the factors, once for any columns. Without any there is no launch.
    #[must_use]
    pub fn prepare(&self, places: &Places) -> Vec<Launch> {
        if !self.is_split() {
            return Vec::new();
        }
        let height = self.height();
        let root = Goldilocks::two_adic_generator(self.log_height as usize);
        let launch = |kernel: &str, first: u64, numbers: &[Goldilocks]| Launch {
            kernel: kernel.into(),
            blocks: height / FACTOR_THREADS,
            threads: FACTOR_THREADS as u32,
            shared_bytes: 0,
            words: [Word::words(places.factors, first, height), Word::Number(self.num_rows())]
                .into_iter()
                .chain(numbers.iter().map(|&number| Word::Number(word(number))))
                .collect(),
        };
        let mut launches = vec![
            launch("tl_extend_factors", 0, &[root.inverse()]),
            launch("tl_extend_factors", height, &[root]),
        ];
        launches.extend((0..).zip(&self.shifts).map(|(part, shift)| {
            let shift_of_row = shift.exp_u64(self.num_rows());
            let numbers = [*shift, shift_of_row, scale(self.log_height)];
            launch("tl_extend_powers", (2 + part) * height, &numbers)
        }));
        launches
    }

    /// Extends `num_columns` columns.
    ///
    /// # Errors
    /// [`ShapeError`].
    pub fn launches(&self, places: &Places, num_columns: u64) -> Result<Vec<Launch>, ShapeError> {
        self.launches_of(places, num_columns, 0..self.num_parts())
    }

    /// Extends `num_columns` columns to one coset alone: extended columns are as long as
    /// columns, and so are those of the scratch memory.
    ///
    /// # Errors
    /// [`ShapeError`].
    pub fn part_launches(
        &self,
        places: &Places,
        num_columns: u64,
        part: u64,
    ) -> Result<Vec<Launch>, ShapeError> {
        self.launches_of(places, num_columns, part..part + 1)
    }

    fn launches_of(
        &self,
        places: &Places,
        num_columns: u64,
        parts: Range<u64>,
    ) -> Result<Vec<Launch>, ShapeError> {
        let height = self.height();
        let extended = (parts.end - parts.start) * height;
        if num_columns == 0 || places.chunk == 0 {
            return Err(ShapeError::NoColumns { height });
        }
        for (height, at) in [(height, &places.from), (extended, &places.to)] {
            if at.stride < height {
                return Err(ShapeError::Stride { height, stride: at.stride });
            }
        }
        let mut launches = Vec::new();
        for column in (0..num_columns).step_by(places.chunk.min(num_columns) as usize) {
            let count = places.chunk.min(num_columns - column);
            if self.is_split() {
                launches.push(self.columns(places, column, count, None));
            }
            launches.push(self.rows(places, column, count, &parts));
            if self.is_split() {
                let num_parts = parts.end - parts.start;
                launches.push(self.columns(places, column, count, Some(num_parts)));
            }
        }
        match launches.iter().map(|launch| launch.blocks).max() {
            Some(blocks) if blocks > i32::MAX as u64 => {
                Err(ShapeError::Blocks { columns: num_columns, height, blocks })
            }
            _ => Ok(launches),
        }
    }

    fn table(&self, places: &Places, first: u64) -> Word {
        Word::words(places.tables, first, self.tables.len() as u64 - first)
    }

    /// The middle launch, or the only one. Coefficient rows lie at the begin of extended
    /// columns, which the last launch overwrites.
    fn rows(&self, places: &Places, column: u64, count: u64, parts: &Range<u64>) -> Launch {
        let log_row = self.log_height.min(LOG_ROW);
        let (height, num_parts) = (self.height(), parts.end - parts.start);
        let extended = num_parts * height;
        let first_power = parts.start * height;
        let scratch = ColumnsAt { buffer: places.scratch, first: 0, stride: extended };
        let (kernel, from, to, factors, powers) = if self.is_split() {
            let factors = Word::words(places.factors, 0, height);
            let powers = Word::words(places.factors, 2 * height + first_power, extended);
            let from = (places.to.column(column, height, count), places.to.stride);
            let to = (scratch.column(0, extended, count), extended);
            ("tl_extend_rows".into(), from, to, factors, powers)
        } else {
            let powers = self.table(places, self.powers + first_power);
            let from = (places.from.column(column, height, count), places.from.stride);
            let to = (places.to.column(column, extended, count), places.to.stride);
            (format!("tl_extend_{log_row}"), from, to, Word::Number(0), powers)
        };
        Launch {
            kernel,
            blocks: self.num_rows() * count,
            threads: (1_u32 << log_row.saturating_sub(3)).clamp(32, THREADS),
            shared_bytes: 16 << log_row,
            words: vec![
                from.0,
                to.0,
                self.table(places, self.inverse_row),
                self.table(places, self.forward_row),
                factors,
                powers,
                Word::Number(count),
                Word::Number(from.1),
                Word::Number(to.1),
                Word::Number(num_parts),
                Word::Number(self.num_rows()),
            ],
        }
    }

    /// The first launch of three, or with a number of parts the last.
    fn columns(&self, places: &Places, column: u64, count: u64, num_parts: Option<u64>) -> Launch {
        let log_column = self.log_height - LOG_ROW;
        let (height, parts) = (self.height(), num_parts.unwrap_or(1));
        let extended = parts * height;
        let tiles = height >> LOG_TILE;
        let scratch = ColumnsAt { buffer: places.scratch, first: 0, stride: extended };
        let is_inverse = num_parts.is_none();
        let (name, first) = if is_inverse {
            ("inverse", self.inverse_column)
        } else {
            ("forward", self.forward_column)
        };
        let (from, from_stride) = if is_inverse {
            (places.from.column(column, height, count), places.from.stride)
        } else {
            (scratch.column(0, extended, count), extended)
        };
        Launch {
            kernel: format!("tl_{name}_columns_{log_column}"),
            blocks: tiles * parts * count,
            threads: COLUMN_THREADS,
            shared_bytes: 8 << LOG_TILE,
            words: vec![
                from,
                places.to.column(column, extended, count),
                self.table(places, first),
                Word::words(places.factors, height, height),
                Word::Number(count),
                Word::Number(from_stride),
                Word::Number(places.to.stride),
                Word::Number(parts),
            ],
        }
    }
}

fn check_height(log_height: u32) -> Result<(), ShapeError> {
    if log_height > MOST_LOG_HEIGHT {
        let height = 1_u64.checked_shl(log_height).unwrap_or(u64::MAX);
        return Err(ShapeError::Height { height, most: MOST_LOG_HEIGHT });
    }
    Ok(())
}

fn reverse(number: u64, bits: u32) -> u64 {
    if bits == 0 { 0 } else { number.reverse_bits() >> (64 - bits) }
}

/// Stages of a step: `log_radix` of `steps.cuh`.
fn log_radix(log: u32, step: u32) -> u32 {
    match (log, step) {
        (0..3, _) => log,
        (12, _) => 4,
        (5, 0) => 2,
        (5, _) => 3,
        _ if log % 3 > step => 4,
        _ => 3,
    }
}

/// Tables of the steps of a transform of `2^log` elements, one behind the other.
fn step_tables(log: u32, is_inverse: bool) -> Vec<u64> {
    let (mut words, mut log_block, mut step) = (Vec::new(), log, 0);
    while log_block > 0 {
        let log_radix = log_radix(log, step);
        let root = Goldilocks::two_adic_generator(log_block as usize);
        let root = if is_inverse { root.inverse() } else { root };
        let log_stride = log_block - log_radix;
        let roots: Vec<Goldilocks> = root.powers().take(1 << log_block).collect();
        words.extend((0..1_u64 << log_block).map(|position| {
            let below = position & ((1 << log_stride) - 1);
            word(roots[(below * reverse(position >> log_stride, log_radix)) as usize])
        }));
        log_block = log_stride;
        step += 1;
    }
    words
}

/// `7 w_N^rev(part)`, which part `part` of an extended column is a coset of.
pub(super) fn coset(log_height: u32, log_blowup: u32, part: u64) -> Goldilocks {
    let root = Goldilocks::two_adic_generator((log_height + log_blowup) as usize);
    SHIFT * root.exp_u64(reverse(part, log_blowup))
}

fn scale(log_height: u32) -> Goldilocks {
    Goldilocks::from_u64(1 << log_height).inverse()
}

/// Per part and bit-reversed k: `s^k / n`, for columns that are one row.
fn powers(log_height: u32, shifts: &[Goldilocks]) -> Vec<u64> {
    let of_part = |shift: &Goldilocks| {
        let powers = shift.shifted_powers(scale(log_height));
        let powers: Vec<Goldilocks> = powers.take(1 << log_height).collect();
        (0..1 << log_height).map(move |at| word(powers[reverse(at, log_height) as usize]))
    };
    shifts.iter().flat_map(of_part).collect()
}
