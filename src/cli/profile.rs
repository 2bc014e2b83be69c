//! `traceloom profile`.

use std::cmp::Ordering;
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};
use traceloom_runtime::profile::{Cost, Profile};
use traceloom_runtime::session::SessionError;
use traceloom_verifier::Profile as Params;

use super::backend::Gpu;
use super::log::Progress;
use super::output::{check_place, hex, plain, result, say, write_whole};
use super::progress::told;
use super::{Failure, RunArgs, TraceArgs, shards, source};
use crate::profile::{flame, pprof};

/// What to run, and what to write.
#[derive(Debug, Args)]
pub struct ProfileArgs {
    #[command(flatten)]
    pub(super) run: RunArgs,
    #[command(flatten)]
    trace: TraceArgs,
    #[command(flatten)]
    shards: shards::ShardArgs,
    /// Parameters of the proof: standard, strong, heuristic or fast.
    #[arg(long, default_value = "standard", value_parser = source::profile)]
    profile: Params,
    /// Count rows, cells and lookups, and make no proof: seconds are left out.
    #[arg(long)]
    no_proof: bool,
    /// What functions and operations are sorted by, and what the flamegraph shows: seconds, cells,
    /// rows or lookups [default: seconds, or cells with --no-proof].
    #[arg(long, value_name = "COST", value_parser = Unit::parse)]
    by: Option<Unit>,
    /// How many functions and operations are printed; 0 for all.
    #[arg(long, default_value_t = 20, value_name = "N")]
    show: usize,
    /// File for a flamegraph, an SVG for a browser: call stacks with operations at their ends.
    #[arg(long, value_name = "FILE")]
    flamegraph: Option<PathBuf>,
    /// File for the profile in the form of pprof (profile.proto, gzip).
    #[arg(long, value_name = "FILE")]
    pprof: Option<PathBuf>,
}

/// What costs are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Time.
    Seconds,
    /// Cells of main traces.
    Cells,
    /// Rows without padding.
    Rows,
    /// Slots of messages.
    Lookups,
}

impl Unit {
    const ALL: [(&'static str, Self); 4] = [
        ("seconds", Self::Seconds),
        ("cells", Self::Cells),
        ("rows", Self::Rows),
        ("lookups", Self::Lookups),
    ];

    pub(super) fn parse(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|(of, _)| *of == name);
        let names = Self::ALL.map(|(name, _)| name).join(", ");
        found.map(|of| of.1).ok_or_else(|| format!("{name:?} is no cost; choose one of {names}"))
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Seconds => "seconds",
            Self::Cells => "cells",
            Self::Rows => "rows",
            Self::Lookups => "lookups",
        }
    }

    /// This part of a cost.
    #[must_use]
    pub fn of(self, cost: &Cost) -> f64 {
        match self {
            Self::Seconds => cost.seconds,
            Self::Cells => cost.cells as f64,
            Self::Rows => cost.rows as f64,
            Self::Lookups => cost.lookups as f64,
        }
    }
}

/// Runs a program, proves it unless that is not wanted, and prints what costs what.
pub fn run(args: &ProfileArgs) -> Result<(), Failure> {
    let by = args.by.unwrap_or(if args.no_proof { Unit::Cells } else { Unit::Seconds });
    if args.no_proof && by == Unit::Seconds {
        let wrong = "--by seconds needs a proof, and --no-proof makes none";
        return Err(Failure::Malformed(wrong.into()));
    }
    for path in [&args.flamegraph, &args.pprof].into_iter().flatten() {
        check_place(path)?;
    }
    let options = args.shards.options();
    options.check().map_err(SessionError::from)?;
    let backend = traceloom_runtime::session::Backend::Auto;
    let gpu = Gpu::open(&args.trace, backend, None, None)?;
    let builder = source::session(&args.run)?
        .profile(args.profile)
        .trace(args.trace.trace)
        .strict(args.trace.strict)
        .shards(options);
    let progress = Progress::new();
    let session = told(builder, gpu, &progress).build()?;
    let request = source::request(&args.run)?;
    let profile = match args.no_proof {
        true => session.profile(request)?.0,
        false => session.profile_proof(request)?.0,
    };
    progress.done();
    if let Some(path) = &args.flamegraph {
        let name = &session.program().program().name;
        let title = format!("{} by {}", plain(name), by.name());
        let svg = flame::graph(&profile, &title, by).map_err(Failure::Malformed)?;
        write_whole(path, &svg)?;
    }
    if let Some(path) = &args.pprof {
        let bytes =
            pprof::encode(&profile).map_err(|error| Failure::file("write", path, &error))?;
        write_whole(path, &bytes)?;
    }
    print(&profile, by, args.show);
    result(json!({
        "fingerprint": hex(&session.program().fingerprint()),
        "total": object(&profile.total()),
        "entries": entries(&profile),
    }));
    Ok(())
}

fn print(profile: &Profile, by: Unit, show: usize) {
    let total = profile.total();
    let functions = profile.by_function();
    let functions = functions.iter().map(|(name, cost)| (plain(name), *cost)).collect();
    table("function", functions, (by, &total, show));
    say!("");
    let operations = profile.by_operation();
    let operations = operations.iter().map(|((function, operation), cost)| {
        (format!("{}  {}", plain(operation), plain(function)), *cost)
    });
    table("operation, function", operations.collect(), (by, &total, show));
}

/// The most expensive ones, and the sum of all.
fn table(what: &str, mut lines: Vec<(String, Cost)>, (by, total, show): (Unit, &Cost, usize)) {
    let order = |a: &(String, Cost), b: &(String, Cost)| {
        by.of(&b.1).partial_cmp(&by.of(&a.1)).unwrap_or(Ordering::Equal)
    };
    lines.sort_by(order);
    let count = lines.len();
    let shown = if show == 0 { count } else { show.min(count) };
    say!(
        "{:>6}  {:>9}  {:>12}  {:>10}  {:>12}  {what}",
        "%",
        "seconds",
        "cells",
        "rows",
        "lookups"
    );
    let line = |name: &str, cost: &Cost| {
        let all = by.of(total);
        let part = if all > 0.0 { 100.0 * by.of(cost) / all } else { 0.0 };
        say!(
            "{part:>6.1}  {:>9.3}  {:>12}  {:>10}  {:>12}  {name}",
            cost.seconds,
            cost.cells,
            cost.rows,
            cost.lookups
        );
    };
    lines.iter().take(shown).for_each(|(name, cost)| line(name, cost));
    if shown < count {
        let mut rest = Cost::default();
        lines.iter().skip(shown).for_each(|(_, cost)| rest += *cost);
        line(&format!("{} more", count - shown), &rest);
    }
    line("all", total);
}

fn entries(profile: &Profile) -> Vec<Value> {
    let entry = |entry: &traceloom_runtime::profile::Entry| {
        let mut object = object(&entry.cost);
        object["stack"] = json!(entry.stack);
        object["operation"] = json!(entry.operation);
        object
    };
    profile.entries.iter().map(entry).collect()
}

fn object(cost: &Cost) -> Value {
    json!({
        "rows": cost.rows,
        "executed": cost.executed,
        "cells": cost.cells,
        "lookups": cost.lookups,
        "seconds": cost.seconds,
    })
}
