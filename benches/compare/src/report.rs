//! The report as text, for people.

use std::fmt::Write;

use crate::compare::{Comparison, SideSummary, Tested, Verdict, alpha};
use crate::pairs::Run;
use crate::provenance::{Checkout, Digest, Program, Provenance};
use crate::session::{Outcome, Peak, Settings};
use crate::stats::{Drift, least_p};

/// The whole report, with a line break at its end.
pub fn text(settings: &Settings, outcome: &Outcome) -> String {
    let percent = settings.confidence_percent;
    let results = &outcome.results;
    [
        what_ran(settings),
        comparison("wall seconds", &results.wall_seconds, percent),
        comparison("processor seconds (user and system)", &results.processor_seconds, percent),
        peak(&results.peak_bytes),
        list("notes", &notes(settings, outcome)),
        provenance(&outcome.provenance),
    ]
    .concat()
}

/// One line about a complete pair.
pub fn progress(pair: &[Run], pairs: usize) -> String {
    let number = pair.first().map_or(0, |run| run.pair);
    let runs = pair.iter().map(|run| {
        let measured = &run.measured;
        let (wall, processor) = (figure(measured.wall), figure(measured.processor()));
        format!("{} {wall} s, {processor} s of processor time", run.side)
    });
    format!("pair {number} of {pairs}: {}", runs.collect::<Vec<_>>().join("; "))
}

fn what_ran(settings: &Settings) -> String {
    let plan = &settings.plan;
    let warm = match plan.warmups {
        0 => "without warm-up".to_owned(),
        1 => "after one warm-up of each".to_owned(),
        n => format!("after {n} warm-ups of each"),
    };
    format!(
        "A  {}\nB  {}\n\n{n} pairs of runs in the order A B B A, {warm}. This repeats each command \
         {n} times\non the same inputs: later runs find caches and files as earlier runs left them.\n",
        plan.a.line(),
        plan.b.line(),
        n = plan.pairs,
    )
}

fn comparison(title: &str, c: &Comparison, percent: f64) -> String {
    let mut lines = sides(&c.a, &c.b, c.ratio_of_medians, figure);
    lines.extend([
        (format!("t, {percent} %"), interval(c)),
        ("Wilcoxon".to_owned(), ranks(c)),
        (format!("drift, {percent} %"), drift(c.drift.as_ref())),
        ("verdict".to_owned(), verdict(c.verdict).to_owned()),
    ]);
    table(title, &lines)
}

/// Head, both sides and the ratio of their medians.
fn sides(
    a: &SideSummary,
    b: &SideSummary,
    of_medians: Option<f64>,
    show: fn(f64) -> String,
) -> Vec<(String, String)> {
    let cells = |[median, jitter, least, most]: [String; 4]| {
        format!("{median:>10} {jitter:>10} {least:>10} {most:>10}")
    };
    let side = |s: &SideSummary| {
        let percent = |jitter| format!("{:.2} %", 100.0 * jitter);
        let jitter = s.jitter.map_or_else(|| "none".to_owned(), percent);
        cells([show(s.median), jitter, show(s.least), show(s.greatest)])
    };
    vec![
        (String::new(), cells(["median", "jitter", "least", "most"].map(str::to_owned))),
        ("A".to_owned(), side(a)),
        ("B".to_owned(), side(b)),
        ("B / A".to_owned(), format!("{}  (of the medians)", ratio(of_medians))),
    ]
}

fn interval(c: &Comparison) -> String {
    let t = &c.t;
    let test = match t.t {
        Some(value) => format!(
            "t = {value:.2}, {} degrees of freedom, p = {}",
            t.degrees_of_freedom,
            probability(t.p)
        ),
        None => "all pairs are alike".to_owned(),
    };
    match c.tested {
        Tested::LogRatio => {
            let [mean, low, high] = [t.mean, t.low, t.high].map(|log| ratio(Some(log.exp())));
            format!("B / A {mean}, from {low} to {high}  (mean log ratio; {test})")
        }
        Tested::Difference => {
            let [mean, low, high] = [t.mean, t.low, t.high].map(figure);
            format!(
                "B - A {mean} s, from {low} to {high}  (mean difference, since a run took 0 s; {test})"
            )
        }
    }
}

fn ranks(c: &Comparison) -> String {
    let w = &c.wilcoxon;
    let mut special = String::new();
    if w.zeros > 0 {
        special += &format!("; {} zeros, ranked and left out (Pratt)", w.zeros);
    }
    if w.tied > 0 {
        special += &format!("; {} tied, by midranks", w.tied);
    }
    format!("p = {}  (exact; W+ {}, W- {}{special})", probability(w.p), w.positive, w.negative)
}

fn drift(drift: Option<&Drift>) -> String {
    let Some(drift) = drift else { return "not defined for zeros".to_owned() };
    let [change, low, high] = [drift.change, drift.low, drift.high].map(|share| 100.0 * share);
    format!("{change:+.2} %, from {low:+.2} to {high:+.2}  (first run to last)")
}

fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::AFaster => "A is faster",
        Verdict::BFaster => "B is faster",
        Verdict::NoDifference => "no difference shown",
        Verdict::TestsDisagree => "none: the two tests disagree",
    }
}

