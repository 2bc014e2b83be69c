//! Proving and verifying the BLAKE3 hash of inputs of several sizes.
//!
//! Prints one line per figure, `bench=prove size=… figure=… value=… unit=…`: medians
//! over the rounds, and the peak memory of the process so far. Sizes run from small
//! to large, so that a peak belongs to the size it stands with.
//!
//! `cargo bench --bench prove -- [SIZES] [ROUNDS]`, default `1024,65536 3`.

use std::time::Duration;

use traceloom::prover::Stage;
use traceloom::runtime::provider::TraceProvider;
use traceloom::session::{Expected, Proved, Request};

fn main() {
    // Cargo passes --bench.
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let sizes = args.first().map_or("1024,65536", String::as_str);
    let rounds = args.get(1).map_or(3, |rounds| rounds.parse().expect("ROUNDS is a number"));
    for size in sizes.split(',') {
        let size: usize = size.parse().expect("SIZES are numbers separated by commas");
        let runs: Vec<Vec<(&str, f64)>> = (0..rounds).map(|_| run(size)).collect();
        for (position, (figure, _)) in runs[0].iter().enumerate() {
            let unit = if figure.ends_with("bytes") { "bytes" } else { "seconds" };
            report(size, figure, median(runs.iter().map(|run| run[position].1)), unit);
        }
        if let Some(peak) = peak_memory() {
            report(size, "peak_memory_so_far", peak, "KiB");
        }
    }
}

fn report(size: usize, figure: &str, value: f64, unit: &str) {
    println!("bench=prove size={size} figure={figure} value={value:.6} unit={unit}");
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn run(size: usize) -> Vec<(&'static str, f64)> {
    let input: Vec<u8> = (0..size).map(|i| (i * 31 + i / 251) as u8).collect();
    let builder = traceloom::session("blake3").expect("it is built in");
    // The reference builder, so that figures are those of one row writer on every machine.
    let session = builder.trace(TraceProvider::Reference).build().expect("it is valid");
    // Programs and keys are made once for many proofs, and are not timed.
    session.proving_key().expect("it has a key");
    let request = Request::bytes(&input).expect("bytes are an input");

    let proved = session.prove(request).expect("it proves");
    let verified = session.verify(&proved.bytes, &Expected::claims(proved.claims()));
    let verify = verified.expect("it verifies").time;
    figures(&proved, verify)
}

fn figures(proved: &Proved, verify: Duration) -> Vec<(&'static str, f64)> {
    let mut figures = Vec::new();
    let mut timed = |name, time: Duration| figures.push((name, time.as_secs_f64()));
    let of_report = |name| {
        let found = proved.report.stages.iter().find(|(stage, _)| *stage == name);
        found.expect("the report has this stage").1
    };
    timed("execution", of_report("execution"));
    timed("reference_rows", of_report("rows"));
    // From the program to the proof, without the verification that a session adds.
    timed("whole", proved.report.stages.iter().map(|(_, time)| *time).sum());
    let metrics = &proved.metrics;
    for (name, stage) in
        ["main", "lookup", "stage_2", "quotient", "opening"].into_iter().zip(Stage::ALL)
    {
        timed(name, metrics.stage(stage));
    }
    timed("transforms", metrics.transforms);
    timed("hashing", metrics.hashing);
    timed("evaluation", metrics.evaluation);
    timed("verify", verify);
    figures.push(("proof_bytes", proved.bytes.len() as f64));
    figures
}

/// Peak resident memory of this process, where the system tells.
fn peak_memory() -> Option<f64> {
    traceloom::session::peak_memory().map(|bytes| bytes as f64 / 1024.0)
}
