//! From a checked program to its constraint system.
//!
//! The order of circuits, constraints, lookups and of the terms inside them is a
//! function of the program alone; the system digest is taken over it. Circuits:
//! the program's groups in order, one memory table per declared width, then the
//! byte tables that some circuit looks up, with the operations that are looked up.

mod group;
mod member;
mod row;
mod tables;

use std::collections::BTreeSet;

use traceloom_air::bytes::ByteTable;
use traceloom_air::claim::Entry;
use traceloom_air::system::{Circuit, System};

use crate::check::CheckedProgram;

pub(crate) use group::Group;
pub use group::GroupColumns;
pub(crate) use member::Member;
pub(crate) use row::OpRow;
pub use tables::{MEMORY_MULTIPLICITY, MEMORY_POINTER, MEMORY_VALUES};

/// Constraints and lookups of `program`.
#[must_use]
pub fn build_system(program: &CheckedProgram) -> System {
    let data = program.program();
    let mut byte_ops = BTreeSet::new();
    let mut circuits: Vec<Circuit> = Vec::new();
    for members in &data.circuits {
        circuits.push(group::build(program, members, &mut byte_ops));
    }
    circuits.extend(data.memory_sizes.iter().map(|&width| tables::memory(width)));
    circuits.extend(ByteTable::ALL.into_iter().filter_map(|table| tables::bytes(table, &byte_ops)));
    let entries = program.function_ids().filter(|&id| program.function(id).entry);
    let entries = entries.map(|id| {
        let function = program.function(id);
        Entry {
            function: id.0,
            name: function.name.clone(),
            num_inputs: function.num_inputs as usize,
            num_outputs: function.num_outputs as usize,
            ranked: program.callgraph().is_ranked(id),
        }
    });
    let (fingerprint, entries) = (program.fingerprint(), entries.collect());
    System { fingerprint, circuits, entries, boundaries: Vec::new() }
}
