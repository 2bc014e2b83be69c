//! What a proof costs, by function and operation: rows, cells, lookups, and seconds.
//!
//! - `calls`: who called whom, from the interpreter;
//! - `blocks`: which blocks a path executes;
//! - `places`: what the cells and lookups of a row are for;
//! - `seconds`: the times of a report, shared out by cells.
//!
//! Every cell of every main trace, padding included, is in exactly one [`Entry`], and so is every
//! lookup of every row. So the sums are those of the report, and a test compares them.

mod blocks;
mod calls;
mod places;
mod seconds;

use std::collections::BTreeMap;
use std::ops::AddAssign;

use traceloom_air::system::{CircuitKind, System};
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::model::FunctionId;

pub use calls::{CallTree, Frame};

use crate::report::ProofReport;
use crate::shards::Planned;
use places::{Place, places};

/// What something costs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Rows without padding. The operations of a row have none; the row itself has one.
    pub rows: u64,
    /// Rows in which it is executed.
    pub executed: u64,
    /// Cells of main traces.
    pub cells: u64,
    /// Lookups: slots of messages, whether they are used or not.
    pub lookups: u64,
    /// Time, summed over workers; 0 without a report.
    pub seconds: f64,
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.rows += other.rows;
        self.executed += other.executed;
        self.cells += other.cells;
        self.lookups += other.lookups;
        self.seconds += other.seconds;
    }
}

/// Something that costs.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Names of the calling functions, the outermost first, and of the function itself. Of what
    /// belongs to no function it is what it belongs to: `byte tables`, `memories`, `padding` or
    /// `whole proof`.
    pub stack: Vec<String>,
    /// The operation, or what else of a row.
    pub operation: String,
    /// The cost.
    pub cost: Cost,
}

/// The cost of a proof.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// In the order of the system, and of the calls.
    pub entries: Vec<Entry>,
}

/// Rows of padding, and what a proof does for all circuits together.
const PADDING: &str = "padding";

impl Profile {
    /// The cost of an execution whose calls are `calls`, in the shards of `planned`; with a report
    /// also its times.
    #[must_use]
    pub fn new(
        program: &CheckedProgram,
        system: &System,
        calls: &CallTree,
        planned: &Planned,
        report: Option<&ProofReport>,
    ) -> Self {
        let mut profile = Self::default();
        for (position, circuit) in system.circuits.iter().enumerate() {
            let pieces = planned.plan.shards.iter().filter_map(|of| of.pieces[position].as_ref());
            let (mut real, mut height) = (0, 0);
            for piece in pieces {
                real += piece.rows.len() as u64;
                height += piece.height() as u64;
            }
            if height == 0 {
                continue;
            }
            let size = Size { width: circuit.width as u64, lookups: circuit.lookups.len() as u64 };
            let first = profile.entries.len();
            match &circuit.kind {
                CircuitKind::Function { members, .. } => {
                    for &member in members {
                        profile.function(program, calls, FunctionId(member), size);
                    }
                }
                CircuitKind::Memory { .. } => profile.table("memories", &circuit.name, real, size),
                CircuitKind::Bytes(_) => profile.table("byte tables", &circuit.name, real, size),
                CircuitKind::Ops { .. } => profile.table("op tables", &circuit.name, real, size),
            }
            let padding = height.saturating_sub(real);
            if padding > 0 {
                let cost = Cost { executed: padding, ..size.of(padding) };
                profile.push(vec![PADDING.into()], &circuit.name, cost);
            }
            if let Some(report) = report {
                seconds::of_circuit(&mut profile.entries[first..], report, position);
            }
        }
        if let Some(report) = report {
            profile.entries.extend(seconds::of_all(report));
        }
        profile
    }

    /// The rows of a function, by its callers, and what is in them.
    fn function(
        &mut self,
        program: &CheckedProgram,
        calls: &CallTree,
        function: FunctionId,
        size: Size,
    ) {
        for (frame, rows) in calls.rows(function) {
            let stack: Vec<String> =
                calls.stack(frame).iter().map(|of| program.function(*of).name.clone()).collect();
            let mut all: BTreeMap<String, Cost> = BTreeMap::new();
            for (&path, &rows) in rows {
                for Place { name, cells, lookups, is_row } in places(program, function, path, size)
                {
                    *all.entry(name).or_default() += Cost {
                        rows: if is_row { rows } else { 0 },
                        executed: rows,
                        cells: cells * rows,
                        lookups: lookups * rows,
                        seconds: 0.0,
                    };
                }
            }
            for (name, cost) in all {
                self.push(stack.clone(), &name, cost);
            }
        }
    }

    fn table(&mut self, kind: &str, name: &str, rows: u64, size: Size) {
        self.push(vec![kind.into()], name, Cost { rows, executed: rows, ..size.of(rows) });
    }

    fn push(&mut self, stack: Vec<String>, operation: &str, cost: Cost) {
        self.entries.push(Entry { stack, operation: operation.into(), cost });
    }

    /// The sum of all entries.
    #[must_use]
    pub fn total(&self) -> Cost {
        let mut total = Cost::default();
        self.entries.iter().for_each(|entry| total += entry.cost);
        total
    }

    /// The cost of every function, whoever calls it, without what it calls; and of what is no
    /// function.
    #[must_use]
    pub fn by_function(&self) -> Vec<(String, Cost)> {
        self.grouped(|entry| entry.stack.last().cloned().unwrap_or_default())
    }

    /// The cost of every operation of every function.
    #[must_use]
    pub fn by_operation(&self) -> Vec<((String, String), Cost)> {
        self.grouped(|entry| {
            (entry.stack.last().cloned().unwrap_or_default(), entry.operation.clone())
        })
    }

    fn grouped<K: Ord>(&self, key: impl Fn(&Entry) -> K) -> Vec<(K, Cost)> {
        let mut all: BTreeMap<K, Cost> = BTreeMap::new();
        for entry in &self.entries {
            *all.entry(key(entry)).or_default() += entry.cost;
        }
        all.into_iter().collect()
    }
}

/// What a row of a circuit has.
#[derive(Clone, Copy, Debug)]
struct Size {
    width: u64,
    lookups: u64,
}

impl Size {
    const fn of(self, rows: u64) -> Cost {
        let (cells, lookups) = (self.width * rows, self.lookups * rows);
        Cost { rows: 0, executed: 0, cells, lookups, seconds: 0.0 }
    }
}
