//! Emitted Rust and CUDA text of a hundred random programs (of a few in the quick tier),
//! compiled and run: cell by cell what the reference builder says, value by value what
//! systems say.

use std::collections::BTreeSet;

use traceloom_harness::batch::{Difference, Language, Sample, Tally, compare, differs, samples};
use traceloom_harness::generate::generate;
use traceloom_harness::naive;
use traceloom_harness::shrink::shrink;
use traceloom_harness::tier;

/// Programs in a batch of the full tier; as many as it takes to have every operation in
/// one.
const COUNT: usize = 110;
/// The same of the quick tier.
const QUICK_COUNT: usize = 12;
/// Weight above which a program is left to the soak: most of them are small, and the
/// compilers have to be done within a minute.
const MAX_WEIGHT: usize = 450;
/// Candidates that a failing test compiles to show a small program.
const SHRINK_BUDGET: usize = 60;

fn batch(count: usize) -> Vec<Sample> {
    let samples = samples((0..).map(generate), count, MAX_WEIGHT);
    assert_eq!(samples.len(), count);
    samples
}

/// The programs whose text this process compiles.
fn compiled_batch() -> Vec<Sample> {
    batch(tier::cases(QUICK_COUNT, COUNT))
}

/// Panics with the first difference and a small program that shows it.
#[track_caller]
fn require_none(samples: &[Sample], language: Language, differences: &[Difference]) {
    let Some(Difference { sample, message }) = differences.first() else { return };
    let Some(sample) = sample else { panic!("{language:?}: {message}") };
    let case = &samples[*sample].case;
    let small = shrink(case, SHRINK_BUDGET, |case| differs(case, language));
    panic!("{} differences, the first: {message}\n{small}", differences.len());
}

#[test]
fn cuda_text_of_random_programs_computes_rows_and_systems() {
    let samples = compiled_batch();
    let (tally, differences) = compare(&samples, Language::Cuda);
    println!("{tally:?}");
    require_none(&samples, Language::Cuda, &differences);
    let Tally { programs, typed_rows, full_rows, evaluators, .. } = tally;
    assert!(programs == samples.len() && evaluators > 2 * programs, "{tally:?}");
    assert!(typed_rows > 2 * programs && full_rows >= typed_rows, "{tally:?}");
    // Of a hundred programs some have more paths than plans number.
    assert!(full_rows > typed_rows || programs < COUNT, "{tally:?}");
}

#[test]
fn rust_text_of_random_programs_computes_rows_and_systems() {
    let samples = compiled_batch();
    let (tally, differences) = compare(&samples, Language::Rust);
    println!("{tally:?}");
    require_none(&samples, Language::Rust, &differences);
    let Tally { programs, narrow_rows, evaluators, executions, failures, .. } = tally;
    assert!(programs == samples.len() && evaluators > 2 * programs, "{tally:?}");
    assert!(narrow_rows > 2 * programs, "{tally:?}");
    assert!(executions > 5 * programs && failures > 5 * programs, "{tally:?}");
}

/// The small programs of a batch are not poor ones.
#[test]
fn a_batch_executes_everything() {
    let mut executed = BTreeSet::new();
    for sample in batch(COUNT) {
        let (_, naive) = naive::run(&sample.case).expect("samples run");
        executed.extend(naive.executed);
    }
    assert_eq!(executed.len(), 39, "{executed:?}");
}
