//! Batches of several shards: what the verifier compares as integers before any hashing,
//! and what does not balance.

mod common;

use common::{
    BYTES, FIRST_POINTER, INNER, Inner, MEMORY, OUTER, batch, claim, fast, shard, system,
    with_first_pointer,
};
use traceloom_air::claim::Claim;
use traceloom_air::field::element;
use traceloom_air::trace::{ShardWitness, Trace};
use traceloom_prover::cpu::CpuBackend;
use traceloom_prover::{
    ProveError, ProveOptions, ProvingKey, Retention, ShardSource, prove, prove_shards,
};
use traceloom_verifier::proof::{ShardStatement, Shards};
use traceloom_verifier::shape::ShapeError;
use traceloom_verifier::{Proof, VerifyError, verify};

const FORGE: ProveOptions<'_> =
    ProveOptions { progress: None, rows_done: None, skip_self_checks: true };
/// Rows of the toy's memory, one of padding included.
const ROWS: u64 = 4;

fn key() -> ProvingKey {
    ProvingKey::new(&system(), &fast(2)).unwrap()
}

fn claims(inputs: &[u64]) -> Vec<Claim> {
    inputs.iter().map(|&x| claim(x)).collect()
}

fn check(key: &ProvingKey, inputs: &[u64], proof: &Proof) -> Result<(), VerifyError> {
    verify(key.verifying_key(), &claims(inputs), proof).map(|_| ())
}

/// One claim and one memory a shard, from these pointers on.
fn memories(first: &[u64]) -> Vec<ShardWitness> {
    let shards = first.iter().zip(1..);
    batch(shards.map(|(&at, x)| with_first_pointer(shard(&[x], Inner::Here, &[]), at)).collect())
}

#[test]
fn ranges_of_pointers_may_touch_and_may_leave_gaps() {
    let key = key();
    let top = 1 << 32;
    for first in [&[0, ROWS][..], &[7, 7 + ROWS, 100], &[0, top - ROWS], &[top - ROWS]] {
        let (proof, _) = prove(&key, memories(first), &ProveOptions::default()).unwrap();
        let inputs: Vec<u64> = (1..).take(first.len()).collect();
        assert_eq!(check(&key, &inputs, &proof), Ok(()), "{first:?}");
    }
}

/// Prover and verifier refuse what is not ascending, disjoint and below 2^32.
#[test]
fn ranges_of_pointers_ascend_are_disjoint_and_end_below_two_to_the_32() {
    let key = key();
    let order = |shard, first, least| {
        let circuit = "memory1".into();
        ShapeError::MemoryOrder { shard, circuit, first, least }
    };
    let end = |shard, first| {
        let circuit = "memory1".into();
        ShapeError::MemoryEnd { shard, circuit, first, rows: ROWS }
    };
    let top = 1 << 32;
    for (first, expected) in [
        // The row of padding of the first over the first row of the second.
        (vec![10, 13], order(1, 13, 14)),
        // The second over the rows of padding of the first, and past it.
        (vec![10, 12], order(1, 12, 14)),
        // The row of padding of the second over the first row of the first.
        (vec![10, 7], order(1, 7, 14)),
        (vec![10, 10], order(1, 10, 14)),
        (vec![14, 10], order(1, 10, 18)),
        (vec![0, 100, 50], order(2, 50, 104)),
        (vec![0, 100, 0], order(2, 0, 104)),
        (vec![top - ROWS + 1], end(0, top - ROWS + 1)),
        (vec![top - 1], end(0, top - 1)),
        (vec![0, top - 1], end(1, top - 1)),
        (vec![top - 1, 0], end(0, top - 1)),
    ] {
        let refused = prove(&key, memories(&first), &FORGE).unwrap_err();
        assert_eq!(refused, ProveError::Shape(expected.clone()), "{first:?}");
        // The statement as a file could hold it.
        let honest: Vec<u64> = (0..).step_by(100).take(first.len()).collect();
        let (mut proof, _) = prove(&key, memories(&honest), &FORGE).unwrap();
        for (statement, &first) in proof.statements.iter_mut().zip(&first) {
            statement.publics[MEMORY] = vec![element(first)];
        }
        let inputs: Vec<u64> = (1..).take(first.len()).collect();
        let refused = check(&key, &inputs, &proof).unwrap_err();
        assert_eq!(refused, VerifyError::Shape(expected), "{first:?}");
    }
}

