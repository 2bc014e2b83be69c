//! Control, all of it in one place: match, yield, return, continuation.
//!
//! - [`layout`]: where arms, merge columns and inverse witnesses lie;
//! - [`constraints`]: what control requires of a row;
//! - [`lowering`]: how its cells are computed, along a path and with branches;
//! - [`execution`]: what it does.

pub(crate) mod constraints;
pub(crate) mod execution;
pub(crate) mod layout;
pub(crate) mod lowering;
