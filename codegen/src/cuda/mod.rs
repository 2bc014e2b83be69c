//! CUDA text: a typed syntax tree and its one printer.
//!
//! Emitters build [`ast`] values and never strings of syntax; [`mod@print`] owns
//! indentation, blank lines, line length and escaping. Functions of a
//! program are known by their symbols, which are identifiers.

pub mod ast;
pub mod ident;
pub mod print;
pub mod writer;
