//! Text assembly: for reading, diffs and bug reports.
//!
//! ```text
//! program "sums"            ; a comment runs to the end of its line
//! memory 3, 10              ; widths of memory tables; left out if there are none
//! circuit sum, "sum twice"  ; left out: one circuit per constrained function
//!
//! fn sum(n) -> 1 entry {    ; flags: entry, unconstrained
//!   r = match_continue n {  ; the arms yield; what follows is the continuation
//!     case 0 { yield n }
//!     default {
//!       one = const 1
//!       less = sub n, one
//!       rest = call sum(less)
//!       yield rest
//!     }
//!   }
//!   s = add r, n
//!   return s
//! }
//!
//! fn "sum twice"(n) -> 1 {
//!   s = call sum(n)
//!   t = add s, s
//!   return t
//! }
//!
//! end
//! ```
//!
//! - One operation a line: `results = name operands`. The number of names is the
//!   number of results, also for `call`, `load` and `io_read`. Lists are separated
//!   by commas; `v0..v3` is `v0, v1, v2, v3`; where an operation takes several
//!   lists, a list of other than one value is in brackets. Operands and JSON keys
//!   come in the same order.
//! - A block ends in `return`, `yield` or `match`. After `match_continue` the same
//!   block goes on, with the yielded values under the names before the `=`.
//! - Names hold until their block ends and are defined once. `%7` is value number
//!   7, whether or not it exists; the printer needs it for invalid programs only.
//! - Functions are called by name, or by position as `#12` (needed where two
//!   have one name). Other names than identifiers are quoted.
//! - Leaves own selector 0, 1, ... in the order of the text, unless they say
//!   otherwise: `return @3 s`.
//! - Numbers are canonical decimals below p. Strings have the escapes `\"`, `\\`,
//!   `\n`, `\r`, `\t` and `\u{...}`.
//! - The last word is `end`, so that a file that was cut is noticed.
//!
//! Parsing and printing loop over an explicit stack, so only [`crate::limits`] bounds the depth.
//! [`parse`] builds the program that the text describes. Whether it is valid is checked later,
//! in the same way for all forms.

mod body;
mod cursor;
mod lexer;
mod names;
mod operation;
mod parser;
mod places;
mod printer;
mod scope;

pub use places::{Element, Places};
pub use printer::{NotATree, print};

use crate::malformed::Malformed;
use crate::model::Program;

/// Reads a program from text.
///
/// # Errors
/// [`Malformed`]: everything that is wrong, with line and column.
pub fn parse(source: impl AsRef<[u8]>) -> Result<Program, Malformed> {
    parser::parse(source.as_ref())
}
