//! Main traces written by a GPU, and proofs computed there.
//!
//! - [`probe`]: the devices of this machine, or why there is none;
//! - [`device`], [`error`]: devices, streams, events, buffers, and what fails where;
//! - [`staging`]: a ring of pinned memory through which everything moves;
//! - [`kernels`], [`mod@compile`], [`cache`]: kernels of a program, compiled by the build or on
//!   first use;
//! - [`rows`], [`resident`]: any range of rows of a circuit, from seeds that stay;
//! - [`trace`], [`provider`]: device-born traces, for the proofs of `runtime`;
//! - [`prover_kernels`]: the kernels of the prover, handwritten, and their launches;
//! - [`backend`]: the prover: traces stay on the device from their rows to the proof;
//! - [`mock`]: a mock device, for tests.
//!
//! The driver calls themselves are in `native`, the only unsafe code of the workspace; `driver`
//! is the boundary. This crate does not choose whether a device is used: `runtime::provider` does,
//! once.

pub mod backend;
pub mod cache;
pub mod compile;
pub mod device;
mod driver;
pub mod error;
pub mod kernels;
pub mod mock;
mod native;
pub mod probe;
pub mod prover_kernels;
pub mod provider;
pub mod resident;
pub mod rows;
pub mod staging;
pub mod trace;

pub use driver::DeviceInfo;
