//! Emitted text of many programs, compiled together and run.
//!
//! Compilers are slow to start, so programs are compiled in batches: one build of
//! Rust and one of C++ for all of them. Each constrained function's packers and
//! writers, in every encoding, give the cells of the reference builder; each
//! circuit's evaluators give the values of its system; executors give the records and the
//! errors of the interpreter.
//!
//! - [`cuda`]: CUDA text as C++, in a process of its own;
//! - [`rust`]: Rust text as a crate of its own.

pub mod cuda;
pub mod rust;

use std::panic::{AssertUnwindSafe, catch_unwind};

use traceloom_abi::record::Record;
use traceloom_air::field::MODULUS;
use traceloom_air::system::System;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::lower::plan_program;
use traceloom_bytecode::system::build_system;
use traceloom_plan::{FunctionPlan, ProgramPlan};

use crate::case::Case;
use crate::properties::{execute, panic_text};

/// Rows of a random domain on which evaluators are compared.
const DOMAIN: usize = 4;

/// A case that runs, with all that its text is compared with.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The case.
    pub case: Case,
    program: CheckedProgram,
    plan: ProgramPlan,
    system: System,
    record: Record,
}

impl Sample {
    /// The sample of a case; `None` if it is invalid or does not run.
    #[must_use]
    pub fn new(case: &Case) -> Option<Self> {
        let program = CheckedProgram::new(case.program.clone()).ok()?;
        let record = execute(case, &program).ok()?.record;
        let (plan, system) = (plan_program(&program), build_system(&program));
        Some(Self { case: case.clone(), program, plan, system, record })
    }

    /// About how much text is made of it: cells that are written, over all paths.
    #[must_use]
    pub fn weight(&self) -> usize {
        let of = |function: &FunctionPlan| {
            let paths = function.paths.iter().map(|path| path.writes.len() + path.values.len());
            let blocks = function.generic.blocks.iter().map(|block| block.writes.len());
            paths.chain(blocks).sum::<usize>()
        };
        self.plan.functions.iter().map(of).sum()
    }

    /// The record with multiplicities at the end of the field: rows hold any.
    fn extreme_record(&self) -> Record {
        let mut record = self.record.clone();
        for table in &mut record.functions {
            for query in (0..table.len()).step_by(3) {
                if table.multiplicity(query) != 0 {
                    table.set_multiplicity(query, MODULUS - 1 - query as u64);
                }
            }
        }
        record
    }
}

/// The samples of the first `count` seeds whose text is not too much, in order.
#[must_use]
pub fn samples(cases: impl Iterator<Item = Case>, count: usize, max_weight: usize) -> Vec<Sample> {
    let samples = cases.filter_map(|case| Sample::new(&case));
    samples.filter(|sample| sample.weight() <= max_weight).take(count).collect()
}

/// Something that emitted text computes otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Position of the sample; `None` if it is not known which one is at fault.
    pub sample: Option<usize>,
    /// What differs.
    pub message: String,
}

/// What was compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Programs.
    pub programs: usize,
    /// Rows from typed seeds, in CUDA text.
    pub typed_rows: usize,
    /// Rows from full seeds, in CUDA text.
    pub full_rows: usize,
    /// Circuits whose evaluators were compared.
    pub evaluators: usize,
    /// Rows of the scalar provider whose typed seeds fit.
    pub narrow_rows: usize,
    /// Rows of the scalar provider whose seeds had to be widened.
    pub widened_rows: usize,
    /// Executions that executors ran to their end.
    pub executions: usize,
    /// Executions that fail, the same either way.
    pub failures: usize,
}

/// A language that text is emitted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// CUDA, compiled as C++.
    Cuda,
    /// Rust.
    Rust,
}

/// Compiles and runs the text of all samples; what was compared and all differences.
/// A panic, as of a compiler that refuses the text, is a difference too.
#[must_use]
pub fn compare(samples: &[Sample], language: Language) -> (Tally, Vec<Difference>) {
    let run = || match language {
        Language::Cuda => cuda::compare(samples),
        Language::Rust => rust::compare(samples),
    };
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let message = panic_text(&*panic);
        let sample = named(&message, samples.len());
        (Tally::default(), vec![Difference { sample, message }])
    })
}

/// The sample whose text a compiler names first: files and namespaces of sample 7 begin
/// with `p7`, its evaluators with `e7`, its checked packers with `k7`.
fn named(errors: &str, num_samples: usize) -> Option<usize> {
    let words = errors.split(|c: char| !c.is_ascii_alphanumeric());
    let numbers = words.filter_map(|word| word.strip_prefix(['p', 'e', 'k'])?.parse().ok());
    numbers.into_iter().find(|&number| number < num_samples)
}

/// Whether the text of one case differs in anything.
#[must_use]
pub fn differs(case: &Case, language: Language) -> bool {
    Sample::new(case).is_some_and(|sample| !compare(&[sample], language).1.is_empty())
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn compilers_name_a_sample() {
        let cpp =
            "In file included from main.cpp:399:\np27_f_f_a_h3950fde6d3c217c9.cuh:68:14: error";
        let rust = "error[E0282]: type annotations needed\n --> src/p12.rs:3:9";
        let evaluator = "main.cpp:4: error: in `e31_0_evaluate`";
        assert_eq!([cpp, rust, evaluator].map(|text| named(text, 110)), [27, 12, 31].map(Some));
        assert_eq!(named("p110_f: error; killed", 110), None);
    }
}
