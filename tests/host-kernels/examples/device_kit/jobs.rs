//! `jobs.bin`: what the harness checks and measures, as little-endian words.
//!
//! Layout (owned here), read by `jobs.hpp`. Texts are a length and that many
//! bytes, padded to words.
//!
//! ```text
//! MAGIC, circuits; per circuit
//!   name, width, first selector, first auxiliary, padding kernel, detail,
//!   rows, cells row by row, 2 x (runs; per run
//!     kernel, first row, rows, selector of the member, words of seeds, seeds)
//! ```
//!
//! The two lists of runs are those of the typed and of the full encoding. A
//! circuit without rows has made-up seeds, for measuring only.

/// Changes whenever the layout does.
const MAGIC: u64 = 0x0001_7469_6b5f_6c74;

/// How closely a circuit is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Not at all.
    None = 0,
    /// Its kernels against the write-only loop.
    Brief = 1,
    /// All figures.
    Full = 2,
}

/// A circuit.
pub struct CircuitJob {
    /// Name in reports.
    pub name: String,
    /// Number of columns.
    pub width: usize,
    /// Selector column of the group.
    pub first_selector: usize,
    /// Column of auxiliary 0.
    pub first_auxiliary: usize,
    /// Position of the padding kernel.
    pub padding: u64,
    /// How closely it is measured.
    pub detail: Detail,
    /// Reference rows, padding left out.
    pub cells: Vec<u64>,
    /// Typed and full.
    pub encodings: [Vec<RunJob>; 2],
}

/// Rows of one kernel.
pub struct RunJob {
    /// Position of the kernel.
    pub kernel: u64,
    /// First row in the circuit.
    pub first_row: usize,
    /// Number of rows.
    pub num_rows: usize,
    /// Selector column of the member.
    pub first_member_selector: usize,
    /// Seeds, a multiple of eight bytes each.
    pub seeds: Vec<u8>,
}

/// A file of words.
#[derive(Default)]
pub struct Words(pub Vec<u64>);

impl Words {
    /// Adds numbers.
    pub fn numbers(&mut self, numbers: &[usize]) {
        self.0.extend(numbers.iter().map(|&number| number as u64));
    }

    /// Adds a text.
    pub fn text(&mut self, text: &str) {
        self.numbers(&[text.len()]);
        for chunk in text.as_bytes().chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.0.push(u64::from_le_bytes(word));
        }
    }

    /// The file, behind `head`.
    pub fn bytes(&self, head: [u64; 2]) -> Vec<u8> {
        head.iter().chain(&self.0).flat_map(|word| word.to_le_bytes()).collect()
    }
}

/// All circuits, encoded.
#[derive(Default)]
pub struct Jobs {
    words: Words,
    circuits: usize,
}

impl Jobs {
    /// Number of circuits.
    pub fn len(&self) -> usize {
        self.circuits
    }

    /// Adds a circuit.
    pub fn push(&mut self, job: &CircuitJob) {
        self.circuits += 1;
        let words = &mut self.words;
        words.text(&job.name);
        words.numbers(&[job.width, job.first_selector, job.first_auxiliary]);
        words.0.extend([job.padding, job.detail as u64]);
        words.numbers(&[job.cells.len() / job.width]);
        words.0.extend(&job.cells);
        for runs in &job.encodings {
            words.numbers(&[runs.len()]);
            for run in runs {
                words.0.push(run.kernel);
                words.numbers(&[run.first_row, run.num_rows, run.first_member_selector]);
                let (seeds, rest) = run.seeds.as_chunks::<8>();
                assert!(rest.is_empty(), "strides are multiples of eight");
                words.numbers(&[seeds.len()]);
                words.0.extend(seeds.iter().map(|word| u64::from_le_bytes(*word)));
            }
        }
    }

    /// The file.
    pub fn bytes(&self) -> Vec<u8> {
        self.words.bytes([MAGIC, self.circuits as u64])
    }
}
