//! Changed cells: each is refused or accepted as it has to be.
//!
//! Three say so, and none knows of the others: the plan, which decides from bytecode
//! which cells are free; the [`reading`] of the row, which states once more what is
//! required; and the checker, which has the constraint system alone.
//!
//! Of advice the plan says whether something reads it, which is not the same as
//! being fixed: `a + b - b = a` reads b, and so does a product with zero. There the
//! reading decides, and of rows whose paths are not numbered it decides everything.

mod padding;
pub mod reading;
mod tables;

use std::collections::BTreeMap;

use rand::Rng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;
use traceloom_air::field::{Goldilocks, MODULUS, PrimeCharacteristicRing, element};
use traceloom_air::system::{CircuitKind, System};
use traceloom_air::trace::{ShardWitness, Trace};
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::model::FunctionId;
use traceloom_plan::{Column, Fixed, PathPlan, Region};
use traceloom_runtime::check::check;

use crate::family::{Counts, Family};
use crate::plans::PlannedRow;
use reading::{Reading, read};

/// Changes up to `count` cells of functions, half as many of tables and a third of
/// rows beyond the last one, one at a time; what came of it, by family. `system` and
/// `witness` are compact.
///
/// # Errors
/// The first cell that is accepted or refused and should not be.
pub fn forge(
    rng: &mut ChaCha8Rng,
    program: &CheckedProgram,
    system: &System,
    witness: &ShardWitness,
    rows: &[PlannedRow<'_>],
    count: usize,
) -> Result<Counts, String> {
    let mut forger = Forger { system, shards: [witness.clone()], counts: Counts::default() };
    for _ in 0..count {
        let Some(planned) = rows.choose(rng) else { break };
        let forgery = of_row(rng, program, planned, forger.trace(planned.circuit))?;
        forger.attempt(forgery)?;
    }
    for _ in 0..count / 2 {
        let Some(forgery) = tables::choose(rng, system, &forger.shards[0]) else { break };
        forger.attempt(forgery)?;
    }
    for _ in 0..count / 3 {
        let forgery = padding::choose(rng, program, system, &forger.shards[0], rows);
        let Some(forgery) = forgery else { break };
        forger.attempt(forgery)?;
    }
    Ok(forger.counts)
}

/// A change of one cell, or of one message.
#[derive(Debug)]
struct Forgery {
    family: Family,
    /// Whether it has to be accepted.
    free: bool,
    circuit: usize,
    row: usize,
    /// Columns and their new cells.
    cells: Vec<(usize, Goldilocks)>,
}

struct Forger<'a> {
    system: &'a System,
    shards: [ShardWitness; 1],
    counts: Counts,
}

impl Forger<'_> {
    fn trace(&self, circuit: usize) -> &Trace {
        trace(&self.shards[0], circuit)
    }

    fn attempt(&mut self, forgery: Forgery) -> Result<(), String> {
        let Forgery { family, free, circuit, row, .. } = forgery;
        let trace = trace_of(&mut self.shards[0], circuit);
        let old = trace.row(row).to_vec();
        for &(column, new) in &forgery.cells {
            trace.row_mut(row)[column] = new;
        }
        let accepted = check(self.system, &self.shards).is_ok();
        trace_of(&mut self.shards[0], circuit).row_mut(row).copy_from_slice(&old);
        match accepted {
            true => self.counts.count_free(family),
            false => self.counts.count(family),
        }
        if accepted == free {
            return Ok(());
        }
        let verdict = if accepted { "accepted" } else { "refused" };
        let circuit = &self.system.circuits[circuit].name;
        let changes: Vec<String> = forgery
            .cells
            .iter()
            .map(|&(column, new)| format!("column {column}: {} changed to {new}", old[column]))
            .collect();
        Err(format!("{circuit:?} row {row}, {family:?}, {}: {verdict}", changes.join(", ")))
    }
}