/// The height counts, not the rows in use.
#[test]
fn a_taller_memory_ends_later() {
    let key = key();
    let (proof, _) = prove(&key, memories(&[0, ROWS]), &FORGE).unwrap();
    let change = |shard: usize, log_height: usize| {
        let mut proof = proof.clone();
        proof.statements[shard].log_heights[MEMORY] = Some(log_height);
        check(&key, &[1, 2], &proof).unwrap_err()
    };
    let refused = change(0, 3);
    assert!(
        matches!(refused, VerifyError::Shape(ShapeError::MemoryOrder { least: 8, .. })),
        "{refused:?}"
    );
    assert!(!matches!(change(1, 3), VerifyError::Shape(ShapeError::MemoryOrder { .. })));
    // A proof of one shard twice, as a file could hold it.
    let (mut proof, _) = prove(&key, memories(&[0]), &FORGE).unwrap();
    proof.statements.push(proof.statements[0].clone());
    proof.statements[1].claims.clear();
    let Shards::Quadratic(shards) = &mut proof.shards else { panic!("degree 2") };
    shards.push(shards[0].clone());
    let refused = check(&key, &[1], &proof).unwrap_err();
    assert!(
        matches!(refused, VerifyError::Shape(ShapeError::MemoryOrder { first: 0, .. })),
        "{refused:?}"
    );
}

#[test]
fn claims_are_stated_in_shard_0() {
    let key = key();
    let honest = || vec![shard(&[1], Inner::Elsewhere, &[]), shard(&[2], Inner::Here, &[1])];
    let refused = ShapeError::ClaimShard { shard: 1, got: 1 };
    let error = prove(&key, honest(), &FORGE).unwrap_err();
    assert_eq!(error, ProveError::Shape(refused.clone()));
    let (proof, _) = prove(&key, batch(honest()), &ProveOptions::default()).unwrap();
    assert_eq!(check(&key, &[1, 2], &proof), Ok(()));
    // The same claims in the same order.
    let mut moved = proof.clone();
    let claim = moved.statements[0].claims.pop().unwrap();
    moved.statements[1].claims.push(claim);
    assert_eq!(check(&key, &[1, 2], &moved), Err(VerifyError::Shape(refused)));
}

/// All uses of a byte table are provided wherever it is active.
#[test]
fn byte_tables_are_active_where_their_uses_are_provided() {
    let key = key();
    let honest = || {
        let first = shard(&[1, 2], Inner::Here, &[]);
        let second = with_first_pointer(shard(&[3], Inner::Here, &[]), FIRST_POINTER + ROWS);
        let mut shards = batch(vec![first, second]);
        let count = shards[1].traces[BYTES].take().unwrap();
        let cells = &mut shards[0].traces[BYTES].as_mut().unwrap().values;
        cells.iter_mut().zip(count.values).for_each(|(cell, uses)| *cell += uses);
        shards
    };
    for shard in 0..2 {
        let mut shards = honest();
        let table = shards[0].traces[BYTES].take();
        shards[shard].traces[BYTES] = table;
        let (proof, _) = prove(&key, shards, &ProveOptions::default()).unwrap();
        assert_eq!(check(&key, &[1, 2, 3], &proof), Ok(()), "{shard}");
    }
    let mut nowhere = honest();
    nowhere[0].traces[BYTES] = None;
    let refused = prove(&key, nowhere.clone(), &ProveOptions::default()).unwrap_err();
    assert_eq!(refused, ProveError::Unbalanced);
    let (proof, _) = prove(&key, nowhere, &FORGE).unwrap();
    assert_eq!(check(&key, &[1, 2, 3], &proof), Err(VerifyError::Unbalanced));
    let mut twice = honest();
    twice[1].traces[BYTES] = twice[0].traces[BYTES].clone();
    let (proof, _) = prove(&key, twice, &FORGE).unwrap();
    assert_eq!(check(&key, &[1, 2, 3], &proof), Err(VerifyError::Unbalanced));
}

