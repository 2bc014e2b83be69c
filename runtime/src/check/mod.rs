//! The debug checker: every constraint on every row, and the balance of every
//! message, on concrete traces. It needs no proof and names what fails.
//!
//! Rows are evaluated in blocks (`evaluate`), and messages are summed up by their hashes (`bus`),
//! so that a check costs less than a proof. Only where something does not balance, the messages
//! themselves are collected. `words` says in the program's words what fails. `poke` changes a cell,
//! so that people see which constraint or lookup refuses it.
//!
//! Output is bounded: a few failures are described, the total is always stated.

mod bus;
mod evaluate;
mod poke;
mod report;
mod words;

use std::fmt;

use traceloom_air::field::Goldilocks;
use traceloom_air::system::System;
use traceloom_air::trace::ShardWitness;

use bus::{Balances, Site, Sums};
use evaluate::Table;

pub use poke::{Poke, PokeError};
pub use report::{Cell, CheckReport, ConstraintFailure, Imbalance, Near};
pub use words::Words;

/// Failures of each kind that are described where nobody says otherwise.
pub const MAX_DESCRIBED: usize = 4;

/// What the row of a circuit is about, in words.
pub type PlaceOf<'a> = dyn Fn(usize, usize) -> Option<String> + 'a;

/// What is described, and how.
pub struct Options<'a> {
    /// Failures of each kind that are described.
    pub show: usize,
    /// Names of what fails.
    pub words: Words<'a>,
    /// What a row of a circuit is about.
    pub place: &'a PlaceOf<'a>,
}

impl fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "options of a check that describes {}", self.show)
    }
}

impl Default for Options<'_> {
    fn default() -> Self {
        Self { show: MAX_DESCRIBED, words: Words::default(), place: &|_, _| None }
    }
}

/// Checks one whole batch: the shards' traces against `system`.
///
/// The system states the shapes; a trace of another width is a mistake of the caller. That an
/// unbalanced message is missed has the probability of two hashes of 64 bits that cancel. Nobody
/// should take a check for a proof: it looks for mistakes, not for adversaries.
///
/// # Panics
/// If a shard does not have one entry per circuit, a trace has the wrong width, the system has
/// no cells of its fixed columns, or a shard names a boundary that the system does not have.
#[must_use]
pub fn check(system: &System, shards: &[ShardWitness]) -> CheckReport {
    check_with(system, shards, &Options::default())
}

/// The same, described as `options` say.
///
/// # Panics
/// As [`check`].
#[must_use]
pub fn check_with(system: &System, shards: &[ShardWitness], options: &Options<'_>) -> CheckReport {
    let mut report = CheckReport::default();
    let mut sums = Sums::default();
    for table in tables(system, shards) {
        for part in table.check(options.show) {
            report.num_constraints += part.num_failures;
            for failure in part.failures {
                if report.constraints.len() < options.show {
                    report.constraints.push(table.describe(failure, options));
                }
            }
            sums.absorb(&part.sums);
        }
    }
    for_each_stated(system, shards, |message, sign, _| sums.add(message, sign));
    let open = sums.open();
    if open.is_empty() {
        return report;
    }
    let mut balances = Balances::new(open);
    for table in tables(system, shards) {
        for part in table.balances(balances.open()) {
            balances.absorb(part);
        }
    }
    for_each_stated(system, shards, |message, sign, site| balances.add(message, sign, site));
    let unbalanced = balances.unbalanced();
    report.num_messages = unbalanced.len();
    let site = |site: Site| site.describe(system, shards.len(), options.place);
    report.messages = words::imbalances(system, &unbalanced, options, site);
    report
}

/// All traces that are there, by shard and circuit.
fn tables<'a>(system: &'a System, shards: &'a [ShardWitness]) -> impl Iterator<Item = Table<'a>> {
    (0..).zip(shards).flat_map(move |(shard, witness)| {
        assert_eq!(witness.traces.len(), system.circuits.len(), "one entry per circuit");
        let circuits = (0..).zip(&system.circuits).zip(&witness.traces).zip(&witness.publics);
        circuits.filter_map(move |(((index, circuit), trace), publics)| {
            let trace = trace.as_ref()?;
            assert_eq!(trace.width, circuit.width, "the trace of {:?}", circuit.name);
            Some(Table::new(circuit, trace, publics, (shard, index)))
        })
    })
}

/// Messages that claims and boundaries state, with their signed number.
fn for_each_stated(
    system: &System,
    shards: &[ShardWitness],
    mut visit: impl FnMut(&[Goldilocks], bus::Sign, Site),
) {
    for (shard, witness) in (0..).zip(shards) {
        let site = |row| Site { shard, circuit: u32::MAX, row, lookup: 0 };
        for (index, claim) in witness.claims.iter().enumerate() {
            visit(&claim.message(), bus::Sign::pushed_once(), site(index));
        }
        for (row, stated) in (witness.claims.len()..).zip(&witness.boundary) {
            let boundary = &system.boundaries[stated.boundary as usize];
            let message = boundary.message(&stated.values);
            visit(&message, bus::Sign::once(boundary.direction), site(row));
        }
    }
}
