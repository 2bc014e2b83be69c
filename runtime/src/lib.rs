//! From an execution to a proof.
//!
//! - [`session`]: the front door: one program, and all requests about it;
//! - [`order`]: which queries become rows, in which order;
//! - [`mod@reference`]: the oracle that fills rows from bytecode and record;
//! - [`machine`]: the second front end, whose rows are made from records of op tables;
//! - [`heights`]: how many rows each trace has, with padding;
//! - [`bind`]: whether generated code belongs to the program at hand;
//! - [`seeds`]: seeds of a circuit, packed from the record, and rows from seeds;
//! - [`source`]: the same seeds, packed into memory that the caller provides;
//! - [`device`]: what a proof asks of a device that writes rows;
//! - [`provider`]: who writes which rows, chosen once, and the traces of a shard;
//! - [`ledger`]: what was copied to a device and back;
//! - [`shards`]: which rows are in which shard, and what that takes;
//! - [`report`]: what happened, as data; [`profile`]: what it cost, by function and operation;
//! - [`witness`]: all main traces of a shard by the reference builder;
//! - [`check`]: evaluates every constraint and balances every message.

pub mod bind;
pub mod check;
pub mod device;
pub mod heights;
pub mod ledger;
pub mod machine;
pub mod order;
pub mod profile;
pub mod provider;
pub mod reference;
pub mod report;
pub mod seeds;
pub mod session;
pub mod shards;
pub mod source;
pub mod witness;