/// The same call in two shards, each counting some of its uses, is sound. Counted twice,
/// it does not balance.
#[test]
fn a_row_may_stand_in_two_shards_with_its_multiplicity_split() {
    let key = key();
    let with_counts = |counts: [u64; 2]| {
        let mut shards = batch(vec![shard(&[1], Inner::Elsewhere, &[]); 2]);
        shards[1].traces[INNER] = shard(&[], Inner::Elsewhere, &[1, 1]).traces[INNER].clone();
        shards[1].traces[MEMORY] = shard(&[], Inner::Elsewhere, &[1, 1]).traces[MEMORY].clone();
        shards[1].publics[MEMORY] = vec![element(FIRST_POINTER)];
        shards[1].traces[BYTES] = shard(&[], Inner::Elsewhere, &[1, 1]).traces[BYTES].clone();
        // Three claims of one call, answered by a row in each shard.
        let claim = shards[0].claims[0].clone();
        shards[0].claims.push(claim);
        for (shard, count) in shards.iter_mut().zip(counts) {
            shard.traces[OUTER].as_mut().unwrap().values[0] = element(count);
        }
        shards
    };
    for counts in [[1, 2], [2, 1]] {
        let (proof, _) = prove(&key, with_counts(counts), &ProveOptions::default()).unwrap();
        assert_eq!(check(&key, &[1, 1, 1], &proof), Ok(()), "{counts:?}");
    }
    for counts in [[3, 3], [2, 2], [1, 1]] {
        let (proof, _) = prove(&key, with_counts(counts), &FORGE).unwrap();
        let refused = check(&key, &[1, 1, 1], &proof);
        assert_eq!(refused, Err(VerifyError::Unbalanced), "{counts:?}");
    }
}

#[test]
fn shards_cannot_be_dropped_swapped_or_repeated() {
    let key = key();
    let first = shard(&[1, 2], Inner::Elsewhere, &[]);
    let second = shard(&[], Inner::Elsewhere, &[1, 2]);
    let (proof, _) = prove(&key, vec![first, second], &ProveOptions::default()).unwrap();
    let check = |proof: &Proof| check(&key, &[1, 2], proof);
    assert!(check(&proof).is_ok());
    let Shards::Quadratic(shards) = &proof.shards else { panic!("degree 2") };
    let mut dropped = proof.clone();
    dropped.statements.pop();
    dropped.shards = Shards::Quadratic(vec![shards[0].clone()]);
    let refused = check(&dropped).unwrap_err();
    assert!(matches!(refused, VerifyError::Shape(ShapeError::Count { expected: 0, .. })));
    // Without what binds it in a batch.
    dropped.statements[0].bound.clear();
    assert_eq!(check(&dropped).unwrap_err(), VerifyError::Unbalanced);
    let mut swapped = proof.clone();
    swapped.statements.swap(0, 1);
    swapped.shards = Shards::Quadratic(vec![shards[1].clone(), shards[0].clone()]);
    let refused = check(&swapped).unwrap_err();
    assert_eq!(refused, VerifyError::Shape(ShapeError::ClaimShard { shard: 1, got: 2 }));
    // Without claims in the way, it is the transcript that differs.
    let claims = swapped.statements[1].claims.split_off(0);
    swapped.statements[0].claims = claims;
    assert_eq!(check(&swapped).unwrap_err(), VerifyError::Unbalanced);
    let mut repeated = proof.clone();
    repeated.statements.push(proof.statements[1].clone());
    assert!(check(&repeated).is_err());
    let mut missing = proof.clone();
    missing.shards = Shards::Quadratic(vec![shards[0].clone()]);
    assert_eq!(check(&missing).unwrap_err(), VerifyError::ShardProofs { expected: 2, got: 1 });
}

