//! What a plan must agree with.
//!
//! A front end derives the contract from its program a second time, independently of its
//! lowering. So [`verify`](mod@crate::verify) needs to know no program.

use crate::columns::PlanLayout;

/// What plans of one program must agree with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract {
    /// Widths of the memory tables, in the order of the record.
    pub memory_widths: Vec<u32>,
    /// All functions, in the order of the record.
    pub functions: Vec<FunctionContract>,
}

/// What calls of a function, and its plan, must agree with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionContract {
    /// Number of inputs.
    pub num_inputs: u32,
    /// Number of outputs.
    pub num_outputs: u32,
    /// What its rows must agree with; none if it has no rows, and so no plan.
    pub rows: Option<RowContract>,
}

/// What rows of a function must agree with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowContract {
    /// Columns.
    pub layout: PlanLayout,
    /// By path number: selectors of the leaves; empty where paths are not numbered.
    pub paths: Vec<Vec<u32>>,
}
