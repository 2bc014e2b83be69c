//! The registry of this repository's programs: what `traceloom codegen` made of
//! `trace-plans/*.json`.
//!
//! Everything under [`units`] is generated, checked in and reviewed, and is laid
//! out by the generator alone. `cargo build` follows a changed program; it refuses
//! a changed unit.

use traceloom_abi::registry::{DeviceImage, ProgramUnit};

/// One module per program.
#[rustfmt::skip]
pub mod units;

pub use units::{IMAGES, PROGRAMS};

/// The unit of the program with this fingerprint.
#[must_use]
pub fn find(fingerprint: &[u8; 32]) -> Option<&'static ProgramUnit> {
    PROGRAMS.iter().copied().find(|unit| unit.fingerprint == *fingerprint)
}

/// The compiled device code of the unit with this digest, if this build has it.
#[must_use]
pub fn image(digest: &[u8; 32]) -> Option<&'static DeviceImage> {
    IMAGES.iter().find(|image| image.digest == *digest)
}