/// A change of a cell of a function's row; families that the row has are equally
/// likely, since most have few columns.
fn of_row(
    rng: &mut ChaCha8Rng,
    program: &CheckedProgram,
    planned: &PlannedRow<'_>,
    trace: &Trace,
) -> Result<Forgery, String> {
    let cells = trace.row(planned.row);
    let honest = Honest::new(program, planned, cells)?;
    let mut columns: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for column in 0..trace.width {
        columns.entry(honest.family(column) as usize).or_default().push(column);
    }
    let columns: Vec<Vec<usize>> = columns.into_values().collect();
    let columns = columns.choose(rng).expect("a row has columns");
    let column = *columns.choose(rng).expect("a family has columns");
    let new = another(rng, cells[column]);
    let family = honest.family(column);
    let free = honest.is_free(column, new);
    if let (Some(path), Some(own)) = (planned.path, planned.own(column))
        && let Some(planned_free) = free_by_plan(path, family, own, planned, cells)
        && planned_free != free
    {
        let (name, row) = (&planned.function.name, planned.row);
        let (planned, free) = (freedom(planned_free), freedom(free));
        return Err(format!("{name:?} row {row} {own}: {planned} by plan, {free} as it reads"));
    }
    let (circuit, row) = (planned.circuit, planned.row);
    Ok(Forgery { family, free, circuit, row, cells: vec![(column, new)] })
}

fn freedom(free: bool) -> &'static str {
    if free { "free" } else { "fixed" }
}

/// An honest row, and what it says.
struct Honest<'a> {
    program: &'a CheckedProgram,
    planned: &'a PlannedRow<'a>,
    /// The function's own cells.
    row: Vec<Goldilocks>,
    leaves: Vec<bool>,
    reading: Reading,
}

impl<'a> Honest<'a> {
    fn new(
        program: &'a CheckedProgram,
        planned: &'a PlannedRow<'a>,
        cells: &[Goldilocks],
    ) -> Result<Self, String> {
        let row: Vec<Goldilocks> = planned.columns().map(|c| cells[planned.column(c)]).collect();
        let layout = &planned.function.layout;
        let selectors = &row[layout.num_inputs as usize..][..layout.num_selectors as usize];
        let leaves: Vec<bool> = selectors.iter().map(|&cell| cell == Goldilocks::ONE).collect();
        let reading = read(program, FunctionId(planned.function.function), &row, &leaves);
        if !reading.holds {
            let (name, row) = (&planned.function.name, planned.row);
            return Err(format!("{name:?} row {row} does not read as its function"));
        }
        Ok(Self { program, planned, row, leaves, reading })
    }

    /// The family of a column of the circuit.
    fn family(&self, column: usize) -> Family {
        let planned = self.planned;
        match planned.own(column) {
            Some(own) => match own.region {
                Region::Input => Family::Input,
                Region::Selector => Family::Selector,
                Region::Auxiliary => self.reading.families[own.index as usize],
            },
            // Of other members.
            None if (planned.num_input_columns..planned.first_auxiliary).contains(&column) => {
                Family::Selector
            }
            None => Family::Unused,
        }
    }

    /// Whether the row says the same with `new` in a column of the circuit.
    fn is_free(&self, column: usize, new: Goldilocks) -> bool {
        if matches!(self.family(column), Family::Selector | Family::Multiplicity) {
            return false;
        }
        let own = self.planned.columns().position(|own| self.planned.column(own) == column);
        let Some(own) = own else { return true };
        let mut row = self.row.clone();
        row[own] = new;
        let id = FunctionId(self.planned.function.function);
        read(self.program, id, &row, &self.leaves) == self.reading
    }
}

/// Whether the plan calls the cell free; nothing for advice that is read.
fn free_by_plan(
    path: &PathPlan,
    family: Family,
    own: Column,
    planned: &PlannedRow<'_>,
    cells: &[Goldilocks],
) -> Option<bool> {
    let write = path.writes.iter().find(|write| write.column == own).expect("all are written");
    match write.fixed {
        Fixed::Determined => (family != Family::Advice).then_some(false),
        Fixed::FreeUnused | Fixed::FreeAdvice => Some(true),
        // The result of the same eq_zero stands in the next column.
        Fixed::FreeWhenZero(_) => {
            let result = planned.column(Column::auxiliary(own.index as usize + 1));
            Some(cells[result] == Goldilocks::ONE)
        }
    }
}

