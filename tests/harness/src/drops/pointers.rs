//! A memory moved as a whole: its rows, and every row that stores or loads.
//!
//! Nothing about one cell is wrong then. Only the first pointer that the memory states
//! in public is not the one that it has.

use std::collections::BTreeSet;

use traceloom_air::field::{Goldilocks, PrimeCharacteristicRing, element};
use traceloom_air::message::MEMORY_CHANNEL;
use traceloom_air::system::{CircuitKind, Direction, System};
use traceloom_air::trace::ShardWitness;
use traceloom_bytecode::system::MEMORY_POINTER;
use traceloom_runtime::check::check;

use super::Subject;
use super::balance::{Anchors, balance};
use super::search::{Cell, evaluate, support};

/// The honest witness with the pointers of the memory at `dropped` one higher, if only
/// `mutated` accepts it.
pub(super) fn moved(subject: &Subject, mutated: &System, dropped: usize) -> Option<ShardWitness> {
    let CircuitKind::Memory { width } = mutated.circuits[dropped].kind else { return None };
    let anchors = Anchors::new(&subject.system, &subject.witness);
    let mut witness = subject.witness.clone();
    for (circuit, (row, column)) in users(mutated, &witness, width) {
        witness.traces[circuit].as_mut()?.row_mut(row)[column] += Goldilocks::ONE;
    }
    let memory = witness.traces[dropped].as_mut()?;
    for row in 0..memory.height() {
        memory.row_mut(row)[MEMORY_POINTER] += Goldilocks::ONE;
    }
    if !balance(subject, mutated, &anchors, &mut witness, &[]) {
        return None;
    }
    let shards = [witness];
    let only_mutated = !check(&subject.system, &shards).is_ok() && check(mutated, &shards).is_ok();
    let [witness] = shards;
    only_mutated.then_some(witness)
}

/// Circuit and cell of every pointer that a row sends to the memory of this width.
fn users(system: &System, witness: &ShardWitness, width: u32) -> BTreeSet<(usize, Cell)> {
    let mut cells = BTreeSet::new();
    for (index, circuit) in system.circuits.iter().enumerate() {
        let Some(trace) = &witness.traces[index] else { continue };
        let pushes = circuit.lookups.iter().filter(|lookup| lookup.direction == Direction::Push);
        let pushes: Vec<_> = pushes.filter(|lookup| lookup.arguments.len() > 2).collect();
        for row in 0..trace.height() {
            let values = evaluate(circuit, trace, &witness.publics[index], row);
            for push in &pushes {
                let at = |argument: usize| values[push.arguments[argument].0 as usize];
                let head = [at(0), at(1)] == [MEMORY_CHANNEL, width.into()].map(element);
                // Behind a gate, a pointer is a column times selectors.
                let pointer = support(circuit, push.arguments[2]).into_iter();
                let is_pointer =
                    |cell: &Cell| !circuit.column_names[cell.1].starts_with("selector");
                if head && values[push.multiplicity.0 as usize] != Goldilocks::ZERO {
                    let pointer = pointer.filter(is_pointer);
                    cells.extend(pointer.map(|(_, column)| (index, (row, column))));
                }
            }
        }
    }
    cells
}
