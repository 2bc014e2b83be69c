//! Batches of two shards: the sum over both has to vanish, shard 0 states the claims, and
//! no pointer is in both.

use traceloom_air::field::{Goldilocks, element};
use traceloom_air::system::CircuitKind;
use traceloom_air::trace::Trace;
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
    let mut second = lab.shard(&[("two", &[200]), ("two", &[7])], &[]);
    lab.shards[0].claims.append(&mut second.claims);
    lab.shards.push(second);
    lab
}

#[test]
fn shards_claims_are_answered_by_both() {
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
    let mut elsewhere = lab.clone();
    let moved = elsewhere.shards[0].claims.split_off(1);
    elsewhere.shards[1].claims = moved;
    let refused = ProveError::Shape(ShapeError::ClaimShard { shard: 1, got: 2 });
    assert_eq!(elsewhere.try_prove().unwrap_err(), refused);
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
fn shards_do_not_share_pointers() {
    let lab = shared_memory();
    let circuit = "memory1".into();
    let refused = ShapeError::MemoryOrder { shard: 1, circuit, first: 0, least: 1 };
    assert_eq!(lab.try_prove().unwrap_err(), ProveError::Shape(refused.clone()));
    // The statement as a file could hold it.
    let honest = batch();
    let mut proof = honest.prove();
    let memory = honest.circuit("memory1");
    proof.statements[1].log_heights[memory] = Some(0);
    proof.statements[1].publics[memory] = vec![element(0)];
    assert_eq!(honest.verify(&proof), Err(VerifyError::Shape(refused)));
    // Every constraint holds and every message balances: it is this rule alone
    // that refuses. Where the circuit is not a memory, the forgery is accepted.
    let unruled = lab.with_system(|system| {
        system.circuits[memory].kind =
            CircuitKind::Function { members: Vec::new(), recursive: false };
    });
    unruled.accepted();
}

const CELLS: &str = r#"
program "cells"
memory 1
fn cells(x) -> 1 entry {
  p = store x
  y = load p
  return y
}
end
"#;

/// A memory of four rows in two shards: the second begins where the first ends.
fn cut_memory() -> Lab {
    let asked: [&[u64]; 4] = [&[5], &[6], &[7], &[8]];
    let mut lab = Lab::new(CELLS, &asked.map(|args| ("cells", args)));
    let mut other = lab.shard(&[], &[]);
    let memory = lab.circuit("memory1");
    let trace = lab.shards[0].traces[memory].as_mut().expect("the circuit is active");
    assert_eq!(trace.height(), 4);
    let values = trace.values.split_off(2 * trace.width);
    other.traces[memory] = Some(Trace { width: trace.width, values });
    other.publics[memory] = vec![element(2)];
    lab.shards.push(other);
    lab
}

#[test]
fn shards_may_hold_a_memory_in_pieces_that_touch() {
    cut_memory().accepted();
    // The second piece one pointer earlier, with what it holds: pointer 1 stands twice.
    let mut lab = cut_memory();
    let (memory, pointer) = (lab.circuit("memory1"), lab.column("memory1", "pointer"));
    let trace = lab.shards[1].traces[memory].as_mut().unwrap();
    (0..2).for_each(|row| trace.row_mut(row)[pointer] -= element(1));
    lab.shards[1].publics[memory] = vec![element(1)];
    let circuit = "memory1".into();
    let refused = ShapeError::MemoryOrder { shard: 1, circuit, first: 1, least: 2 };
    assert_eq!(lab.try_prove().unwrap_err(), ProveError::Shape(refused));
    // The pieces the other way around.
    let mut lab = cut_memory();
    let [first, second] = &mut lab.shards[..] else { panic!("two shards") };
    std::mem::swap(&mut first.traces[memory], &mut second.traces[memory]);
    std::mem::swap(&mut first.publics[memory], &mut second.publics[memory]);
    let circuit = "memory1".into();
    let refused = ShapeError::MemoryOrder { shard: 1, circuit, first: 0, least: 4 };
    assert_eq!(lab.try_prove().unwrap_err(), ProveError::Shape(refused));
}

#[test]
fn shards_provide_byte_operations_wherever_the_table_is() {
    let mut lab = batch();
    let bytes = lab.circuit("bytes2");
    let counts = lab.shards[1].traces[bytes].take().unwrap();
    let cells = &mut lab.shards[0].traces[bytes].as_mut().unwrap().values;
    cells.iter_mut().zip(counts.values).for_each(|(cell, count)| *cell += count);
    lab.accepted();
    lab.shards[0].traces[bytes] = None;
    lab.refused_by_verify();
}
