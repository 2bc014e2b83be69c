//! Op tables, a program's fixed columns and boundary messages: both verifiers agree.

use traceloom::air::claim::BoundaryMessage;
use traceloom::prover::{ProveOptions, ProvingKey, prove};
use traceloom::verifier::{self, Expected, Proof};

use crate::decode::Malformed;
use crate::key::Key;
use crate::op_tables::{END, NUMBERS, claim, message, system, witness};
use crate::params::{CUBIC, FAST, Params};
use crate::samples::prover_params;
use crate::verify::verify_with;

struct Fixture {
    key: Key,
    prover_key: ProvingKey,
    bytes: Vec<u8>,
}

impl Fixture {
    fn new(params: Params, numbers: [u64; 4]) -> Self {
        let system = system(numbers);
        let prover_key = ProvingKey::new(&system, &prover_params(params)).expect("it has a key");
        let witness = witness(numbers, 100);
        let (proof, _) =
            prove(&prover_key, vec![witness], &ProveOptions::default()).expect("the run is honest");
        Self { key: Key::new(&system, params), prover_key, bytes: proof.encode() }
    }

    /// What the second verifier says; the first one has to agree.
    fn verify(&self, boundary: &[BoundaryMessage], bytes: &[u8]) -> Result<(), Malformed> {
        let second = verify_with(&self.key, &[], boundary, bytes);
        let first = Proof::decode(bytes).is_ok_and(|proof| {
            let expected = Expected { claims: &[], boundary };
            verifier::verify_expected(self.prover_key.verifying_key(), &expected, &proof).is_ok()
        });
        assert_eq!(first, second.is_ok(), "{second:?}");
        second
    }
}

#[test]
fn op_tables_are_accepted() {
    for params in [FAST, CUBIC] {
        let fixture = Fixture::new(params, NUMBERS);
        let digest = fixture.prover_key.verifying_key().digest();
        assert_eq!(fixture.key.digest, *digest);
        assert_eq!(fixture.verify(&claim(100, 136), &fixture.bytes), Ok(()));
    }
}

#[test]
fn other_boundary_messages_and_fixed_columns_are_refused() {
    let fixture = Fixture::new(FAST, NUMBERS);
    let honest = claim(100, 136);
    let refused = |boundary: &[BoundaryMessage], bytes: &[u8]| {
        fixture.verify(boundary, bytes).expect_err("it is refused").0
    };
    assert_eq!(refused(&claim(100, 137), &fixture.bytes), "boundary message");
    assert_eq!(refused(&honest[..1], &fixture.bytes), "number of boundary messages");
    let more = [&honest[..], &[message(END, 4, 136)]].concat();
    assert_eq!(refused(&more, &fixture.bytes), "number of boundary messages");
    // Caller and file agree.
    for boundary in [claim(100, 137), more, vec![]] {
        let mut proof = Proof::decode(&fixture.bytes).expect("it decodes");
        proof.statements[0].boundary.clone_from(&boundary);
        assert_eq!(refused(&boundary, &proof.encode()), "sum of the terminals");
    }
    let mut proof = Proof::decode(&fixture.bytes).expect("it decodes");
    proof.statements[0].boundary[1].boundary = 2;
    let boundary = proof.statements[0].boundary.clone();
    assert_eq!(refused(&boundary, &proof.encode()), "boundary");
    proof.statements[0].boundary[1] = BoundaryMessage { boundary: END, values: vec![] };
    let boundary = proof.statements[0].boundary.clone();
    assert_eq!(refused(&boundary, &proof.encode()), "values of a boundary message");
    // A true statement about another program.
    let other = Fixture::new(FAST, [5, 7, 12, 13]);
    assert_eq!(other.verify(&claim(100, 137), &other.bytes), Ok(()));
    refused(&claim(100, 137), &other.bytes);
}
