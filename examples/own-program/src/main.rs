//! Proves and verifies a binomial coefficient, computed by a program of this project.
//!
//! `programs/binomial.json` is bytecode, as a compiler would write it. The build
//! script makes a registry of it in `src/units`, which is checked in and reviewed.

use std::error::Error;

use traceloom_abi::field::word;
use traceloom_abi::io::Io;
use traceloom_bytecode::execute::{Limits, execute};
use traceloom_bytecode::system::build_system;
use traceloom_bytecode::{CheckedProgram, json};
use traceloom_prover::{Profile, ProveOptions, ProvingKey, VerifyingKey, prove, verify};
use traceloom_runtime::witness::reference_witness;

#[rustfmt::skip]
mod units;

fn main() -> Result<(), Box<dyn Error>> {
    let program = json::parse(include_bytes!("../programs/binomial.json"))?;
    let program = CheckedProgram::new(program)?;
    let unit = units::PROGRAMS.iter().find(|unit| unit.fingerprint == program.fingerprint());
    let unit = unit.ok_or("the registry has no such program; run cargo build")?;
    for function in unit.functions {
        let strides: Vec<u32> = function.paths.iter().map(|path| path.schema.stride).collect();
        println!("{}: seed bytes by path {strides:?}", function.symbol);
    }

    match units::IMAGES.iter().find(|image| image.digest == unit.digest) {
        Some(image) => println!("device code for {:?}", image.architectures),
        None => println!("no device code: this build found no nvcc"),
    }

    let entry = program.find("binomial").ok_or("the program has no such function")?;
    let claims = [(entry, vec![24, 9])];
    let execution = execute(&program, &claims, Io::default(), &Limits::default())?;
    println!("24 over 9 is {}", execution.outputs(0)[0]);

    let system = build_system(&program);
    let params = Profile::Standard.params();
    let claims = execution.claims.clone();
    let witness = reference_witness(&program, &system, &execution.record, claims)?;
    let key = ProvingKey::new(&system, &params)?;
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
