//! The page's program: a valid proof, and everything that differs from what is expected.

use serde_json::{Value, json};
use traceloom_expect::expectation::hex;
use traceloom_expect::page::answer;
use traceloom_runtime::session::{Request, Session};
use traceloom_verifier::Profile;

const PROGRAM: &str = "program \"two\"
fn square(x) -> 1 entry {
  y = mul x, x
  return y
}
fn sum(x, y) -> 1 entry {
  z = add x, y
  return z
}
end
";

struct Case {
    proof: Vec<u8>,
    expectation: Value,
}

fn case() -> Case {
    let session = Session::of_bytes("two", PROGRAM).profile(Profile::Fast).build().unwrap();
    let proof = session.prove(Request::call("sum", [5, 7])).unwrap().bytes;
    let key = session.verifying_key().unwrap();
    let expectation = json!({
        "format": "traceloom-expect/1",
        "fingerprint": hex(&session.program().fingerprint()),
        "system_digest": hex(key.digest()),
        "profile": "fast",
        "entry": "sum",
        "inputs": [5, 7],
        "outputs": [12],
    });
    Case { proof, expectation }
}

fn framed(parts: [&[u8]; 3]) -> Vec<u8> {
    let framed = parts.map(|part| [&(part.len() as u64).to_le_bytes()[..], part].concat());
    framed.concat()
}

impl Case {
    fn asked(&self, program: &[u8], expectation: &Value) -> Value {
        answer(&framed([program, &self.proof, expectation.to_string().as_bytes()]))
    }

    /// The answer with one key of the expectation changed; `null` leaves it out.
    fn with(&self, key: &str, value: Value) -> Value {
        let mut expectation = self.expectation.clone();
        match value {
            Value::Null => drop(expectation.as_object_mut().unwrap().remove(key)),
            value => expectation[key] = value,
        }
        self.asked(PROGRAM.as_bytes(), &expectation)
    }
}

#[test]
fn a_proof_that_is_expected_is_accepted() {
    let case = case();
    let found = case.asked(PROGRAM.as_bytes(), &case.expectation);
    assert_eq!(found["ok"], true, "{found}");
    assert_eq!((&found["entry"], &found["outputs"]), (&json!("sum"), &json!(["12"])));
    assert_eq!(found["read"], json!([]));
    let compared = ["profile", "entry", "inputs", "outputs", "fingerprint", "system digest"];
    assert_eq!(found["compared"], json!(compared));
    assert_eq!(found["proof_bytes"], case.proof.len());
    // The same program as JSON.
    let program = traceloom_bytecode::text::parse(PROGRAM).unwrap();
    let json = traceloom_bytecode::json::print(&program);
    assert_eq!(case.asked(json.as_bytes(), &case.expectation), found);
    // What is not stated is only read, which is said.
    let found = case.with("outputs", Value::Null);
    assert_eq!((&found["ok"], &found["read"]), (&json!(true), &json!(["outputs"])));
}

#[test]
fn every_difference_is_refused_by_name() {
    let case = case();
    for (key, value, part) in [
        ("outputs", json!([13]), "other outputs than expected: number 0 is 12, expected 13"),
        ("inputs", json!([5]), "other inputs than expected: 2 numbers, expected 1"),
        ("entry", json!("square"), "a call of \"sum\", expected \"square\""),
        ("fingerprint", json!("00".repeat(32)), "the fingerprint of the program is "),
        ("system_digest", json!("00".repeat(32)), "the system digest is "),
        ("profile", json!("standard"), "other parameters than profile standard"),
        // Nothing stands for standard, not for whatever the proof says.
        ("profile", Value::Null, "other parameters than profile standard"),
        ("least_provable_bits", json!(1000), "expects at least 1000"),
    ] {
        let found = case.with(key, value);
        assert_eq!(found["error"]["kind"], "refused", "{key}: {found}");
        let message = found["error"]["message"].as_str().unwrap();
        assert!(message.contains(part), "{key}: {message}");
    }
    for (key, value, part) in [
        ("entry", Value::Null, "several entries"),
        ("fingerprint", json!("zz"), "fingerprint: expected 64 hexadecimal digits"),
        ("outputs", json!([u64::MAX]), "outputs: 18446744073709551615 is not a number"),
        ("format", json!("other"), "format: found \"other\""),
        ("surplus", json!(1), "unknown field `surplus`"),
    ] {
        let found = case.with(key, value);
        assert_eq!(found["error"]["kind"], "malformed", "{key}: {found}");
        let message = found["error"]["message"].as_str().unwrap();
        assert!(message.contains(part), "{key}: {message}");
    }
}

/// No bit of a proof can change, and nothing that a page hands over panics.
#[test]
fn forged_and_torn_input_is_refused() {
    let case = case();
    for position in (0..case.proof.len()).step_by(case.proof.len() / 40) {
        let mut proof = case.proof.clone();
        proof[position] ^= 1;
        let forged = Case { proof, expectation: case.expectation.clone() };
        let found = forged.asked(PROGRAM.as_bytes(), &case.expectation);
        assert_eq!(found["ok"], false, "byte {position}: {found}");
    }
    let whole = framed([PROGRAM.as_bytes(), &case.proof, b"{}"]);
    for length in [0, 7, 8, 20, whole.len() - 1] {
        assert_eq!(answer(&whole[..length])["error"]["kind"], "malformed", "{length}");
    }
    assert_eq!(answer(&[whole, vec![0]].concat())["error"]["kind"], "malformed");
    assert_eq!(answer(&[255; 24])["error"]["kind"], "malformed");
    let other = PROGRAM.replace("mul x, x", "add x, x");
    let found = case.asked(other.as_bytes(), &case.expectation);
    assert!(found["error"]["message"].as_str().unwrap().contains("fingerprint"), "{found}");
}
