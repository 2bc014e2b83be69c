//! Wilcoxon's signed-rank test with its exact distribution, ties and zeros included.
//!
//! Distances from zero get ranks from 1; equal distances share the mean of their ranks
//! (midranks). Zeros are ranked with the rest and then left out of both sums (Pratt,
//! "Remarks on Zeros and Ties in the Wilcoxon Signed Rank Procedures", 1959), so that many
//! zeros do not look like a sample that never had them. The p value counts, among all
//! choices of signs for the differences that are not zero, those whose sum lies at least
//! as far from the middle. It is exact for the midranks at hand: no table of samples
//! without ties and no normal approximation is used. Ranks are doubled to be whole, and
//! the distribution of their sum is built one rank at a time.

use serde::Serialize;

/// What the signed-rank test says of one sample of differences.
#[derive(Clone, Debug, Serialize)]
pub struct SignedRank {
    /// Sum of the ranks of positive differences.
    pub positive: f64,
    /// Sum of the ranks of negative differences.
    pub negative: f64,
    /// How many differences are zero.
    pub zeros: usize,
    /// How many differences other than zero share their distance with another one.
    pub tied: usize,
    /// Exact two-sided p value.
    pub p: f64,
}

/// The signed-rank test of `differences`. `None` if there is none, or one is not finite.
///
/// Takes time and memory with the cube and the square of the number of differences.
pub fn signed_rank(differences: &[f64]) -> Option<SignedRank> {
    if differences.is_empty() || differences.iter().any(|d| !d.is_finite()) {
        return None;
    }
    let ranked = doubled_midranks(differences);
    let sum = |wanted: fn(f64) -> bool| -> usize {
        ranked.iter().filter(|item| wanted(item.difference)).map(|item| item.doubled_rank).sum()
    };
    let positive = sum(|difference| difference > 0.0);
    let negative = sum(|difference| difference < 0.0);
    let ranks: Vec<usize> =
        ranked.iter().filter(|item| item.difference != 0.0).map(|item| item.doubled_rank).collect();
    Some(SignedRank {
        positive: positive as f64 / 2.0,
        negative: negative as f64 / 2.0,
        zeros: differences.len() - ranks.len(),
        tied: ranked.iter().filter(|item| item.tied && item.difference != 0.0).count(),
        p: two_sided(&ranks, positive.min(negative)),
    })
}

/// The least p value that `n` differences can have: all of one sign, without zeros.
pub fn least_p(n: usize) -> f64 {
    0.5_f64.powi(n.saturating_sub(1).try_into().unwrap_or(i32::MAX))
}

struct Ranked {
    difference: f64,
    doubled_rank: usize,
    tied: bool,
}

fn doubled_midranks(differences: &[f64]) -> Vec<Ranked> {
    let mut sorted = differences.to_vec();
    sorted.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let mut before = 0;
    let mut ranked = Vec::with_capacity(sorted.len());
    for group in sorted.chunk_by(|a, b| a.abs() == b.abs()) {
        // Twice the mean of the ranks before + 1 to before + length.
        let doubled_rank = 2 * before + group.len() + 1;
        let tied = group.len() > 1;
        ranked.extend(group.iter().map(|&difference| Ranked { difference, doubled_rank, tied }));
        before += group.len();
    }
    ranked
}

/// Probability that the smaller of both sums is at most `smaller`, if signs are fair coins.
fn two_sided(ranks: &[usize], smaller: usize) -> f64 {
    // Sums above `smaller` need not be told apart: ranks only add up.
    let mut probability = vec![0.0; smaller + 1];
    probability[0] = 1.0;
    for &rank in ranks {
        for sum in (0..=smaller).rev() {
            let with = sum.checked_sub(rank).map_or(0.0, |rest| probability[rest]);
            probability[sum] = (probability[sum] + with) / 2.0;
        }
    }
    // The distribution is symmetric. Both halves meet if the sums are equal.
    (2.0 * probability.iter().sum::<f64>()).min(1.0)
}
