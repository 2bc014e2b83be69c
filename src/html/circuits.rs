//! What each circuit cost: time by stage, rows, cells, seeds against rows.

use std::cmp::Reverse;

use maud::{Markup, html};

use super::chart::{Bar, Part, bars, legend};
use super::figure::{bytes, count, percent, seconds};
use super::model::{Circuit, Report};
use super::time;

/// Most circuits that a chart has; the table has all.
const MOST_BARS: usize = 20;

/// Colours of what is not a step.
const REAL: usize = 2;
const PADDING: usize = 9;

pub fn sections(report: &Report) -> Markup {
    let active: Vec<&Circuit> = report.trace.circuits.iter().filter(|of| of.height > 0).collect();
    html! {
        section {
            h2 { "Time by circuit" }
            p.note { "Work for one circuit alone. Trees and openings are for all circuits together, so they are not here." }
            (legend([(0, "packing seeds"), (2, "writing rows"), (3, "main"), (5, "stage 2"), (6, "quotient")]))
            (top(&active, |of| Reverse((1e9 * total(of)) as u64), time_of))
        }
        section {
            h2 { "Rows by circuit" }
            (legend([(REAL, "rows"), (PADDING, "padding")]))
            (top(&active, |of| Reverse(of.height), |of| {
                let padding = of.height.saturating_sub(of.rows);
                split(of, (of.rows, padding), count(of.rows))
            }))
        }
        section {
            h2 { "Cells by circuit" }
            (legend([(REAL, "cells of rows"), (PADDING, "cells of padding")]))
            (top(&active, |of| Reverse(of.cells()), |of| {
                let real = of.width.saturating_mul(of.rows);
                let part = percent(of.cells() as f64, report.trace.cells as f64);
                split(of, (real, of.cells().saturating_sub(real)), format!("{} · {part}", count(of.cells())))
            }))
        }
        section {
            h2 { "Seeds against rows" }
            (seeds(&active))
        }
        section {
            h2 { "All circuits" }
            (table(&active))
            (fallbacks(&active))
        }
    }
}

/// The circuits with the most of something, as bars; `0` is left out.
fn top<K: Ord>(
    circuits: &[&Circuit],
    key: impl Fn(&Circuit) -> K,
    bar: impl Fn(&Circuit) -> Bar,
) -> Markup {
    let mut sorted = circuits.to_vec();
    sorted.sort_by_key(|circuit| key(circuit));
    let shown: Vec<Bar> = sorted.iter().take(MOST_BARS).map(|circuit| bar(circuit)).collect();
    html! {
        (bars(&shown))
        @if sorted.len() > MOST_BARS {
            p.note { (count((sorted.len() - MOST_BARS) as u64)) " more circuits are in the table below." }
        }
    }
}

fn total(circuit: &Circuit) -> f64 {
    let stages = circuit.stages.iter().map(|stage| stage.seconds).sum::<f64>();
    circuit.packing_seconds + circuit.writing_seconds + stages
}

fn time_of(circuit: &Circuit) -> Bar {
    let part = |color, name: &str, value| Part {
        color,
        value,
        title: format!("{name}: {}", seconds(value)),
    };
    let mut parts = vec![
        part(0, "packing seeds", circuit.packing_seconds),
        part(2, "writing rows", circuit.writing_seconds),
    ];
    let stages = circuit.stages.iter();
    parts.extend(stages.map(|stage| part(time::color(&stage.name), &stage.name, stage.seconds)));
    Bar { label: circuit.name.clone(), parts, value: seconds(total(circuit)) }
}

fn split(circuit: &Circuit, (real, padding): (u64, u64), value: String) -> Bar {
    let part = |color, value: u64| Part { color, value: value as f64, title: count(value) };
    Bar {
        label: circuit.name.clone(),
        parts: vec![part(REAL, real), part(PADDING, padding)],
        value,
    }
}

/// What was packed, beside what was written from it.
fn seeds(circuits: &[&Circuit]) -> Markup {
    let seeded: Vec<&Circuit> = circuits.iter().copied().filter(|of| of.seed_bytes() > 0).collect();
    let sum = |of: fn(&Circuit) -> u64| seeded.iter().map(|circuit| of(circuit)).sum::<u64>();
    let (seed, row) = (sum(Circuit::seed_bytes), sum(Circuit::row_bytes));
    if seeded.is_empty() {
        return html! { p.note { "No rows were written from seeds." } };
    }
    html! {
        p { (bytes(seed)) " of seeds for " (bytes(row)) " of rows: " b { (percent(seed as f64, row as f64)) } "." }
        (legend([(4, "typed seeds"), (7, "full seeds"), (REAL, "the rest of the rows")]))
        (top(&seeded, |of| Reverse(of.row_bytes()), |of| {
            let part = |color, value: u64| Part { color, value: value as f64, title: bytes(value) };
            let rest = of.row_bytes().saturating_sub(of.seed_bytes());
            let parts = vec![part(4, of.typed_seed_bytes), part(7, of.full_seed_bytes), part(REAL, rest)];
            let ratio = percent(of.seed_bytes() as f64, of.row_bytes() as f64);
            Bar { label: of.name.clone(), parts, value: format!("{} · {ratio}", bytes(of.seed_bytes())) }
        }))
    }
}

fn table(circuits: &[&Circuit]) -> Markup {
    html! {
        details {
            summary { (count(circuits.len() as u64)) " circuits with rows" }
            div.scroll { table {
                thead { tr {
                    th { "circuit" } th { "rows by" } th.n { "rows" } th.n { "height" } th.n { "columns" }
                    th.n { "cells" } th.n { "constraints" } th.n { "lookups" } th.n { "seeds" } th.n { "time" }
                } }
                tbody { @for of in circuits { tr {
                    td.name { (of.name) }
                    td { (of.provider) }
                    td.n { (count(of.rows)) }
                    td.n { (count(of.height)) }
                    td.n { (count(of.width)) }
                    td.n { (count(of.cells())) }
                    td.n { (count(of.constraints)) }
                    td.n { (count(of.lookups)) }
                    td.n { (bytes(of.seed_bytes())) }
                    td.n { (seconds(total(of))) }
                } } }
            } }
        }
    }
}

/// Circuits whose rows come from another provider than was asked for.
fn fallbacks(circuits: &[&Circuit]) -> Markup {
    let fell: Vec<(&str, &str)> = circuits
        .iter()
        .filter_map(|circuit| Some((circuit.name.as_str(), circuit.reason.as_deref()?)))
        .collect();
    html! {
        @if fell.is_empty() { p.note { "No circuit fell back." } }
        @else {
            h3 { "Circuits that fell back" }
            ul { @for (name, reason) in fell { li { b { (name) } ": " (reason) } } }
        }
    }
}
