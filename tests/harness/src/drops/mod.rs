//! Systems with one constraint or one lookup less.
//!
//! If an item can be left out and nobody could tell, no test of the system would
//! notice that it is wrong either. So for every item of some small programs
//! ([`programs`]) a forgery is looked for that the full system refuses and the
//! system without the item accepts. It is found by *repair* (`search`): a cell is
//! changed, what is violated then is solved for other cells, and what is sent is
//! provided as far as the tables allow (`balance`). A memory is moved as a whole too
//! (`pointers`).
//!
//! A pull is different: without it nobody provides its messages, so it is the
//! honest witness that is refused. Fixed byte tables have nothing but pulls; these are
//! left out of the whole table.

mod balance;
mod pointers;
pub mod programs;
mod search;

use traceloom_air::bytes::ByteOp;
use traceloom_air::system::{Circuit, Direction, System};
use traceloom_air::trace::ShardWitness;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::system::build_system;
use traceloom_runtime::check::check;
use traceloom_runtime::witness::reference_witness;

use crate::case::Case;
use crate::{compact, properties};

/// A program with its honest witness.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Name in reports.
    pub name: &'static str,
    /// The full system, byte tables cut.
    pub system: System,
    /// The honest witness, byte tables cut.
    pub witness: ShardWitness,
    /// Both with whole byte tables.
    pub whole: (System, ShardWitness),
}

/// What is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// Position of a constraint.
    Constraint(usize),
    /// Position of a lookup.
    Lookup(usize),
}

/// How an item is noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A forgery that only the full system refuses.
    Forgery,
    /// Only the full system accepts the honest witness.
    Honest,
    /// Nothing that was tried tells the systems apart.
    Unnoticed,
}

impl Subject {
    /// The honest witness of a case.
    ///
    /// # Panics
    /// If the case is invalid or its execution fails: subjects are fixed.
    #[must_use]
    pub fn new(name: &'static str, case: &Case) -> Self {
        let program = CheckedProgram::new(case.program.clone());
        let program = program.unwrap_or_else(|error| panic!("{name}: {error}"));
        let run = properties::execute(case, &program);
        let run = run.unwrap_or_else(|error| panic!("{name}: {error}"));
        let full = build_system(&program);
        let honest = reference_witness(&program, &full, &run.record, run.claims);
        let honest = honest.unwrap_or_else(|error| panic!("{name}: {error}"));
        let (system, witness) = (compact::system(&full), compact::witness(&full, &honest));
        Self { name, system, witness, whole: (full, honest) }
    }

    /// All items of all circuits, byte tables included, with circuit and label.
    #[must_use]
    pub fn items(&self) -> Vec<(usize, Item, String)> {
        let mut items = Vec::new();
        for (index, circuit) in self.whole.0.circuits.iter().enumerate() {
            let place = format!("{}/{}", self.name, circuit.name);
            for (position, constraint) in circuit.constraints.iter().enumerate() {
                let label = format!("{place}: {position} {}", constraint.label);
                items.push((index, Item::Constraint(position), label));
            }
            for (position, lookup) in circuit.lookups.iter().enumerate() {
                let label = format!("{place}: lookup {position} {}", lookup.label);
                items.push((index, Item::Lookup(position), label));
            }
        }
        items
    }

    /// The operations that the whole byte tables have a column for.
    fn byte_ops(&self) -> Vec<ByteOp> {
        self.whole.0.circuits.iter().flat_map(Circuit::byte_ops).collect()
    }

    /// The system without an item; byte tables are whole if it is one of theirs.
    #[must_use]
    pub fn without(&self, circuit: usize, item: Item) -> System {
        let is_bytes = compact::is_short_table(&self.system.circuits[circuit]);
        let mut system = if is_bytes { self.whole.0.clone() } else { self.system.clone() };
        match item {
            Item::Constraint(position) => {
                system.circuits[circuit].constraints.remove(position);
            }
            Item::Lookup(position) => {
                system.circuits[circuit].lookups.remove(position);
            }
        }
        system
    }

    /// Whether and how leaving an item out is noticed.
    #[must_use]
    pub fn notice(&self, circuit: usize, item: Item) -> Notice {
        let mutated = self.without(circuit, item);
        if compact::is_short_table(&self.system.circuits[circuit]) {
            let refused = !check(&mutated, std::slice::from_ref(&self.whole.1)).is_ok();
            return if refused { Notice::Honest } else { Notice::Unnoticed };
        }
        if let Item::Lookup(position) = item
            && self.system.circuits[circuit].lookups[position].direction == Direction::Pull
        {
            let refused = !check(&mutated, std::slice::from_ref(&self.witness)).is_ok();
            return if refused { Notice::Honest } else { Notice::Unnoticed };
        }
        match self.forge(&mutated, circuit) {
            Some(_) => Notice::Forgery,
            None => Notice::Unnoticed,
        }
    }

    /// A witness that `mutated`, which lost something of `circuit`, accepts and the
    /// full system refuses.
    #[must_use]
    pub fn forge(&self, mutated: &System, circuit: usize) -> Option<ShardWitness> {
        let found = search::Search::new(self, mutated, circuit).run();
        found.or_else(|| pointers::moved(self, mutated, circuit))
    }
}
