//! Flat JSON: for other compilers.
//!
//! ```json
//! {
//!   "format": "traceloom-program/1",
//!   "name": "sum",
//!   "memory_sizes": [],
//!   "circuits": [
//!     [0]
//!   ],
//!   "functions": [
//!     {
//!       "name": "sum",
//!       "inputs": 1,
//!       "outputs": 1,
//!       "entry": true,
//!       "constrained": true,
//!       "blocks": [
//!         {
//!           "ops": [],
//!           "control": {"control": "match", "value": 0, "cases": [[0, 1]], "default": 2}
//!         },
//!         {
//!           "ops": [],
//!           "control": {"control": "return", "selector": 0, "values": [0]}
//!         },
//!         {
//!           "ops": [
//!             {"op": "const", "value": 1},
//!             {"op": "sub", "args": [0, 1]},
//!             {"op": "call", "function": 0, "args": [2], "results": 1},
//!             {"op": "add", "args": [3, 0]}
//!           ],
//!           "control": {"control": "return", "selector": 1, "values": [4]}
//!         }
//!       ]
//!     }
//!   ]
//! }
//! ```
//!
//! Functions, blocks, values and selectors are numbers; children of a block have
//! larger numbers than their parent, in pre-order. Operations have the names and
//! operands of [text](crate::text); `results` is the number of results of `call`,
//! `load` and `io_read`. `match_continue` has the keys of `match` and `results`
//! and `continuation`. `default` and `label` may be left out. Every other key is
//! required, and no key is ignored.
//!
//! Numbers are canonical decimals: constants and case keys below p, everything
//! else below 2^32. Constants above 2^53 need a writer that knows 64-bit integers.

pub(crate) mod operation;
mod print;
mod read;

pub use print::print;

use crate::malformed::Malformed;
use crate::model::Program;

/// Value of the key `format`.
pub const FORMAT: &str = "traceloom-program/1";

/// Reads a program from JSON.
///
/// # Errors
/// [`Malformed`]: everything that is wrong, with path, line and column. If brackets do not
/// match, the rest of the file is not read.
pub fn parse(source: impl AsRef<[u8]>) -> Result<Program, Malformed> {
    read::read(source.as_ref())
}
