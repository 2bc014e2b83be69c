//! Execution: from claims to a record that every row can be built from.
//!
//! - [`execute`] runs claims one after the other against one record;
//! - `machine`: frames, memoised calls, ranks, replays; it never recurses;
//! - `ops`, `biguint`: what operations need of it;
//! - `generated`: the same by emitted executors, where there are any;
//! - [`error`]: why it stopped.
//!
//! What authors of programs should know:
//! - Functions are memoised. A second call with the same inputs runs nothing, so
//!   its effects (`io_set_info`, `io_write`, `debug`) are not repeated.
//! - A query that was first run as advice (by an unconstrained call) and is
//!   requested with constraints later is run once more to count what its row
//!   looks up. That replay has no effects either and must go the same way.
//! - Io and unconstrained calls are advice: a claim binds inputs and outputs only.

mod biguint;
pub mod error;
mod generated;
pub(crate) mod machine;
mod ops;
#[cfg(test)]
mod tests;

pub use error::{ExecuteError, Failure, Fault, Place, Words};
pub use generated::{Generated, execute_generated};
pub use traceloom_abi::limits::{Limit, LimitError, Limits, Stats};

use std::fmt;

use traceloom_abi::io::Io;
use traceloom_abi::record::Record;
use traceloom_air::claim::RankedClaim;
use traceloom_air::field::word;

use crate::check::CheckedProgram;
use crate::model::FunctionId;
use machine::{Machine, check_io};

/// What an execution leaves behind.
#[derive(Clone, Debug)]
pub struct Execution {
    /// The claims in the order they were asked for, with outputs and ranks.
    pub claims: Vec<RankedClaim>,
    /// Everything that happened.
    pub record: Record,
    /// What it took.
    pub stats: Stats,
}

impl Execution {
    /// Outputs of the claim at `index`, as canonical words.
    ///
    /// # Panics
    /// If there is no such claim.
    #[must_use]
    pub fn outputs(&self, index: usize) -> Vec<u64> {
        self.claims[index].claim.outputs.iter().map(|&output| word(output)).collect()
    }
}

/// What a program prints with `debug`.
#[derive(Clone, Copy, Debug)]
pub struct DebugLine<'a> {
    /// Name of the function that is running.
    pub function: &'a str,
    /// The operation's label.
    pub label: &'a str,
    /// Its values.
    pub values: &'a [u64],
}

impl fmt::Display for DebugLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Names and labels come from outside; nothing of them reaches a terminal as it is.
        let [function, label] = [self.function, self.label].map(str::escape_debug);
        write!(f, "{function}: {label} {:?}", self.values)
    }
}

/// A receiver of `debug` lines.
pub type DebugHook<'a> = &'a mut dyn FnMut(DebugLine<'_>);
/// A receiver of progress.
pub type ProgressHook<'a> = &'a mut dyn FnMut(&Stats);

/// A query that is run, or run again to count what it looks up. A call of a query that is known
/// runs nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallEvent {
    /// It begins, inside those that have begun and not ended.
    Enter {
        /// Its function.
        function: FunctionId,
        /// Whether it was requested with constraints. This happens once to every query that is a
        /// row.
        counts: bool,
    },
    /// The innermost one ends.
    Leave {
        /// Number of its path.
        path: u32,
    },
}

/// A receiver of calls.
pub type CallHook<'a> = &'a mut dyn FnMut(CallEvent);

/// Where an execution reports while it runs.
#[derive(Default)]
pub struct Hooks<'a> {
    /// Receives `debug` lines; without it they go to the standard error.
    pub debug: Option<DebugHook<'a>>,
    /// Is called about every so many steps.
    pub progress: Option<(u64, ProgressHook<'a>)>,
    /// Receives calls. The interpreter reports them; emitted executors do not.
    pub calls: Option<CallHook<'a>>,
}

/// Runs `claims`, functions with their arguments, in order and against one
/// record. Each claim adds 1 to the multiplicity of its query. `io` is the input,
/// and the record has it with all that was added.
///
/// # Errors
/// [`ExecuteError`] names the claim that cannot be asked for, or the place where
/// the program went wrong.
pub fn execute(
    program: &CheckedProgram,
    claims: &[(FunctionId, Vec<u64>)],
    io: Io,
    limits: &Limits,
) -> Result<Execution, ExecuteError> {
    execute_with(program, claims, io, limits, Hooks::default())
}

/// The same, reporting to `hooks`.
///
/// # Errors
/// As [`execute`].
pub fn execute_with<'a>(
    program: &'a CheckedProgram,
    claims: &[(FunctionId, Vec<u64>)],
    io: Io,
    limits: &Limits,
    hooks: Hooks<'a>,
) -> Result<Execution, ExecuteError> {
    check_io(&io)?;
    let mut machine = Machine::new(program, io, limits, hooks);
    let mut ranked = Vec::with_capacity(claims.len());
    for (index, (function, args)) in claims.iter().enumerate() {
        ranked.push(machine.claim(index, *function, args)?);
    }
    let stats = *machine.meter.stats();
    Ok(Execution { claims: ranked, record: machine.record, stats })
}
