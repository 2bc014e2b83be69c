//! Program, proof and expectation to a verdict.

use traceloom_air::claim::Claim;
use traceloom_air::field::word;
use traceloom_bytecode::model::Program;
use traceloom_bytecode::system::build_system;
use traceloom_bytecode::{CheckedProgram, json, text};
use traceloom_verifier::{Profile, Proof, Report, VerifyingKey};

use crate::{ExpectError, Expectation};

/// A proof that is valid and is what was expected.
#[derive(Debug)]
pub struct Verdict {
    /// The program.
    pub program: CheckedProgram,
    /// Digest of the constraints and lookups that the proof was verified against.
    pub system_digest: [u8; 32],
    /// The profile.
    pub profile: Profile,
    /// What is proven.
    pub claim: Claim,
    /// Security figures and heights.
    pub report: Report,
    /// What was compared with the expectation.
    pub compared: Vec<&'static str>,
    /// What was only read from the proof: it could say anything else there.
    pub read: Vec<&'static str>,
}

/// Verifies the proof of a program, given as text or as JSON, which has to be what is expected.
/// Without a profile in the expectation it has to be `standard`.
///
/// # Errors
/// [`ExpectError`]: program or proof cannot be read, the proof is not valid, or it is not what
/// is expected.
pub fn verify(
    program: &[u8],
    proof: &[u8],
    expectation: &Expectation,
) -> Result<Verdict, ExpectError> {
    let program = read_program(program)?;
    expectation.check_fingerprint(&program.fingerprint())?;
    let profile = expectation.profile.unwrap_or(Profile::Standard);
    let system = build_system(&program);
    let refused = |what: String| ExpectError::Refused(what);
    let key = VerifyingKey::new(&system, &profile.params())
        .map_err(|error| refused(format!("the program has no key: {error}")))?;
    let system_digest = *key.digest();
    expectation.check_system(&system_digest)?;
    let proof = Proof::decode(proof)
        .map_err(|error| ExpectError::Malformed(format!("the proof cannot be read: {error}")))?;
    if proof.params != *key.params() {
        let name = profile.name();
        return Err(refused(format!("the proof has other parameters than profile {name}")));
    }
    let claims: Vec<Claim> = proof.claims().cloned().collect();
    let [claim] = &claims[..] else {
        return Err(refused(format!("the proof has {} claims, expected one", claims.len())));
    };
    check_claim(program.program(), claim, expectation)?;
    let report = traceloom_verifier::verify(&key, &claims, &proof)
        .map_err(|error| refused(format!("the proof is not valid: {error}")))?;
    expectation.check_bits(&report.security)?;
    let (compared, read) = parts(program.program(), expectation);
    let claim = claim.clone();
    Ok(Verdict { program, system_digest, profile, claim, report, compared, read })
}

fn read_program(bytes: &[u8]) -> Result<CheckedProgram, ExpectError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let is_json = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    let program = if is_json { json::parse(bytes) } else { text::parse(bytes) };
    let wrong = |error: String| ExpectError::Malformed(format!("the program: {error}"));
    CheckedProgram::new(program.map_err(|error| wrong(error.to_string()))?)
        .map_err(|error| wrong(error.to_string()))
}

/// Compares what the proof claims with what is expected. A proof may claim anything.
fn check_claim(
    program: &Program,
    claim: &Claim,
    expectation: &Expectation,
) -> Result<(), ExpectError> {
    let functions = &program.functions;
    let name = functions.get(claim.function as usize).map_or("no function", |of| &of.name);
    let states_words = expectation.inputs.is_some() || expectation.outputs.is_some();
    let several = functions.iter().filter(|function| function.entry).count() > 1;
    match &expectation.entry {
        Some(expected) if expected != name => {
            return Err(ExpectError::Refused(format!(
                "the proof claims a call of {name:?}, expected {expected:?}"
            )));
        }
        // Expected numbers are those of one entry function.
        None if states_words && several => {
            return Err(ExpectError::Malformed(
                "the program has several entries, so the expectation has to name one".into(),
            ));
        }
        _ => {}
    }
    for (what, found, expected) in [
        ("inputs", &claim.inputs, &expectation.inputs),
        ("outputs", &claim.outputs, &expectation.outputs),
    ] {
        let Some(expected) = expected else { continue };
        let found: Vec<u64> = found.iter().map(|&x| word(x)).collect();
        if found != *expected {
            return Err(ExpectError::Refused(format!(
                "the proof claims other {what} than expected: {}",
                difference(&found, expected)
            )));
        }
    }
    Ok(())
}

/// Where two lists differ that are not equal.
fn difference(found: &[u64], expected: &[u64]) -> String {
    if found.len() != expected.len() {
        return format!("{} numbers, expected {}", found.len(), expected.len());
    }
    let at = found.iter().zip(expected).take_while(|(a, b)| a == b).count();
    format!("number {at} is {}, expected {}", found[at], expected[at])
}

/// What was compared, and what was only read.
fn parts(program: &Program, expectation: &Expectation) -> (Vec<&'static str>, Vec<&'static str>) {
    let entries = program.functions.iter().filter(|function| function.entry).count();
    let parts = [
        ("entry", expectation.entry.is_some() || entries == 1),
        ("inputs", expectation.inputs.is_some()),
        ("outputs", expectation.outputs.is_some()),
    ];
    let of = |is: bool| parts.into_iter().filter(move |part| part.1 == is).map(|part| part.0);
    let mut compared = vec!["profile"];
    compared.extend(of(true));
    compared.extend(expectation.compared());
    (compared, of(false).collect())
}
