//! The object that `--json` prints; docs/json.md describes it.

use serde_json::{Value, json};
use traceloom_air::claim::Claim;
use traceloom_air::field::word;
use traceloom_runtime::session::Session;

use super::{Failure, output};

/// Names the shape of the object. Raised when a key changes or goes; new keys do not count.
const FORMAT: &str = "traceloom-output/1";

/// The object about a command that has ended.
pub fn object(command: &str, done: &Result<(), Failure>) -> Value {
    let mut object = json!({
        "format": FORMAT,
        "version": env!("CARGO_PKG_VERSION"),
        "command": command,
        "ok": done.is_ok(),
        "exit_code": done.as_ref().map_or_else(Failure::code, |()| 0),
        "result": output::take_result(),
    });
    if let Err(failure) = done {
        object["error"] = json!({ "kind": failure.kind(), "message": failure.to_string() });
    }
    object
}

/// The object about a command line that could not be read.
pub fn usage(message: &str) -> Value {
    let mut object = object("", &Err(Failure::Malformed(message.trim_end().to_owned())));
    object["error"]["kind"] = json!("usage");
    object
}

/// A claim.
pub fn claim(session: &Session, claim: &Claim) -> Value {
    let function = session.program().program().functions.get(claim.function as usize);
    let words = |list: &[_]| list.iter().map(|&x| word(x)).collect::<Vec<u64>>();
    json!({
        "entry": function.map(|function| &function.name),
        "inputs": words(&claim.inputs),
        "outputs": words(&claim.outputs),
        "words": session.in_words(claim),
    })
}
