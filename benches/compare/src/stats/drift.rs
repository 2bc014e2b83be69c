//! Did the runs become slower or faster while the benchmark ran?

use serde::Serialize;

use super::spread::mean;
use super::student::quantile;

/// Change over the whole benchmark, as a share: 0.02 says that the last runs took about
/// 2 % longer than the first ones, whatever their side.
#[derive(Clone, Debug, Serialize)]
pub struct Drift {
    /// Slope of the line times the number of steps from the first run to the last.
    pub change: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end of its interval.
    pub high: f64,
}

impl Drift {
    /// Whether the interval leaves out zero.
    pub fn is_shown(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

/// Fits a line by least squares. `runs` are in the order in which they ran, each with
/// whether it is of side B. Every value is divided by the mean of its side first, and each
/// side has its own level, so that a difference between the sides is not a drift.
///
/// The interval is Student's with two degrees of freedom for the levels and one for the
/// slope taken off; it supposes independent noise of equal size. `None` for fewer than four
/// runs, for a side without runs and for one whose mean is not positive.
pub fn drift(runs: &[(bool, f64)], confidence: f64) -> Option<Drift> {
    if runs.len() < 4 {
        return None;
    }
    let mut points = Vec::with_capacity(runs.len());
    for side in [false, true] {
        points.extend(centred(runs, side)?);
    }
    let spread: f64 = points.iter().map(|(x, _)| x * x).sum();
    let degrees_of_freedom = runs.len() - 3;
    if spread <= 0.0 {
        return None;
    }
    let slope = points.iter().map(|(x, y)| x * y).sum::<f64>() / spread;
    let residual: f64 = points.iter().map(|(x, y)| (y - slope * x).powi(2)).sum();
    let error = (residual / degrees_of_freedom as f64 / spread).sqrt();
    let half = quantile(confidence, degrees_of_freedom)? * error;
    let steps = (runs.len() - 1) as f64;
    Some(Drift { change: slope * steps, low: (slope - half) * steps, high: (slope + half) * steps })
}

/// Positions and relative values of one side, both without their means.
fn centred(runs: &[(bool, f64)], side: bool) -> Option<Vec<(f64, f64)>> {
    let own = || runs.iter().enumerate().filter(|(_, run)| run.0 == side);
    let positions: Vec<f64> = own().map(|(position, _)| position as f64).collect();
    let values: Vec<f64> = own().map(|(_, run)| run.1).collect();
    let (position, value) = (mean(&positions)?, mean(&values)?);
    let points = positions.iter().zip(&values);
    (value > 0.0).then(|| points.map(|(x, y)| (x - position, y / value - 1.0)).collect())
}
