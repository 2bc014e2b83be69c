//! Rule 6, counting: no batch can send a message p times, and numbers out of range
//! are refused before any opening is looked at.

use traceloom_air::field::MODULUS;
use traceloom_verifier::shape::{MAX_SHARDS, ShapeError};
use traceloom_verifier::{Profile, Proof, VerifyError};

use crate::exhaustive::programs;
use crate::lab::Lab;

const XOR: &str = r#"
program "xor"
memory 1
fn xor(a, b) -> 1 entry {
  c = u8_xor a, b
  p = store c
  return p
}
end
"#;

fn refused(lab: &Lab, proof: &Proof, change: impl FnOnce(&mut Proof)) -> ShapeError {
    let mut proof = proof.clone();
    change(&mut proof);
    match lab.verify(&proof) {
        Err(VerifyError::Shape(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn rule_6_heights_and_tables_out_of_range_are_refused() {
    let lab = Lab::new(XOR, &[("xor", &[3, 5])]);
    let proof = lab.prove();
    assert_eq!(lab.verify(&proof), Ok(()));
    let [xor, bytes] = ["xor", "bytes2"].map(|name| lab.circuit(name));
    let set = |circuit: usize, height: Option<usize>| {
        refused(&lab, &proof, |proof| proof.statements[0].log_heights[circuit] = height)
    };
    for got in [27, 33, 64, usize::MAX] {
        let circuit = "xor".into();
        assert_eq!(set(xor, Some(got)), ShapeError::Height { shard: 0, circuit, max: 26, got });
    }
    // A byte table is there, at its own height, also where nobody uses it.
    for height in [None, Some(0), Some(15), Some(17)] {
        let circuit = "bytes2".into();
        let expected = ShapeError::ByteTable { shard: 0, circuit, expected: 16 };
        assert_eq!(set(bytes, height), expected);
    }
    let error = refused(&lab, &proof, |proof| {
        proof.statements[0].log_heights.pop();
    });
    assert!(matches!(error, ShapeError::Count { what: "log heights", .. }));
    let error = refused(&lab, &proof, |proof| {
        let mut more = proof.statements[0].clone();
        more.claims.clear();
        proof.statements.resize(MAX_SHARDS + 1, more);
    });
    assert_eq!(error, ShapeError::Shards { max: MAX_SHARDS, got: MAX_SHARDS + 1 });
}

#[test]
fn rule_6_first_pointers_are_small() {
    let lab = Lab::new(XOR, &[("xor", &[3, 5])]);
    let proof = lab.prove();
    let memory = lab.circuit("memory1");
    for got in [1 << 32, MODULUS - 1] {
        let error = refused(&lab, &proof, |proof| {
            proof.statements[0].publics[memory] = vec![traceloom_air::field::element(got)];
        });
        let circuit = "memory1".into();
        assert_eq!(error, ShapeError::FirstPointer { shard: 0, circuit, got });
    }
}

/// For these programs even the largest batch that passes the checks on shards and
/// heights stays below p; for any other one the verifier counts.
#[test]
fn rule_6_the_largest_batch_sends_fewer_messages_than_p() {
    let tallest = 1u128 << Profile::Fast.params().max_log_height;
    for (name, lab) in programs::all() {
        let slots: usize = lab.system.circuits.iter().map(|circuit| circuit.lookups.len()).sum();
        let messages = MAX_SHARDS as u128 * tallest * slots as u128;
        assert!(messages < u128::from(MODULUS), "{name}: {messages}");
    }
}
