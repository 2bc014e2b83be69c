//! The system digest: what a transcript binds of a program.
//!
//! Layout (owned here): BLAKE3 over the bytes below. A number is eight
//! little-endian bytes; a list is its length and its items.
//!
//! ```text
//! "traceloom-system-1\0"  fingerprint (32 bytes)
//! entries: function, num_inputs, num_outputs, ranked 0/1
//! circuits:
//!   kind     0, recursive 0/1, list of members | 1, width | 2, 1 or 2 (bytes1, bytes2)
//!   width, preprocessed width, num_publics
//!   root     preprocessed commitment, 32 bytes, if the kind is 2
//!   groups   list of numbers of lookups per stage 2 column
//!   num_slices, max_degree
//!   nodes    list, in arena order, of: 0 constant | 1 main column | 2 next column |
//!            3 fixed column | 4 public index | 5 first row | 6 transition |
//!            7 sum a b | 8 difference a b | 9 product a b  (tag, then operands)
//!   constraints  list of node index, degree
//!   lookups      list of: 0 push / 1 pull, multiplicity node, list of argument nodes
//! ```
//!
//! Names and labels are outside. The parameters are absorbed separately.

use traceloom_air::bytes::ByteTable;
use traceloom_air::system::{Circuit, CircuitKind, Direction, System};

use crate::layout::CircuitLayout;
use crate::scheme::Root;

const TAG: &[u8] = b"traceloom-system-1\0";

/// Digest of `system`, its layouts and the roots of its fixed tables (one entry
/// per circuit each).
#[must_use]
pub fn system_digest(
    system: &System,
    layouts: &[CircuitLayout],
    preprocessed: &[Option<Root>],
) -> [u8; 32] {
    let mut encoder = Encoder::default();
    encoder.hasher.update(TAG);
    encoder.hasher.update(&system.fingerprint);
    encoder.count(system.entries.len());
    for entry in &system.entries {
        encoder.number(u64::from(entry.function));
        encoder.count(entry.num_inputs);
        encoder.count(entry.num_outputs);
        encoder.count(usize::from(entry.ranked));
    }
    encoder.count(system.circuits.len());
    for ((circuit, layout), root) in system.circuits.iter().zip(layouts).zip(preprocessed) {
        encoder.circuit(circuit, layout, root.as_ref());
    }
    *encoder.hasher.finalize().as_bytes()
}

#[derive(Default)]
struct Encoder {
    hasher: blake3::Hasher,
}

impl Encoder {
    fn number(&mut self, number: u64) {
        self.hasher.update(&number.to_le_bytes());
    }

    fn count(&mut self, count: usize) {
        self.number(count as u64);
    }

    fn circuit(&mut self, circuit: &Circuit, layout: &CircuitLayout, root: Option<&Root>) {
        self.kind(&circuit.kind);
        self.count(circuit.width);
        self.count(circuit.preprocessed_width());
        self.count(circuit.num_publics);
        if let Some(root) = root {
            self.hasher.update(root);
        }
        self.count(layout.groups.len());
        for group in &layout.groups {
            self.count(group.len());
        }
        self.count(layout.num_slices);
        self.count(layout.max_degree);
        self.count(circuit.arena.nodes().len());
        for node in circuit.arena.nodes() {
            node.words().for_each(|word| self.number(word));
        }
        self.count(circuit.constraints.len());
        for constraint in &circuit.constraints {
            self.number(u64::from(constraint.expr.0));
            self.number(u64::from(circuit.arena.degree(constraint.expr)));
        }
        self.count(circuit.lookups.len());
        for lookup in &circuit.lookups {
            self.count(usize::from(lookup.direction == Direction::Pull));
            self.number(u64::from(lookup.multiplicity.0));
            self.count(lookup.arguments.len());
            for argument in &lookup.arguments {
                self.number(u64::from(argument.0));
            }
        }
    }

    fn kind(&mut self, kind: &CircuitKind) {
        match kind {
            CircuitKind::Function { members, recursive } => {
                self.number(0);
                self.count(usize::from(*recursive));
                self.count(members.len());
                for &member in members {
                    self.number(u64::from(member));
                }
            }
            CircuitKind::Memory { width } => {
                self.number(1);
                self.number(u64::from(*width));
            }
            CircuitKind::Bytes(table) => {
                self.number(2);
                self.number(match table {
                    ByteTable::Bytes1 => 1,
                    ByteTable::Bytes2 => 2,
                });
            }
        }
    }
}
