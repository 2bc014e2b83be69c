//! A report of a proof as a page: one HTML file that needs no network and no script.
//!
//! - `model`: what the page reads of report.json;
//! - `chart`: bars, lanes and curves; `figure`: numbers for people;
//! - `time`, `circuits`, `traffic`: the sections; `style.css`: how they look, in light and dark.
//!
//! All text goes through maud, which escapes it: names in a report come from programs, and those
//! may be anybody's.

mod chart;
mod circuits;
mod figure;
mod model;
mod time;
mod traffic;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::Value;

use figure::{bytes, count, seconds};
use model::Report;

const STYLE: &str = include_str!("style.css");

/// Forbids the page everything but its own style, whatever it contains.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The page of a report, as `traceloom prove --report` writes it.
///
/// # Errors
/// Where it is no such report: what is missing or of another type.
pub fn page(report: &Value) -> Result<String, String> {
    let report = Report::read(report)?;
    let title = format!("{}: report of a proof", report.program);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { (title) }
                // The style is ours, and has no text of a report.
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { (report.program) }
                    p { "Proof with profile " b { (report.profile) } ", computed on "
                        b { (report.backend.name) }
                        @if let Some(reason) = &report.backend.reason { " (" (reason) ")" } }
                    (tiles(&report))
                }
                main {
                    (time::sections(&report))
                    (circuits::sections(&report))
                    (traffic::sections(&report))
                    (machine(&report))
                }
            }
        }
    };
    Ok(page.into_string())
}

/// The figures that a reader looks for first.
fn tiles(report: &Report) -> Markup {
    let tile = |name: &str, value: String| html! { div { dt { (name) } dd { (value) } } };
    html! {
        dl.tiles {
            (tile("total", seconds(report.total_seconds)))
            (tile("peak memory", report.peak_memory_bytes.map_or("unknown".into(), bytes)))
            (tile("proof", bytes(report.proof_bytes)))
            (tile("rows", count(report.trace.rows)))
            (tile("cells", count(report.trace.cells)))
            (tile("shards", count(report.shards.shards.len() as u64)))
        }
    }
}

fn machine(report: &Report) -> Markup {
    let machine = &report.machine;
    let unknown = || "unknown".to_owned();
    let number = |value: Option<u64>| value.map_or_else(unknown, |value| value.to_string());
    let versions = machine.versions.iter().map(|(name, version)| match version {
        Value::String(version) => format!("{name} {version}"),
        version => format!("{name} {version}"),
    });
    let lines = [
        ("processor", machine.processor.clone().unwrap_or_else(unknown)),
        ("cores", number(machine.cores)),
        ("threads", machine.threads.to_string()),
        ("memory", machine.memory_bytes.map_or_else(unknown, bytes)),
        ("system", machine.system.clone()),
        ("versions", versions.collect::<Vec<_>>().join(", ")),
        ("execution", report.execution.said()),
        ("fingerprint", report.trace.fingerprint.clone()),
        ("unit digest", report.trace.unit_digest.clone().unwrap_or_else(|| "none".into())),
    ];
    html! {
        section {
            h2 { "Machine and versions" }
            table.plain { tbody {
                @for (name, value) in &lines { tr { th { (name) } td { (value) } } }
            } }
        }
    }
}

#[cfg(test)]
mod tests;
