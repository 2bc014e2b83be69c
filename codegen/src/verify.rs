//! The plan's invariants, derived again from the program.
//!
//! Whatever fails here is a fault of the planner, never of the program, and is
//! reported as such with function and operation:
//!
//! 1. the layout is the one that the program's rules give;
//! 2. along every path each cell is written exactly once, the selectors of its
//!    leaves with 1 and all others with 0;
//! 3. operands precede their users, and what a writer, packer or checker needs it
//!    computes;
//! 4. seed words are aligned, disjoint and inside of the stride, the multiplicity
//!    full width at offset 0, and are exactly the words that the path reads;
//! 5. every external read has a source; an alias is an output of the row;
//! 6. bounds of values follow from the checked widths of their seed words.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use traceloom_abi::seed::{Meaning, Width};
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::layout::derive_layout;
use traceloom_bytecode::model::FunctionId;

use crate::plan::{
    Cell, Column, Expr, FunctionPlan, GenericControl, PathPlan, PlanLayout, ProgramPlan,
    ReadSource, Region, Value, ValueNo, bound_of,
};

/// Faults of the planner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanFaults(pub Vec<PlanFault>);

/// A broken invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanFault {
    /// Name of the function.
    pub function: String,
    /// Path number, or `None` for the branching plan.
    pub path: Option<u32>,
    /// Number and text of the operation, if one is to blame.
    pub op: Option<(u32, String)>,
    /// What is broken.
    pub message: String,
}

