//! Proving and verifying the BLAKE3 hash of inputs of several sizes.
//!
//! Prints one line per figure, `bench=prove size=… figure=… value=… unit=…`: medians
//! over the rounds, and the peak memory of the process so far. Sizes run from small
//! to large, so that a peak belongs to the size it stands with.
//!
//! `cargo bench --bench prove -- [SIZES] [ROUNDS]`, default `1024,65536 3`.

use std::time::{Duration, Instant};

use traceloom::abi::io::Io;
use traceloom::bytecode::CheckedProgram;
use traceloom::bytecode::execute::{Limits, execute};
use traceloom::bytecode::system::build_system;
use traceloom::programs;
use traceloom::prover::{ProveOptions, ProvingKey, Stage, prove};
use traceloom::runtime::witness::reference_witness;
use traceloom::verifier::{Profile, verify};

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
    let input: Vec<u64> = (0..size).map(|i| (i * 31 + i / 251) as u64 % 256).collect();
    let example = programs::find("blake3").expect("it is built in");
    let program = CheckedProgram::new(example.build().expect("it builds")).expect("it is valid");
    let system = build_system(&program);
    let key = ProvingKey::new(&system, &Profile::Standard.params()).expect("it has a key");
    let mut io = Io::default();
    io.add_input(0, &[], &input).expect("the key is new");
    let entry = program.find("blake3").expect("it has the entry");
    let mut figures = Vec::new();
    let mut timed = |name, time: Duration| figures.push((name, time.as_secs_f64()));

    let start = Instant::now();
    let claims = [(entry, vec![size as u64])];
    let run = execute(&program, &claims, io, &Limits::default()).expect("it runs");
    timed("execution", start.elapsed());
    let claim = run.claims[0].claim.clone();
    let rows = Instant::now();
    let witness = reference_witness(&program, &system, &run.record, run.claims.clone());
    timed("reference_rows", rows.elapsed());
    let witness = vec![witness.expect("record and program agree")];
    let (proof, metrics) = prove(&key, witness, &ProveOptions::default()).expect("it proves");
    timed("whole", start.elapsed());
    for (name, stage) in
        ["main", "lookup", "stage_2", "quotient", "opening"].into_iter().zip(Stage::ALL)
    {
        timed(name, metrics.stage(stage));
    }
    timed("transforms", metrics.transforms);
    timed("hashing", metrics.hashing);
    timed("evaluation", metrics.evaluation);
    let start = Instant::now();
    verify(key.verifying_key(), &[claim], &proof).expect("it verifies");
    timed("verify", start.elapsed());
    figures.push(("proof_bytes", proof.encode().len() as f64));
    figures
}

/// Peak resident memory of this process, where the system tells.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
