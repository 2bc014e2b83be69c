//! Validation: from untrusted data to a program that can be run and proven.
//!
//! Every rule is checked for every function, and all problems are reported at once, each with
//! its place. Later passes rely on exactly these rules and do not check them again:
//!
//! 1. counts are within the limits below;
//! 2. blocks are a tree in pre-order; selectors number the leaves;
//! 3. every operand is a value that exists where it is used;
//! 4. calls fit their callee; no constrained call to an unconstrained function
//!    from a constrained one; memory widths are declared; declared widths rise;
//! 5. every path ends in a return of the right arity; yields are only inside arms that continue,
//!    and have the right arity; case keys differ pairwise;
//! 6. each constrained function is in exactly one circuit, and only those; an
//!    entry is constrained.

mod blocks;
mod checker;
mod operation;
mod problem;

use crate::callgraph::CallGraph;
use crate::fingerprint::fingerprint;
use crate::layout::{FunctionLayout, derive_layout};
use crate::model::{Function, FunctionId, Program};
use crate::paths::Paths;

use checker::Checker;
pub(crate) use operation::OpCheck;
use problem::Place;
pub use problem::{InvalidProgram, Problem};

/// Most functions of a program.
pub const MAX_FUNCTIONS: usize = 1 << 16;
/// Most operations plus blocks of a program.
pub const MAX_OPS: usize = 1 << 24;
/// Most values of a function along one path.
pub const MAX_VALUES: usize = 1 << 20;
/// Largest memory width, and most inputs or outputs of a function.
pub const MAX_ARITY: u32 = 1 << 12;
/// Most columns, and most lookup slots, of a circuit.
pub const MAX_WIDTH: usize = 1 << 16;
/// Most problems that are kept; the total is always counted.
pub const MAX_PROBLEMS: usize = 100;

/// A valid program and all that is derived from it.
#[derive(Clone, Debug)]
pub struct CheckedProgram {
    program: Program,
    callgraph: CallGraph,
    layouts: Vec<FunctionLayout>,
    paths: Vec<Paths>,
    fingerprint: [u8; 32],
}

impl CheckedProgram {
    /// Checks `program` and derives call graph, layouts, paths and fingerprint.
    ///
    /// # Errors
    /// [`InvalidProgram`] lists every problem with its place.
    pub fn new(program: Program) -> Result<Self, InvalidProgram> {
        let mut checker = Checker::new(&program);
        checker.check();
        checker.finish()?;
        let callgraph = CallGraph::new(&program);
        let layout = |(index, function): (usize, &Function)| {
            derive_layout(FunctionId(index as u32), function, &callgraph)
        };
        let layouts: Vec<_> = program.functions.iter().enumerate().map(layout).collect();
        check_widths(&program, &layouts)?;
        let paths = program.functions.iter().map(Paths::new).collect();
        let fingerprint = fingerprint(&program);
        Ok(Self { program, callgraph, layouts, paths, fingerprint })
    }

    /// The data.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// One function's data.
    #[must_use]
    pub fn function(&self, function: FunctionId) -> &Function {
        &self.program.functions[function.index()]
    }

    /// Ids of all functions, in order.
    pub fn function_ids(&self) -> impl Iterator<Item = FunctionId> + use<> {
        (0..self.program.functions.len() as u32).map(FunctionId)
    }

    /// The function with this name, the first if several have it.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<FunctionId> {
        let found = self.program.functions.iter().position(|function| function.name == name);
        found.map(|index| FunctionId(index as u32))
    }

    /// Components of the call graph.
    #[must_use]
    pub fn callgraph(&self) -> &CallGraph {
        &self.callgraph
    }

    /// Columns and lookup slots of `function`.
    #[must_use]
    pub fn layout(&self, function: FunctionId) -> &FunctionLayout {
        &self.layouts[function.index()]
    }

    /// Paths of `function`.
    #[must_use]
    pub fn paths(&self, function: FunctionId) -> &Paths {
        &self.paths[function.index()]
    }

    /// Program fingerprint.
    #[must_use]
    pub fn fingerprint(&self) -> [u8; 32] {
        self.fingerprint
    }

    /// Position of `width` among the memory tables.
    #[must_use]
    pub fn memory_index(&self, width: u32) -> Option<usize> {
        self.program.memory_sizes.binary_search(&width).ok()
    }
}

/// Widths follow from derived layouts, so they are checked after them.
fn check_widths(program: &Program, layouts: &[FunctionLayout]) -> Result<(), InvalidProgram> {
    let mut checker = Checker::new(program);
    for (at, members) in program.circuits.iter().enumerate() {
        let (width, lookups) = group_size(members, layouts);
        for (what, count) in [("columns", width), ("lookup slots", lookups)] {
            checker.require(count <= MAX_WIDTH, Place::Circuit(at), || {
                let name = &program.functions[members[0].index()].name;
                format!("({name:?}) has {count} {what}; at most {MAX_WIDTH} are possible")
            });
        }
    }
    checker.finish()
}

fn group_size(members: &[FunctionId], layouts: &[FunctionLayout]) -> (usize, usize) {
    let layouts = || members.iter().map(|member| &layouts[member.index()]);
    let most = |count: fn(&FunctionLayout) -> usize| layouts().map(count).max().unwrap_or(0);
    let selectors: usize = layouts().map(|layout| layout.num_selectors).sum();
    let width = most(|l| l.num_inputs) + selectors + most(|l| l.num_auxiliaries);
    (width, most(|l| l.num_lookups))
}
