//! A profile in the forms of other tools.

pub mod flame;
pub mod pprof;
