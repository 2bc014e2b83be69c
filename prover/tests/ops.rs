//! Op tables, fixed columns of a program, and claims made of boundary messages.

mod common;

use std::sync::Arc;

use common::fast;
use common::ops::{END, NUMBERS, PROGRAM, START, STEPS, claim, message, system, witness};
use traceloom_air::claim::{BoundaryMessage, ClaimError};
use traceloom_air::field::element;
use traceloom_air::fixed::FixedColumns;
use traceloom_air::system::{CircuitKind, Direction, System};
use traceloom_air::trace::{ShardWitness, Trace};
use traceloom_prover::{ProveError, ProveOptions, ProvingKey, prove};
use traceloom_verifier::shape::ShapeError;
use traceloom_verifier::{Expected, KeyError, Proof, VerifyError, VerifyingKey, verify_expected};

const FORGE: ProveOptions<'_> =
    ProveOptions { progress: None, rows_done: None, skip_self_checks: true };
/// 100 + 5 + 7 + 11 + 13.
const END_VALUE: u64 = 136;

fn key_of(system: &System) -> ProvingKey {
    ProvingKey::new(system, &fast(2)).unwrap()
}

fn forge(key: &ProvingKey, witness: ShardWitness) -> Proof {
    prove(key, vec![witness], &FORGE).unwrap().0
}

fn check(
    key: &VerifyingKey,
    boundary: &[BoundaryMessage],
    proof: &Proof,
) -> Result<(), VerifyError> {
    verify_expected(key, &Expected { claims: &[], boundary }, proof).map(|_| ())
}

fn fixed(system: &mut System) -> &mut FixedColumns {
    match &mut system.circuits[PROGRAM].kind {
        CircuitKind::Ops { fixed: Some(fixed), .. } => fixed,
        kind => panic!("{kind:?}"),
    }
}

#[test]
fn a_run_of_op_tables_is_proven() {
    for degree in [2, 3] {
        let key = ProvingKey::new(&system(NUMBERS), &fast(degree)).unwrap();
        let (proof, _) =
            prove(&key, vec![witness(NUMBERS, 100)], &ProveOptions::default()).unwrap();
        let proof = Proof::decode(&proof.encode()).unwrap();
        assert_eq!(check(key.verifying_key(), &claim(100, END_VALUE), &proof), Ok(()));
    }
}

/// Steps in two shards; the fixed table and the claim are in the first.
#[test]
fn a_run_may_be_in_two_shards() {
    let key = key_of(&system(NUMBERS));
    let mut first = witness(NUMBERS, 100);
    let steps = first.traces[STEPS].as_mut().unwrap();
    let rest = Trace { width: 4, values: steps.values.split_off(8) };
    let mut second = ShardWitness {
        traces: vec![None, Some(rest)],
        publics: vec![vec![]; 2],
        claims: vec![],
        boundary: vec![],
    };
    let shards = vec![first.clone(), second.clone()];
    let (proof, _) = prove(&key, shards, &ProveOptions::default()).unwrap();
    assert_eq!(check(key.verifying_key(), &claim(100, END_VALUE), &proof), Ok(()));
    second.boundary.push(first.boundary.pop().unwrap());
    let refused = prove(&key, vec![first, second], &FORGE).unwrap_err();
    assert_eq!(refused, ProveError::Shape(ShapeError::ClaimShard { shard: 1, got: 1 }));
}

#[test]
fn boundary_messages_are_the_claim() {
    let key = key_of(&system(NUMBERS));
    let proof = forge(&key, witness(NUMBERS, 100));
    let key = key.verifying_key();
    let honest = claim(100, END_VALUE);
    // Neither changed, dropped, added nor swapped in what is expected.
    let others = [
        claim(100, END_VALUE + 1),
        claim(101, END_VALUE),
        honest[..1].to_vec(),
        vec![],
        [&honest[..], &[message(END, 4, END_VALUE)]].concat(),
        vec![honest[1].clone(), honest[0].clone()],
    ];
    for other in &others {
        assert_eq!(check(key, other, &proof), Err(VerifyError::Claims), "{other:?}");
    }
    // Nor in both: no run answers them.
    for other in &others[..5] {
        let mut changed = proof.clone();
        changed.statements[0].boundary.clone_from(other);
        assert_eq!(check(key, other, &changed), Err(VerifyError::Unbalanced), "{other:?}");
    }
    // Two that cancel leave the sum alone, but were not absorbed before the challenges.
    let padded = [&honest[..], &[message(START, 9, 9), message(END, 9, 9)]].concat();
    let mut changed = proof.clone();
    changed.statements[0].boundary.clone_from(&padded);
    assert_eq!(check(key, &padded, &changed), Err(VerifyError::Unbalanced));
    let mut moved = proof;
    moved.statements.push(moved.statements[0].clone());
    moved.statements[0].boundary.clear();
    let refused = check(key, &honest, &moved).unwrap_err();
    assert_eq!(refused, VerifyError::Shape(ShapeError::ClaimShard { shard: 1, got: 2 }));
}

