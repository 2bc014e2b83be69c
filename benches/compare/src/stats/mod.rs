//! The statistics of paired samples. Every function takes plain slices and is total: it
//! returns `None` where a figure is not defined, and never a NaN.

mod drift;
mod signed_rank;
mod spread;
mod student;

pub use drift::{Drift, drift};
pub use signed_rank::{SignedRank, least_p, signed_rank};
pub use spread::{jitter, mean, median};
pub use student::{PairedT, paired_t, quantile};
