//! Column names of a function and the statements that write cells.

use traceloom_plan::names::Ident;
use traceloom_plan::{Class, Column, PlanLayout, Region};

use super::held::Held;
use crate::cuda::ast::{BinaryOp, Expr, Item, Stmt};

/// The columns of a function by region, and checks of their number:
///
/// ```text
/// enum Column : uint32_t { INPUT_0 = 0, SELECTOR_0 = 0, MULTIPLICITY = 0, AUX_1 = 1, };
/// static_assert(AUX_1 + 1u == 2u, "plan: 2 auxiliaries");
/// ```
pub(super) fn items(layout: &PlanLayout) -> Vec<Item> {
    let entries = layout.columns().map(|c| (Ident::new(name(layout, c)), Some(c.index.into())));
    let mut items = vec![Item::Enum {
        doc: vec!["Columns, counted from the base of their region.".into()],
        name: "Column".into(),
        entries: entries.collect(),
    }];
    for (region, count, what) in [
        (Region::Input, layout.num_inputs, "inputs"),
        (Region::Selector, layout.num_selectors, "selectors"),
        (Region::Auxiliary, layout.num_auxiliaries, "auxiliaries"),
    ] {
        let Some(index) = count.checked_sub(1) else { continue };
        let last = Expr::name(name(layout, Column { region, index }));
        let end = Expr::binary(BinaryOp::Add, last, Expr::Int(1));
        let condition = Expr::binary(BinaryOp::Equal, end, Expr::Int(count.into()));
        items.push(Item::StaticAssert(condition, format!("plan: {count} {what}")));
    }
    items
}

/// What every writer of a function states about it.
pub(super) fn constants(layout: &PlanLayout, seed_words: u64) -> Vec<(Ident, u64)> {
    vec![
        ("SEED_WORDS".into(), seed_words),
        ("NUM_INPUTS".into(), layout.num_inputs.into()),
        ("NUM_SELECTORS".into(), layout.num_selectors.into()),
        ("NUM_AUXILIARIES".into(), layout.num_auxiliaries.into()),
    ]
}

/// `INPUT_3`, `SELECTOR_0`, `MULTIPLICITY`, `RANK`, `AUX_7`; `COLUMN_7` of an op table
fn name(layout: &PlanLayout, column: Column) -> String {
    match (column.region, column.index) {
        (Region::Input, index) => format!("INPUT_{index}"),
        (Region::Selector, index) => format!("SELECTOR_{index}"),
        (Region::Auxiliary, index) if layout.of_records() => format!("COLUMN_{index}"),
        (Region::Auxiliary, 0) => "MULTIPLICITY".into(),
        (Region::Auxiliary, 1) if layout.ranked => "RANK".into(),
        (Region::Auxiliary, index) => format!("AUX_{index}"),
    }
}

/// `row.auxiliary(AUX_7, value);`
pub(super) fn store(layout: &PlanLayout, column: Column, value: &Held) -> Stmt {
    let value = match value.class() {
        Class::U32 => value.as_u32(),
        Class::U64 | Class::Field => value.as_gl(),
    };
    let arguments = vec![Expr::name(name(layout, column)), value];
    Stmt::Expr(Expr::method("row", region_name(column.region), arguments))
}

const fn region_name(region: Region) -> &'static str {
    match region {
        Region::Input => "input",
        Region::Selector => "selector",
        Region::Auxiliary => "auxiliary",
    }
}

/// Zeros to the given columns, in order: `row.auxiliary_zeros(7u, 31u);` for
/// stretches, `row.selector(SELECTOR_1, 0u);` for single ones.
pub(super) fn zeros(layout: &PlanLayout, columns: &[Column]) -> Vec<Stmt> {
    let mut stmts = Vec::new();
    let mut rest = columns;
    while let Some(&first) = rest.first() {
        let follows = |(i, c): (usize, &Column)| {
            c.region == first.region && c.index as usize == first.index as usize + i
        };
        let count = rest.iter().enumerate().take_while(|&(i, c)| follows((i, c))).count();
        let (stretch, others) = rest.split_at(count);
        rest = others;
        if count > 2 {
            let end = u64::from(first.index) + count as u64;
            let args = vec![Expr::Int(first.index.into()), Expr::Int(end)];
            let method = format!("{}_zeros", region_name(first.region));
            stmts.push(Stmt::Expr(Expr::method("row", &method, args)));
        } else {
            stmts.extend(stretch.iter().map(|&c| store(layout, c, &Held::Constant(0))));
        }
    }
    stmts
}
