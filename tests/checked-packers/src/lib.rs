//! Checked packers of the example programs: what their units do not have, since only
//! tests use it. The build script generates them from the plans that the units are made
//! from; `tests/rows.rs` compares both with the reference builder.

use traceloom_abi::registry::Pack;

/// Checked packers of a program, by function index and path number.
pub type Checked = &'static [(u32, &'static [Pack])];

include!(concat!(env!("OUT_DIR"), "/programs.rs"));
