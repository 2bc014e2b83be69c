//! The generic writer of a function: branching, exact, over full seeds.
//!
//! Blocks come in pre-order and control only goes forward, so one pass over
//! `if (block == K)` in that order executes any path, however deep blocks nest.
//! Values that other blocks read are variables of the whole function.

use std::collections::{BTreeMap, BTreeSet};

use traceloom_abi::seed::Meaning;
use traceloom_plan::kept::shared;
use traceloom_plan::names::{Ident, Writer, variable};
use traceloom_plan::{
    self as plan, Cell, Class, Column, FunctionPlan, GenericBlock, GenericControl, ValueNo,
};

use super::columns::{constants, store, zeros};
use super::held::{Held, ty};
use super::scalar::Values;
use super::write_function;
use crate::cuda::ast::{BinaryOp, Expr, Item, Stmt, Type};

/// The generic writer:
///
/// ```text
/// // All paths, over full seeds.
/// struct Generic {
///   static constexpr uint32_t SEED_WORDS = 8;
///   …
///   static TL_DEVICE void write(const Seed &seed, const Row &row) {
///     uint32_t block = 0u;
///     uint32_t reads = 0u;
///     if (block == 0u) { … block = input2 == 5u ? 1u : 2u; }
///     …
/// ```
pub(super) fn items(function: &FunctionPlan) -> Vec<Item> {
    let words = function.full.num_words() as u64;
    vec![Item::Struct {
        doc: vec!["All paths, over full seeds.".into()],
        name: Ident::new(Writer::Generic.type_name()),
        constants: constants(&function.layout, 2 * words),
        functions: vec![write_function(Emitter::new(function).body())],
    }]
}

struct Emitter<'a> {
    function: &'a FunctionPlan,
    values: Values<'a>,
    /// Values that a block other than their own reads or assigns.
    shared: BTreeSet<ValueNo>,
    has_reads: bool,
    op: Option<u32>,
}

impl<'a> Emitter<'a> {
    fn new(function: &'a FunctionPlan) -> Self {
        let plan = &function.generic;
        let has_reads = plan.blocks.iter().any(|block| !block.reads.is_empty());
        let (values, shared) = (Values::new(&plan.values), shared(function));
        Self { function, values, shared, has_reads, op: None }
    }

    fn body(mut self) -> Vec<Stmt> {
        let blocks = &self.function.generic.blocks;
        let mut stmts = Vec::new();
        if blocks.len() > 1 {
            stmts.push(Stmt::Var(Type::U32, "block".into(), Expr::Int(0)));
            if self.has_reads {
                stmts.push(Stmt::Var(Type::U32, "reads".into(), Expr::Int(0)));
            }
        } else if self.has_reads {
            stmts.push(Stmt::Let(Type::U32, "reads".into(), Expr::Int(0)));
        }
        for &no in &self.shared {
            let class = Class::of(self.values.value(no));
            let zero = Held::Constant(0).as_class(class);
            stmts.push(Stmt::Var(ty(class), self.name(no), zero));
        }
        for (number, block) in blocks.iter().enumerate() {
            let body = self.block(block);
            if blocks.len() == 1 {
                stmts.extend(body);
                continue;
            }
            let here = Expr::binary(BinaryOp::Equal, Expr::name("block"), Expr::Int(number as u64));
            stmts.push(Stmt::If(here, body, Vec::new()));
        }
        stmts
    }

    fn name(&self, no: ValueNo) -> Ident {
        variable(no, self.values.value(no))
    }

