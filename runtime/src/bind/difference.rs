//! One thing that two parts of a build state differently.

use std::fmt;
use std::fmt::Write;

use super::MEND;

/// One thing that two parts state differently.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {what}: expected {expected}, found {found}; run `{MEND}`")]
pub struct Difference {
    /// Program and function.
    pub place: String,
    /// What differs.
    pub what: String,
    /// What the program says.
    pub expected: String,
    /// What the other part says.
    pub found: String,
}

/// Compares; the place is only made for an error.
pub(crate) fn same<T: PartialEq + fmt::Display>(
    place: impl FnOnce() -> String,
    what: impl Into<String>,
    expected: &T,
    found: &T,
) -> Result<(), Difference> {
    if expected == found {
        return Ok(());
    }
    Err(differs(place, what, expected, found))
}

pub(super) fn differs(
    place: impl FnOnce() -> String,
    what: impl Into<String>,
    expected: impl fmt::Display,
    found: impl fmt::Display,
) -> Difference {
    let (expected, found) = (expected.to_string(), found.to_string());
    Difference { place: place(), what: what.into(), expected, found }
}

/// Prints as the debug form.
#[derive(PartialEq)]
pub(super) struct Debug<T>(pub T);

impl<T: fmt::Debug> fmt::Display for Debug<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
