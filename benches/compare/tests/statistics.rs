//! The statistics against published tables and worked examples.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use traceloom_bench::stats::{drift, least_p, paired_t, quantile, signed_rank};

fn close(found: f64, published: f64, tolerance: f64) {
    assert!((found - published).abs() <= tolerance, "found {found}, published {published}");
}

/// NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, "Critical Values of the
/// Student's t Distribution". Its columns 0.95, 0.975 and 0.995 are of one side: here they
/// are two-sided confidences of 90, 95 and 99 %.
#[test]
fn quantiles_of_t_are_those_of_the_table() {
    let table = [
        (1, 6.314, 12.706, 63.657),
        (2, 2.920, 4.303, 9.925),
        (3, 2.353, 3.182, 5.841),
        (4, 2.132, 2.776, 4.604),
        (5, 2.015, 2.571, 4.032),
        (7, 1.895, 2.365, 3.499),
        (9, 1.833, 2.262, 3.250),
        (10, 1.812, 2.228, 3.169),
        (13, 1.771, 2.160, 3.012),
        (19, 1.729, 2.093, 2.861),
        (29, 1.699, 2.045, 2.756),
        (60, 1.671, 2.000, 2.660),
        (100, 1.660, 1.984, 2.626),
    ];
    for (degrees, ninety, ninety_five, ninety_nine) in table {
        for (confidence, published) in [(0.9, ninety), (0.95, ninety_five), (0.99, ninety_nine)] {
            close(quantile(confidence, degrees).unwrap(), published, 0.000_501);
        }
    }
    assert_eq!(quantile(0.95, 0), None);
    assert_eq!(quantile(1.0, 5), None);
    assert_eq!(quantile(f64::NAN, 5), None);
}

/// R. A. Fisher, The Design of Experiments (1935), section 17: heights of Darwin's 15 pairs
/// of plants, in eighths of an inch. He gives the sum 314, t = 2.148 with 14 degrees of
/// freedom, and says that 5 % is just reached (2.145).
const DARWIN: [f64; 15] =
    [49., -67., 8., 16., 6., 23., 28., 41., 14., 29., 56., 24., 75., 60., -48.];

#[test]
fn paired_t_of_darwins_plants() {
    let t = paired_t(&DARWIN, 0.95).unwrap();
    close(t.mean, 314.0 / 15.0, 1e-12);
    close(t.t.unwrap(), 2.148, 0.0005);
    assert_eq!(t.degrees_of_freedom, 14);
    close(t.p, 0.0497, 0.000_05);
    assert!(t.low > 0.0 && t.low < 0.05, "just above zero: {}", t.low);
}

/// "Student", The Probable Error of a Mean (1908): additional hours of sleep with two drugs.
/// The manual of R prints this paired test (`?t.test`, data set `sleep`): t = -4.0621, 9
/// degrees of freedom, p = 0.002833, interval from -2.4598858 to -0.7001142, mean -1.58.
const SLEEP: [(f64, f64); 10] = [
    (0.7, 1.9),
    (-1.6, 0.8),
    (-0.2, 1.1),
    (-1.2, 0.1),
    (-0.1, -0.1),
    (3.4, 4.4),
    (3.7, 5.5),
    (0.8, 1.6),
    (0.0, 4.6),
    (2.0, 3.4),
];

#[test]
fn paired_t_of_students_sleep() {
    let differences = SLEEP.map(|(first, second)| first - second);
    let t = paired_t(&differences, 0.95).unwrap();
    close(t.mean, -1.58, 1e-12);
    close(t.t.unwrap(), -4.0621, 0.000_05);
    close(t.p, 0.002_833, 0.000_000_5);
    close(t.low, -2.459_885_8, 0.000_000_05);
    close(t.high, -0.700_114_2, 0.000_000_05);
}

#[test]
fn t_of_equal_differences_has_no_nan() {
    let t = paired_t(&[0.1; 7], 0.95).unwrap();
    assert_eq!((t.standard_deviation, t.t, t.p), (0.0, None, 0.0));
    assert_eq!((t.low, t.high), (t.mean, t.mean));
    assert_eq!(paired_t(&[0.0; 4], 0.95).unwrap().p, 1.0);
    assert!(paired_t(&[1.0], 0.95).is_none());
    assert!(paired_t(&[1.0, f64::NAN], 0.95).is_none());
    assert!(paired_t(&[1.0, f64::INFINITY], 0.95).is_none());
}

/// Differences of sizes 1 to `n` whose negative ranks sum to `sum`.
fn with_negative_sum(n: usize, mut sum: usize) -> Vec<f64> {
    let mut differences: Vec<f64> = (1..=n).map(|size| size as f64).collect();
    for size in (1..=n).rev() {
        if size <= sum {
            sum -= size;
            differences[size - 1] *= -1.0;
        }
    }
    assert_eq!(sum, 0);
    differences
}

