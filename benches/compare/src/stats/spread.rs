//! Location and spread of one sample.

/// The arithmetic mean; `None` of nothing.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The middle value, or the mean of the two middle values; `None` of nothing.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    if sorted.len() % 2 == 1 {
        return Some(upper);
    }
    Some((sorted[sorted.len() / 2 - 1] + upper) / 2.0)
}

/// Relative median absolute deviation: the median of the distances from the median,
/// divided by the median. No factor makes it comparable with a standard deviation.
/// `None` of nothing, and if the median is not positive.
pub fn jitter(values: &[f64]) -> Option<f64> {
    let middle = median(values)?;
    let distances: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    (middle > 0.0).then_some(median(&distances)? / middle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_of_odd_and_even_counts() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }

    #[test]
    fn jitter_is_relative_and_ignores_one_outlier() {
        // Distances from 10: 2, 1, 0, 1, 990.
        assert_eq!(jitter(&[8.0, 9.0, 10.0, 11.0, 1000.0]), Some(0.1));
        assert_eq!(jitter(&[0.0, 0.0]), None);
        assert_eq!(jitter(&[]), None);
    }
}
