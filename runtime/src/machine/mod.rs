//! Machines: programs of op tables with somebody who fills their records.
//!
//! A machine is the second front end of a session. It executes a guest and leaves a record per
//! row; everything behind that, from the seeds to the proof, is what functions have, too.
//!
//! - [`Machine`]: what a session needs of one; [`FrontEnd`]: either front end, for whoever works
//!   with rows;
//! - `rows`: rows of a table as runs, and by the interpreter of its plan;
//! - [`count`]: how often fixed tables are asked, from the rows of all others.
//!
//! # Padding
//!
//! Who executes does not know how high traces are, and a machine may have to answer for its
//! padding rows: they may look up a decoded instruction, or go on with a chain of tokens. So a
//! record is finished in two steps. [`Machine::run`] leaves the records of real rows; when the
//! shards are planned, [`Machine::pad`] is told how many padding rows each table has, and then the
//! session counts what all rows, padding included, ask of fixed tables. Only the last piece of a
//! table is padded, so padding rows follow the last real row.

pub mod count;
mod front;
mod rows;

use std::error::Error;
use std::fmt;

use traceloom_abi::io::Io;
use traceloom_abi::record::Record;
use traceloom_air::claim::BoundaryMessage;
use traceloom_air::system::System;
use traceloom_optables::TableProgram;

pub use front::FrontEnd;
pub(crate) use front::{finish, whole};
pub(crate) use rows::{Interpreted, runs};

/// A guest on a machine of op tables. A session calls it and trusts none of its messages: what it
/// leaves is proven, or no proof comes out.
pub trait Machine: fmt::Debug + Send + Sync {
    /// What people call it.
    fn name(&self) -> &str;

    /// Its tables, whose units write rows.
    fn tables(&self) -> &TableProgram;

    /// Constraints and lookups. Circuit number i is table number i; the byte tables follow. The
    /// fingerprint is that of the tables and of the guest together, and nothing is claimed but
    /// boundary messages.
    fn system(&self) -> System;

    /// Executes the guest. `progress` is told the number of steps now and then.
    ///
    /// # Errors
    /// [`MachineError`]: the guest stops elsewhere than at its end.
    fn run(&self, io: Io, progress: &mut dyn FnMut(u64)) -> Result<MachineRun, MachineError>;

    /// Appends the records of padding programs to `record.ops`, and changes or appends what else
    /// depends on padding: `padding` has the number of padding rows by table. It is called once,
    /// after [`Machine::run`], and must not change how many records a table's own row program has.
    fn pad(&self, record: &mut Record, padding: &[usize]);

    /// Whether messages at the boundary, as a proof states them, are one statement of this
    /// machine, in its only form: each once, in order, nothing left out.
    ///
    /// # Errors
    /// What is wrong with them.
    fn check_statement(&self, boundary: &[BoundaryMessage]) -> Result<(), String>;

    /// A statement in words, for people.
    fn phrase(&self, boundary: &[BoundaryMessage]) -> Option<String>;

    /// What a row of table `table` is about, for people: the pc and the instruction. `record` is
    /// that of the run.
    fn place(&self, record: &Record, table: usize, row: usize) -> Option<String> {
        let _ = (record, table, row);
        None
    }
}

/// What an execution leaves.
#[derive(Clone, Debug)]
pub struct MachineRun {
    /// With records of all row programs, by their index, see [`TableProgram::records`]; those of
    /// padding programs are empty. Its io is the input.
    pub record: Record,
    /// The statement.
    pub boundary: Vec<BoundaryMessage>,
    /// Steps that were executed.
    pub steps: u64,
}

/// Why a guest stopped: where, why, and what to do.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct MachineError(#[from] pub Box<dyn Error + Send + Sync>);
