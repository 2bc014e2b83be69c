//! Verdicts over many simulated benchmarks with known truth. Seeds are fixed.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use statrs::distribution::{ContinuousCDF, Normal};
use traceloom_bench::compare::{Pair, Tested, Verdict, compare};

struct Simulated {
    pairs: usize,
    /// B takes this many times as long as A.
    ratio: f64,
    /// Relative standard deviation of a run.
    noise: f64,
    /// Change from the first run to the last, as a share.
    drift: f64,
}

impl Simulated {
    fn run(&self, random: &mut ChaCha8Rng) -> Vec<Pair> {
        let normal = Normal::new(0.0, self.noise).unwrap();
        let steps = (2 * self.pairs - 1) as f64;
        let mut position = 0.0;
        let mut run = |level: f64| {
            let noise = normal.inverse_cdf(random.random_range(1e-9..1.0 - 1e-9));
            let value = level * (1.0 + self.drift * position / steps) * noise.exp();
            position += 1.0;
            value
        };
        let mut pair = |number: usize| {
            let b_first = number % 2 == 1;
            let (first, second) = if b_first { (self.ratio, 1.0) } else { (1.0, self.ratio) };
            let (first, second) = (run(first), run(second));
            let (a, b) = if b_first { (second, first) } else { (first, second) };
            Pair { a, b, b_first }
        };
        (0..self.pairs).map(&mut pair).collect()
    }

    fn verdicts(&self, seed: u64, times: usize) -> Vec<Verdict> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        (0..times).map(|_| compare(&self.run(&mut random), 95.0).unwrap().verdict).collect()
    }
}

fn count(verdicts: &[Verdict], wanted: &[Verdict]) -> usize {
    verdicts.iter().filter(|verdict| wanted.contains(verdict)).count()
}

const DIFFERENT: [Verdict; 2] = [Verdict::AFaster, Verdict::BFaster];

#[test]
fn a_against_a_is_rarely_different() {
    let same = Simulated { pairs: 10, ratio: 1.0, noise: 0.01, drift: 0.0 };
    let verdicts = same.verdicts(2, 2000);
    let different = count(&verdicts, &DIFFERENT);
    // Both tests are made at 5 %; the Wilcoxon test of ten pairs has 4.9 % at most.
    assert!((20..=100).contains(&different), "{different} of 2000");
    let nothing = count(&verdicts, &[Verdict::NoDifference]);
    assert!(nothing >= 1800, "{nothing} of 2000");
}

#[test]
fn a_steady_drift_makes_no_difference() {
    let same = Simulated { pairs: 10, ratio: 1.0, noise: 0.01, drift: 0.1 };
    let different = count(&same.verdicts(3, 1000), &DIFFERENT);
    assert!(different <= 50, "{different} of 1000");
}

#[test]
fn five_percent_is_found_in_one_percent_of_noise() {
    let slower = Simulated { pairs: 10, ratio: 1.05, noise: 0.01, drift: 0.0 };
    let found = count(&slower.verdicts(4, 500), &[Verdict::AFaster]);
    assert!(found >= 499, "{found} of 500");
    let faster = Simulated { ratio: 1.0 / 1.05, ..slower };
    let found = count(&faster.verdicts(5, 500), &[Verdict::BFaster]);
    assert!(found >= 499, "{found} of 500");
}

#[test]
fn the_interval_covers_the_truth_as_often_as_it_says() {
    let slower = Simulated { pairs: 8, ratio: 1.02, noise: 0.03, drift: 0.0 };
    let mut random = ChaCha8Rng::seed_from_u64(6);
    let covered = (0..1000).filter(|_| {
        let t = compare(&slower.run(&mut random), 95.0).unwrap().t;
        (t.low..=t.high).contains(&1.02_f64.ln())
    });
    let covered = covered.count();
    // 950 are expected, with a standard deviation of 7.
    assert!((925..=975).contains(&covered), "{covered} of 1000");
}

#[test]
fn four_pairs_never_show_a_difference() {
    let slower = Simulated { pairs: 4, ratio: 2.0, noise: 0.01, drift: 0.0 };
    let verdicts = slower.verdicts(7, 50);
    assert_eq!(count(&verdicts, &[Verdict::TestsDisagree]), 50);
}

#[test]
fn one_wild_run_makes_the_tests_disagree() {
    let pair = |a: f64, b: f64| Pair { a, b, b_first: false };
    let mut pairs: Vec<Pair> = (0..12).map(|i| pair(1.0, 1.01 + f64::from(i) / 1000.0)).collect();
    pairs[3].a = 50.0;
    let result = compare(&pairs, 95.0).unwrap();
    // All but one pair favour A, and the mean of the logarithms favours nobody.
    assert!(result.wilcoxon.p <= 0.05 && result.t.low < 0.0 && result.t.high > 0.0);
    assert_eq!(result.verdict, Verdict::TestsDisagree);
}

#[test]
fn zeros_are_compared_by_difference() {
    let pair = |a: f64, b: f64| Pair { a, b, b_first: false };
    let ticks = compare(&[pair(0.0, 0.01), pair(0.01, 0.01)], 95.0).unwrap();
    assert_eq!((ticks.tested, ticks.wilcoxon.zeros), (Tested::Difference, 1));
    let nothing = compare(&[pair(0.0, 0.0), pair(0.0, 0.0)], 95.0).unwrap();
    assert_eq!(nothing.verdict, Verdict::NoDifference);
    assert_eq!((nothing.ratio_of_medians, nothing.a.jitter), (None, None));
    assert!(nothing.drift.is_none());
    for impossible in [f64::NAN, f64::INFINITY, -1.0] {
        assert!(compare(&[pair(1.0, 1.0), pair(1.0, impossible)], 95.0).is_none());
    }
    assert!(compare(&[pair(1.0, 1.0)], 95.0).is_none());
}

#[test]
fn inverse_ratios_tie() {
    let pair = |a: f64, b: f64| Pair { a, b, b_first: false };
    // In doubles, ln(3 / 2) and -ln(2 / 3) differ in their last bit.
    assert_ne!((3.0_f64 / 2.0).ln(), -(2.0_f64 / 3.0).ln());
    let pairs = [pair(2.0, 3.0), pair(3.0, 2.0), pair(4.0, 6.0), pair(1.0, 7.0)];
    let result = compare(&pairs, 95.0).unwrap();
    assert_eq!(result.tested, Tested::LogRatio);
    assert_eq!(result.wilcoxon.tied, 3);
}
