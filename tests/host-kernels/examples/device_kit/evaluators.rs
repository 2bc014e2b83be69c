//! `evaluators.bin`: domains, and what the evaluators must make of them, as
//! little-endian words.
//!
//! Layout (owned here), read by `evaluators.cuh`; texts as in `jobs.rs`.
//!
//! ```text
//! MAGIC, circuits; per circuit, in the order of the table of evaluators
//!   program, name, constraints, lookups, height, main, fixed and public widths;
//!   main and fixed columns, publics, the two selector columns;
//!   folds; per fold
//!     PART, first, count, expected words, expected as in device_abi.h
//!   samples; per sample
//!     PART, height, rows, row numbers, expected words, expected row by row:
//!     elements, then multiplicities
//! PART  part, step, bit reversed, degree, words of powers, powers, shift
//! ```
//!
//! Samples are rows of a large domain that is measured. It consists of rows of the
//! small one: row r of it is row `tile_row(r)`.

use std::fmt::Write;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use traceloom_air::field::word;
use traceloom_air::system::Circuit;
use traceloom_codegen::cuda::TextFile;
use traceloom_codegen::evaluator::NamedCircuit;
use traceloom_codegen::evaluator::cuda::evaluators;
use traceloom_host_kernels::evaluation::{
    Domain, challenges, fold_jobs, fold_row, folded, interpret, next_row,
};
use traceloom_host_kernels::job::FoldPart;
use traceloom_plan::names::Ident;
use traceloom_plan::names::{constraints_kernel_name, lookups_kernel_name};

use crate::jobs::Words;

/// Changes whenever the layout does.
const MAGIC: u64 = 0x0001_6c76_656b_6c74;
/// Rows of a domain that is compared: two blocks of threads.
const HEIGHT: usize = 256;
/// Rows of a domain that is measured.
const MEASURED_HEIGHT: usize = 1 << 18;
/// Rows of it that are compared.
const SAMPLES: usize = 128;
/// Circuits that are measured.
const MEASURED: [&str; 2] = ["blake3_compress", "sha256_rounds"];

/// Evaluators with what they are run on.
#[derive(Default)]
pub struct Evaluators {
    /// Names of the two kernels of each circuit.
    kernels: Vec<[String; 2]>,
    words: Words,
}

impl Evaluators {
    /// Number of circuits.
    pub fn len(&self) -> usize {
        self.kernels.len()
    }

    /// Adds a circuit of the program called `unit`; its emitted files.
    pub fn push(&mut self, unit: &Ident, named: &NamedCircuit) -> Vec<TextFile> {
        let NamedCircuit { symbol, circuit } = named;
        let index = self.kernels.len();
        self.kernels
            .push([constraints_kernel_name(unit, symbol), lookups_kernel_name(unit, symbol)]);
        let domain = Domain::random(circuit, HEIGHT, index as u64);
        let job = domain.job(circuit, index);
        let words = &mut self.words;
        words.text(unit.as_str());
        words.text(&format!("{unit}/{symbol}"));
        words.numbers(&[circuit.constraints.len(), circuit.lookups.len(), HEIGHT]);
        words.numbers(&[circuit.width, circuit.preprocessed_width(), circuit.num_publics]);
        words.0.extend(job.main.iter().chain(&job.fixed).chain(&job.publics));
        for selector in 0..2 {
            words.0.extend(job.selectors.iter().map(|pair| pair[selector]));
        }
        let folds = fold_jobs(&job, circuit);
        words.numbers(&[folds.len()]);
        for fold in &folds {
            let expected = folded(circuit, &domain, fold);
            part(words, (fold.part, fold.step, fold.bit_reversed), &fold.powers, &fold.shift);
            words.numbers(&[fold.first, fold.count, expected.len()]);
            words.0.extend(expected);
        }
        if MEASURED.contains(&&*circuit.name) {
            self.samples(circuit, &domain);
        } else {
            words.numbers(&[0]);
        }
        evaluators(unit, named, &[])
    }

    /// Rows of the measured domain, in both orders, for both kernels.
    fn samples(&mut self, circuit: &Circuit, domain: &Domain) {
        let words = &mut self.words;
        let mut rng = ChaCha8Rng::seed_from_u64(MEASURED_HEIGHT as u64);
        let (step, degree) = (4, 2);
        // The first row, the last, and rows at all positions of warps and blocks between.
        let rows = (0..SAMPLES).map(|i| i * (MEASURED_HEIGHT - 1) / (SAMPLES - 1));
        let rows: Vec<usize> = rows.collect();
        words.numbers(&[4]);
        for kernel in [FoldPart::Constraints, FoldPart::Lookups] {
            let [powers, shift] = challenges(&mut rng, circuit, kernel, degree);
            for bit_reversed in [false, true] {
                let mut expected = Vec::new();
                for &row in &rows {
                    let next = next_row(MEASURED_HEIGHT, step, bit_reversed, row);
                    let pair = [row, next].map(tile_row);
                    let values = domain.with_rows(pair, |cells| interpret(circuit, cells));
                    let row = fold_row(circuit, values, kernel, &powers, &shift);
                    expected.extend(row.sums.into_iter().chain(row.multiplicities).map(word));
                }
                part(words, (kernel, step, bit_reversed), &powers, &shift);
                words.numbers(&[MEASURED_HEIGHT, rows.len()]);
                words.numbers(&rows);
                words.numbers(&[expected.len()]);
                words.0.extend(expected);
            }
        }
    }

    /// Plain C++, as the table of row kernels.
    pub fn table(&self) -> String {
        let mut text = String::from("#include \"device_abi.h\"\n#include \"jobs.hpp\"\n\n");
        text.push_str("extern \"C\" {\n");
        for name in self.kernels.iter().flatten() {
            let _ = writeln!(text, "void {name}(TlEvaluation evaluation);");
        }
        text.push_str("}\n\nconst std::vector<FoldKernels> &fold_kernels() {\n");
        text.push_str("  static const std::vector<FoldKernels> table = {\n");
        for [constraints, lookups] in &self.kernels {
            let _ = writeln!(text, "    {{{{\"{constraints}\", \"{lookups}\"}},");
            let _ = writeln!(
                text,
                "     {{(const void *)&{constraints}, (const void *)&{lookups}}}}},"
            );
        }
        text.push_str("  };\n  return table;\n}\n");
        text
    }

    /// The file.
    pub fn bytes(&self) -> Vec<u8> {
        self.words.bytes([MAGIC, self.kernels.len() as u64])
    }
}

/// The row of the small domain that row `row` of the measured one equals.
fn tile_row(row: usize) -> usize {
    let hash = (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash >> (64 - HEIGHT.ilog2())) as usize
}

fn part(
    words: &mut Words,
    (part, step, bit_reversed): (FoldPart, usize, bool),
    powers: &[u64],
    shift: &[u64],
) {
    words.numbers(&[part as usize, step, bit_reversed.into(), shift.len(), powers.len()]);
    words.0.extend(powers.iter().chain(shift));
}
