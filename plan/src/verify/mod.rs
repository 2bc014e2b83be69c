//! The plan's invariants, derived again.
//!
//! Whatever fails here is a fault of the planner, never of the program, and is
//! reported as such with function and operation:
//!
//! 1. layouts, paths, and the numbers of words that go in and out are those of the
//!    [`Contract`];
//! 2. along every path each cell is written exactly once, the selectors of its
//!    leaves with 1 and all others with 0;
//! 3. operands precede their users, and what a writer, packer or checker needs it
//!    computes;
//! 4. seed words are aligned, disjoint and inside of the stride, the multiplicity of a query
//!    full width at offset 0, and are exactly the words that the path reads;
//! 5. every external read has a source; an alias is an output of the row;
//! 6. bounds of values follow from the checked widths of their seed words;
//! 7. a lane of a word is the byte that its value is, and the steps of a writer compute
//!    every value that it needs once, operands first.

mod generic;
mod outside;
mod path;
mod steps;

use std::fmt;

use crate::contract::Contract;
use crate::program::{FunctionPlan, ProgramPlan};

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

/// Checks `plan` against `contract`.
///
/// # Errors
/// All faults that were found.
pub fn verify(contract: &Contract, plan: &ProgramPlan) -> Result<(), PlanFaults> {
    let mut verification = Verification::new(contract);
    plan.functions.iter().for_each(|function| verification.function(function));
    verification.end(&plan.name)
}

/// Checks the plans of a program one by one, in order, as they are made.
pub struct Verification<'a> {
    contract: &'a Contract,
    faults: Vec<PlanFault>,
    /// Indices of the functions that were checked.
    planned: Vec<usize>,
}

impl<'a> Verification<'a> {
    /// Checks nothing yet.
    #[must_use]
    pub fn new(contract: &'a Contract) -> Self {
        Self { contract, faults: Vec::new(), planned: Vec::new() }
    }

    /// Checks the plan of the next function.
    pub fn function(&mut self, function: &FunctionPlan) {
        self.planned.push(function.function as usize);
        let (contract, faults) = (self.contract, &mut self.faults);
        let mut verifier = Verifier { contract, function, path: None, faults };
        verifier.outside();
        for path in &function.paths {
            verifier.path = Some(path.path);
            let before = verifier.faults.len();
            verifier.path(path);
            verifier.generic_way(&path.leaves);
            // Steps are made of plans that are right.
            if verifier.faults.len() == before {
                verifier.steps(path);
            }
        }
        verifier.path = None;
        verifier.generic_values();
    }

    /// All functions of the program `name` were checked.
    ///
    /// # Errors
    /// All faults that were found.
    pub fn end(mut self, name: &str) -> Result<(), PlanFaults> {
        let functions = self.contract.functions.iter().enumerate();
        let rows = functions.filter(|(_, function)| function.rows.is_some());
        if !rows.map(|(index, _)| index).eq(self.planned) {
            self.faults.push(PlanFault {
                function: name.into(),
                path: None,
                op: None,
                message: "the functions with plans are not those with rows".into(),
            });
        }
        if self.faults.is_empty() { Ok(()) } else { Err(PlanFaults(self.faults)) }
    }
}

struct Verifier<'a> {
    contract: &'a Contract,
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
}
