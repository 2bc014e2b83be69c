//! `traceloom prove`.

use std::time::{Duration, Instant};

use serde_json::json;
use traceloom_prover::Stage;
use traceloom_runtime::ledger::Kind;
use traceloom_runtime::report::DeviceReport;
use traceloom_runtime::session::Proved;

use super::backend::Gpu;
use super::execute::print_rows;
use super::log::Progress;
use super::output::{hex, is_stdout, plain, result, say, seconds, size, write_whole};
use super::outputs::Outputs;
use super::progress::told;
use super::{Failure, ProveArgs, source, stated};
use crate::html;

/// How often a report has the memory of the process.
const MEMORY_SAMPLES: Duration = Duration::from_millis(20);

/// Runs a program, proves the claim and writes the proof.
pub fn run(args: &ProveArgs) -> Result<(), Failure> {
    let progress = Progress::with(args.log);
    prove(args, &progress).inspect_err(|failure| progress.failure(&failure.to_string()))
}

fn prove(args: &ProveArgs, progress: &Progress) -> Result<(), Failure> {
    let page = args.report_html.as_deref();
    if is_stdout(&args.out) && page.is_some_and(is_stdout) {
        let both = "--out and --report-html both take standard output; name a file for one of them";
        return Err(Failure::Malformed(both.into()));
    }
    let outputs = Outputs::tried(&args.out, args.report.as_deref(), page)?;
    let gpu = Gpu::open(&args.trace, args.backend, args.devices.as_ref(), args.max_device_memory)?;
    let start = Instant::now();
    let mut builder = source::session(&args.run)?
        .profile(args.profile)
        .backend(args.backend)
        .trace(args.trace.trace)
        .strict(args.trace.strict)
        .shards(args.shards.options())
        .cpu_takes_over(args.or_cpu);
    if let Some(folder) = &args.cache {
        builder = builder.cache(folder);
    }
    if args.report.is_some() || page.is_some() {
        builder = builder.memory_samples(MEMORY_SAMPLES);
    }
    let session = told(builder, gpu, progress).build()?;
    let proved = session.prove(source::request(&args.run)?)?;
    progress.done();
    outputs.make_folder()?;
    write_whole(&args.out, &proved.bytes)?;
    if let Some(path) = outputs.report() {
        write_whole(&path, format!("{:#}\n", proved.report.json()).as_bytes())?;
    }
    if let Some(path) = page {
        let page = html::page(&proved.report.json()).map_err(Failure::Malformed)?;
        write_whole(path, page.as_bytes())?;
    }
    let summary = &proved.summary;
    result(json!({
        "out": args.out.display().to_string(),
        "proof_bytes": proved.bytes.len(),
        "fingerprint": hex(&session.fingerprint()),
        "profile": args.profile.name(),
        "claim": stated::of(&session, &summary.claims, &summary.boundary),
        "seconds": start.elapsed().as_secs_f64(),
        "report": proved.report.json(),
    }));
    stated::print(&session, &summary.claims(), &summary.boundary);
    print_rows(&session, summary.stats.steps, &summary.rows);
    print_shards(&proved);
    print_times(&proved, start.elapsed());
    say!("proof    {} in {}", size(proved.bytes.len() as u64), args.out.display());
    Ok(())
}

/// Prints how many shards there are, and the memory of the host. What was planned is the
/// memory of a proof on the CPU, so it says nothing of one on a device.
fn print_shards(proved: &Proved) {
    let report = &proved.report;
    let mut line = format!("shards   {}", report.shards.plan.shards.len());
    if report.backend == "cpu" {
        let memory = u64::try_from(report.shards.estimate.peak()).unwrap_or(u64::MAX);
        line += &format!(", {} planned", size(memory));
    }
    if let Some(peak) = report.peak_memory {
        line += &format!(", {} at most used", size(peak));
    }
    say!("{line}");
    for worker in report.workers.iter().filter(|_| report.workers.len() > 1) {
        let (name, proven) = (&worker.name, worker.proven);
        match &worker.failure {
            None => say!("{:>12}  proven by {name}", proven),
            Some(failure) => say!("{:>12}  proven by {name}, which failed: {failure}", proven),
        }
    }
    if let Some(cache) = &report.cache {
        let (roots, proofs) = (cache.reused_roots, cache.reused_proofs);
        say!("cache    {roots} roots and {proofs} shard proofs reused");
    }
    for device in &report.devices {
        say!(
            "device   {}: {} planned, {} at most used",
            plain(&device.name),
            size(device.planned_bytes),
            size(device.peak_bytes)
        );
    }
}

/// Prints where time went, and what was moved to a device and back.
fn print_times(proved: &Proved, all: Duration) {
    let Proved { report, metrics, .. } = proved;
    let trace = &report.trace;
    let moved = trace.ledger.total();
    say!("time");
    // Those that the report has before the prover's.
    for (name, time) in &report.stages[..report.stages.len() - Stage::ALL.len()] {
        match *name {
            "execution" => say!("{:>12}  execution, {}", seconds(*time), report.executed_by.name),
            "rows" => say!("{:>12}  main traces, {}", seconds(*time), trace.providers()),
            name => say!("{:>12}  {name}", seconds(*time)),
        }
    }
    if moved.transfers > 0 {
        let code = trace.ledger.of_kind(Kind::Code).up;
        let host_built: u64 = trace.ledger.avoided.values().sum();
        say!(
            "{:>12}  of which: {} up (host-built: {}), {} down; {} of kernels up",
            "",
            size(moved.up - code),
            size(host_built),
            size(moved.down),
            size(code)
        );
    }
    let on_devices: Vec<_> = report.devices.iter().flat_map(DeviceReport::stages).collect();
    for stage in Stage::ALL {
        let of_stage = on_devices.iter().filter(|(name, _)| *name == stage.name());
        let of_stage: Duration = of_stage.map(|(_, time)| *time).sum();
        let of_stage = match report.devices.len() {
            0 => String::new(),
            1 => format!(", {} on the device", seconds(of_stage)),
            _ => format!(", {} on the devices", seconds(of_stage)),
        };
        let time = metrics.stage(stage);
        say!("{:>12}  {}{of_stage}", seconds(time), stage.name());
    }
    say!("{:>12}  in all", seconds(all));
    say!(
        "{:>12}  of which: transforms {}, hashing {}, evaluation {}",
        "",
        seconds(metrics.transforms),
        seconds(metrics.hashing),
        seconds(metrics.evaluation)
    );
}
