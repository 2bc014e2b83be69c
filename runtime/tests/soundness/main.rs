//! Forgeries: for every soundness rule and every family of constraints a wrong
//! witness, refused by the checker and by the verifier.
//!
//! Where one constraint alone stands in the way, the test says so: without it the
//! same forgery is accepted ([`lab::Lab::refused_only_by`]).
//!
//! - [`lab`], [`evaluate`]: a program, its system, a witness to be changed;
//! - [`activity`] … [`promotion`]: the eight rules, in order;
//! - [`control`], [`operations`], [`bytes`], [`memory`], [`advice`]: families;
//! - [`exhaustive`]: every cell of every trace of small programs;
//! - [`report`]: what the checker says, and that it stays short;
//! - [`shards`]: batches of two shards.

mod activity;
mod advice;
mod arity;
mod bytes;
mod control;
mod counting;
mod degrees;
mod evaluate;
mod exhaustive;
mod gating;
mod lab;
mod memory;
mod operations;
mod promotion;
mod ranks;
mod report;
mod shards;