    /// What is constant, values with their cells, then where it goes on.
    fn block(&mut self, block: &'a GenericBlock) -> Vec<Stmt> {
        let layout = &self.function.layout;
        let mut stmts = Vec::new();
        let mut cells: BTreeMap<ValueNo, Vec<Column>> = BTreeMap::new();
        for write in &block.writes {
            match write.cell {
                Cell::Constant(word) => {
                    stmts.push(store(layout, write.column, &Held::Constant(word)));
                }
                Cell::Value(no) => cells.entry(no).or_default().push(write.column),
            }
        }
        let unused: Vec<Column> = block.zeros.iter().flat_map(|span| span.columns()).collect();
        stmts.extend(zeros(layout, &unused));
        // Cells right after their values, so that few values wait in registers.
        for no in (block.first_value..block.end_value).map(ValueNo) {
            self.define(no, &mut stmts);
            for column in cells.remove(&no).into_iter().flatten() {
                stmts.push(store(layout, column, self.values.held(no)));
            }
        }
        for (no, columns) in cells {
            let held = self.values.held(no);
            stmts.extend(columns.into_iter().map(|column| store(layout, column, held)));
        }
        if !block.reads.is_empty() && self.function.generic.blocks.len() > 1 {
            let count = Expr::Int(block.reads.len() as u64);
            let after = Expr::binary(BinaryOp::Add, Expr::name("reads"), count);
            stmts.push(Stmt::Assign(Expr::name("reads"), after));
        }
        self.control(&block.control, &mut stmts);
        stmts
    }

    fn define(&mut self, no: ValueNo, stmts: &mut Vec<Stmt>) {
        let value = self.values.value(no);
        if !value.need.writer {
            return;
        }
        let class = Class::of(value);
        let name = self.name(no);
        let expression = match value.expr {
            plan::Expr::Constant(word) => {
                self.values.held[no.index()] = Some(Held::Constant(word));
                return;
            }
            plan::Expr::Merged(_) => {
                self.values.held[no.index()] = Some(Held::Variable(class, name));
                return;
            }
            plan::Expr::Seed(meaning) => self.seed(meaning, class),
            _ => self.values.expression(no),
        };
        if value.op.is_some() && value.op != self.op {
            self.op = value.op;
            let op = value.op.unwrap_or(0);
            let text = &self.function.ops[op as usize].text;
            stmts.push(Stmt::Comment(format!("op {op}: {text}")));
        }
        stmts.push(match self.shared.contains(&no) {
            true => Stmt::Assign(Expr::Name(name.clone()), expression),
            false => Stmt::Let(ty(class), name.clone(), expression),
        });
        self.values.held[no.index()] = Some(Held::Variable(class, name));
    }

    /// `seed.full(24u)`, `seed.full(24u + 8u * reads)`
    fn seed(&self, meaning: Meaning, class: Class) -> Expr {
        let offset = Expr::Int(8 * self.function.full.position(meaning) as u64);
        let offset = match meaning {
            Meaning::Read(_) => {
                let before = Expr::binary(BinaryOp::Mul, Expr::Int(8), Expr::name("reads"));
                Expr::binary(BinaryOp::Add, offset, before)
            }
            _ => offset,
        };
        let element = Expr::method("seed", "full", vec![offset]);
        let word = |element| Expr::Member(Box::new(element), "value".into());
        match class {
            Class::Field => element,
            Class::U64 => word(element),
            Class::U32 => Expr::Cast(Type::U32, Box::new(word(element))),
        }
    }

    fn control(&self, control: &GenericControl, stmts: &mut Vec<Stmt>) {
        let go = |block: u32| Stmt::Assign(Expr::name("block"), Expr::Int(block.into()));
        match control {
            GenericControl::Return { .. } => {}
            GenericControl::Yield { values, block } => {
                let next = &self.function.generic.blocks[*block as usize];
                for index in next.first_value..next.end_value {
                    let merged = self.values.value(ValueNo(index));
                    let plan::Expr::Merged(position) = merged.expr else { continue };
                    if !merged.need.writer {
                        continue;
                    }
                    let value = self.values.held(values[position as usize]);
                    let value = value.as_class(Class::of(merged));
                    let name = Expr::Name(self.name(ValueNo(index)));
                    stmts.push(Stmt::Assign(name, value));
                }
                stmts.push(go(*block));
            }
            GenericControl::Match { value, cases, default, .. } => {
                // A value without a block is of no row of this program: it ends here.
                let none = self.function.generic.blocks.len() as u32;
                stmts.push(go(default.unwrap_or(none)));
                for &(key, block) in cases {
                    let word = self.values.held(*value);
                    let word = match (word.class(), key >> 32) {
                        (Class::U32, 0) => word.as_u32(),
                        _ => word.as_u64(),
                    };
                    let equal = Expr::binary(BinaryOp::Equal, word, Expr::Int(key));
                    stmts.push(Stmt::If(equal, vec![go(block)], Vec::new()));
                }
            }
        }
    }
}
