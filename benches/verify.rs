//! How long it takes to verify a small proof, from its file and the name of its program.
//!
//! Prints one line per step, `bench=verify program=… step=… value=… unit=ms`: medians over
//! the rounds. `all` is what the command does.
//!
//! `cargo bench --bench verify -- [ROUNDS]`, default 50.

use std::time::Instant;

use traceloom::abi::io::Io;
use traceloom::bytecode::CheckedProgram;
use traceloom::bytecode::execute::{Limits, execute};
use traceloom::bytecode::system::build_system;
use traceloom::programs;
use traceloom::prover::{ProveOptions, ProvingKey, prove};
use traceloom::runtime::witness::reference_witness;
use traceloom::verifier::{Profile, Proof, VerifyingKey, verify};

const STEPS: [&str; 6] = ["program", "system", "key", "decode", "verify", "all"];

fn main() {
    // Cargo passes --bench.
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let rounds = args.first().map_or(50, |rounds| rounds.parse().expect("ROUNDS is a number"));
    for (name, inputs, file) in [("fibonacci", vec![20], None), ("blake3", vec![3], Some("abc"))] {
        for profile in [Profile::Fast, Profile::Standard] {
            let bytes = proof(name, &inputs, file, profile);
            let runs: Vec<[f64; 6]> = (0..rounds).map(|_| run(name, &bytes, profile)).collect();
            for (step, what) in STEPS.into_iter().enumerate() {
                let mut times: Vec<f64> = runs.iter().map(|run| run[step]).collect();
                times.sort_by(f64::total_cmp);
                let (median, profile) = (times[times.len() / 2], profile.name());
                println!(
                    "bench=verify program={name} profile={profile} step={what} \
                     value={median:.3} unit=ms"
                );
            }
        }
    }
}

fn program(name: &str) -> CheckedProgram {
    let example = programs::find(name).expect("it is built in");
    CheckedProgram::new(example.build().expect("it builds")).expect("it is valid")
}

/// The file of a proof.
fn proof(name: &str, inputs: &[u64], file: Option<&str>, profile: Profile) -> Vec<u8> {
    let program = program(name);
    let system = build_system(&program);
    let mut io = Io::default();
    if let Some(file) = file {
        let words: Vec<u64> = file.bytes().map(u64::from).collect();
        io.add_input(0, &[], &words).expect("the key is new");
    }
    let entry = program.find(name).expect("it has the entry");
    let run = execute(&program, &[(entry, inputs.to_vec())], io, &Limits::default());
    let run = run.expect("it runs");
    let witness = reference_witness(&program, &system, &run.record, run.claims);
    let witness = witness.expect("record and program agree");
    let key = ProvingKey::new(&system, &profile.params()).expect("it has a key");
    let (proof, _) = prove(&key, vec![witness], &ProveOptions::default()).expect("it proves");
    proof.encode()
}

/// Milliseconds of every step.
fn run(name: &str, bytes: &[u8], profile: Profile) -> [f64; 6] {
    let mut times = Vec::new();
    let start = Instant::now();
    let mut last = start;
    let mut lap = || {
        let now = Instant::now();
        times.push((now - last).as_secs_f64() * 1e3);
        last = now;
    };
    let program = program(name);
    lap();
    let system = build_system(&program);
    lap();
    let key = VerifyingKey::new(&system, &profile.params()).expect("it has a key");
    lap();
    let proof = Proof::decode(bytes).expect("it decodes");
    lap();
    let claims: Vec<_> = proof.claims().cloned().collect();
    verify(&key, &claims, &proof).expect("it is accepted");
    lap();
    times.push(start.elapsed().as_secs_f64() * 1e3);
    times.try_into().expect("one per step")
}
