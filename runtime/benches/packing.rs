//! Packing of the seeds of one circuit from a record of distinct queries, against a copy of as
//! many bytes: `packing [PROGRAM CIRCUIT BYTES]`, default `blake3 blake3_compress 1048576`,
//! on the threads of rayon. Every input byte is of a generator, so no block repeats.
//!
//! Both are measured into memory that was just allocated, as packing has it, and the copy also
//! into memory that is there, so that page faults show. Times are the least of the rounds.

use std::time::Instant;

use rayon::prelude::*;
use traceloom_abi::io::Io;
use traceloom_bytecode::CheckedProgram;
use traceloom_bytecode::execute::{Hooks, Limits, execute_generated};
use traceloom_generated::{PROGRAMS, find};
use traceloom_runtime::bind::Binding;
use traceloom_runtime::order::runs;
use traceloom_runtime::seeds::{CircuitSeeds, PackOptions};

const ROUNDS: usize = 5;
/// Bytes that one task copies.
const CHUNK: usize = 1 << 18;

fn main() {
    // Cargo passes --bench.
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let arg = |at: usize, default: &str| args.get(at).map_or(default, String::as_str).to_owned();
    let (name, circuit) = (arg(0, "blake3"), arg(1, "blake3_compress"));
    let len: u64 = arg(2, "1048576").parse().expect("BYTES is a number");
    let example = traceloom_programs::find(&name).expect("a built-in program");
    let program = CheckedProgram::new(example.build().expect("it builds")).expect("it is valid");
    let mut state = len;
    let words: Vec<u64> = (0..len)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state >> 56
        })
        .collect();
    let mut io = Io::default();
    io.add_input(0, &[], &words).expect("an input");
    let claim = example.claimed_input(len).expect("it takes bytes");
    let claims = [(program.find(&name).expect("the entry"), vec![claim])];
    let executors = find(&program.fingerprint()).expect("a unit").executors;
    let (limits, start) = (Limits::default(), Instant::now());
    let run = execute_generated(&program, executors, &claims, io, &limits, Hooks::default());
    let record = run.expect("it runs").execution.record;
    println!("execution    {:>9.3} ms", 1e3 * start.elapsed().as_secs_f64());
    println!("record       {:>9} bytes", record.num_bytes());
    let member = program.find(&circuit).expect("CIRCUIT is a function");
    let circuits = &program.program().circuits;
    let circuit = circuits.iter().position(|members| members.contains(&member));
    let circuit = circuit.expect("CIRCUIT is constrained");
    let binding = Binding::new(&program, PROGRAMS).expect("units fit");
    let members = binding.members(&program, &circuits[circuit]).expect("units fit");
    let order = least(|| runs(&program, &record, circuit));
    let runs = runs(&program, &record, circuit);
    let options = PackOptions::default();
    let pack = || {
        CircuitSeeds::pack(members.clone(), &runs, &record, &options).expect("the record is right")
    };
    let seeds = pack();
    let bytes: usize = seeds.runs().iter().map(|run| run.bytes.len()).sum();
    println!("rows         {:>9}, {bytes} bytes of seeds", seeds.num_rows());
    println!("threads      {:>9}", rayon::current_num_threads());
    drop(seeds);
    let from = vec![7_u8; bytes];
    let mut there = vec![1_u8; bytes];
    let rate = |seconds: f64| bytes as f64 / seconds / 1e9;
    let say = |what: &str, seconds: f64| {
        println!("{what:<12} {:>9.3} ms, {:.2} GB/s", 1e3 * seconds, rate(seconds));
    };
    say("order", order);
    let packing = least(pack);
    say("packing", packing);
    let fresh = least(|| {
        let mut to = vec![0_u8; bytes];
        copy(&from, &mut to);
        to
    });
    say("copy, fresh", fresh);
    let copying = least(|| copy(&from, &mut there));
    say("copy, there", copying);
    println!(
        "of a copy    {:>9.2}, {:.2} of one into memory that is there",
        fresh / packing,
        copying / packing
    );
}

fn copy(from: &[u8], to: &mut [u8]) {
    to.par_chunks_mut(CHUNK).zip(from.par_chunks(CHUNK)).for_each(|(to, from)| {
        to.copy_from_slice(from);
    });
}

/// Seconds of the fastest round. What a round makes is dropped after its time is taken.
fn least<T>(mut work: impl FnMut() -> T) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let made = work();
        least = least.min(start.elapsed().as_secs_f64());
        drop(made);
    }
    least
}
