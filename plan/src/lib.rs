//! Row plans: every decision about a row is made here, once. Printers only print.
//!
//! A plan is data. It knows no target language, and no bytecode: a front end hands
//! over drafts and a contract. Printers and interpreters of plans see nothing else.
//!
//! - [`PathPlan`]: one path of one function, straight-line: values in order, then
//!   every cell of the function's row exactly once, zeros included. Its seed is
//!   typed.
//! - [`GenericPlan`]: one function, branching, over full seeds; it serves widened
//!   and short runs, and functions with too many paths to number.
//!
//! In reading order:
//! - [`value`], [`row`], [`columns`], [`program`]: the plan;
//! - [`draft`]: what a front end says, and how plans are made of it;
//! - `bounds`, `guards`, `library`: how wide words are;
//! - [`class`], [`lanes`], [`steps`], [`kept`], [`stores`]: how writers and packers compute
//!   the row;
//! - [`names`]: symbols, kernels, files, variables;
//! - [`contract`], [`mod@verify`]: a plan's invariants, derived again;
//! - [`interpret`]: plans run as they are, to compare with;
//! - [`encode`], `json` (a feature), [`inventory`]: a plan's identity, file and table.
//!
//! Rules for printers
//! - A value is *held as an integer* in a plan if [`Value::is_integer`], else as a
//!   field element. An expression of field elements converts integer operands.
//!   [`Expr`] says what each form computes; for integer results the planner has
//!   proven that nothing wraps.
//! - In a writer, [`Need::writer`](value::Need::writer) values are computed; the
//!   operations that a value belongs to have the same numbers in every plan and target
//!   ([`OpNote`]).
//! - Packers read canonical words, check nothing about ranges before they store,
//!   and so use [`Value::proven`] only, where seed words are unbounded.

mod bounds;
pub mod class;
pub mod columns;
pub mod contract;
pub mod draft;
pub mod encode;
mod guards;
pub mod interpret;
pub mod inventory;
#[cfg(feature = "json")]
pub mod json;
pub mod kept;
pub mod lanes;
mod library;
pub mod names;
pub mod program;
pub mod row;
pub mod steps;
pub mod stores;
pub mod value;
pub mod verify;

pub use bounds::bound_of;
pub use class::Class;
pub use columns::{Column, PlanLayout, Region, RowSource, Span};
pub use contract::Contract;
pub use program::{
    FunctionPlan, GenericBlock, GenericControl, GenericPlan, OpNote, PathPlan, ProgramPlan,
};
pub use row::{Cell, Fetch, FetchKind, Fixed, Read, ReadSource, Write};
pub use value::{Expr, Value, ValueNo};
pub use verify::{PlanFault, PlanFaults, verify};

use std::fmt::Write as _;

/// Lowercase hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
