//! Rules about the whole program.

use std::collections::BTreeSet;

use super::problem::{InvalidProgram, Place, Problem};
use super::{MAX_ARITY, MAX_FUNCTIONS, MAX_OPS, MAX_PROBLEMS};
use crate::model::{Function, FunctionId, Program};

pub(super) struct Checker<'a> {
    pub(super) program: &'a Program,
    pub(super) memory_sizes: BTreeSet<u32>,
    pub(super) found: InvalidProgram,
}

impl<'a> Checker<'a> {
    pub(super) fn new(program: &'a Program) -> Self {
        let memory_sizes = program.memory_sizes.iter().copied().collect();
        let found = InvalidProgram { problems: Vec::new(), total: 0 };
        Self { program, memory_sizes, found }
    }

    pub(super) fn report(&mut self, place: Place<'_>, message: impl FnOnce() -> String) {
        self.found.total += 1;
        if self.found.problems.len() < MAX_PROBLEMS {
            let (element, place) = (place.element(), place.to_string());
            let problem = Problem { place, element, message: message() };
            self.found.problems.push(problem);
        }
    }

    pub(super) fn require(
        &mut self,
        holds: bool,
        place: Place<'_>,
        message: impl FnOnce() -> String,
    ) {
        if !holds {
            self.report(place, message);
        }
    }

    pub(super) fn finish(self) -> Result<(), InvalidProgram> {
        if self.found.total == 0 { Ok(()) } else { Err(self.found) }
    }

    pub(super) fn check(&mut self) {
        let program = self.program;
        let count = program.functions.len();
        self.require(count <= MAX_FUNCTIONS, Place::Program, || {
            format!("{count} functions; at most {MAX_FUNCTIONS} are possible")
        });
        let blocks = || program.functions.iter().flat_map(|function| &function.blocks);
        let ops = blocks().map(|block| block.ops.len() + 1).fold(0_usize, usize::saturating_add);
        self.require(ops <= MAX_OPS, Place::Program, || {
            format!("{ops} operations and blocks; at most {MAX_OPS} are possible")
        });
        self.check_memory_sizes();
        for (index, function) in program.functions.iter().enumerate() {
            self.check_function(index, function);
        }
        self.check_circuits();
    }

    fn check_memory_sizes(&mut self) {
        let sizes = &self.program.memory_sizes;
        for (at, &size) in sizes.iter().enumerate() {
            let rises = at == 0 || sizes[at - 1] < size;
            self.require(rises, Place::Memory(at), || {
                format!(
                    "is {size}; widths of memory must rise strictly, since two tables of one \
                     width would disagree about a pointer"
                )
            });
            self.require((1..=MAX_ARITY).contains(&size), Place::Memory(at), || {
                format!("is {size}; widths of memory are 1 to {MAX_ARITY}")
            });
        }
    }

    fn check_circuits(&mut self) {
        let program = self.program;
        let mut seen = BTreeSet::new();
        for (at, members) in program.circuits.iter().enumerate() {
            let place = Place::Circuit(at);
            self.require(!members.is_empty(), place, || "has no member; remove it".into());
            for &member in members {
                let known = program.functions.get(member.index());
                let constrained = known.is_some_and(|function| function.constrained);
                let name = || match known {
                    Some(function) => format!("function {} ({:?})", member.0, function.name),
                    None => format!("function {}", member.0),
                };
                self.require(constrained, place, || {
                    format!("{} is not a constrained function", name())
                });
                self.require(seen.insert(member), place, || {
                    format!("{} is in a circuit already", name())
                });
            }
        }
        for (index, function) in program.functions.iter().enumerate() {
            let place = Place::Function(index, function);
            let missing = function.constrained && !seen.contains(&FunctionId(index as u32));
            self.require(!missing, place, || {
                "is constrained but in no circuit; add it to one".into()
            });
            self.require(function.constrained || !function.entry, place, || {
                "is an entry but not constrained; nothing about it could be proven".into()
            });
        }
    }

    fn check_function(&mut self, index: usize, function: &'a Function) {
        let place = Place::Function(index, function);
        for (what, count) in [("inputs", function.num_inputs), ("outputs", function.num_outputs)] {
            self.require(count <= MAX_ARITY, place, || {
                format!("{count} {what}; at most {MAX_ARITY} are possible")
            });
        }
        if function.blocks.is_empty() {
            self.report(place, || "has no body; add a block".into());
            return;
        }
        // Places of values need a tree, so the rest waits until there is one.
        if self.check_tree(index, function) && function.num_inputs <= MAX_ARITY {
            self.check_selectors(index, function);
            self.check_blocks(index, function);
        }
    }
}
