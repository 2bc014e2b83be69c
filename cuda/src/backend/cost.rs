//! About how long a proof takes on a device, so that `auto` can compare it with the CPU.
//!
//! The figures are of one H200, measured (docs/measurements.md): 0.168 s for the stages of 2^20
//! rows of BLAKE3 compressions, 590 columns committed, blowup 4. Other devices differ by a small
//! factor, and the choice is between figures that mostly differ by more than ten.

use std::time::Duration;

use traceloom_abi::registry::DeviceImage;

use crate::prover_kernels::image::source_digest;

/// Per cell of a committed matrix.
const PICOSECONDS_PER_CELL: u128 = 64;

/// Launches and waits of a proof, however small it is.
const LEAST: Duration = Duration::from_millis(10);

/// A context of the driver, pinned memory, and kernels that the build compiled.
const START: Duration = Duration::from_millis(450);

/// Kernels that NVRTC compiles on 16 cores; with fewer it takes longer, up to 35 s on one.
const COMPILING: Duration = Duration::from_secs(11);

/// Time of the stages of a proof that commits to this many cells, extended ones.
#[must_use]
pub fn estimate(cells: u128) -> Duration {
    let picoseconds = cells.saturating_mul(PICOSECONDS_PER_CELL);
    LEAST + Duration::from_micros(u64::try_from(picoseconds / 1_000_000).unwrap_or(u64::MAX))
}

/// Time before the first proof of a process, with these images of the kernels.
#[must_use]
pub fn loading(images: &[DeviceImage]) -> Duration {
    let digest = source_digest();
    match images.iter().any(|image| image.digest == digest) {
        true => START,
        false => START + COMPILING,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_estimate_is_what_was_measured() {
        let measured = estimate((590 << 20) * 4).as_secs_f64();
        assert!((0.15..0.2).contains(&measured), "{measured}");
        assert_eq!(estimate(0), LEAST);
        assert!(estimate(u128::MAX) > Duration::from_secs(1 << 40));
        assert_eq!(loading(&[]), START + COMPILING);
    }
}