/// A prover that is asked for another claim than the run's says so.
#[test]
fn a_false_claim_does_not_balance() {
    let key = key_of(&system(NUMBERS));
    let mut wrong = witness(NUMBERS, 100);
    wrong.boundary = claim(100, END_VALUE + 1);
    let refused = prove(&key, vec![wrong.clone()], &ProveOptions::default()).unwrap_err();
    assert_eq!(refused, ProveError::Unbalanced);
    let proof = forge(&key, wrong.clone());
    let refused = check(key.verifying_key(), &wrong.boundary, &proof);
    assert_eq!(refused, Err(VerifyError::Unbalanced));
    // A step that the program does not have.
    let mut wrong = witness([5, 7, 12, 13], 100);
    wrong.boundary = claim(100, END_VALUE + 1);
    let proof = forge(&key, wrong.clone());
    let refused = check(key.verifying_key(), &wrong.boundary, &proof);
    assert_eq!(refused, Err(VerifyError::Unbalanced));
    // An accumulator that no step left behind.
    let mut wrong = witness(NUMBERS, 100);
    wrong.traces[STEPS].as_mut().unwrap().row_mut(2)[2] += element(1);
    let proof = forge(&key, wrong);
    let refused = check(key.verifying_key(), &claim(100, END_VALUE), &proof);
    assert_eq!(refused, Err(VerifyError::Unbalanced));
}

#[test]
fn boundary_messages_fit_their_boundaries() {
    let key = key_of(&system(NUMBERS));
    let proof = forge(&key, witness(NUMBERS, 100));
    let refused = |message: BoundaryMessage| {
        let mut changed = proof.clone();
        changed.statements[0].boundary[1] = message;
        let boundary = changed.statements[0].boundary.clone();
        match check(key.verifying_key(), &boundary, &changed) {
            Err(VerifyError::Shape(ShapeError::Claim(error))) => error,
            other => panic!("{other:?}"),
        }
    };
    let mut short = message(END, 4, END_VALUE);
    short.values.pop();
    let name = "end".into();
    assert_eq!(refused(short), ClaimError::Values { index: 1, name, expected: 2, got: 1 });
    let expected = ClaimError::NoBoundary { index: 1, boundary: 2 };
    assert_eq!(refused(message(2, 4, END_VALUE)), expected);
    // The security figure counts the lookups of active circuits: nothing longer is stated.
    let mut changed = proof.clone();
    changed.statements[0].log_heights[STEPS] = None;
    changed.statements[0].log_heights[PROGRAM] = Some(2);
    let mut wide = system(NUMBERS);
    wide.boundaries.iter_mut().for_each(|boundary| boundary.num_values = 3);
    let wide = key_of(&wide);
    let boundary = vec![BoundaryMessage { boundary: END, values: vec![element(0); 3] }];
    changed.statements[0].boundary.clone_from(&boundary);
    let refused = check(wide.verifying_key(), &boundary, &changed).unwrap_err();
    let expected = ShapeError::Unanswered { index: 0, max: 3, got: 4 };
    assert_eq!(refused, VerifyError::Shape(expected));
}

/// Whoever proves with other fixed columns proves something about another system.
#[test]
fn fixed_columns_are_the_programs() {
    let other = [5, 7, 12, 13];
    let (key, key_of_other) = (key_of(&system(NUMBERS)), key_of(&system(other)));
    let boundary = claim(100, END_VALUE + 1);
    let proof = forge(&key_of_other, witness(other, 100));
    assert_eq!(check(key_of_other.verifying_key(), &boundary, &proof), Ok(()));
    assert!(check(key.verifying_key(), &boundary, &proof).is_err());
    // Fixed height, or none; and somebody has to provide.
    let proof = forge(&key, witness(NUMBERS, 100));
    for height in [0, 1, 3] {
        let mut changed = proof.clone();
        changed.statements[0].log_heights[PROGRAM] = Some(height);
        let refused = check(key.verifying_key(), &claim(100, END_VALUE), &changed).unwrap_err();
        let circuit = "program".into();
        let expected = ShapeError::FixedHeight { shard: 0, circuit, expected: 2 };
        assert_eq!(refused, VerifyError::Shape(expected));
    }
    let mut idle = witness(NUMBERS, 100);
    idle.traces[PROGRAM] = None;
    let refused = prove(&key, vec![idle], &ProveOptions::default()).unwrap_err();
    assert_eq!(refused, ProveError::Unbalanced);
}

