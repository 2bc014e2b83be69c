//! Proves and verifies a binomial coefficient, computed by a program of this project.
//!
//! `programs/binomial.json` is bytecode, as a compiler would write it. The build
//! script makes a registry of it in `src/units`, which is checked in and reviewed.
//! Rows of the proof come from that registry.

use traceloom_runtime::session::{Expected, Request, Session, SessionError};

#[rustfmt::skip]
mod units;

const PROGRAM: &[u8] = include_bytes!("../programs/binomial.json");

fn main() -> Result<(), SessionError> {
    match units::IMAGES.iter().find(|image| image.digest == units::binomial::PROGRAM.digest) {
        Some(image) => println!("device code for {}", image.architectures.join(", ")),
        None => println!("no device code: this build found no nvcc"),
    }
    let proof = prove()?;
    verify(&proof)
}

/// One side: it has the program and what was generated for it. Strict: rows by anything else
/// would be an error.
fn prove() -> Result<Vec<u8>, SessionError> {
    let session = Session::of_units(PROGRAM, units::PROGRAMS).strict(true).build()?;
    let proved = session.prove(Request::call("binomial", [24, 9]))?;
    println!("24 over 9 is {}", proved.executed.outputs(0)[0]);
    for circuit in &proved.report.trace.circuits {
        let (writer, evaluator) = (circuit.provider.name(), circuit.evaluation.name());
        println!("{}: {} rows, {writer} writer, {evaluator} evaluator", circuit.name, circuit.rows);
    }
    Ok(proved.bytes)
}

/// The other side: it has the program, the default profile and what it expects, and takes
/// nothing of that from the proof.
fn verify(proof: &[u8]) -> Result<(), SessionError> {
    let session = Session::of_bytes("binomial", PROGRAM).build()?;
    let expected = Expected::call("binomial", [24, 9]).outputs([1_307_504]);
    session.verify(proof, &expected)?;
    println!("verified: binomial([24, 9]) = [1307504], proof of {} bytes", proof.len());
    Ok(())
}
