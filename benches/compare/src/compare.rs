//! What the pairs of one quantity show: medians, interval, tests, jitter, drift, verdict.

use serde::Serialize;

use crate::stats::{self, Drift, PairedT, SignedRank};

/// One pair of measurements of one quantity, and which side ran first.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// Value of side A.
    pub a: f64,
    /// Value of side B.
    pub b: f64,
    /// Whether B ran before A.
    pub b_first: bool,
}

/// What is tested, for each pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tested {
    /// The logarithm of B / A. Needs values above zero.
    LogRatio,
    /// B - A: some value is zero (as clocks that count ticks give for short runs).
    Difference,
}

/// What both tests say together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Both tests show that A takes less.
    AFaster,
    /// Both tests show that B takes less.
    BFaster,
    /// Neither test shows a difference.
    NoDifference,
    /// One test shows a difference and the other does not, or they name different sides.
    TestsDisagree,
}

/// Median and spread of one side.
#[derive(Clone, Debug, Serialize)]
pub struct SideSummary {
    /// Median.
    pub median: f64,
    /// Relative median absolute deviation. `None` if the median is zero.
    pub jitter: Option<f64>,
    /// Least value.
    pub least: f64,
    /// Greatest value.
    pub greatest: f64,
}

/// All that is said of one quantity.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// What is tested.
    pub tested: Tested,
    /// Side A.
    pub a: SideSummary,
    /// Side B.
    pub b: SideSummary,
    /// Median of B divided by the median of A. `None` if the latter is zero.
    pub ratio_of_medians: Option<f64>,
    /// The paired t test, in the unit of what is tested.
    pub t: PairedT,
    /// The signed-rank test of the same numbers.
    pub wilcoxon: SignedRank,
    /// Drift over the order of the runs. `None` where it is not defined.
    pub drift: Option<Drift>,
    /// What both tests say.
    pub verdict: Verdict,
}

/// Compares two or more pairs; `percent` is the confidence, between 0 and 100.
/// `None` for fewer pairs, and for values that are negative or not finite.
pub fn compare(pairs: &[Pair], percent: f64) -> Option<Comparison> {
    let valid = |value: f64| value.is_finite() && value >= 0.0;
    if !pairs.iter().all(|pair| valid(pair.a) && valid(pair.b)) {
        return None;
    }
    let a: Vec<f64> = pairs.iter().map(|pair| pair.a).collect();
    let b: Vec<f64> = pairs.iter().map(|pair| pair.b).collect();
    let positive = pairs.iter().all(|pair| pair.a > 0.0 && pair.b > 0.0);
    let tested = if positive { Tested::LogRatio } else { Tested::Difference };
    let differences: Vec<f64> = pairs.iter().map(|pair| tested.of(pair)).collect();
    let t = stats::paired_t(&differences, percent / 100.0)?;
    let wilcoxon = stats::signed_rank(&differences)?;
    let (a, b) = (SideSummary::of(&a)?, SideSummary::of(&b)?);
    Some(Comparison {
        tested,
        ratio_of_medians: (a.median > 0.0).then(|| b.median / a.median),
        a,
        b,
        verdict: Verdict::of(&t, &wilcoxon, alpha(percent)),
        t,
        wilcoxon,
        drift: stats::drift(&in_order(pairs), percent / 100.0),
    })
}

/// The p value up to which a test shows a difference.
pub fn alpha(percent: f64) -> f64 {
    (100.0 - percent) / 100.0
}

impl Tested {
    fn of(self, pair: &Pair) -> f64 {
        match self {
            Tested::Difference => pair.b - pair.a,
            // The quotient is above 1 in both branches, so that A / B and B / A have
            // logarithms of exactly the same size, which ties need.
            Tested::LogRatio if pair.b >= pair.a => (pair.b / pair.a).ln(),
            Tested::LogRatio => -(pair.a / pair.b).ln(),
        }
    }
}

impl SideSummary {
    fn of(values: &[f64]) -> Option<Self> {
        Some(SideSummary {
            median: stats::median(values)?,
            jitter: stats::jitter(values),
            least: values.iter().copied().min_by(f64::total_cmp)?,
            greatest: values.iter().copied().max_by(f64::total_cmp)?,
        })
    }
}

impl Verdict {
    fn of(t: &PairedT, wilcoxon: &SignedRank, alpha: f64) -> Self {
        let by_t = if t.low > 0.0 {
            Verdict::AFaster
        } else if t.high < 0.0 {
            Verdict::BFaster
        } else {
            Verdict::NoDifference
        };
        let by_ranks = if wilcoxon.p > alpha {
            Verdict::NoDifference
        } else if wilcoxon.positive > wilcoxon.negative {
            Verdict::AFaster
        } else {
            Verdict::BFaster
        };
        if by_t == by_ranks { by_t } else { Verdict::TestsDisagree }
    }
}

fn in_order(pairs: &[Pair]) -> Vec<(bool, f64)> {
    let mut runs = Vec::with_capacity(2 * pairs.len());
    for pair in pairs {
        let both = [(false, pair.a), (true, pair.b)];
        runs.extend(if pair.b_first { [both[1], both[0]] } else { both });
    }
    runs
}
