//! What an executable can be asked, as words.
//!
//! Layout (owned here), read by `harness.hpp`:
//!
//! ```text
//! rows      1, width, stride, first, count, height, canary, launches; per launch
//!           kernel, first row, rows, three bases, seed words, seeds
//!           -> canary, cells, canary
//! evaluate  2, evaluator, height, main, fixed and public widths, constraints,
//!           lookups, arguments; main and fixed columns, publics, selector pairs
//!           -> per row constraints, multiplicities, arguments
//! fold      5, part, step, bit reversed, first, count, degree, powers; powers, shift;
//!           the job of the domain
//!           -> folded elements, multiplicities as in device_abi.h
//! bytes     3 -> per pair of bytes the results of BYTE_RESULTS helpers
//! field     4, pairs, elements -> per pair sum, difference, product, inverse of the
//!           first, and of first, second and first again by one inversion
//! ```

use traceloom_air::field::word;
use traceloom_air::trace::Trace;

/// Number of words in front of and behind the cells that nothing may write.
pub const CANARY: usize = 64;
/// What memory holds before anything is written.
pub const POISON: u64 = u64::MAX;
/// Number of results per pair of bytes.
pub const BYTE_RESULTS: usize = 15;
/// Number of results per pair of elements.
pub const FIELD_RESULTS: usize = 7;

/// One job.
#[derive(Clone, Debug)]
pub enum Job {
    /// Writes rows.
    Rows(RowsJob),
    /// Evaluates every row of a domain.
    Evaluate(EvaluateJob),
    /// Evaluates and folds rows of a domain by a kernel.
    Fold(FoldJob),
    /// All byte helpers on all pairs of bytes.
    Bytes,
    /// Field arithmetic on pairs of canonical words.
    Field(Vec<(u64, u64)>),
}

/// Rows of a circuit to write into a window.
#[derive(Clone, Debug)]
pub struct RowsJob {
    /// Number of columns.
    pub width: usize,
    /// Words from column to column.
    pub stride: usize,
    /// First row of the window.
    pub first: usize,
    /// Rows of the window.
    pub count: usize,
    /// Padded height.
    pub height: usize,
    /// What to launch, in order.
    pub launches: Vec<Launch>,
}

/// One launch.
#[derive(Clone, Debug)]
pub struct Launch {
    /// Position of the kernel in its sources.
    pub kernel: usize,
    /// Its first row in the circuit.
    pub first_row: usize,
    /// Number of rows.
    pub num_rows: usize,
    /// Selector column of the group, of the member; auxiliary column.
    pub bases: [usize; 3],
    /// Seeds, a multiple of eight bytes each.
    pub seeds: Vec<u8>,
}

/// A domain to evaluate.
#[derive(Clone, Debug)]
pub struct EvaluateJob {
    /// Position of the evaluator in its sources.
    pub evaluator: usize,
    /// Number of rows.
    pub height: usize,
    /// Main columns, column-major.
    pub main: Vec<u64>,
    /// Fixed columns, column-major.
    pub fixed: Vec<u64>,
    /// Public values.
    pub publics: Vec<u64>,
    /// First-row and transition selector of each row.
    pub selectors: Vec<[u64; 2]>,
    /// Number of constraints, lookups, arguments.
    pub outputs: [usize; 3],
}

/// Which kernel of an evaluator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FoldPart {
    /// Folds constraints.
    Constraints = 0,
    /// Computes messages.
    Lookups = 1,
}

/// Rows to evaluate and fold.
#[derive(Clone, Debug)]
pub struct FoldJob {
    /// Which kernel.
    pub part: FoldPart,
    /// The domain.
    pub domain: EvaluateJob,
    /// Rows of the domain per row of the trace.
    pub step: usize,
    /// Whether rows are in bit-reversed order.
    pub bit_reversed: bool,
    /// First row.
    pub first: usize,
    /// Number of rows.
    pub count: usize,
    /// Powers of the challenge, coefficient by coefficient.
    pub powers: Vec<u64>,
    /// Coefficients of the shift, as many as the extension has.
    pub shift: Vec<u64>,
}

