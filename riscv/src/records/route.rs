//! Which table an access goes to. One function decides it, in a fixed order, for every access.

/// The table of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// MEMW_R: a register with a recent access.
    Register,
    /// MEMW_A: all bytes have one old timestamp, and the address is a multiple of the width.
    Aligned,
    /// MEMW.
    General,
}

/// Decides which table an access goes to. `old` has the timestamps of its bytes, or one for a
/// register; it is not empty, and has 1, 2, 4 or 8 entries.
#[must_use]
pub fn route(is_register: bool, base: u64, timestamp: u64, old: &[u64]) -> Route {
    let same_high = old[0] >> 32 == timestamp >> 32;
    let is_recent =
        timestamp.checked_sub(old[0]).is_some_and(|delta| (1..=1 << 16).contains(&delta));
    let is_uniform = old.iter().all(|&time| time == old[0]);
    let is_aligned = is_register || base.is_multiple_of(old.len() as u64);
    if is_register && same_high && is_recent {
        Route::Register
    } else if is_uniform && is_aligned {
        Route::Aligned
    } else {
        Route::General
    }
}
