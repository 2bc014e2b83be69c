//! Student's t: quantiles, and the test and interval of a mean of paired differences.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::spread::mean;

/// The test of "the mean of the differences is zero", and the interval of that mean.
#[derive(Clone, Debug, Serialize)]
pub struct PairedT {
    /// Mean of the differences.
    pub mean: f64,
    /// Standard deviation of the differences, with `n - 1` in the denominator.
    pub standard_deviation: f64,
    /// Mean divided by its standard error. `None` if all differences are equal.
    pub t: Option<f64>,
    /// Degrees of freedom, `n - 1`.
    pub degrees_of_freedom: usize,
    /// Two-sided p value. If all differences are equal, 1 for zeros and 0 for others.
    pub p: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// The paired t test of `differences`, with an interval of `confidence` (between 0 and 1).
/// `None` for fewer than two differences, and if one of them is not finite.
pub fn paired_t(differences: &[f64], confidence: f64) -> Option<PairedT> {
    let n = differences.len();
    if n < 2 || differences.iter().any(|difference| !difference.is_finite()) {
        return None;
    }
    let mean = mean(differences)?;
    let squares: f64 = differences.iter().map(|d| (d - mean).powi(2)).sum();
    // Equal differences may differ from their computed mean by a rounding error.
    let equal = differences.iter().all(|d| *d == differences[0]);
    let standard_deviation = if equal { 0.0 } else { (squares / (n - 1) as f64).sqrt() };
    let standard_error = standard_deviation / (n as f64).sqrt();
    let half = quantile(confidence, n - 1)? * standard_error;
    let t = (standard_error > 0.0).then(|| mean / standard_error);
    let p = match t {
        Some(t) => 2.0 * distribution(n - 1)?.sf(t.abs()),
        None if mean == 0.0 => 1.0,
        None => 0.0,
    };
    Some(PairedT {
        mean,
        standard_deviation,
        t,
        degrees_of_freedom: n - 1,
        p,
        low: mean - half,
        high: mean + half,
    })
}

/// The number that Student's t stays within, on both sides of zero, with probability
/// `confidence`. `None` without degrees of freedom, and outside of 0 to 1.
pub fn quantile(confidence: f64, degrees_of_freedom: usize) -> Option<f64> {
    if !(confidence > 0.0 && confidence < 1.0) {
        return None;
    }
    Some(distribution(degrees_of_freedom)?.inverse_cdf(0.5 + confidence / 2.0))
}

fn distribution(degrees_of_freedom: usize) -> Option<StudentsT> {
    StudentsT::new(0.0, 1.0, degrees_of_freedom as f64).ok()
}
