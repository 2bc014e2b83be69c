//! What is stated of an execution: the claim of a program, or the input and output of a guest.

use serde_json::{Value, json};
use traceloom_air::claim::{BoundaryMessage, Claim, RankedClaim};
use traceloom_guest::Statement;
use traceloom_runtime::session::Session;

use super::execute::print_claim;
use super::json::claim as claim_object;
use super::output::{hex, plain, say};

/// Bytes that are printed; options write all of them.
const SHOWN: usize = 64;

/// Prints the claims, or what is stated of a guest.
pub fn print(session: &Session, claims: &[Claim], boundary: &[BoundaryMessage]) {
    claims.iter().for_each(|claim| print_claim(session, claim));
    let Some(machine) = session.machine() else { return };
    if let Some(words) = machine.phrase(boundary) {
        say!("proves   {}", plain(&words));
    }
    if let Some(Statement { input, output }) = Statement::of(boundary) {
        say!("exit     0");
        bytes("input", &input);
        bytes("output", &output);
    }
}

/// Prints bytes: as text where they are, and in hexadecimal.
pub fn bytes(name: &str, bytes: &[u8]) {
    say!("{name:8} {} bytes", bytes.len());
    let shown = &bytes[..bytes.len().min(SHOWN)];
    match std::str::from_utf8(shown) {
        Ok(text) if !text.is_empty() => say!("         {text:?}"),
        _ => {}
    }
    if !shown.is_empty() {
        say!("         0x{}{}", hex(shown), if bytes.len() > SHOWN { "…" } else { "" });
    }
}

/// The first claim of an execution, or what is stated of a guest, as JSON.
pub fn of(session: &Session, claims: &[RankedClaim], boundary: &[BoundaryMessage]) -> Value {
    match claims.first() {
        Some(ranked) => claim_object(session, &ranked.claim),
        None => object(session, boundary),
    }
}

/// What is stated of a guest as JSON.
pub fn object(session: &Session, boundary: &[BoundaryMessage]) -> Value {
    let Statement { input, output } = Statement::of(boundary).unwrap_or_default();
    json!({
        "guest": session.front().name(),
        "input": format!("0x{}", hex(&input)),
        "output": format!("0x{}", hex(&output)),
        "exit_code": 0,
        "words": session.machine().and_then(|machine| machine.phrase(boundary)),
    })
}