impl Job {
    /// The words that ask for it.
    #[must_use]
    pub fn words(&self) -> Vec<u64> {
        let numbers = |numbers: &[usize]| numbers.iter().map(|&n| n as u64).collect::<Vec<_>>();
        match self {
            Self::Rows(job) => {
                let (cells, launches) = (CANARY, job.launches.len());
                let window = [job.width, job.stride, job.first, job.count, job.height];
                let mut words = vec![1];
                words.extend(numbers(&window));
                words.extend(numbers(&[cells, launches]));
                for launch in &job.launches {
                    let [a, b, c] = launch.bases;
                    words.extend(numbers(&[launch.kernel, launch.first_row, launch.num_rows]));
                    words.extend(numbers(&[a, b, c, launch.seeds.len() / 8]));
                    let (seeds, rest) = launch.seeds.as_chunks::<8>();
                    assert!(rest.is_empty(), "strides are multiples of eight");
                    words.extend(seeds.iter().map(|word| u64::from_le_bytes(*word)));
                }
                words
            }
            Self::Evaluate(job) => {
                let columns = |cells: &[u64]| cells.len() / job.height;
                let [constraints, lookups, arguments] = job.outputs;
                let mut words = vec![2];
                words.extend(numbers(&[job.evaluator, job.height, columns(&job.main)]));
                words.extend(numbers(&[columns(&job.fixed), job.publics.len()]));
                words.extend(numbers(&[constraints, lookups, arguments]));
                words.extend(job.main.iter().chain(&job.fixed).chain(&job.publics));
                words.extend(job.selectors.iter().flatten());
                words
            }
            Self::Fold(job) => {
                let degree = job.shift.len();
                let mut words = vec![5, job.part as u64];
                words.extend(numbers(&[job.step, job.bit_reversed.into(), job.first, job.count]));
                words.extend(numbers(&[degree, job.powers.len() / degree]));
                words.extend(job.powers.iter().chain(&job.shift));
                words.extend(Self::Evaluate(job.domain.clone()).words());
                words
            }
            Self::Bytes => vec![3],
            Self::Field(pairs) => {
                let mut words = vec![4, pairs.len() as u64];
                words.extend(pairs.iter().flat_map(|&(a, b)| [a, b]));
                words
            }
        }
    }

    /// Number of words that it answers with.
    #[must_use]
    pub fn output_len(&self) -> usize {
        match self {
            Self::Rows(job) => job.width * job.stride + 2 * CANARY,
            Self::Evaluate(job) => job.height * job.outputs.iter().sum::<usize>(),
            Self::Fold(FoldJob { part, domain, count, shift, .. }) => match part {
                FoldPart::Constraints => count * shift.len(),
                FoldPart::Lookups => domain.outputs[1] * count * (shift.len() + 1),
            },
            Self::Bytes => BYTE_RESULTS << 16,
            Self::Field(pairs) => FIELD_RESULTS * pairs.len(),
        }
    }
}

/// Windows of a circuit of `height` rows: first row, rows, words between columns that
/// nobody may touch. Whole, the first row, some rows, wrapping, wrapping by all rows
/// but one.
#[must_use]
pub fn windows(height: usize) -> Vec<(usize, usize, usize)> {
    let mut windows = vec![(0, height, 0), (0, 1, 3)];
    if height >= 4 {
        windows.push((1, height / 2, 1));
        windows.push((height - 1, 3, 0));
        windows.push((height / 2 + 1, height, 5));
    }
    windows
}

impl RowsJob {
    /// Compares an answer with the reference trace, cell by cell; everything around
    /// the window must be as it was.
    ///
    /// # Errors
    /// The first word that differs.
    pub fn compare(&self, output: &[u64], trace: &Trace) -> Result<(), String> {
        let (front, rest) = output.split_at(CANARY);
        let (cells, back) = rest.split_at(rest.len() - CANARY);
        if front.iter().chain(back).any(|&word| word != POISON) {
            return Err(format!("rows from {}: written outside of the window", self.first));
        }
        for (at, &found) in cells.iter().enumerate() {
            let (column, i) = (at / self.stride, at % self.stride);
            let row = (self.first + i) % self.height;
            let right = if i < self.count { word(trace.row(row)[column]) } else { POISON };
            if found != right {
                let window = self.first;
                return Err(format!(
                    "rows from {window}: column {column}, row {row} is {found}, not {right}"
                ));
            }
        }
        Ok(())
    }
}