/// Shards of which the later ones may come out different when they are made again.
struct Changing {
    key: ProvingKey,
    shards: Vec<ShardWitness>,
    made: Vec<usize>,
    /// Makes a cell of this shard's first trace wrong in round two.
    changes: Option<usize>,
    /// Leaves this shard's first trace out.
    lacks: Option<usize>,
}

impl Changing {
    fn new(changes: Option<usize>, lacks: Option<usize>) -> Self {
        let shards =
            vec![shard(&[1, 2], Inner::Elsewhere, &[]), shard(&[], Inner::Elsewhere, &[1, 2])];
        Self { key: key(), shards, made: vec![0; 2], changes, lacks }
    }

    fn prove(mut self, retention: Retention) -> (Result<Proof, ProveError>, Vec<usize>) {
        let key = key();
        let backend = CpuBackend::default();
        let proved = prove_shards(&backend, &key, &mut self, retention, &ProveOptions::default());
        (proved.map(|(proof, _)| proof), self.made)
    }
}

impl ShardSource for Changing {
    type Trace = Trace;

    fn statements(&self) -> Result<Vec<ShardStatement>, ProveError> {
        // As the driver states witnesses that are there already.
        let (proof, _) = prove(&self.key, self.shards.clone(), &ProveOptions::default())?;
        let statements = proof.statements.into_iter();
        Ok(statements
            .map(|statement| ShardStatement { main: [0; 32], bound: Vec::new(), ..statement })
            .collect())
    }

    fn traces(&mut self, shard: usize) -> Result<Vec<Option<Trace>>, ProveError> {
        self.made[shard] += 1;
        let mut traces = self.shards[shard].traces.clone();
        let first = traces.iter().position(Option::is_some).unwrap();
        if self.changes == Some(shard) && self.made[shard] == 2 {
            traces[first].as_mut().unwrap().values[0] += element(1);
        }
        if self.lacks == Some(shard) {
            traces[first] = None;
        }
        Ok(traces)
    }
}

/// What is kept between the rounds changes no byte; what is not kept is made twice.
#[test]
fn shards_are_kept_or_made_again() {
    let (kept, made) = Changing::new(None, None).prove(Retention::Retain);
    assert_eq!(made, [1, 1]);
    let (again, made) = Changing::new(None, None).prove(Retention::Regenerate);
    assert_eq!(made, [2, 2]);
    let (kept, again) = (kept.unwrap(), again.unwrap());
    assert!(kept.encode() == again.encode());
    assert_eq!(check(&key(), &[1, 2], &again), Ok(()));
}

#[test]
fn a_shard_that_comes_out_different_is_named() {
    for shard in 0..2 {
        let (proved, _) = Changing::new(Some(shard), None).prove(Retention::Regenerate);
        let error = proved.unwrap_err();
        assert_eq!(error, ProveError::RootDiffers { shard });
        assert!(error.to_string().starts_with(&format!("shard {shard}: its traces")), "{error}");
        // Nobody makes it again.
        let (proved, _) = Changing::new(Some(shard), None).prove(Retention::Retain);
        assert!(proved.is_ok());
        let (proved, _) = Changing::new(None, Some(shard)).prove(Retention::Retain);
        let error = proved.unwrap_err();
        let named =
            matches!(error, ProveError::TraceStated { shard: at, got: None, .. } if at == shard);
        assert!(named, "{error}");
    }
}

