//! Proves and verifies a binomial coefficient, computed by a program of this project.
//!
//! `programs/binomial.json` is bytecode, as a compiler would write it. The build
//! script makes a registry of it in `src/units`, which is checked in and reviewed.
//! Rows and constraint evaluators of the proof come from that registry.

use std::error::Error;

use traceloom_abi::field::word;
use traceloom_abi::io::Io;
use traceloom_bytecode::execute::{Limits, execute};
use traceloom_bytecode::system::build_system;
use traceloom_bytecode::{CheckedProgram, json};
use traceloom_prover::{Profile, ProveOptions, ProvingKey, VerifyingKey, prove, verify};
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
    let mut key = ProvingKey::new(&system, &params)?;
    // Strict: rows by anything else than the registry would be an error.
    // The key says how far the traces are padded.
    let verifying = key.verifying_key().clone();
    let registry = TraceOptions::new(units::PROGRAMS);
    let options = TraceOptions { strict: true, key: Some(&verifying), ..registry };
    let choices = Choices::new(&program, &system, &options)?;
    choices.set_evaluators(&mut key);
    let claims = execution.claims.clone();
    let (witness, report) = witness(&program, &system, &execution.record, claims, &choices)?;
    for circuit in &report.circuits {
        let (writer, evaluator) = (circuit.provider.name(), circuit.evaluation.name());
        println!("{}: {} rows, {writer} writer, {evaluator} evaluator", circuit.name, circuit.rows);
    }
    let (proof, _) = prove(&key, vec![witness], &ProveOptions::default())?;
    let bytes = proof.encode();

    // The other side: it has the program, the profile and what it expects.
    let proof = traceloom_prover::Proof::decode(&bytes)?;
    let claims: Vec<_> = proof.claims().cloned().collect();
    verify(&VerifyingKey::new(&system, &params)?, &claims, &proof)?;
    let [claim] = &claims[..] else { return Err("one claim".into()) };
    let [inputs, outputs] = [&claim.inputs, &claim.outputs]
        .map(|words| words.iter().map(|&element| word(element)).collect::<Vec<_>>());
    println!("verified: binomial({inputs:?}) = {outputs:?}, proof of {} bytes", bytes.len());
    Ok(())
}
