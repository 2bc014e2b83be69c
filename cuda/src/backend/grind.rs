//! The smallest witness of a grinding, window after window.

use super::clock::Step;
use super::context::Work;
use super::error::Failure;
use crate::prover_kernels::queries::grind;

/// Candidates of a window, as powers of two.
const LEAST_WINDOW: u32 = 12;
const MOST_WINDOW: u32 = 26;

/// The smallest canonical word that passes `bits` bits, 1 to 63, in this state.
pub(super) fn smallest(work: Work<'_>, state: &[u8; 32], bits: usize) -> Result<u64, Failure> {
    let bits = bits as u32;
    let window = 1_u64 << (bits + 1).clamp(LEAST_WINDOW, MOST_WINDOW);
    let found = work.buffer("least witness", 1)?;
    work.fill(&found, 0xff)?;
    let mut first = 0;
    loop {
        // It computes and moves nothing but its result.
        let launch = grind(state, bits, first, window, 0);
        work.run((Step::Grinding, found.bytes()), &[launch], &[&found])?;
        match work.read(&found, 0, 1)?[..] {
            [u64::MAX] => first += window,
            [witness] => return Ok(witness),
            _ => return Err(Failure::Fault("a word was read as several".into())),
        }
    }
}
