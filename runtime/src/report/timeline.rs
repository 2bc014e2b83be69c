//! What was computed when, and how much memory there was meanwhile.

use std::time::Duration;

use serde_json::{Value, json};

/// A step of a proof, in time since its request began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// `execution`, `setup`, `rows`, `verification`, or the name of a stage of the prover.
    pub step: &'static str,
    /// Who computed it; `None` for steps that no worker does.
    pub worker: Option<String>,
    /// The shard; `None` for steps of all shards.
    pub shard: Option<usize>,
    /// When it began.
    pub begin: Duration,
    /// When it ended.
    pub end: Duration,
}

impl Span {
    /// As JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        json!({
            "step": self.step,
            "worker": self.worker,
            "shard": self.shard,
            "begin_seconds": self.begin.as_secs_f64(),
            "end_seconds": self.end.as_secs_f64(),
        })
    }
}

/// Memory at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Time since the request began.
    pub at: Duration,
    /// Bytes.
    pub bytes: u64,
}

impl Sample {
    /// As JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        json!({ "at_seconds": self.at.as_secs_f64(), "bytes": self.bytes })
    }

    /// Most samples of a report.
    pub const MOST: usize = 1024;

    /// Leaves out every second sample if there are more than `most`; returns whether it did.
    pub fn thin(samples: &mut Vec<Self>, most: usize) -> bool {
        if samples.len() <= most {
            return false;
        }
        let mut index = 0;
        samples.retain(|_| {
            index += 1;
            index % 2 == 1
        });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_thinned_until_they_are_few() {
        let sample = |at| Sample { at: Duration::from_secs(at), bytes: at };
        let mut samples: Vec<Sample> = (0..9).map(sample).collect();
        while Sample::thin(&mut samples, 4) {}
        // The first one stays, and they stay in order.
        assert_eq!(samples, [0, 4, 8].map(sample));
        assert!(!Sample::thin(&mut samples, 3));
    }
}
