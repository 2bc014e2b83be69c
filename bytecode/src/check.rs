//! Validation: from untrusted data to a program that can be run and proven.
//!
//! Every rule is checked for every function, and all problems are reported at
//! once, each with its place. What later passes rely on without looking again is
//! exactly what is listed here:
//!
//! 1. counts are within the limits below;
//! 2. blocks are a tree in pre-order; selectors number the leaves;
//! 3. every operand is a value that exists where it is used;
//! 4. calls fit their callee; no constrained call to an unconstrained function
//!    from a constrained one; memory widths are declared; declared widths rise;
//! 5. every path ends in a return of the right arity, yields stand only inside
//!    arms that continue and have the right arity, case keys differ pairwise;
//! 6. each constrained function is in exactly one circuit, and only those; an
//!    entry is constrained.

use std::collections::BTreeSet;
use std::fmt;

use traceloom_air::bytes::{ByteOp, ByteTable};
use traceloom_air::field::word;

use crate::callgraph::CallGraph;
use crate::fingerprint::fingerprint;
use crate::layout::{FunctionLayout, derive_layout};
use crate::model::{
    BIGUINT_WIDTH, Block, Control, Function, FunctionId, Match, Op, Program, ValueId,
};
use crate::paths::Paths;

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
            derive_layout(FunctionId(index as u32), function, Some(&callgraph))
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

/// A program that breaks rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidProgram {
    /// The first [`MAX_PROBLEMS`] problems, in program order.
    pub problems: Vec<Problem>,
    /// How many there are in all.
    pub total: usize,
}

/// One broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where, as `functions[3].blocks[2].ops[7] (name, operation)`.
    pub place: String,
    /// What is wrong and what would be right.
    pub message: String,
}

impl fmt::Display for InvalidProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = if self.total == 1 { "" } else { "s" };
        write!(f, "invalid program, {} problem{s}:", self.total)?;
        for problem in &self.problems {
            write!(f, "\n  {}: {}", problem.place, problem.message)?;
        }
        match self.total - self.problems.len() {
            0 => Ok(()),
            more => write!(f, "\n  … and {more} more"),
        }
    }
}

impl std::error::Error for InvalidProgram {}

struct Checker<'a> {
    program: &'a Program,
    memory_sizes: BTreeSet<u32>,
    found: InvalidProgram,
}

/// Where the checker is, formatted only when something is wrong.
#[derive(Clone, Copy)]
enum Place<'a> {
    Program,
    Function(usize, &'a Function),
    Block(usize, &'a Function, usize),
    Op(usize, &'a Function, usize, usize, &'a Op),
    Control(usize, &'a Function, usize, &'a Control),
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program => write!(f, "program"),
            Self::Function(index, function) => {
                write!(f, "functions[{index}] ({:?})", function.name)
            }
            Self::Block(index, function, block) => {
                write!(f, "functions[{index}].blocks[{block}] ({:?})", function.name)
            }
            Self::Op(index, function, block, at, op) => {
                let (name, op) = (&function.name, op.name());
                write!(f, "functions[{index}].blocks[{block}].ops[{at}] ({name:?}, {op})")
            }
            Self::Control(index, function, block, control) => {
                let (name, control) = (&function.name, control.name());
                write!(f, "functions[{index}].blocks[{block}].control ({name:?}, {control})")
            }
        }
    }
}

impl<'a> Checker<'a> {
    fn new(program: &'a Program) -> Self {
        let memory_sizes = program.memory_sizes.iter().copied().collect();
        let found = InvalidProgram { problems: Vec::new(), total: 0 };
        Self { program, memory_sizes, found }
    }

    fn report(&mut self, place: Place<'_>, message: impl FnOnce() -> String) {
        self.found.total += 1;
        if self.found.problems.len() < MAX_PROBLEMS {
            let problem = Problem { place: place.to_string(), message: message() };
            self.found.problems.push(problem);
        }
    }

    fn require(&mut self, holds: bool, place: Place<'_>, message: impl FnOnce() -> String) {
        if !holds {
            self.report(place, message);
        }
    }

    fn finish(self) -> Result<(), InvalidProgram> {
        if self.found.total == 0 { Ok(()) } else { Err(self.found) }
    }

