//! The code of a generic writer: a body per block, over full seeds.

use std::collections::{BTreeMap, BTreeSet};

use traceloom_abi::seed::{Meaning, Width};

use super::code::positional;
use super::code::{Body, Code, Instr, Op, Operand, Reg, SeedPlace, Type};
use super::path::whole;
use crate::class::Class;
use crate::columns::Column;
use crate::kept::shared;
use crate::names::variable;
use crate::program::{FunctionPlan, GenericBlock, GenericControl};
use crate::row::Cell;
use crate::value::{Expr, ValueNo};

/// Adds the blocks of the generic writer of `function`.
pub(super) fn add(code: &mut Code, function: &FunctionPlan) {
    let plan = &function.generic;
    let mut writer = Writer {
        function,
        shared: shared(function),
        held: vec![None; plan.values.len()],
        num_kept: [0; 3],
        code,
    };
    // A yield assigns values of a block that comes later.
    for &no in &writer.shared.clone() {
        if let Expr::Merged(_) = plan.values[no.index()].expr {
            let reg = writer.reg(no);
            writer.held[no.index()] = Some(Operand::Reg(reg));
        }
    }
    for block in &plan.blocks {
        let body = writer.block(block);
        writer.code.bodies.push(body);
    }
}

struct Writer<'a> {
    function: &'a FunctionPlan,
    /// Values that a block other than their own reads or assigns.
    shared: BTreeSet<ValueNo>,
    held: Vec<Option<Operand>>,
    /// By class.
    num_kept: [u32; 3],
    code: &'a mut Code,
}

impl Writer<'_> {
    fn reg(&mut self, no: ValueNo) -> Reg {
        let value = &self.function.generic.values[no.index()];
        let reg = self.code.reg(Type::of(value), variable(no, value));
        if self.shared.contains(&no) {
            let count = &mut self.num_kept[Class::of(value) as usize];
            self.code.regs[reg.index()].kept = Some(*count);
            *count += 1;
        }
        reg
    }

    fn held(&self, no: ValueNo) -> Operand {
        self.held[no.index()].expect("operands are computed before their users")
    }

    fn block(&mut self, block: &GenericBlock) -> Body {
        let values = &self.function.generic.values;
        let mut body = Body { zeros: block.zeros.clone(), ..Body::default() };
        let mut cells: BTreeMap<ValueNo, Vec<Column>> = BTreeMap::new();
        for write in &block.writes {
            match write.cell {
                Cell::Constant(word) => body.constants.push((write.column, word)),
                Cell::Value(no) => cells.entry(no).or_default().push(write.column),
            }
        }
        for no in (block.first_value..block.end_value).map(ValueNo) {
            if values[no.index()].need.writer {
                let columns = cells.remove(&no).unwrap_or_default();
                self.define(&mut body, no, &columns);
            }
        }
        // Values of blocks before.
        for (no, columns) in cells {
            let operand = self.held(no);
            self.written(&mut body, operand, &columns);
        }
        body.sort_copies();
        self.control(&mut body, &block.control);
        body
    }

    fn define(&mut self, body: &mut Body, no: ValueNo, columns: &[Column]) {
        let value = &self.function.generic.values[no.index()];
        let operand = match value.expr {
            Expr::Constant(word) => Operand::Constant(word),
            Expr::Merged(_) => self.held(no),
            Expr::Seed(Meaning::Read(read)) if self.shared.contains(&no) => {
                let read = Operand::Read(self.first_read() + read);
                self.compute(body, no, Op::Copy, vec![read], columns);
                return;
            }
            Expr::Seed(Meaning::Read(read)) => Operand::Read(self.first_read() + read),
            Expr::Seed(meaning) => {
                Operand::Seed(Width::Full, 8 * self.function.full.position(meaning) as u32)
            }
            expr => {
                let (expr, operands) = positional(expr);
                let args = operands.into_iter().map(|no| self.held(no)).collect();
                self.compute(body, no, Op::Value(expr), args, columns);
                return;
            }
        };
        self.held[no.index()] = Some(operand);
        self.written(body, operand, columns);
    }

    /// Where the reads of a full seed begin, in words.
    fn first_read(&self) -> u32 {
        self.function.full.position(Meaning::Read(0)) as u32
    }

    fn compute(
        &mut self,
        body: &mut Body,
        no: ValueNo,
        op: Op,
        args: Vec<Operand>,
        columns: &[Column],
    ) {
        let reg = self.reg(no);
        self.held[no.index()] = Some(Operand::Reg(reg));
        let cells = columns.iter().map(|&column| whole(0, column)).collect();
        let ops = self.function.generic.values[no.index()].op.map(|op| (op, op));
        body.instrs.push(Instr { op, args, results: vec![reg], cells, ops });
    }

    /// Writes the cells of what no instruction of this block computes.
    fn written(&self, body: &mut Body, operand: Operand, columns: &[Column]) {
        for &column in columns {
            match operand {
                Operand::Constant(word) => body.constants.push((column, word)),
                Operand::Seed(width, offset) => body.copy(width, SeedPlace::At(offset), column),
                Operand::Read(read) => body.copy(Width::Full, SeedPlace::Read(read), column),
                _ => {
                    let cells = vec![whole(0, column)];
                    let (args, results) = (vec![operand], Vec::new());
                    body.instrs.push(Instr { op: Op::Cell, args, results, cells, ops: None });
                }
            }
        }
    }

    fn control(&self, body: &mut Body, control: &GenericControl) {
        match control {
            GenericControl::Return { .. } => {}
            GenericControl::Yield { values, block } => {
                let next = &self.function.generic.blocks[*block as usize];
                for no in (next.first_value..next.end_value).map(ValueNo) {
                    let merged = &self.function.generic.values[no.index()];
                    let Expr::Merged(position) = merged.expr else { continue };
                    if let (true, Operand::Reg(to)) = (merged.need.writer, self.held_merged(no)) {
                        body.assigns.push((to, self.held(values[position as usize])));
                    }
                }
            }
            // Where there is a default alone, nothing is compared.
            GenericControl::Match { value, cases, .. } if !cases.is_empty() => {
                body.reads.push(self.held(*value));
            }
            GenericControl::Match { .. } => {}
        }
    }

    fn held_merged(&self, no: ValueNo) -> Operand {
        self.held[no.index()].unwrap_or(Operand::Constant(0))
    }
}
