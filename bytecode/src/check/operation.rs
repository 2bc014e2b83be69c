//! What the rules of an operation may ask of the program around it.

use traceloom_air::bytes::{ByteOp, ByteTable};

use super::checker::Checker;
use super::problem::Place;
use crate::model::{Function, FunctionId};

/// The check of one operation.
pub(crate) struct OpCheck<'c, 'a, 'p> {
    checker: &'c mut Checker<'a>,
    place: Place<'p>,
    caller: &'a Function,
}

impl<'c, 'a, 'p> OpCheck<'c, 'a, 'p> {
    pub(super) fn new(
        checker: &'c mut Checker<'a>,
        place: Place<'p>,
        caller: &'a Function,
    ) -> Self {
        Self { checker, place, caller }
    }

    /// The function that the operation stands in.
    pub fn caller(&self) -> &'a Function {
        self.caller
    }

    /// A function of the program, if it is there.
    pub fn function(&self, id: FunctionId) -> Option<&'a Function> {
        self.checker.program.functions.get(id.index())
    }

    /// Number of functions of the program.
    pub fn num_functions(&self) -> usize {
        self.checker.program.functions.len()
    }

    /// Reports a problem of the operation.
    pub fn report(&mut self, message: impl FnOnce() -> String) {
        self.checker.report(self.place, message);
    }

    /// Reports a problem unless something holds.
    pub fn require(&mut self, holds: bool, message: impl FnOnce() -> String) {
        self.checker.require(holds, self.place, message);
    }

    /// The operation has as many operands as `table`.
    pub fn table(&mut self, op: ByteOp, table: ByteTable) {
        self.require(op.table() == table, || "has the wrong number of operands".into());
        self.require(op != ByteOp::RangeCheck16, || {
            "is no operation of programs; u32_less_than checks limbs of 16 bits".into()
        });
    }

    /// The program declares memory of this width.
    pub fn width(&mut self, width: usize) {
        let sizes = &self.checker.memory_sizes;
        let declared = u32::try_from(width).is_ok_and(|width| sizes.contains(&width));
        self.require(declared, || {
            format!(
                "needs memory of width {width}, which is not declared: add `memory {width}` to \
                 text, or {width} to memory_sizes of JSON"
            )
        });
    }
}
