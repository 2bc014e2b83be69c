//! A function while it is lowered: from operations to values, reads, fetches and writes.
//!
//! Path plans and generic plans are lowered by the same code, block by block;
//! they differ in what a block starts with and in how its control continues.

use traceloom_plan::draft::Code;
use traceloom_plan::{Column, Expr, FetchKind, Fixed, ValueNo};

use super::plan_layout;
use crate::check::CheckedProgram;
use crate::layout::{FunctionLayout, OpPlace};
use crate::model::{Function, FunctionId, ValueId};
use crate::operations::Operation;

/// A function being lowered.
pub(crate) struct Lowering<'a> {
    /// The program.
    pub program: &'a CheckedProgram,
    /// The function.
    pub function: &'a Function,
    /// Its layout.
    pub layout: &'a FunctionLayout,
    /// What was lowered so far.
    pub code: Code,
    /// Bytecode values that are in scope.
    pub scope: Vec<ValueNo>,
    /// Columns and slots of the operation that is being lowered.
    pub place: OpPlace,
}

impl<'a> Lowering<'a> {
    /// Starts with the words that every row has: multiplicity, rank, inputs.
    pub fn new(program: &'a CheckedProgram, id: FunctionId) -> Self {
        let (function, layout) = (program.function(id), program.layout(id));
        let code = Code::new(&plan_layout(layout));
        let scope = code.inputs().to_vec();
        Self { program, function, layout, code, scope, place: OpPlace::default() }
    }

    /// The plan's value of a bytecode value.
    pub fn value(&self, value: ValueId) -> ValueNo {
        self.scope[value.index()]
    }

    /// The same for a list.
    pub fn values(&self, values: &[ValueId]) -> Vec<ValueNo> {
        values.iter().map(|&value| self.value(value)).collect()
    }

    /// Lowers the operations of block `block`, numbered from `first_op` on.
    pub fn block(&mut self, block: usize, first_op: u32) {
        let (function, layout) = (self.function, self.layout);
        let places = &layout.blocks[block].ops;
        for (position, (op, place)) in function.blocks[block].ops.iter().zip(places).enumerate() {
            self.code.enter(first_op + position as u32, place.degree);
            self.place = *place;
            let results = op.lower(self);
            debug_assert_eq!(results.len(), op.num_results());
            self.scope.extend(results);
        }
    }

    /// Position of the memory table of this width.
    pub fn memory(&self, width: u32) -> u32 {
        let index = self.program.memory_index(width);
        index.expect("a checked program declares its widths") as u32
    }

    /// Writes values to the first auxiliaries of the operation.
    pub fn write_all(&mut self, values: &[ValueNo], fixed: Fixed) {
        for (i, &value) in values.iter().enumerate() {
            self.code.write(Column::auxiliary(self.place.first_auxiliary + i), value, fixed);
        }
    }

    /// Computed columns that a lookup fixes.
    pub fn columns(&mut self, exprs: impl Iterator<Item = Expr>) -> Vec<ValueNo> {
        let values: Vec<ValueNo> = exprs.map(|expr| self.code.push(expr)).collect();
        self.write_all(&values, Fixed::Determined);
        self.code.constrain(&values);
        values
    }

    /// Computed columns that only the program itself checks; labelled later.
    pub fn advice(&mut self, exprs: impl Iterator<Item = Expr>) -> Vec<ValueNo> {
        let values: Vec<ValueNo> = exprs.map(|expr| self.code.push(expr)).collect();
        self.write_all(&values, Fixed::FreeAdvice);
        values
    }

    /// External words, written to the first auxiliaries of the operation.
    pub fn fetch(&mut self, kind: FetchKind, num_results: u32, constrained: bool) -> Vec<ValueNo> {
        let values = self.code.fetch(kind, num_results);
        let fixed = if constrained { Fixed::Determined } else { Fixed::FreeAdvice };
        self.write_all(&values, fixed);
        if constrained {
            self.code.constrain(&values);
        }
        values
    }
}