fn peak(peak: &Peak) -> String {
    let mut lines = sides(&peak.a, &peak.b, peak.ratio_of_medians, mebibytes);
    if let Some(least) = peak.least_measurable.map(|bytes| bytes as f64) {
        let lowest = peak.a.least.min(peak.b.least);
        if lowest <= least {
            let text = format!("peaks up to {} MiB are this tool's own", mebibytes(least));
            lines.push(("limit".to_owned(), text));
        }
    }
    table("peak memory of the largest process, MiB", &lines)
}

fn notes(settings: &Settings, outcome: &Outcome) -> Vec<String> {
    let mut notes = Vec::new();
    let plan = &settings.plan;
    if plan.a == plan.b {
        notes.push("both commands are the same: what differs is noise (calibration)".to_owned());
    }
    let least = least_p(plan.pairs);
    if least > alpha(settings.confidence_percent) {
        notes.push(format!(
            "{} pairs are too few: the least p value of the Wilcoxon test is {}",
            plan.pairs,
            probability(least)
        ));
    }
    let results = &outcome.results;
    for (name, c) in [("wall", &results.wall_seconds), ("processor", &results.processor_seconds)] {
        if c.drift.as_ref().is_some_and(Drift::is_shown) {
            notes.push(format!(
                "{name} seconds drifted; a steady drift cancels in the order A B B A, a sudden one does not"
            ));
        }
    }
    let left = outcome.runs.iter().filter(|run| run.measured.left_behind).count();
    if left > 0 {
        notes.push(format!(
            "{left} runs left processes behind, which were killed; they are in no figure"
        ));
    }
    let p = &outcome.provenance;
    if let (Some([load, ..]), Some(cores)) = (p.load_before, p.machine.usable_cores)
        && load > cores as f64
    {
        notes.push(format!("other work was running: load {load} on {cores} processors"));
    }
    for path in &p.changed_arguments {
        notes.push(format!("{} changed while the benchmark ran (an output?)", path.display()));
    }
    notes
}

fn provenance(p: &Provenance) -> String {
    let m = &p.machine;
    let unknown = || "unknown".to_owned();
    let load = |load: Option<[f64; 3]>| {
        load.map_or_else(unknown, |[one, five, fifteen]| format!("{one} {five} {fifteen}"))
    };
    let number = |n: Option<usize>| n.map_or_else(unknown, |n| n.to_string());
    let memory = m
        .memory_bytes
        .map_or_else(unknown, |bytes| format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30)));
    let devices = if m.devices.is_empty() { "none".to_owned() } else { m.devices.join("; ") };
    let mut lines = vec![
        ("date".to_owned(), format!("{} to {}", p.started, p.ended.as_deref().unwrap_or("?"))),
        ("A".to_owned(), program(&p.programs.a)),
        ("B".to_owned(), program(&p.programs.b)),
    ];
    lines.extend(p.inputs.iter().map(|file| ("input".to_owned(), digest(file))));
    lines.extend(p.arguments.iter().map(|file| ("argument".to_owned(), digest(file))));
    lines.extend([
        ("folder".to_owned(), format!("{}, {}", p.folder.display(), checkout(p.checkout.as_ref()))),
        ("processor".to_owned(), m.processor.clone().unwrap_or_else(unknown)),
        (
            "cores".to_owned(),
            format!("{}, of which {} may be used", number(m.cores), number(m.usable_cores)),
        ),
        ("memory".to_owned(), memory),
        ("kernel".to_owned(), m.kernel.clone().unwrap_or_else(unknown)),
        ("NVIDIA".to_owned(), devices),
        (
            "load".to_owned(),
            format!("{} before, {} after", load(p.load_before), load(p.load_after)),
        ),
        ("tool".to_owned(), p.tool.to_owned()),
    ]);
    table("what was measured", &lines)
}

fn program(program: &Program) -> String {
    format!("{}, {}", digest(&program.file), checkout(program.checkout.as_ref()))
}

fn digest(file: &Digest) -> String {
    format!("{}, {} bytes, BLAKE3 {}", file.path.display(), file.bytes, file.blake3)
}

fn checkout(checkout: Option<&Checkout>) -> String {
    let Some(checkout) = checkout else { return "in no git checkout".to_owned() };
    let state = match checkout.dirty {
        Some(true) => "with changes",
        Some(false) => "clean",
        None => "perhaps with changes",
    };
    format!("commit {} {state}", checkout.commit)
}

fn table(title: &str, lines: &[(String, String)]) -> String {
    let mut text = format!("\n{title}\n");
    for (name, value) in lines {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {name:<13} {value}");
    }
    text
}

fn list(title: &str, items: &[String]) -> String {
    if items.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = items.iter().map(|item| format!("  {item}\n")).collect();
    format!("\n{title}\n{}", lines.concat())
}

/// Four significant digits.
fn figure(value: f64) -> String {
    let digits = if value == 0.0 { 0.0 } else { 3.0 - value.abs().log10().floor() };
    format!("{value:.*}", digits.clamp(0.0, 9.0) as usize)
}

fn ratio(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "not defined for zeros".to_owned(), |ratio| format!("{ratio:.4}"))
}

fn probability(p: f64) -> String {
    if p < 0.0001 { format!("{p:.1e}") } else { format!("{p:.4}") }
}

fn mebibytes(bytes: f64) -> String {
    format!("{:.1}", bytes / f64::from(1 << 20))
}