/// Critical values of the signed-rank test, as tabulated by R. L. McCornack, "Extended
/// Tables of the Wilcoxon Matched Pair Signed Rank Statistic", Journal of the American
/// Statistical Association 60 (1965), and in textbooks: the greatest sum whose two-sided p
/// value is at most 10, 5 and 1 %. `None` where not even a sum of 0 reaches it.
#[test]
fn critical_values_of_the_signed_rank_test() {
    let table = [
        (5, Some(0), None, None),
        (6, Some(2), Some(0), None),
        (7, Some(3), Some(2), None),
        (8, Some(5), Some(3), Some(0)),
        (9, Some(8), Some(5), Some(1)),
        (10, Some(10), Some(8), Some(3)),
        (11, Some(13), Some(10), Some(5)),
        (12, Some(17), Some(13), Some(7)),
        (13, Some(21), Some(17), Some(9)),
        (14, Some(25), Some(21), Some(12)),
        (15, Some(30), Some(25), Some(15)),
        (16, Some(35), Some(29), Some(19)),
        (17, Some(41), Some(34), Some(23)),
        (18, Some(47), Some(40), Some(27)),
        (19, Some(53), Some(46), Some(32)),
        (20, Some(60), Some(52), Some(37)),
    ];
    let p = |n, sum| signed_rank(&with_negative_sum(n, sum)).unwrap().p;
    for (n, ten, five, one) in table {
        for (level, critical) in [(0.1, ten), (0.05, five), (0.01, one)] {
            let beyond = critical.map_or(0, |sum| sum + 1);
            if let Some(sum) = critical {
                assert!(p(n, sum) <= level, "n {n}, sum {sum}: {}", p(n, sum));
            }
            assert!(p(n, beyond) > level, "n {n}, sum {beyond}: {}", p(n, beyond));
        }
    }
}

/// M. Hollander and D. A. Wolfe, Nonparametric Statistical Methods, table A.4: upper tails
/// P(T+ >= x), three decimals. The p value here has both tails.
#[test]
fn tails_of_the_signed_rank_test() {
    let table = [
        (5, 15, 0.031),
        (5, 14, 0.062),
        (5, 13, 0.094),
        (5, 12, 0.156),
        (10, 45, 0.042),
        (10, 46, 0.032),
        (10, 47, 0.024),
        (10, 50, 0.010),
        (10, 52, 0.005),
    ];
    for (n, sum, tail) in table {
        let result = signed_rank(&with_negative_sum(n, n * (n + 1) / 2 - sum)).unwrap();
        assert_eq!(result.positive, sum as f64);
        close(result.p / 2.0, tail, 0.000_501);
    }
}

/// Hollander and Wolfe (1973), pages 29 and 30: depression factors of nine patients. The
/// manual of R (`?wilcox.test`) prints V = 40 and the one-sided p = 0.01953.
#[test]
#[allow(clippy::approx_constant)] // One of the patients has 3.14.
fn signed_rank_of_the_depression_factors() {
    let first = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
    let second = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
    let differences: Vec<f64> = first.iter().zip(second).map(|(x, y)| x - y).collect();
    let result = signed_rank(&differences).unwrap();
    assert_eq!((result.positive, result.negative), (40.0, 5.0));
    close(result.p / 2.0, 0.019_53, 0.000_005);
}

/// Darwin's plants again. R gives V = 96 and p = 0.04126 for `wilcox.test`.
#[test]
fn signed_rank_of_darwins_plants() {
    let result = signed_rank(&DARWIN).unwrap();
    assert_eq!((result.positive, result.negative, result.zeros, result.tied), (96.0, 24.0, 0, 0));
    close(result.p, 0.041_26, 0.000_005);
}

/// Student's sleep has one zero and one tie, and all other differences have one sign: that
/// has probability 2 / 2^9, whatever the ranks.
#[test]
fn signed_rank_with_a_zero_and_ties() {
    // In tenths, so that equal differences are equal numbers.
    let tenths = SLEEP.map(|(x, y)| (10.0 * (x - y)).round());
    let result = signed_rank(&tenths).unwrap();
    assert_eq!((result.zeros, result.tied), (1, 2));
    // Ranks 2 to 10: the zero took rank 1.
    assert_eq!((result.positive, result.negative), (0.0, 54.0));
    assert_eq!(result.p, 2.0 / 512.0);
}

#[test]
fn signed_rank_of_zeros_alone_shows_nothing() {
    let result = signed_rank(&[0.0, -0.0, 0.0]).unwrap();
    assert_eq!((result.zeros, result.tied, result.p), (3, 0, 1.0));
    assert!(signed_rank(&[]).is_none());
    assert!(signed_rank(&[f64::NAN]).is_none());
}

