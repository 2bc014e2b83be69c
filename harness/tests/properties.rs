//! The quick tier: random programs with fixed seeds.

use traceloom_harness::case::Case;
use traceloom_harness::generate::generate;
use traceloom_harness::properties::{Effort, Tally, Verdict, differs_alike, examine};
use traceloom_harness::shrink::shrink;

/// Candidates that a failing test tries to show a small program.
const SHRINK_BUDGET: usize = 500;

/// Examines the cases of `seeds`; how many held, how many were rejected, and sums.
#[track_caller]
fn examine_all(seeds: impl Iterator<Item = u64>, effort: Effort) -> (usize, usize, Tally) {
    let (mut held, mut rejected, mut sum) = (0, 0, Tally::default());
    for seed in seeds {
        let case = generate(seed);
        match examine(&case, effort) {
            Verdict::Holds(tally) => {
                held += 1;
                sum += tally;
            }
            Verdict::Rejected => rejected += 1,
            Verdict::Differs(difference) => {
                let fails = |case: &Case| differs_alike(case, effort, &difference);
                let small = shrink(&case, SHRINK_BUDGET, fails);
                panic!("{}: {}\n{small}", difference.property, difference.message);
            }
        }
    }
    (held, rejected, sum)
}

#[test]
fn random_programs_have_every_property() {
    let effort = Effort { edits: 60, forgeries: 6, ..Effort::default() };
    let (held, rejected, sum) = examine_all(0..300, effort);
    println!("{held} held, {rejected} rejected, {sum:?}");
    assert!(held >= 200, "{rejected} of 300 programs were rejected");
    assert!(sum.rows > 1_000 && sum.edits > 5_000 && sum.forgeries > 500, "{sum:?}");
}

#[test]
fn text_of_random_programs_is_emitted() {
    let effort = Effort { emit: true, ..Effort::default() };
    let (held, ..) = examine_all((0..300).step_by(25), effort);
    assert!(held > 5);
}

#[test]
fn proofs_of_random_programs_verify() {
    let effort = Effort { prove: true, ..Effort::default() };
    let (held, _, sum) = examine_all(1_000..1_006, effort);
    assert!(held > 2 && sum.proofs == held);
}

/// What a seed means must not change from one build to the next unnoticed.
#[test]
fn a_seed_gives_the_same_case_again() {
    for seed in 0..20 {
        assert_eq!(generate(seed), generate(seed));
    }
    assert_ne!(generate(1), generate(2));
}