/// Most forgeries of a program that are proven.
const MAX_PROVEN: usize = 8;

/// One cell of each family in `witness` of the full system, changed so that it has to
/// be refused: for the verifier, to whom a forgery costs a proof. Of too many families
/// those stay that few programs have.
///
/// # Panics
/// If a row does not read as its function: the compact system is tried first.
#[must_use]
pub fn one_of_each(
    rng: &mut ChaCha8Rng,
    program: &CheckedProgram,
    system: &System,
    witness: &ShardWitness,
    rows: &[PlannedRow<'_>],
) -> Vec<(Family, ShardWitness)> {
    let mut forged: Vec<(Family, ShardWitness)> = Vec::new();
    let mut add = |family: Family, circuit: usize, row: usize, column: usize| {
        let mut changed = witness.clone();
        trace_of(&mut changed, circuit).row_mut(row)[column] += Goldilocks::ONE;
        forged.push((family, changed));
    };
    let mut seen = vec![Family::Unused];
    // From a random row on, since rare families are in few rows.
    let first = if rows.is_empty() { 0 } else { rng.random_range(0..rows.len()) };
    let (front, back) = rows.split_at(first);
    for planned in back.iter().chain(front) {
        let cells = trace(witness, planned.circuit).row(planned.row);
        let honest = Honest::new(program, planned, cells).expect("rows read as their functions");
        for (column, &cell) in cells.iter().enumerate() {
            let family = honest.family(column);
            if !seen.contains(&family) && !honest.is_free(column, cell + Goldilocks::ONE) {
                seen.push(family);
                add(family, planned.circuit, planned.row, column);
            }
        }
    }
    if let Some((circuit, row, column)) = padding::multiplicity(rng, program, witness, rows) {
        add(Family::Padding, circuit, row, column);
    }
    for (position, circuit) in system.circuits.iter().enumerate() {
        let Some(trace) = &witness.traces[position] else { continue };
        match circuit.kind {
            CircuitKind::Memory { .. } => {
                for _ in 0..8 {
                    let (row, column, family, free) = tables::memory_cell(rng, trace);
                    if !free && !seen.contains(&family) {
                        seen.push(family);
                        add(family, position, row, column);
                    }
                }
            }
            CircuitKind::Bytes(_) if !seen.contains(&Family::ByteMultiplicity) => {
                let row = rng.random_range(0..trace.height());
                let column = rng.random_range(0..trace.width);
                seen.push(Family::ByteMultiplicity);
                add(Family::ByteMultiplicity, position, row, column);
            }
            CircuitKind::Bytes(_) | CircuitKind::Function { .. } | CircuitKind::Ops { .. } => {}
        }
    }
    // The others are in every program, or nearly.
    let is_rare = |family: Family| {
        let common = [Family::Input, Family::Selector, Family::Auxiliary, Family::Multiplicity];
        !common.contains(&family)
    };
    forged.shuffle(rng);
    forged.sort_by_key(|&(family, _)| !is_rare(family));
    forged.truncate(MAX_PROVEN);
    forged
}

fn trace(witness: &ShardWitness, circuit: usize) -> &Trace {
    witness.traces[circuit].as_ref().expect("a circuit with rows has a trace")
}

fn trace_of(witness: &mut ShardWitness, circuit: usize) -> &mut Trace {
    witness.traces[circuit].as_mut().expect("a circuit with rows has a trace")
}

/// An element other than `old`: the next one, or one that is not a bit.
fn another(rng: &mut ChaCha8Rng, old: Goldilocks) -> Goldilocks {
    if rng.random_bool(0.5) {
        return old + Goldilocks::ONE;
    }
    loop {
        let new = element(rng.random_range(2..MODULUS));
        if new != old {
            return new;
        }
    }
}
