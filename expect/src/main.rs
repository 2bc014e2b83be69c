//! Verifies what comes on standard input and prints the verdict as JSON. Built for
//! `wasm32-wasip1` it is what docs/verify-in-browser.md puts into a page.

use std::io::{Read, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().read_to_end(&mut bytes);
    let answer = match read {
        Ok(_) => traceloom_expect::page::answer(&bytes),
        Err(error) => traceloom_expect::page::malformed(&format!("cannot read: {error}")),
    };
    let is_ok = answer["ok"] == true;
    match writeln!(std::io::stdout().lock(), "{answer}") {
        Ok(()) if is_ok => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
