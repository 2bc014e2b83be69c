//! From an execution to a proof.
//!
//! - [`order`]: which queries become rows, in which order;
//! - [`mod@reference`]: the oracle that fills rows from bytecode and record;
//! - [`bind`]: whether generated code belongs to the program at hand;
//! - [`evaluators`]: generated evaluators in the form that the prover takes;
//! - [`seeds`]: seeds of a circuit, packed from the record, and rows from seeds;
//! - [`provider`]: who writes which rows, chosen once, and the traces of a shard;
//! - [`report`]: what happened, as data;
//! - [`witness`]: all main traces of a shard by the reference builder;
//! - [`check`]: evaluates every constraint and balances every message.

pub mod bind;
pub mod check;
pub mod evaluators;
pub mod order;
pub mod provider;
pub mod reference;
pub mod report;
pub mod seeds;
pub mod witness;
