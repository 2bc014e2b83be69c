//! Cells that are constant, or words of the seed.

use traceloom_abi::seed::Width;
use traceloom_plan::names::Ident;
use traceloom_plan::script::code::{Body, Copied, SeedPlace};
use traceloom_plan::{PlanLayout, Span};

use super::script::{read_offset, region_name};
use crate::cuda::ast::{Expr, Stmt};

/// What every writer of a function states about it.
pub(super) fn constants(layout: &PlanLayout, seed_words: u64) -> Vec<(Ident, u64)> {
    vec![
        ("SEED_WORDS".into(), seed_words),
        ("NUM_INPUTS".into(), layout.num_inputs.into()),
        ("NUM_SELECTORS".into(), layout.num_selectors.into()),
        ("NUM_AUXILIARIES".into(), layout.num_auxiliaries.into()),
    ]
}

/// Zeros and constants.
pub(super) fn fixed_cells(body: &Body) -> Vec<Stmt> {
    let mut stmts: Vec<Stmt> = body.zeros.iter().map(|&span| zeros(span)).collect();
    for &(column, word) in &body.constants {
        let value = match word >> 32 {
            0 => Expr::Int(word),
            _ => Expr::call("gl", vec![Expr::Int(word)]),
        };
        let args = vec![Expr::Int(column.index.into()), value];
        stmts.push(Stmt::Expr(Expr::method("row", region_name(column.region), args)));
    }
    stmts
}

/// Copies of words of the seed. They come last: the compiler reads seeds ahead of what is computed,
/// and a copy that stands first would keep its words in registers until then.
pub(super) fn copies(body: &Body) -> impl Iterator<Item = Stmt> + '_ {
    body.copies.iter().map(copy)
}

/// `row.auxiliary_zeros(7u, 31u);`, `row.selector(1u, 0u);`
fn zeros(span: Span) -> Stmt {
    let (name, first) = (region_name(span.first.region), span.first.index);
    let first = Expr::Int(first.into());
    Stmt::Expr(match span.count {
        1 => Expr::method("row", name, vec![first, Expr::Int(0)]),
        count => {
            let end = Expr::Int(u64::from(span.first.index) + u64::from(count));
            Expr::method("row", &format!("{name}_zeros"), vec![first, end])
        }
    })
}

/// `row.input_u8(seed, 12u, 0u, 129u);`: columns 0 to 128 from byte 12 on.
fn copy(copied: &Copied) -> Stmt {
    let offset = match copied.place {
        SeedPlace::At(offset) => Expr::Int(offset.into()),
        SeedPlace::Read(read) => read_offset(read),
    };
    let width = match copied.width {
        Width::U8 => "u8",
        Width::U16 => "u16",
        Width::U32 => "u32",
        Width::Full => "full",
    };
    let first = u64::from(copied.span.first.index);
    let end = first + u64::from(copied.span.count);
    let args = vec![Expr::name("seed"), offset, Expr::Int(first), Expr::Int(end)];
    let name = format!("{}_{width}", region_name(copied.span.first.region));
    Stmt::Expr(Expr::method("row", &name, args))
}
