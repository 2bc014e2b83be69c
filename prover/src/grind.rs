//! Grinding on all threads.

use p3_maybe_rayon::prelude::*;
use traceloom_air::field::element;
use traceloom_verifier::scheme::F;
use traceloom_verifier::transcript::passes;

/// Candidates searched in parallel before the smallest hit is looked for.
const WINDOW: u64 = 1 << 14;

/// The smallest canonical word that passes `bits` bits, 1 to 63, in this
/// [`traceloom_verifier::transcript::Transcript::grinding_state`], whatever the number of
/// threads.
pub fn smallest_witness(state: &[u8; 32], bits: usize) -> F {
    let mut windows = (0u64..).step_by(WINDOW as usize).map(|start| start..start + WINDOW);
    let search = |window: std::ops::Range<u64>| {
        window.into_par_iter().find_first(|&candidate| passes(state, bits, candidate))
    };
    element(windows.find_map(search).expect("one in 2^bits candidates passes"))
}
