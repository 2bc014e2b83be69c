//! How much the tests of the harness try.
//!
//! `cargo test` takes seconds: the quick tier, a part of every test's cases. `.ci/run`
//! sets [`VARIABLE`] to `full` and takes minutes. `scripts/soak` takes as long as it is
//! asked to, with fresh seeds.

/// The environment variable that chooses the tier: `quick`, as if unset, or `full`.
pub const VARIABLE: &str = "TRACELOOM_TIER";

/// Whether all cases are tried.
///
/// # Panics
/// If the variable says anything else than a tier.
#[must_use]
pub fn is_full() -> bool {
    match std::env::var(VARIABLE).as_deref() {
        Err(_) | Ok("quick") => false,
        Ok("full") => true,
        Ok(other) => panic!("{VARIABLE} is {other:?}; there are the tiers quick and full"),
    }
}

/// How many cases this process tries: one number per tier.
#[must_use]
pub fn cases(quick: usize, full: usize) -> usize {
    if is_full() { full } else { quick }
}
