//! Constraint and lookup evaluators of a circuit, as straight-line text.
//!
//! Both targets print one [`schedule`]: the expressions of System in the order in
//! which constraints and lookups ask for them, cut into functions of bounded size
//! so that compile time grows linearly with a circuit. System alone decides what
//! is computed and in which order it is handed out; the verifier never runs this.

mod columns;
pub mod cuda;
pub mod rust;
pub mod schedule;