/// The definition itself: every choice of signs is tried, ranks are counted one by one.
fn by_enumeration(differences: &[f64]) -> f64 {
    let rank = |d: f64| {
        let below = differences.iter().filter(|other| other.abs() < d.abs()).count();
        let equal = differences.iter().filter(|other| other.abs() == d.abs()).count();
        below as f64 + (equal + 1) as f64 / 2.0
    };
    let signed: Vec<(f64, bool)> =
        differences.iter().filter(|d| **d != 0.0).map(|d| (rank(*d), *d > 0.0)).collect();
    let total: f64 = signed.iter().map(|(rank, _)| rank).sum();
    let distance = |positive: f64| (positive - total / 2.0).abs();
    let observed = distance(signed.iter().filter(|(_, up)| *up).map(|(rank, _)| rank).sum());
    let choices = 1_u32 << signed.len();
    let extreme = (0..choices).filter(|choice| {
        let chosen = signed.iter().enumerate().filter(|(i, _)| choice >> i & 1 == 1);
        distance(chosen.map(|(_, (rank, _))| rank).sum()) >= observed
    });
    extreme.count() as f64 / f64::from(choices)
}

#[test]
fn ties_and_zeros_have_the_exact_p_value() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut special = 0;
    for _ in 0..300 {
        let n = random.random_range(1..=11);
        let differences: Vec<f64> =
            (0..n).map(|_| f64::from(random.random_range(-4_i32..=5))).collect();
        let result = signed_rank(&differences).unwrap();
        special += usize::from(result.zeros > 0 && result.tied > 0);
        close(result.p, by_enumeration(&differences), 1e-12);
    }
    assert!(special > 100, "only {special} samples had zeros and ties");
}

#[test]
fn the_longest_samples_have_sound_p_values() {
    let mut one_sided: Vec<f64> = (1..=1000).map(f64::from).collect();
    assert_eq!(signed_rank(&one_sided).unwrap().p, least_p(1000));
    for difference in one_sided.iter_mut().step_by(2) {
        *difference *= -1.0;
    }
    let p = signed_rank(&one_sided).unwrap().p;
    assert!((0.9..=1.0).contains(&p), "{p}");
    assert_eq!(least_p(6), 2.0 / 64.0);
}

/// Sides A B B A A B B A without noise: every run takes 1 % of its side's level longer.
#[test]
fn drift_is_a_slope_without_the_difference_of_the_sides() {
    let sides = [false, true, true, false, false, true, true, false];
    let run =
        |(i, b): (usize, &bool)| (*b, if *b { 20.0 } else { 10.0 } * (1.0 + i as f64 / 100.0));
    let runs: Vec<(bool, f64)> = sides.iter().enumerate().map(run).collect();
    let result = drift(&runs, 0.95).unwrap();
    // Each side is divided by its mean, 1.035 times its level: 7 steps of 1 / 103.5.
    close(result.change, 7.0 / 103.5, 1e-12);
    close(result.low, result.change, 1e-6);
    assert!(result.is_shown());

    let steady: Vec<(bool, f64)> =
        sides.iter().map(|b| (*b, if *b { 20.0 } else { 10.0 })).collect();
    let result = drift(&steady, 0.95).unwrap();
    assert_eq!((result.change, result.low, result.high), (0.0, 0.0, 0.0));
    assert!(!result.is_shown());
}

/// Slope and interval by the formulas of least squares, with the sums written out.
#[test]
fn drift_has_the_interval_of_least_squares() {
    // A at positions 0 and 3, B at 1 and 2; both means are 1, so deviations are as given.
    let runs = [(false, 0.99), (true, 1.02), (true, 0.98), (false, 1.01)];
    let result = drift(&runs, 0.95).unwrap();
    // Centred positions: -1.5, -0.5, 0.5, 1.5; their squares sum to 5.
    // Products: 0.015 - 0.01 - 0.01 + 0.015 = 0.01, so the slope is 0.002 and 3 steps 0.006.
    close(result.change, 0.006, 1e-12);
    // Squares of the deviations sum to 0.001; 5 * 0.002^2 = 0.00002 of it is the slope's.
    // One degree of freedom: error^2 = 0.00098 / 5, times 12.706 and 3 steps.
    let half = 3.0 * 12.706_204_736 * (0.000_98_f64 / 5.0).sqrt();
    close(result.high - result.change, half, 1e-6);
    close(result.change - result.low, half, 1e-6);
}

#[test]
fn drift_is_not_defined_for_zeros_and_few_runs() {
    assert!(drift(&[(false, 1.0), (true, 1.0), (true, 1.0)], 0.95).is_none());
    assert!(drift(&[(false, 1.0); 4], 0.95).is_none());
    assert!(drift(&[(false, 0.0), (true, 1.0), (true, 1.0), (false, 0.0)], 0.95).is_none());
}
