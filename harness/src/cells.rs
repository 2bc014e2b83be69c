//! Single cells changed: refused if and only if the plan calls them determined.
//!
//! The plan decides which cells are free from bytecode alone, the checker decides
//! from the constraint system what it accepts; neither knows of the other.
//!
//! Of advice the plan says whether something reads it, which is not the same as
//! being determined: `a + b - b = a` reads b, and so does a product with zero. Such
//! cells may go either way.

use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use traceloom_abi::field::{Goldilocks, MODULUS, PrimeCharacteristicRing, element};
use traceloom_abi::system::{Circuit, CircuitKind, System};
use traceloom_abi::trace::{ShardWitness, Trace};
use traceloom_codegen::plan::{Column, Fixed, Region, Write};
use traceloom_runtime::check::check;

use crate::compact;
use crate::family::{Counts, Family};
use crate::plans::PlannedRow;

/// Changes up to `count` cells of functions and half as many of tables, one at a time;
/// how many were changed, by family. `system` and `witness` are compact.
///
/// # Errors
/// The first cell that is accepted though determined, or refused though free.
pub fn forge(
    rng: &mut ChaCha8Rng,
    system: &System,
    witness: &ShardWitness,
    rows: &[PlannedRow<'_>],
    count: usize,
) -> Result<Counts, String> {
    let mut shards = [witness.clone()];
    let mut forged = Counts::default();
    for _ in 0..count {
        let Some(planned) = rows.choose(rng) else { break };
        let Some(path) = planned.path else { continue };
        let Some(write) = path.writes.choose(rng) else { continue };
        let column = planned.column(write.column);
        let trace = trace_of(&mut shards[0], planned.circuit);
        let old = trace.row(planned.row)[column];
        let verdict = expected(write, planned, trace);
        let new = if rng.random_bool(0.5) { old + Goldilocks::ONE } else { random(rng, old) };
        trace.row_mut(planned.row)[column] = new;
        let accepted = check(system, &shards).is_ok();
        trace_of(&mut shards[0], planned.circuit).row_mut(planned.row)[column] = old;
        forged.count(Family::of(planned, path, write));
        if verdict.is_some_and(|free| accepted != free) {
            let verdict = if accepted { "accepted" } else { "refused" };
            let (name, row, at) = (&planned.function.name, planned.row, write.column);
            let plan = write.fixed;
            return Err(format!(
                "{name:?} row {row} {at}: {old} changed to {new} is {verdict}, the plan: {plan:?}"
            ));
        }
    }
    tables(rng, system, &mut shards, count / 2, &mut forged)?;
    Ok(forged)
}

/// Cells of memories and byte tables, which are all determined, except values of a
/// memory's row that nobody asks for.
fn tables(
    rng: &mut ChaCha8Rng,
    system: &System,
    shards: &mut [ShardWitness; 1],
    count: usize,
    forged: &mut Counts,
) -> Result<(), String> {
    let positions = 0..system.circuits.len();
    let active = positions.filter(|&circuit| shards[0].traces[circuit].is_some());
    let tables: Vec<usize> =
        active.filter(|&circuit| is_table(&system.circuits[circuit])).collect();
    for _ in 0..count {
        let Some(&circuit) = tables.choose(rng) else { break };
        let data = &system.circuits[circuit];
        let Some((row, column, family)) = table_cell(rng, data, trace_of(&mut shards[0], circuit))
        else {
            continue;
        };
        let set = |shards: &mut [ShardWitness; 1], new| {
            trace_of(&mut shards[0], circuit).row_mut(row)[column] = new;
        };
        let old = trace_of(&mut shards[0], circuit).row(row)[column];
        let new = if rng.random_bool(0.5) { old + Goldilocks::ONE } else { random(rng, old) };
        set(shards, new);
        let accepted = check(system, &shards[..]).is_ok();
        set(shards, old);
        forged.count(family);
        if accepted {
            let (name, family) = (&data.name, format!("{family:?}"));
            return Err(format!("{name:?} row {row} {family}: {old} changed to {new} is accepted"));
        }
    }
    Ok(())
}

fn is_table(circuit: &Circuit) -> bool {
    matches!(circuit.kind, CircuitKind::Memory { .. }) || compact::is_short_table(circuit)
}

/// A determined cell of a real row: multiplicity, selector, pointer, values of a
/// memory, or the multiplicity of a byte table's row.
fn table_cell(
    rng: &mut ChaCha8Rng,
    circuit: &Circuit,
    trace: &Trace,
) -> Option<(usize, usize, Family)> {
    const POINTER: usize = 2;
    let row = rng.random_range(0..trace.height());
    let cells = trace.row(row);
    if compact::is_short_table(circuit) {
        return (cells[0] != Goldilocks::ZERO).then_some((row, 0, Family::ByteMultiplicity));
    }
    // Selector off: padding.
    if cells[1] == Goldilocks::ZERO {
        return None;
    }
    let is_asked = cells[0] != Goldilocks::ZERO;
    let column = rng.random_range(0..if is_asked { circuit.width } else { POINTER + 1 });
    let family = if column == POINTER { Family::MemoryPointer } else { Family::Memory };
    Some((row, column, family))
}

/// One determined cell of each family in `witness` of the full system, changed: for
/// the verifier, to whom a forgery costs a proof.
#[must_use]
pub fn one_of_each(
    rng: &mut ChaCha8Rng,
    system: &System,
    witness: &ShardWitness,
    rows: &[PlannedRow<'_>],
) -> Vec<(Family, ShardWitness)> {
    let mut forged: Vec<(Family, ShardWitness)> = Vec::new();
    let mut add = |family: Family, circuit: usize, row: usize, column: usize| {
        if forged.iter().all(|(other, _)| *other != family) {
            let mut changed = witness.clone();
            trace_of(&mut changed, circuit).row_mut(row)[column] += Goldilocks::ONE;
            forged.push((family, changed));
        }
    };
    // From a random row on, since rare families are in few rows.
    let first = if rows.is_empty() { 0 } else { rng.random_range(0..rows.len()) };
    let (front, back) = rows.split_at(first);
    for planned in back.iter().chain(front) {
        let Some(path) = planned.path else { continue };
        let trace = witness.traces[planned.circuit].as_ref().expect("a circuit with rows");
        for write in &path.writes {
            if expected(write, planned, trace) == Some(false) {
                let column = planned.column(write.column);
                add(Family::of(planned, path, write), planned.circuit, planned.row, column);
            }
        }
    }
    for (position, circuit) in system.circuits.iter().enumerate() {
        let Some(trace) = &witness.traces[position] else { continue };
        match circuit.kind {
            CircuitKind::Memory { .. } => {
                for _ in 0..8 {
                    if let Some((row, column, family)) = table_cell(rng, circuit, trace) {
                        add(family, position, row, column);
                    }
                }
            }
            CircuitKind::Bytes(_) => {
                let row = rng.random_range(0..trace.height());
                let column = rng.random_range(0..trace.width);
                add(Family::ByteMultiplicity, position, row, column);
            }
            CircuitKind::Function { .. } => {}
        }
    }
    forged
}

fn trace_of(witness: &mut ShardWitness, circuit: usize) -> &mut Trace {
    witness.traces[circuit].as_mut().expect("a circuit with rows has a trace")
}

/// Whether the plan calls the cell free; nothing for advice that is read.
fn expected(write: &Write, planned: &PlannedRow<'_>, trace: &Trace) -> Option<bool> {
    let index = write.column.index as usize;
    match write.fixed {
        Fixed::Determined => {
            let advice = write.column.region == Region::Auxiliary && planned.advice[index];
            (!advice).then_some(false)
        }
        Fixed::FreeUnused | Fixed::FreeAdvice => Some(true),
        // The result of the same eq_zero stands in the next column.
        Fixed::FreeWhenZero(_) => {
            let result = planned.column(Column::auxiliary(index + 1));
            Some(trace.row(planned.row)[result] == Goldilocks::ONE)
        }
    }
}

/// An element other than `old` that is no bit.
fn random(rng: &mut ChaCha8Rng, old: Goldilocks) -> Goldilocks {
    loop {
        let new = element(rng.random_range(2..MODULUS));
        if new != old {
            return new;
        }
    }
}
