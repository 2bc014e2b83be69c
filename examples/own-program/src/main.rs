//! Proves and verifies a binomial coefficient, computed by a program of this project.
//!
//! `programs/binomial.json` is bytecode, as a compiler would write it. The build
//! script makes a registry of it in `src/units`, which is checked in and reviewed.
//! Rows of the proof come from that registry.

use std::error::Error;

use traceloom_air::field::word;
use traceloom_abi::io::Io;
use traceloom_bytecode::execute::{Limits, execute};
use traceloom_bytecode::system::build_system;
use traceloom_bytecode::{CheckedProgram, json};
use traceloom_prover::{ProveOptions, ProvingKey, prove};
use traceloom_verifier::{Profile, VerifyingKey, verify};
use traceloom_runtime::provider::{Choices, TraceOptions, witness};

#[rustfmt::skip]
mod units;

fn main() -> Result<(), Box<dyn Error>> {
    let program = json::parse(include_bytes!("../programs/binomial.json"))?;
    let program = CheckedProgram::new(program)?;
    match units::IMAGES.iter().find(|image| image.digest == units::binomial::PROGRAM.digest) {
        Some(image) => println!("device code for {}", image.architectures.join(", ")),
        None => println!("no device code: this build found no nvcc"),
    }

    let entry = program.find("binomial").ok_or("the program has no such function")?;
    let claims = [(entry, vec![24, 9])];
    let execution = execute(&program, &claims, Io::default(), &Limits::default())?;
    println!("24 over 9 is {}", execution.outputs(0)[0]);

    let system = build_system(&program);
    let params = Profile::Standard.params();
    let key = ProvingKey::new(&system, &params)?;
    // Strict: rows by anything else than the registry would be an error.
    let options = TraceOptions { strict: true, ..TraceOptions::new(units::PROGRAMS) };
    let choices = Choices::new(&program, &system, &options)?;
    let claims = execution.claims.clone();
    let (witness, report) = witness(&program, &system, &execution.record, claims, &choices)?;
    for circuit in &report.circuits {
        let (writer, evaluator) = (circuit.provider.name(), circuit.evaluation.name());
        println!("{}: {} rows, {writer} writer, {evaluator} evaluator", circuit.name, circuit.rows);
    }
    let (proof, _) = prove(&key, vec![witness], &ProveOptions::default())?;
    let bytes = proof.encode();

    // The other side: it has the program, the profile and what it expects.
    let proof = traceloom_verifier::Proof::decode(&bytes)?;
    let claims: Vec<_> = proof.claims().cloned().collect();
    verify(&VerifyingKey::new(&system, &params)?, &claims, &proof)?;
    let [claim] = &claims[..] else { return Err("one claim".into()) };
    let [inputs, outputs] = [&claim.inputs, &claim.outputs]
        .map(|words| words.iter().map(|&element| word(element)).collect::<Vec<_>>());
    println!("verified: binomial({inputs:?}) = {outputs:?}, proof of {} bytes", bytes.len());
    Ok(())
}
