//! The generic writer of a function: branching, exact, over full seeds.
//!
//! Blocks come in pre-order and control only goes forward, so one pass over
//! `if (block == K)` in that order executes any path, however deep blocks nest.
//! Values that several blocks read are in arrays with constant indices.

use traceloom_plan::names::{Ident, Writer};
use traceloom_plan::script::Script;
use traceloom_plan::{Class, FunctionPlan, GenericControl};

use super::columns::{constants, copies, fixed_cells};
use super::held::ty;
use super::script::{Printer, kept_name};
use super::write_function;
use crate::cuda::ast::{BinaryOp, Expr, Item, Stmt, Type};

/// The generic writer, whose blocks are the mains of the script from `first` on:
///
/// ```text
/// // All paths, over full seeds.
/// struct Generic {
///   static constexpr uint32_t SEED_WORDS = 8;
///   …
///   static TL_DEVICE void write(const Seed &seed, const Row &row) {
///     uint32_t kept32[3] = {};
///     uint32_t block = 0u;
///     uint32_t reads = 0u;
///     if (block == 0u) { … block = 2u; block = seed.full(24u).value == 5u ? 1u : block; }
///     …
/// ```
pub(super) fn item(function: &FunctionPlan, script: &Script, first: usize) -> Item {
    let words = function.full.num_words() as u64;
    Item::Struct {
        doc: vec!["All paths, over full seeds.".into()],
        name: Ident::new(Writer::Generic.type_name()),
        constants: constants(&function.layout, 2 * words),
        functions: vec![write_function(body(function, script, first))],
    }
}

fn body(function: &FunctionPlan, script: &Script, first: usize) -> Vec<Stmt> {
    let blocks = &function.generic.blocks;
    let has_reads = blocks.iter().any(|block| !block.reads.is_empty());
    let mut stmts = Vec::new();
    for (class, count) in [Class::U32, Class::U64, Class::Field].into_iter().zip(script.num_kept())
    {
        if count > 0 {
            stmts.push(Stmt::Zeros(ty(class), kept_name(class), count.into()));
        }
    }
    if blocks.len() > 1 {
        stmts.push(Stmt::Var(Type::U32, "block".into(), Expr::Int(0)));
        if has_reads {
            stmts.push(Stmt::Var(Type::U32, "reads".into(), Expr::Int(0)));
        }
    } else if has_reads {
        stmts.push(Stmt::Let(Type::U32, "reads".into(), Expr::Int(0)));
    }
    for number in 0..blocks.len() {
        let body = block(function, script, first, number);
        if blocks.len() == 1 {
            stmts.extend(body);
            continue;
        }
        let here = Expr::binary(BinaryOp::Equal, Expr::name("block"), Expr::Int(number as u64));
        stmts.push(Stmt::If(here, body, Vec::new()));
    }
    stmts
}

/// Cells, steps, then where it goes on.
fn block(function: &FunctionPlan, script: &Script, first: usize, number: usize) -> Vec<Stmt> {
    let main = first + number;
    let (block, of) = (&function.generic.blocks[number], &script.mains[main]);
    let mut printer =
        Printer { plan: function, script, group: None, named: script.named(main), num_batches: 0 };
    let mut stmts = fixed_cells(&of.body);
    stmts.extend(printer.steps(&of.steps));
    stmts.extend(copies(&of.body));
    for &(reg, operand) in &of.body.assigns {
        let class = script.regs[reg.index()].ty.class();
        let value = printer.operand(operand).as_class(class);
        stmts.push(Stmt::Assign(printer.name(reg), value));
    }
    control(function, &printer, main, &block.control, &mut stmts);
    // Behind the match, whose value may be one of these reads.
    if !block.reads.is_empty() && function.generic.blocks.len() > 1 {
        let count = Expr::Int(block.reads.len() as u64);
        let after = Expr::binary(BinaryOp::Add, Expr::name("reads"), count);
        stmts.push(Stmt::Assign(Expr::name("reads"), after));
    }
    stmts
}

fn control(
    function: &FunctionPlan,
    printer: &Printer<'_>,
    main: usize,
    control: &GenericControl,
    stmts: &mut Vec<Stmt>,
) {
    let go = |block: Expr| Stmt::Assign(Expr::name("block"), block);
    match control {
        GenericControl::Return { .. } => {}
        GenericControl::Yield { block, .. } => stmts.push(go(Expr::Int((*block).into()))),
        GenericControl::Match { cases, default, .. } => {
            // A value without a block is of no row of this program: it ends here.
            let none = function.generic.blocks.len() as u32;
            stmts.push(go(Expr::Int(default.unwrap_or(none).into())));
            let value = printer.script.mains[main].body.reads.first();
            let Some(word) = value.map(|&value| printer.operand(value)) else { return };
            for &(key, block) in cases {
                let word = match (word.class(), key >> 32) {
                    (Class::U32, 0) => word.as_u32(),
                    _ => word.as_u64(),
                };
                let equal = Expr::binary(BinaryOp::Equal, word, Expr::Int(key));
                let (here, before) = (Expr::Int(block.into()), Expr::name("block"));
                stmts.push(go(Expr::Select(Box::new(equal), Box::new(here), Box::new(before))));
            }
        }
    }
}