impl fmt::Display for PlanFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a fault of traceloom, not of the program; please report it:")?;
        for fault in &self.0 {
            write!(f, "\n  function {:?}", fault.function)?;
            fault.path.map_or(Ok(()), |path| write!(f, ", path {path}"))?;
            if let Some((op, text)) = &fault.op {
                write!(f, ", op {op} ({text})")?;
            }
            write!(f, ": {}", fault.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for PlanFaults {}

/// Checks `plan` against `program`.
///
/// # Errors
/// All faults that were found.
pub fn verify(program: &CheckedProgram, plan: &ProgramPlan) -> Result<(), PlanFaults> {
    let mut faults = Vec::new();
    for function in &plan.functions {
        let mut verifier = Verifier { function, path: None, faults: &mut faults };
        verifier.layout(program);
        for path in &function.paths {
            verifier.path = Some(path.path);
            verifier.path(path);
            verifier.generic_way(&path.leaves);
        }
        verifier.path = None;
        verifier.generic_values();
    }
    if faults.is_empty() { Ok(()) } else { Err(PlanFaults(faults)) }
}

struct Verifier<'a> {
    function: &'a FunctionPlan,
    path: Option<u32>,
    faults: &'a mut Vec<PlanFault>,
}

impl Verifier<'_> {
    fn require(&mut self, holds: bool, op: Option<u32>, message: impl FnOnce() -> String) {
        if !holds {
            let text = |op: u32| (op, self.function.ops[op as usize].text.clone());
            self.faults.push(PlanFault {
                function: self.function.name.clone(),
                path: self.path,
                op: op.map(text),
                message: message(),
            });
        }
    }

    fn layout(&mut self, program: &CheckedProgram) {
        let id = FunctionId(self.function.function);
        let derived = derive_layout(id, program.function(id), Some(program.callgraph()));
        let (expected, got) = (PlanLayout::of(&derived), self.function.layout);
        self.require(expected == got, None, || {
            format!("the program's layout is {expected:?}, the plan has {got:?}")
        });
        let numbers = program.paths(id);
        let expected = if numbers.are_numbered() { numbers.num_numbers() } else { 0 };
        let got = self.function.paths.len();
        self.require(expected == got, None, || format!("{expected} paths, {got} plans"));
    }

    fn path(&mut self, path: &PathPlan) {
        self.values(&path.values, 0..path.values.len());
        self.cells(path);
        self.schema(path);
        self.reads(path);
        self.bounds(path);
        let writes = path.writes.iter().filter_map(|write| match write.cell {
            Cell::Value(value) => Some(value),
            Cell::Constant(_) => None,
        });
        for value in writes {
            let (op, needed) = self.of(&path.values, value, |value| value.need.writer);
            self.require(needed, op, || format!("value {} is written but not needed", value.0));
        }
        for fetch in &path.fetches {
            for value in fetch.kind.operands() {
                let packed = |value: &Value| value.need.packer || fetch.aliased;
                let (op, needed) =
                    self.of(&path.values, value, |value| packed(value) && value.need.checker);
                self.require(needed, op, || format!("value {} finds a word", value.0));
            }
        }
    }

    fn of(
        &self,
        values: &[Value],
        value: ValueNo,
        holds: impl Fn(&Value) -> bool,
    ) -> (Option<u32>, bool) {
        values.get(value.index()).map_or((None, false), |value| (value.op, holds(value)))
    }

    /// Operands precede; needs are closed under operands.
    fn values(&mut self, values: &[Value], range: std::ops::Range<usize>) {
        for index in range {
            let value = &values[index];
            for operand in value.expr.operands() {
                self.require(operand.index() < index, value.op, || {
                    format!("value {index} reads value {}, which comes later", operand.0)
                });
                let need = values.get(operand.index()).map(|operand| operand.need);
                let closed = need.is_some_and(|need| {
                    (need.writer || !value.need.writer)
                        && (need.packer || !value.need.packer)
                        && (need.checker || !value.need.checker)
                });
                self.require(closed, value.op, || {
                    format!("value {index} is computed, its operand {} is not", operand.0)
                });
            }
        }
    }

    fn cells(&mut self, path: &PathPlan) {
        let mut seen: BTreeMap<Column, Cell> = BTreeMap::new();
        for write in &path.writes {
            let twice = seen.insert(write.column, write.cell).is_some();
            self.require(!twice, None, || format!("{} is written twice", write.column));
        }
        for column in self.function.layout.columns() {
            self.require(seen.contains_key(&column), None, || format!("{column} is not written"));
            if column.region == Region::Selector {
                let on = u64::from(path.leaves.contains(&column.index));
                let right = seen.get(&column) == Some(&Cell::Constant(on));
                self.require(right, None, || format!("{column} should be {on}"));
            }
        }
        let expected = self.function.layout.width() as usize;
        self.require(seen.len() == expected, None, || {
            format!("{} cells, but {expected} columns", seen.len())
        });
    }

    fn schema(&mut self, path: &PathPlan) {
        let words = &path.schema.words;
        let mut end = 0;
        for word in words {
            let bytes = word.width.bytes() as u32;
            let aligned = word.offset.is_multiple_of(bytes) && word.offset >= end;
            self.require(aligned, None, || {
                format!("seed word {word:?} is not aligned or overlaps")
            });
            end = word.offset + bytes;
        }
        let stride = path.schema.stride;
        self.require(end <= stride && stride.is_multiple_of(8), None, || {
            format!("a stride of {stride} bytes for {end} bytes of words")
        });
        let first = words.first().map(|word| (word.meaning, word.width, word.offset));
        self.require(first == Some((Meaning::Multiplicity, Width::Full, 0)), None, || {
            "the multiplicity is not first".into()
        });
        let expected: BTreeSet<Meaning> = path
            .values
            .iter()
            .filter_map(|value| match value.expr {
                Expr::Seed(meaning) => Some(meaning),
                _ => None,
            })
            .collect();
        let got: BTreeSet<Meaning> = words.iter().map(|word| word.meaning).collect();
        self.require(expected == got && got.len() == words.len(), None, || {
            "the seed does not have exactly the words that the path reads".into()
        });
    }

    fn reads(&mut self, path: &PathPlan) {
        let mut results: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); path.fetches.len()];
        for (position, read) in path.reads.iter().enumerate() {
            let expr = path.values.get(read.value.index()).map(|value| value.expr);
            let own = expr == Some(Expr::Seed(Meaning::Read(position as u32)));
            self.require(own, Some(read.op), || format!("read {position} defines no value"));
            if let ReadSource::Fetched { fetch, result } = read.source {
                let known = results.get_mut(fetch as usize).is_some_and(|set| set.insert(result));
                self.require(known, Some(read.op), || {
                    format!("read {position} has no source, or one that is read twice")
                });
            }
            if let Some(output) = read.alias {
                let same = path.outputs.get(output as usize) == Some(&read.value);
                self.require(same, Some(read.op), || {
                    format!("read {position} is not output {output}")
                });
            }
        }
        for (fetch, results) in path.fetches.iter().zip(results) {
            let complete = results.len() as u32 == fetch.num_results
                && results.iter().all(|&result| result < fetch.num_results);
            self.require(complete, Some(fetch.op), || "not every word is read".into());
        }
    }

    fn bounds(&mut self, path: &PathPlan) {
        for (index, value) in path.values.iter().enumerate() {
            let seed = |expr: &Expr| match *expr {
                Expr::Seed(meaning) => {
                    path.schema.word(meaning).map_or(u64::MAX, |word| word.width.bound())
                }
                _ => u64::MAX,
            };
            let of = |operand: ValueNo| path.values[operand.index()].bound;
            let bound = bound_of(&value.expr, of, seed);
            self.require(bound <= value.bound, value.op, || {
                format!("value {index} is bounded by {}, but may reach {bound}", value.bound)
            });
        }
    }

    /// Along the leaves of a path, the branching plan writes each cell once.
    fn generic_way(&mut self, leaves: &[u32]) {
        let plan = &self.function.generic;
        let mut seen: BTreeSet<Column> = BTreeSet::new();
        let mut ends = vec![0; plan.blocks.len()];
        for (index, block) in plan.blocks.iter().enumerate().rev() {
            ends[index] = match &block.control {
                GenericControl::Match { cases, default, continuation, .. } => {
                    let arms = cases.iter().map(|&(_, block)| block).chain(*default);
                    let last = arms.chain(*continuation).max().unwrap_or(index as u32);
                    ends[last as usize].max(index + 1)
                }
                _ => index + 1,
            };
        }
        let leaf_of = |selector: u32| {
            let column = Column::selector(selector as usize);
            let writes = |block: &crate::plan::GenericBlock| {
                block.writes.iter().any(|write| write.column == column)
            };
            plan.blocks.iter().position(writes)
        };
        let mut leaves = leaves.iter().map(|&leaf| leaf_of(leaf));
        let mut leaf = leaves.next().flatten();
        let mut index = 0;
        loop {
            let block = &plan.blocks[index];
            let zeros = block.zeros.iter().flat_map(|span| span.columns());
            for column in block.writes.iter().map(|write| write.column).chain(zeros) {
                let twice = !seen.insert(column);
                self.require(!twice, None, || {
                    format!("the branching plan writes {column} twice, last in block {index}")
                });
            }
            match &block.control {
                GenericControl::Return { .. } => break,
                GenericControl::Yield { block, .. } => {
                    index = *block as usize;
                    leaf = leaves.next().flatten();
                }
                GenericControl::Match { cases, default, .. } => {
                    let arms = cases.iter().map(|&(_, block)| block as usize);
                    let mut arms = arms.chain(default.map(|block| block as usize));
                    let holds = |arm: &usize| leaf.is_some_and(|l| (*arm..ends[*arm]).contains(&l));
                    let Some(next) = arms.find(holds) else {
                        self.require(false, None, || "a leaf is in no arm".into());
                        return;
                    };
                    index = next;
                }
            }
        }
        let (expected, got) = (self.function.layout.width() as usize, seen.len());
        self.require(expected == got, None, || {
            format!("the branching plan writes {got} cells of {expected} columns")
        });
    }

    fn generic_values(&mut self) {
        let plan = &self.function.generic;
        let mut next = 0;
        for block in &plan.blocks {
            let follows = block.first_value == next && block.end_value >= next;
            self.require(follows, None, || "blocks do not number their values in order".into());
            next = block.end_value;
        }
        self.values(&plan.values, 0..plan.values.len());
    }
}
