//! The report of a job for a browser: one file with plots, which loads nothing and runs no script.
//! maud escapes all text.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::devices::{DeviceSample, VALUES};
use super::{Finished, Settings};
use crate::provenance::Digest;

const STYLE: &str = include_str!("page.css");
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// A line over time: its name, and its points in order.
type Line = (String, Vec<(f64, f64)>);

/// The page.
pub fn page(settings: &Settings, finished: &Finished) -> String {
    let (outcome, measured) = (&finished.outcome, &finished.outcome.measured);
    let tiles = [
        ("ended", measured.state.word()),
        ("wall", format!("{:.3} s", measured.wall)),
        ("processor", format!("{:.3} s", measured.processor())),
        ("peak of a process", mebibytes(measured.peak_bytes as f64)),
        (
            "peak together",
            outcome.peak_together.map_or("unknown".into(), |of| mebibytes(of as f64)),
        ),
        ("price", outcome.price.map_or("not given".into(), |price| format!("{price:.4}"))),
    ];
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { "A job, measured" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { "A job, measured" }
                p.command { code { (settings.command.line()) } }
                dl { @for (name, value) in &tiles { div { dt { (name) } dd { (value) } } } }
                @for note in &outcome.notes { p.note { (note) } }
                (gate(finished))
                (host(settings, finished))
                (devices(finished))
                (provenance(finished))
            }
        }
    };
    page.into_string()
}

fn gate(finished: &Finished) -> Markup {
    let Some(gate) = &finished.outcome.gate else { return html! {} };
    html! {
        section {
            h2 { "Against the baseline of " (gate.date) }
            table {
                thead { tr { th { "figure" } th.n { "stored" } th.n { "now" } th.n { "difference" } th { "gate" } } }
                tbody { @for figure in &gate.figures { tr {
                    td { (figure.name) }
                    td.n { (format!("{:.3}", figure.stored)) }
                    td.n { (format!("{:.3}", figure.found)) }
                    td.n { (format!("{:+.1} %", figure.percent)) }
                    td { @if figure.passes { "passes" } @else { b.bad { "above" } } }
                } } }
            }
        }
    }
}

fn host(settings: &Settings, finished: &Finished) -> Markup {
    let of = |value: fn(&super::HostSample) -> Option<f64>| {
        let points = finished.host.iter().filter_map(|sample| Some((sample.at, value(sample)?)));
        points.collect::<Vec<_>>()
    };
    let mut memory: Vec<Line> = vec![(
        "all processes of the job".into(),
        of(|sample| sample.bytes.map(|bytes| bytes as f64)),
    )];
    let end = finished.outcome.measured.wall;
    if let Some(most) = settings.memory_max {
        memory.push(("cap".into(), vec![(0.0, most as f64), (end, most as f64)]));
    }
    html! {
        (plot("Memory of the host", &memory, end, mebibytes))
        (plot("Load average of a minute", &[("load".into(), of(|sample| sample.load))], end, plain))
    }
}

fn devices(finished: &Finished) -> Markup {
    let mut numbers: Vec<u32> = finished.devices.iter().map(|sample| sample.device).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let line = |number: u32, index: usize| {
        let own = finished.devices.iter().filter(|sample| sample.device == number);
        let point = |sample: &DeviceSample| Some((sample.at, sample.values[index]?));
        (format!("device {number}"), own.filter_map(point).collect::<Vec<_>>())
    };
    let end = finished.outcome.measured.wall;
    html! {
        @for (index, name) in VALUES.iter().enumerate() {
            @let lines: Vec<Line> = numbers.iter().map(|number| line(*number, index)).collect();
            @if lines.iter().any(|(_, points)| !points.is_empty()) {
                (plot(name, &lines, end, plain))
            }
        }
    }
}

/// Lines over the time of the job, on one scale from zero.
fn plot(title: &str, lines: &[Line], end: f64, unit: impl Fn(f64) -> String) -> Markup {
    let most = lines.iter().flat_map(|(_, points)| points).map(|point| point.1);
    let most = most.fold(0.0, f64::max);
    let ends = lines.iter().flat_map(|(_, points)| points).map(|point| point.0);
    let end = ends.fold(end, f64::max);
    let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
    let points = |points: &[(f64, f64)]| {
        let point = |&(at, value): &(f64, f64)| {
            format!("{:.1},{:.1}", 1000.0 * share(at, end), 200.0 - 200.0 * share(value, most))
        };
        points.iter().map(point).collect::<Vec<_>>().join(" ")
    };
    html! {
        section {
            h2 { (title) }
            @if lines.iter().all(|(_, points)| points.is_empty()) {
                p.note { "The job ended before the first sample." }
            } @else {
                p.legend { @for (index, (name, _)) in lines.iter().enumerate() {
                    span { i class=(format!("k{}", index % 8)) {} (name) } " "
                } }
                div.plot {
                    div.scale { span { (unit(most)) } span { (unit(most / 2.0)) } span { (unit(0.0)) } }
                    svg viewBox="0 0 1000 200" preserveAspectRatio="none" {
                        @for y in ["0", "100", "200"] { line.grid x1="0" x2="1000" y1=(y) y2=(y) {} }
                        @for (index, (_, line)) in lines.iter().enumerate() {
                            polyline class=(format!("k{}", index % 8)) points=(points(line)) {}
                        }
                    }
                }
                div.time { span { "0 s" } span { (format!("{:.1} s", end / 2.0)) } span { (format!("{end:.1} s")) } }
            }
        }
    }
}

fn provenance(finished: &Finished) -> Markup {
    let p = &finished.provenance;
    let machine = &p.machine;
    let unknown = || "unknown".to_owned();
    let file = |digest: &Digest| {
        format!("{}, {} bytes, BLAKE3 {}", digest.path.display(), digest.bytes, digest.blake3)
    };
    let mut lines = vec![
        ("date".to_owned(), format!("{} to {}", p.started, p.ended.as_deref().unwrap_or("?"))),
        ("program".into(), file(&p.programs.program.file)),
    ];
    if let Some(checkout) = &p.programs.program.checkout {
        let dirty = if checkout.dirty == Some(true) { ", with changes" } else { "" };
        lines.push(("commit".into(), format!("{}{dirty}", checkout.commit)));
    }
    lines.extend(p.inputs.iter().map(|input| ("input".into(), file(input))));
    lines.extend(p.arguments.iter().map(|input| ("argument".into(), file(input))));
    lines.extend(p.programs.environment.iter().map(|(name, value)| (name.clone(), value.clone())));
    let cores = |number: Option<usize>| number.map_or_else(unknown, |number| number.to_string());
    lines.extend([
        ("folder".into(), p.folder.display().to_string()),
        ("processor".into(), machine.processor.clone().unwrap_or_else(unknown)),
        (
            "cores".into(),
            format!("{}, usable {}", cores(machine.cores), cores(machine.usable_cores)),
        ),
        ("memory".into(), machine.memory_bytes.map_or_else(unknown, |of| mebibytes(of as f64))),
        ("kernel".into(), machine.kernel.clone().unwrap_or_else(unknown)),
        ("tool".into(), p.tool.to_owned()),
    ]);
    lines.extend(machine.devices.iter().map(|device| ("device".into(), device.clone())));
    html! {
        section {
            h2 { "What was measured" }
            table { tbody { @for (name, value) in &lines { tr { th { (name) } td { (value) } } } } }
        }
    }
}

fn mebibytes(bytes: f64) -> String {
    format!("{:.1} MiB", bytes / f64::from(1 << 20))
}

fn plain(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.1}") }
}
