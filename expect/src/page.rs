//! What a page hands over, and what it gets.
//!
//! Layout (owned here): program, proof and expectation, each as eight bytes of its length, the
//! least first, and its bytes; nothing behind them. The answer is one JSON object:
//! docs/verify-in-browser.md describes it.

use serde_json::{Value, json};
use traceloom_air::field::word;

use crate::expectation::hex;
use crate::{ExpectError, Expectation, Verdict, verify};

/// Names the shape of the answer.
const FORMAT: &str = "traceloom-verdict/1";

/// What errors call the expectation.
const PLACE: &str = "the expectation";

/// The verdict about what a page hands over.
#[must_use]
pub fn answer(bytes: &[u8]) -> Value {
    let verdict = parts(bytes).and_then(|[program, proof, expectation]| {
        let expectation = Expectation::parse(PLACE, expectation)?;
        Ok((verify(program, proof, &expectation)?, proof.len()))
    });
    match verdict {
        Ok((verdict, proof_bytes)) => accepted(&verdict, proof_bytes),
        Err(error) => refused(&error),
    }
}

/// The answer where there is nothing to verify.
#[must_use]
pub fn malformed(message: &str) -> Value {
    refused(&ExpectError::Malformed(message.to_owned()))
}

fn refused(error: &ExpectError) -> Value {
    let kind = match error {
        ExpectError::Malformed(_) => "malformed",
        ExpectError::Refused(_) => "refused",
    };
    json!({ "format": FORMAT, "ok": false, "error": { "kind": kind, "message": error.to_string() } })
}

fn accepted(verdict: &Verdict, proof_bytes: usize) -> Value {
    let Verdict { program, claim, report, .. } = verdict;
    let entry = program.program().functions.get(claim.function as usize).map(|of| &of.name);
    // As text: JavaScript has no integers of 64 bits in JSON.
    let words = |list: &[_]| list.iter().map(|&x| word(x).to_string()).collect::<Vec<String>>();
    json!({
        "format": FORMAT,
        "ok": true,
        "program": program.program().name,
        "fingerprint": hex(&program.fingerprint()),
        "system_digest": hex(&verdict.system_digest),
        "profile": verdict.profile.name(),
        "entry": entry,
        "inputs": words(&claim.inputs),
        "outputs": words(&claim.outputs),
        "compared": verdict.compared,
        "read": verdict.read,
        "provable_bits": report.security.provable,
        "heuristic_bits": report.security.heuristic,
        "proof_bytes": proof_bytes,
    })
}

/// Program, proof and expectation.
fn parts(bytes: &[u8]) -> Result<[&[u8]; 3], ExpectError> {
    let wrong = |what: &str| ExpectError::Malformed(format!("the page handed over {what}"));
    let (mut rest, mut parts) = (bytes, [&[][..]; 3]);
    for part in &mut parts {
        let (length, behind) = rest.split_first_chunk::<8>().ok_or_else(|| wrong("too little"))?;
        let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
        (*part, rest) = behind.split_at_checked(length).ok_or_else(|| wrong("too little"))?;
    }
    if rest.is_empty() { Ok(parts) } else { Err(wrong("more than three parts")) }
}