    fn check(&mut self) {
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
            self.require(rises, Place::Program, || {
                format!(
                    "memory_sizes[{at}] is {size}; widths must rise strictly, since two tables \
                     of one width would disagree about a pointer"
                )
            });
            self.require((1..=MAX_ARITY).contains(&size), Place::Program, || {
                format!("memory_sizes[{at}] is {size}; widths are 1 to {MAX_ARITY}")
            });
        }
    }

    fn check_circuits(&mut self) {
        let program = self.program;
        let mut seen = BTreeSet::new();
        for (at, members) in program.circuits.iter().enumerate() {
            self.require(!members.is_empty(), Place::Program, || {
                format!("circuits[{at}] has no member; remove it")
            });
            for &member in members {
                let known = program.functions.get(member.index());
                let constrained = known.is_some_and(|function| function.constrained);
                self.require(constrained, Place::Program, || {
                    format!("circuits[{at}]: {} is no constrained function", member.0)
                });
                self.require(seen.insert(member), Place::Program, || {
                    format!("circuits[{at}]: function {} is in a circuit already", member.0)
                });
            }
        }
        for (index, function) in program.functions.iter().enumerate() {
            let place = Place::Function(index, function);
            let missing = function.constrained && !seen.contains(&FunctionId(index as u32));
            self.require(!missing, place, || "is constrained but in no circuit".into());
            self.require(function.constrained || !function.entry, place, || {
                "is an entry but not constrained; nothing could be proven of it".into()
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
            self.report(place, || "has no body".into());
            return;
        }
        // Places of values need a tree, so the rest waits until there is one.
        if self.check_tree(index, function) && function.num_inputs <= MAX_ARITY {
            self.check_selectors(index, function);
            self.check_blocks(index, function);
        }
    }

    /// Whether the blocks are a tree in pre-order.
    fn check_tree(&mut self, index: usize, function: &'a Function) -> bool {
        let before = self.found.total;
        // The blocks that are still to come, nearest last.
        let mut expected = vec![0];
        for (at, block) in function.blocks.iter().enumerate() {
            let place = Place::Block(index, function, at);
            match expected.pop() {
                Some(next) if next == at => {}
                Some(next) => {
                    self.report(place, || {
                        format!("block {next} should stand here: blocks are listed in pre-order")
                    });
                    return false;
                }
                None => {
                    self.report(place, || "no match refers to this block; remove it".into());
                    return false;
                }
            }
            let first = expected.len();
            expected.extend(block.control.children().map(|child| child.index()));
            expected[first..].reverse();
        }
        if let Some(missing) = expected.pop() {
            let place = Place::Function(index, function);
            self.report(place, || format!("block {missing} is referred to but not there"));
        }
        before == self.found.total
    }

    /// Selectors number the leaves.
    fn check_selectors(&mut self, index: usize, function: &'a Function) {
        let leaves = function.blocks.iter().filter(|block| block.control.arms().is_none()).count();
        let mut seen = BTreeSet::new();
        for (at, block) in function.blocks.iter().enumerate() {
            if let Control::Return { selector, .. } | Control::Yield { selector, .. } =
                &block.control
            {
                let place = Place::Control(index, function, at, &block.control);
                let fits = (*selector as usize) < leaves && seen.insert(*selector);
                self.require(fits, place, || {
                    format!(
                        "selector {selector}; the {leaves} leaves of a function have the \
                         selectors 0..{leaves}, each once"
                    )
                });
            }
        }
    }

    /// Operands, arities, keys: in pre-order, with the number of values that a
    /// block starts with and the number that an enclosing continuation expects.
    fn check_blocks(&mut self, index: usize, function: &'a Function) {
        let mut starts = vec![(0_usize, None); function.blocks.len()];
        starts[0] = (function.num_inputs as usize, None);
        for (at, block) in function.blocks.iter().enumerate() {
            let (mut values, yields) = starts[at];
            for (op_at, op) in block.ops.iter().enumerate() {
                let place = Place::Op(index, function, at, op_at, op);
                self.check_operands(place, op, values);
                self.check_op(place, function, op);
                values = values.saturating_add(op.num_results());
            }
            let place = Place::Control(index, function, at, &block.control);
            self.require(values <= MAX_VALUES, place, || {
                format!("{values} values on this path; at most {MAX_VALUES} are possible")
            });
            self.check_control(place, function, block, values, yields);
            if let Some(arms) = block.control.arms() {
                let inner = match &block.control {
                    Control::MatchContinue { num_outputs, .. } => Some(*num_outputs as usize),
                    _ => yields,
                };
                arms.blocks().for_each(|child| starts[child.index()] = (values, inner));
            }
            if let Control::MatchContinue { num_outputs, continuation, .. } = &block.control {
                let values = values.saturating_add(*num_outputs as usize);
                starts[continuation.index()] = (values, yields);
            }
        }
    }

    fn check_operands(&mut self, place: Place<'_>, op: &Op, values: usize) {
        op.for_each_operand(|value| {
            self.require(value.index() < values, place, || {
                format!("reads value {}, but there are {values} values here", value.0)
            });
        });
    }

    fn check_op(&mut self, place: Place<'_>, caller: &Function, op: &Op) {
        match op {
            Op::Call { function, args, num_outputs, constrained } => {
                let Some(callee) = self.program.functions.get(function.index()) else {
                    let count = self.program.functions.len();
                    self.report(place, || {
                        format!("calls function {}, but there are {count}", function.0)
                    });
                    return;
                };
                let counts = [
                    ("inputs", callee.num_inputs, args.len()),
                    ("outputs", callee.num_outputs, *num_outputs as usize),
                ];
                for (what, expected, got) in counts {
                    self.require(expected as usize == got, place, || {
                        format!("{:?} has {expected} {what}, the call has {got}", callee.name)
                    });
                }
                let provable = callee.constrained || !*constrained || !caller.constrained;
                self.require(provable, place, || {
                    format!(
                        "{:?} is unconstrained, so nothing would prove this call; call it \
                         unconstrained or constrain it",
                        callee.name
                    )
                });
            }
            Op::Store { values } => self.check_width(place, values.len()),
            Op::Load { width, .. } => self.check_width(place, *width as usize),
            Op::HintBigUintDivRem(..) => self.check_width(place, BIGUINT_WIDTH as usize),
            Op::AssertEq { lhs, rhs, .. } => {
                self.require(lhs.len() == rhs.len(), place, || {
                    format!("compares {} values with {}", lhs.len(), rhs.len())
                });
            }
            Op::IoRead { len, .. } => {
                self.require(*len <= MAX_ARITY, place, || {
                    format!("reads {len} words; at most {MAX_ARITY} are possible at once")
                });
            }
            Op::Unary(op, _) => self.check_table(place, *op, ByteTable::Bytes1),
            Op::Binary(op, ..) => self.check_table(place, *op, ByteTable::Bytes2),
            _ => {}
        }
    }

    fn check_table(&mut self, place: Place<'_>, op: ByteOp, table: ByteTable) {
        self.require(op.table() == table, place, || "has the wrong number of operands".into());
    }

    fn check_width(&mut self, place: Place<'_>, width: usize) {
        let declared = u32::try_from(width).is_ok_and(|width| self.memory_sizes.contains(&width));
        self.require(declared, place, || {
            format!("needs memory of width {width}; declare it in memory_sizes")
        });
    }

    fn check_control(
        &mut self,
        place: Place<'_>,
        function: &Function,
        block: &Block,
        values: usize,
        yields: Option<usize>,
    ) {
        match &block.control {
            Control::Return { values: returned, .. } => {
                let (expected, got) = (function.num_outputs as usize, returned.len());
                self.require(expected == got, place, || {
                    format!("returns {got} values, but the function has {expected} outputs")
                });
                self.check_leaf_values(place, returned, values);
            }
            Control::Yield { values: yielded, .. } => {
                match yields {
                    None => self.report(place, || {
                        "yields outside of a match with continuation; return instead".into()
                    }),
                    Some(expected) => {
                        let got = yielded.len();
                        self.require(expected == got, place, || {
                            format!("yields {got} values, but the match merges {expected}")
                        });
                    }
                }
                self.check_leaf_values(place, yielded, values);
            }
            Control::Match(arms) => self.check_arms(place, arms, values),
            Control::MatchContinue { arms, num_outputs, .. } => {
                self.check_arms(place, arms, values);
                self.require(*num_outputs <= MAX_ARITY, place, || {
                    format!("merges {num_outputs} values; at most {MAX_ARITY} are possible")
                });
            }
        }
    }

    fn check_leaf_values(&mut self, place: Place<'_>, used: &[ValueId], values: usize) {
        for value in used {
            self.require(value.index() < values, place, || {
                format!("uses value {}, but there are {values} values here", value.0)
            });
        }
    }

    fn check_arms(&mut self, place: Place<'_>, arms: &Match, values: usize) {
        self.check_leaf_values(place, &[arms.value], values);
        self.require(arms.blocks().next().is_some(), place, || "has no arm".into());
        let mut keys = BTreeSet::new();
        for (key, _) in &arms.cases {
            let key = word(*key);
            self.require(keys.insert(key), place, || format!("has the case {key} twice"));
        }
    }
}

/// Widths follow from derived layouts, so they are checked after them.
fn check_widths(program: &Program, layouts: &[FunctionLayout]) -> Result<(), InvalidProgram> {
    let mut checker = Checker::new(program);
    for (at, members) in program.circuits.iter().enumerate() {
        let (width, lookups) = group_size(members, layouts);
        for (what, count) in [("columns", width), ("lookup slots", lookups)] {
            checker.require(count <= MAX_WIDTH, Place::Program, || {
                let name = &program.functions[members[0].index()].name;
                format!(
                    "circuits[{at}] ({name:?}) has {count} {what}; at most {MAX_WIDTH} are possible"
                )
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
