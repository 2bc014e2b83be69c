//! How many shards a proof has, and what it may take.

use std::num::NonZeroU64;

use clap::Args;
use traceloom_prover::Retention;
use traceloom_runtime::shards::{NumShards, RetentionChoice, ShardOptions};

/// Shards and caps.
#[derive(Clone, Copy, Debug, Args)]
pub struct ShardArgs {
    /// Shards of the proof: a number, or auto for the fewest that obey the caps. Two proofs of
    /// one run with as many shards have the same bytes.
    #[arg(long, default_value = "auto", value_parser = number, value_name = "auto|N")]
    shards: NumShards,
    /// Most committed cells of a shard: main, stage 2 and quotient, before they are extended.
    #[arg(long, value_name = "N")]
    max_shard_cells: Option<u64>,
    /// Log of the height of the tallest trace, at most.
    #[arg(long, value_name = "N")]
    max_log_height: Option<usize>,
    /// Most host memory of the proof on the CPU: bytes, or a number with KiB, MiB or GiB.
    #[arg(long, value_parser = size, value_name = "SIZE")]
    max_memory: Option<u64>,
    /// What is kept of a shard between the rounds: retain (traces and commitment), regenerate
    /// (nothing: they are made again from the record) or auto (retain where --max-memory
    /// suffices for it). The proof is the same.
    #[arg(long, default_value = "auto", value_parser = retention, value_name = "RETENTION")]
    retention: RetentionChoice,
}

impl ShardArgs {
    /// As a session takes them.
    pub fn options(&self) -> ShardOptions {
        let Self { shards, max_shard_cells, max_log_height, max_memory, retention } = *self;
        ShardOptions { shards, max_shard_cells, max_log_height, max_memory, retention }
    }
}

fn number(text: &str) -> Result<NumShards, String> {
    match text {
        "auto" => Ok(NumShards::Auto),
        text => text
            .parse()
            .map(NumShards::Exactly)
            .map_err(|_| format!("{text:?} is no number of shards; give a number or auto")),
    }
}

/// Parses a size that is not zero.
pub fn device_size(text: &str) -> Result<NonZeroU64, String> {
    let bytes = size(text)?;
    NonZeroU64::new(bytes).ok_or_else(|| "0 leaves no room for anything; leave it out".into())
}

/// Parses a number of bytes.
pub(super) fn size(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let shift = match text[digits.len()..].trim() {
        "" => Some(0),
        "KiB" => Some(10),
        "MiB" => Some(20),
        "GiB" => Some(30),
        _ => None,
    };
    let number: Option<u64> = digits.parse().ok();
    let bytes = number.zip(shift).and_then(|(number, shift)| number.checked_mul(1 << shift));
    bytes.ok_or_else(|| {
        format!("{text:?} is no size; give bytes below 2^64, or a number with KiB, MiB or GiB")
    })
}

fn retention(text: &str) -> Result<RetentionChoice, String> {
    let all = [Retention::Retain, Retention::Regenerate];
    match all.into_iter().find(|retention| retention.name() == text) {
        Some(retention) => Ok(RetentionChoice::Always(retention)),
        None if text == "auto" => Ok(RetentionChoice::Auto),
        None => {
            let [retain, regenerate] = all.map(Retention::name);
            Err(format!("{text:?} is no retention; there are {retain}, {regenerate}, auto"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, bytes) in [("0", 0), ("17", 17), ("3KiB", 3 << 10), ("8 GiB", 8 << 30)] {
            assert_eq!(size(text), Ok(bytes));
        }
        let largest = "18446744073709551615";
        assert_eq!(size(largest), Ok(u64::MAX));
        for text in ["", "GiB", "-1", "8GB", "8 gib", "1.5GiB", "17179869184GiB", "1GiB1"] {
            assert!(size(text).unwrap_err().contains("KiB, MiB or GiB"), "{text}");
        }
    }
}
