//! The harness tries to break traceloom.
//!
//! In reading order:
//! - [`case`], [`mod@generate`]: random programs with inputs on which they run;
//! - [`naive`], [`layout`]: a second executor and a second layout, written here;
//! - [`edits`], [`plans`], [`family`], [`cells`]: edits of programs, plans against
//!   rows, changed cells by family;
//! - [`compact`]: witnesses without the long byte tables, quick to check;
//! - [`properties`]: what has to hold for every case;
//! - [`tree`], [`shrink`]: a failing case made small;
//! - [`batch`]: emitted text of many programs, compiled together and run;
//! - [`drops`]: systems with one constraint or lookup less, and the forgeries that
//!   they let through;
//! - [`stage_two`]: proofs whose accumulators are forged before they are committed;
//! - [`inputs`], [`mutate`]: hostile bytes for everything that reads bytes;
//! - [`soak`]: rounds of all of it.
//!
//! Tests have a quick and a full [`tier`]; `scripts/soak` runs the same with fresh seeds.
//! docs/reliability.md says what was tried and found.

pub mod batch;
pub mod case;
pub mod cells;
pub mod compact;
pub mod drops;
pub mod edits;
pub mod family;
pub mod generate;
pub mod inputs;
pub mod layout;
pub mod mutate;
pub mod naive;
pub mod plans;
pub mod properties;
pub mod shrink;
pub mod soak;
pub mod stage_two;
pub mod tier;
pub mod tree;