/// Pieces of functions have no order: whoever calls finds its row in any shard.
#[test]
fn pieces_of_functions_may_be_in_any_order() {
    let key = key();
    for served in [[1, 2], [2, 1]] {
        let [first, second] = served.map(|x| shard(&[], Inner::Elsewhere, &[x]));
        let second = with_first_pointer(second, FIRST_POINTER + ROWS);
        let shards = vec![shard(&[1, 2], Inner::Elsewhere, &[]), first, second];
        let (proof, _) = prove(&key, shards, &ProveOptions::default()).unwrap();
        assert_eq!(check(&key, &[1, 2], &proof), Ok(()), "{served:?}");
    }
}

/// A shard that was proven for other claims, and public values of another batch.
#[test]
fn shards_do_not_change_batches() {
    let key = key();
    let batch_of = |inputs: [u64; 2]| {
        let first = shard(&inputs, Inner::Elsewhere, &[]);
        let second = shard(&[], Inner::Elsewhere, &inputs);
        prove(&key, vec![first, second], &ProveOptions::default()).unwrap().0
    };
    let (one, other) = (batch_of([1, 2]), batch_of([3, 4]));
    let shards = |proof: &Proof| match &proof.shards {
        Shards::Quadratic(shards) => shards.clone(),
        Shards::Cubic(_) => panic!("degree 2"),
    };
    for shard in 0..2 {
        let mut mixed = one.clone();
        let mut proofs = shards(&one);
        proofs[shard] = shards(&other)[shard].clone();
        mixed.shards = Shards::Quadratic(proofs);
        // The proof of the other shard with this batch's statement, then with its own.
        assert!(check(&key, &[1, 2], &mixed).is_err(), "{shard}");
        let claims = mixed.statements[shard].claims.clone();
        mixed.statements[shard] = ShardStatement { claims, ..other.statements[shard].clone() };
        assert!(check(&key, &[1, 2], &mixed).is_err(), "{shard}");
    }
    // Ranges that are in order, and not those of the traces.
    let (near, far) = (memories(&[0, ROWS]), memories(&[0, 100]));
    let [near, far] =
        [near, far].map(|shards| prove(&key, shards, &ProveOptions::default()).unwrap().0);
    let mut swapped = near.clone();
    swapped.statements[1].publics = far.statements[1].publics.clone();
    assert!(check(&key, &[1, 2], &near).is_ok() && check(&key, &[1, 2], &far).is_ok());
    assert!(!matches!(check(&key, &[1, 2], &swapped), Ok(()) | Err(VerifyError::Shape(_))));
}

/// Public values of one shard in another one of the same batch: ranges that are out of order or
/// overlap, and where neither is, first pointers that are not those of the traces.
#[test]
fn public_values_of_one_shard_are_not_those_of_another() {
    let key = key();
    let (proof, _) = prove(&key, memories(&[0, 100, 200]), &ProveOptions::default()).unwrap();
    assert_eq!(check(&key, &[1, 2, 3], &proof), Ok(()));
    for (from, to) in [(0, 1), (1, 0), (1, 2), (2, 1), (0, 2), (2, 0)] {
        let mut moved = proof.clone();
        moved.statements[to].publics = proof.statements[from].publics.clone();
        let refused = check(&key, &[1, 2, 3], &moved).unwrap_err();
        let is_order = matches!(refused, VerifyError::Shape(ShapeError::MemoryOrder { .. }));
        assert!(is_order, "{from} to {to}: {refused:?}");
        let mut swapped = moved;
        swapped.statements[from].publics = proof.statements[to].publics.clone();
        assert!(check(&key, &[1, 2, 3], &swapped).is_err(), "{from} and {to}");
    }
    // Those of another batch, which are in order here.
    let (pair, _) = prove(&key, memories(&[0, 100]), &ProveOptions::default()).unwrap();
    let mut foreign = pair.clone();
    foreign.statements[1].publics = proof.statements[2].publics.clone();
    let refused = check(&key, &[1, 2], &foreign).unwrap_err();
    assert!(!matches!(refused, VerifyError::Shape(_)), "{refused:?}");
}
