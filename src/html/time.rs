//! Where the time went: by stage, by worker and shard, and the memory meanwhile.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::chart::{Bar, Curve, Event, Part, bars, curves, lanes, legend};
use super::figure::{bytes, count, percent, seconds, tick};
use super::model::{Device, Report, Sample, Span};

/// Steps in order, each with its colour: the number of its place.
pub const STEPS: [&str; 9] = [
    "execution",
    "setup",
    "rows",
    "main",
    "lookup challenges",
    "stage 2",
    "quotient",
    "opening",
    "verification",
];

/// The colour of a step.
pub fn color(step: &str) -> usize {
    STEPS.iter().position(|of| *of == step).unwrap_or(STEPS.len())
}

/// Most spans that a page draws.
const MOST_SPANS: usize = 20_000;

pub fn sections(report: &Report) -> Markup {
    html! {
        section {
            h2 { "Time by stage" }
            @if report.workers.len() > 1 {
                p.note { "Summed over workers: with several, the sum is more than the total." }
            }
            (bars(&stages(report)))
        }
        section {
            h2 { "Workers and shards over time" }
            @if report.spans.is_empty() { p.note { "The report has no times of begin." } }
            @else { (timeline(report)) }
            (workers(report))
        }
        section {
            h2 { "Memory over time" }
            (memory(report))
        }
        @for device in &report.devices { (steps(device)) }
    }
}

fn stages(report: &Report) -> Vec<Bar> {
    let stage = |name: &str, time: f64| Bar {
        label: name.to_owned(),
        parts: vec![Part { color: color(name), value: time, title: seconds(time) }],
        value: format!("{} · {}", seconds(time), percent(time, report.total_seconds)),
    };
    let mut bars = vec![stage("setup", report.setup_seconds)];
    bars.extend(report.stages.iter().map(|of| stage(&of.name, of.seconds)));
    bars.push(stage("verification", report.verification_seconds));
    bars.sort_by_key(|bar| color(&bar.label));
    bars
}

fn timeline(report: &Report) -> Markup {
    let mut by_worker: BTreeMap<Option<&str>, Vec<Event>> = BTreeMap::new();
    for span in report.spans.iter().take(MOST_SPANS) {
        by_worker.entry(span.worker.as_deref()).or_default().push(event(span));
    }
    let all: Vec<(String, Vec<Event>)> = by_worker
        .into_iter()
        .map(|(worker, events)| (worker.unwrap_or("whole proof").to_owned(), events))
        .collect();
    let ends = report.spans.iter().map(|span| span.end_seconds);
    let end = ends.fold(report.total_seconds, f64::max);
    html! {
        (legend(STEPS.into_iter().enumerate()))
        (lanes(&all, end, tick(end)))
        @if report.spans.len() > MOST_SPANS {
            p.note { "The first " (count(MOST_SPANS as u64)) " of " (count(report.spans.len() as u64)) " steps." }
        }
    }
}

fn event(span: &Span) -> Event {
    let shard = span.shard.map_or_else(String::new, |shard| format!(", shard {shard}"));
    let time = span.end_seconds - span.begin_seconds;
    Event {
        color: color(&span.step),
        begin: span.begin_seconds,
        end: span.end_seconds,
        title: format!(
            "{}{shard}: {} from {}",
            span.step,
            seconds(time),
            seconds(span.begin_seconds)
        ),
    }
}

fn workers(report: &Report) -> Markup {
    html! {
        div.scroll { table {
            thead { tr { th { "worker" } th.n { "committed" } th.n { "kept" } th.n { "proven" } th { "ended" } } }
            tbody { @for worker in &report.workers { tr {
                td { (worker.name) }
                td.n { (count(worker.committed)) }
                td.n { (count(worker.kept)) }
                td.n { (count(worker.proven)) }
                td { (worker.failure.as_deref().unwrap_or("well")) }
            } } }
        } }
    }
}

fn memory(report: &Report) -> Markup {
    let curve = |color, samples: &[Sample]| {
        let points = samples.iter().map(|of| (of.at_seconds, of.bytes as f64));
        Curve { color, points: points.collect() }
    };
    let (planned, is_on_cpu) =
        (report.shards.planned_memory_bytes.peak, report.backend.name == "cpu");
    let mut all = vec![curve(0, &report.memory)];
    let mut names = vec![(0, "resident memory of the process".to_owned())];
    if is_on_cpu {
        let points = vec![(0.0, planned as f64), (report.total_seconds, planned as f64)];
        all.push(Curve { color: 9, points });
        names.push((9, format!("planned: {}", bytes(planned))));
    }
    for (index, device) in report.devices.iter().enumerate() {
        let color = 3 + index;
        all.push(curve(color, &device.memory));
        let (used, planned) = (bytes(device.peak_bytes), bytes(device.planned_bytes));
        names.push((color, format!("{}: {used} at most, {planned} planned", device.name)));
    }
    let values = all.iter().flat_map(|curve| &curve.points).map(|point| point.1);
    let most = values.fold(0.0, f64::max);
    html! {
        @if report.memory.is_empty() {
            p.note { "The report has no samples of the memory of the process; "
                code { "prove --report" } " takes them where the system states it." }
        }
        (legend(names.iter().map(|(color, name)| (*color, name.as_str()))))
        @if most > 0.0 {
            (curves(&all, (report.total_seconds, most), (tick(report.total_seconds), |value: f64| bytes(value as u64))))
        }
    }
}

/// What a device did.
fn steps(device: &Device) -> Markup {
    let all: f64 = device.steps.iter().map(|step| step.seconds).sum();
    html! {
        section {
            h2 { "Work on " (device.name) }
            p.note { "Of the floor: the time that the bytes take which a step moves at least, as a part of its time." }
            div.scroll { table {
                thead { tr { th { "stage" } th { "step" } th.n { "launches" } th.n { "time" } th.n { "part" }
                    th.n { "bytes" } th.n { "of the floor" } } }
                tbody { @for step in &device.steps { tr {
                    td { (step.stage) }
                    td { (step.name) }
                    td.n { (count(step.launches)) }
                    td.n { (seconds(step.seconds)) }
                    td.n { (percent(step.seconds, all)) }
                    td.n { (bytes(step.floor_bytes)) }
                    td.n { (step.of_floor.map_or_else(String::new, |part| percent(part, 1.0))) }
                } } }
            } }
        }
    }
}