/// A verifier without the cells takes their root from anywhere, if the digest is pinned.
#[test]
fn a_pinned_digest_stands_for_fixed_columns() {
    let (params, honest) = (fast(2), system(NUMBERS));
    let key = key_of(&honest);
    let proof = forge(&key, witness(NUMBERS, 100));
    let key = key.verifying_key();
    let mut bare = honest.clone();
    fixed(&mut bare).cells = None;
    let error = VerifyingKey::new(&bare, &params).unwrap_err();
    assert_eq!(error, KeyError::NoCells { circuit: "program".into() });
    assert!(ProvingKey::new(&bare, &params).is_err());
    let pinned = VerifyingKey::pinned(&bare, &params, key.preprocessed(), key.digest()).unwrap();
    assert_eq!(check(&pinned, &claim(100, END_VALUE), &proof), Ok(()));
    let other = key_of(&system([5, 7, 12, 13]));
    let other = other.verifying_key();
    for roots in [other.preprocessed(), &[Some([0; 32]), None]] {
        let error = VerifyingKey::pinned(&bare, &params, roots, key.digest()).unwrap_err();
        assert_eq!(error, KeyError::Pinned);
    }
    let error = VerifyingKey::pinned(&bare, &params, key.preprocessed(), &[0; 32]).unwrap_err();
    assert_eq!(error, KeyError::Pinned);
    let error = VerifyingKey::pinned(&bare, &params, &[], key.digest()).unwrap_err();
    assert_eq!(error, KeyError::NoCells { circuit: "program".into() });
    // Pinned to the other program it is sound about that one.
    let wrong = VerifyingKey::pinned(&bare, &params, other.preprocessed(), other.digest()).unwrap();
    assert!(check(&wrong, &claim(100, END_VALUE), &proof).is_err());
}

/// The same tables under another kind, number or height are another system.
#[test]
fn kinds_are_part_of_the_system() {
    type Change = fn(&mut System);
    let changes: [Change; 5] = [
        |system| {
            let kind = CircuitKind::Function { members: vec![], recursive: false };
            system.circuits[STEPS].kind = kind;
        },
        |system| system.circuits[STEPS].kind = CircuitKind::Ops { table: 2, fixed: None },
        |system| system.boundaries[0].direction = Direction::Push,
        |system| system.boundaries.truncate(1),
        |system| system.boundaries.swap(0, 1),
    ];
    let key = key_of(&system(NUMBERS));
    let proof = forge(&key, witness(NUMBERS, 100));
    let boundary = claim(100, END_VALUE);
    assert_eq!(check(key.verifying_key(), &boundary, &proof), Ok(()));
    let mut renamed = system(NUMBERS);
    renamed.boundaries[0].name = "other".into();
    assert_eq!(key_of(&renamed).verifying_key().digest(), key.verifying_key().digest());
    for (index, change) in changes.into_iter().enumerate() {
        let mut changed = system(NUMBERS);
        change(&mut changed);
        let other = key_of(&changed);
        assert_ne!(other.verifying_key().digest(), key.verifying_key().digest(), "{index}");
        assert!(check(other.verifying_key(), &boundary, &proof).is_err(), "{index}");
    }
}

#[test]
fn malformed_systems_are_refused() {
    let refused = |change: &dyn Fn(&mut System)| {
        let mut system = system(NUMBERS);
        change(&mut system);
        VerifyingKey::new(&system, &fast(2)).unwrap_err()
    };
    let circuit = || String::from("program");
    let error = refused(&|system| fixed(system).cells = Some(Arc::new([element(0); 7])));
    assert_eq!(error, KeyError::Cells { circuit: circuit(), expected: 8, got: 7 });
    let error = refused(&|system| fixed(system).log_height = 27);
    assert_eq!(error, KeyError::TableHeight { circuit: circuit() });
    let error = refused(&|system| fixed(system).width = 1);
    assert!(matches!(error, KeyError::Cells { expected: 4, got: 8, .. }), "{error:?}");
    let error = refused(&|system| {
        *fixed(system) = FixedColumns { width: 0, log_height: 2, cells: None };
    });
    assert_eq!(error, KeyError::NoColumns { circuit: circuit() });
    let error = refused(&|system| {
        system.circuits[STEPS].kind = CircuitKind::Ops { table: 0, fixed: None };
    });
    assert!(matches!(error, KeyError::Twice { .. }), "{error:?}");
    for channel in [0, 1, 2, 32, (1 << 16) - 1, u64::MAX] {
        let error = refused(&|system| system.boundaries[0].channel = channel);
        assert_eq!(error, KeyError::Channel { boundary: "start".into(), channel });
    }
    let error = refused(&|system| system.boundaries[1].num_values = 1);
    assert!(matches!(error, KeyError::Length { .. }), "{error:?}");
}
