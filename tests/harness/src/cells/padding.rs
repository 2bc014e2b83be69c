//! Rows beyond the last one of a function circuit.
//!
//! Nothing is required of a row with all selectors off, and it may answer nothing. A
//! row whose selector is on but that nobody asks for is a row like any other: it is
//! accepted if it reads as its function and asks for nothing.

use std::collections::BTreeMap;

use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use traceloom_air::field::{Goldilocks, PrimeCharacteristicRing};
use traceloom_air::system::System;
use traceloom_air::trace::ShardWitness;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::model::FunctionId;
use traceloom_bytecode::system::GroupColumns;

use super::reading::read;
use super::{Forgery, another, trace};
use crate::family::Family;
use crate::plans::PlannedRow;

/// Circuits whose last rows are padding, with the number of their first such row.
fn padded(witness: &ShardWitness, rows: &[PlannedRow<'_>]) -> Vec<(usize, usize)> {
    let mut ends: BTreeMap<usize, usize> = BTreeMap::new();
    for planned in rows {
        let end = ends.entry(planned.circuit).or_default();
        *end = (*end).max(planned.row + 1);
    }
    ends.into_iter().filter(|&(circuit, end)| end < trace(witness, circuit).height()).collect()
}

/// The multiplicity of a random row of padding: circuit, row, column.
pub fn multiplicity(
    rng: &mut ChaCha8Rng,
    program: &CheckedProgram,
    witness: &ShardWitness,
    rows: &[PlannedRow<'_>],
) -> Option<(usize, usize, usize)> {
    let &(circuit, end) = padded(witness, rows).choose(rng)?;
    let columns = GroupColumns::new(program, &program.program().circuits[circuit]);
    let row = rng.random_range(end..trace(witness, circuit).height());
    Some((circuit, row, columns.first_auxiliary))
}

/// A change of a cell in a random row of padding: of a selector, the multiplicity or
/// another cell; nothing if there is no such row.
pub fn choose(
    rng: &mut ChaCha8Rng,
    program: &CheckedProgram,
    system: &System,
    witness: &ShardWitness,
    rows: &[PlannedRow<'_>],
) -> Option<Forgery> {
    let &(circuit, end) = padded(witness, rows).choose(rng)?;
    let members = &program.program().circuits[circuit];
    let columns = GroupColumns::new(program, members);
    let row = rng.random_range(end..trace(witness, circuit).height());
    let selectors = columns.first_selector[0]..columns.first_auxiliary;
    let column = match rng.random_range(0..3) {
        0 => rng.random_range(selectors.clone()),
        1 => columns.first_auxiliary,
        _ => rng.random_range(0..system.circuits[circuit].width),
    };
    let new = another(rng, Goldilocks::ZERO);
    let free = if selectors.contains(&column) {
        new == Goldilocks::ONE && is_complete(program, members, &columns, column)
    } else {
        column != columns.first_auxiliary
    };
    Some(Forgery { family: Family::Padding, free, circuit, row, cells: vec![(column, new)] })
}

/// Whether a row of zeros with this selector on is a row of its function that asks
/// for nothing.
fn is_complete(
    program: &CheckedProgram,
    members: &[FunctionId],
    columns: &GroupColumns,
    column: usize,
) -> bool {
    let member = columns.first_selector.iter().rposition(|&first| first <= column);
    let member = member.expect("a selector belongs to a member");
    let layout = program.layout(members[member]);
    let mut leaves = vec![false; layout.num_selectors];
    leaves[column - columns.first_selector[member]] = true;
    let mut row = vec![Goldilocks::ZERO; layout.width()];
    for (cell, &on) in row[layout.num_inputs..].iter_mut().zip(&leaves) {
        *cell = Goldilocks::from_bool(on);
    }
    let reading = read(program, members[member], &row, &leaves);
    reading.holds && reading.asked.is_empty()
}
