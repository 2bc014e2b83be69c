//! From an execution to a proof.
//!
//! - [`order`]: which queries become rows, in which order;
//! - [`reference`]: the oracle that fills rows from bytecode and record;
//! - [`witness`]: all main traces of a shard;
//! - [`check`]: evaluates every constraint and balances every message.

pub mod check;
pub mod order;
pub mod reference;
pub mod witness;
