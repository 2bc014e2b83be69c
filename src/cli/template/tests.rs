//! One side proves a claim about a program of this project; the other side has the program and
//! what it expects, and takes nothing of that from the proof.

use @CRATE@::units;
use traceloom::session::{Expected, Request, Session, SessionError};

const PROGRAM: &str = include_str!("../programs/binomial.tla");

/// Rows by anything else than the generated units would be an error.
fn prove(n: u64, k: u64) -> Result<Vec<u8>, SessionError> {
    let session = Session::of_units(PROGRAM, units::PROGRAMS).strict(true).build()?;
    Ok(session.prove(Request::call("binomial", [n, k]))?.bytes)
}

fn verify(proof: &[u8], expected: &Expected) -> Result<(), SessionError> {
    let session = Session::of_bytes("binomial", PROGRAM).build()?;
    session.verify(proof, expected).map(drop)
}

#[test]
fn the_expected_claim_is_proven_and_no_other() {
    let proof = prove(24, 9).unwrap();
    let claim = Expected::call("binomial", [24, 9]);
    verify(&proof, &claim.clone().outputs([1_307_504])).unwrap();
    for wrong in [claim.outputs([1_307_505]), Expected::call("binomial", [24, 8])] {
        let error = verify(&proof, &wrong).unwrap_err();
        assert!(matches!(error, SessionError::Mismatch(_)), "{error}");
    }
}

/// What is true of the program, computed in another way: Pascal's triangle has these sums.
#[test]
fn rows_of_the_triangle_are_powers_of_two() {
    let session = Session::of_units(PROGRAM, units::PROGRAMS).build().unwrap();
    let value = |n, k| session.execute(Request::call("binomial", [n, k])).unwrap().outputs(0)[0];
    for n in 0..12 {
        assert_eq!((0..=n).map(|k| value(n, k)).sum::<u64>(), 1 << n);
    }
}
