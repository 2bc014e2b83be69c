//! Execution of emitted CUDA text without a GPU, for tests only.
//!
//! The support headers have a host form: plain C++ in which a launch is a loop
//! over rows. Emitted files of many programs are compiled together, once, into one
//! executable that reads jobs from its standard input. It runs in a process of its
//! own, so nothing here needs unsafe code and a stray write harms no test; with
//! `TRACELOOM_SANITIZE` set it is compiled with the address and undefined-behaviour
//! sanitizers.
//!
//! - [`executable`]: compiling and running;
//! - [`job`]: what an executable can be asked;
//! - [`seeds`]: seeds of reference rows;
//! - [`launches`]: what writes the rows of a circuit;
//! - [`evaluation`]: what evaluators must compute;
//! - [`fixtures`]: programs with every operation and control form.

pub mod evaluation;
pub mod executable;
pub mod fixtures;
pub mod job;
pub mod launches;
pub mod seeds;
