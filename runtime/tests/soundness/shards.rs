//! Batches of two shards: the sum over both has to vanish, and a memory width is
//! in one of them.

use traceloom_air::field::{Goldilocks, element};
use traceloom_air::system::CircuitKind;
use traceloom_prover::ProveError;
use traceloom_verifier::shape::ShapeError;
use traceloom_verifier::{VerifyError, verify};

use crate::lab::Lab;

const PROGRAM: &str = r#"
program "shards"
memory 1, 2
fn one(x) -> 1 entry {
  p = store x
  y = load p
  z = call square(y)
  w = u8_xor x, y
  r = add z, w
  return r
}
fn two(x) -> 1 entry {
  p = store x, x
  a, b = load p
  c, carry = u8_add a, b
  return c
}
fn square(x) -> 1 {
  y = mul x, x
  return y
}
end
"#;

/// Two executions, a shard for each.
fn batch() -> Lab {
    let mut lab = Lab::new(PROGRAM, &[("one", &[5])]);
    let second = lab.shard(&[("two", &[200]), ("two", &[7])], &[]);
    lab.shards.push(second);
    lab
}

#[test]
fn shards_claims_are_split_over_both() {
    let lab = batch();
    let report = lab.check();
    assert!(report.is_ok(), "{report}");
    let proof = lab.prove();
    assert_eq!(lab.verify(&proof), Ok(()));
    let claims: Vec<_> = proof.claims().cloned().collect();
    assert_eq!(claims.len(), 3);
    // In this order, all of them.
    let key = lab.key().verifying_key();
    let mut other = claims.clone();
    other.swap(0, 1);
    assert_eq!(verify(key, &other, &proof).unwrap_err(), VerifyError::Claims);
    assert_eq!(verify(key, &claims[..2], &proof).unwrap_err(), VerifyError::Claims);
}

/// A row may answer from another shard: a callee, a byte table.
#[test]
fn shards_answer_each_other() {
    let mut lab = batch();
    let [square, bytes] = ["square", "bytes2"].map(|name| lab.circuit(name));
    let moved = lab.shards[0].traces[square].take();
    lab.shards[1].traces[square] = moved;
    let counts = lab.shards[0].traces[bytes].as_mut().unwrap();
    let taken: Vec<Goldilocks> = counts.values.clone();
    counts.values.fill(element(0));
    let counts = lab.shards[1].traces[bytes].as_mut().unwrap();
    counts.values.iter_mut().zip(taken).for_each(|(cell, count)| *cell += count);
    lab.accepted();
    // A row too few over the whole batch is missed wherever it would be.
    lab.shards[1].traces[square] = None;
    lab.refused("message of function 2: [5, 25]");
}

/// Shard 1 gets a memory of width 1 too, where pointer 0 holds 6: what `one`
/// stored there comes back as another value.
fn shared_memory() -> Lab {
    let mut lab = batch();
    let memory = lab.circuit("memory1");
    lab.set("memory1", 0, "multiplicity", 1);
    let mut other = lab.shards[0].traces[memory].clone().unwrap();
    other.row_mut(0)[lab.column("memory1", "value0")] = element(6);
    lab.shards[1].traces[memory] = Some(other);
    lab.shards[1].publics[memory] = lab.shards[0].publics[memory].clone();
    lab.set("one", 0, "auxiliary2", 6);
    lab.set("one", 0, "auxiliary3", 36);
    lab.set("one", 0, "auxiliary4", 5 ^ 6);
    lab.set("square", 0, "input0", 6);
    lab.set("square", 0, "auxiliary1", 36);
    lab.count_bytes(traceloom_air::bytes::ByteOp::Xor, 5, 5, -1);
    lab.count_bytes(traceloom_air::bytes::ByteOp::Xor, 5, 6, 1);
    lab.claim_output(0, 0, 39);
    lab
}

#[test]
fn shards_do_not_share_a_memory_width() {
    let lab = shared_memory();
    let refused = ShapeError::SharedMemory { circuit: "memory1".into() };
    assert_eq!(lab.try_prove().unwrap_err(), ProveError::Shape(refused.clone()));
    // The statement as a file could hold it.
    let honest = batch();
    let mut proof = honest.prove();
    let memory = honest.circuit("memory1");
    proof.statements[1].log_heights[memory] = Some(0);
    proof.statements[1].publics[memory] = vec![element(0)];
    assert_eq!(honest.verify(&proof), Err(VerifyError::Shape(refused)));
    // Every constraint holds and every message balances: it is this rule alone
    // that refuses. Where the circuit is no memory, the forgery is accepted.
    let unruled = lab.with_system(|system| {
        system.circuits[memory].kind =
            CircuitKind::Function { members: Vec::new(), recursive: false };
    });
    unruled.accepted();
}

#[test]
fn shards_all_have_their_byte_tables() {
    let mut lab = batch();
    let bytes = lab.circuit("bytes2");
    lab.shards[1].traces[bytes] = None;
    let refused = lab.try_prove().unwrap_err();
    assert!(
        matches!(refused, ProveError::Shape(ShapeError::ByteTable { shard: 1, .. })),
        "{refused:?}"
    );
}
