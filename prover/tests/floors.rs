//! The floors of profiles: shards that are worth too little, heights that are too large, and
//! the padding that lifts a shard.

mod common;

use common::{FREE, PLAIN, system};
use traceloom_air::field::{PrimeCharacteristicRing, element};
use traceloom_air::system::System;
use traceloom_air::trace::{ShardWitness, Trace};
use traceloom_prover::{ProveError, ProveOptions, ProvingKey, prove};
use traceloom_verifier::proof::ShardStatement;
use traceloom_verifier::security::{BelowFloor, Padding, Remedy, padding};
use traceloom_verifier::shape::{ShapeError, check_statements};
use traceloom_verifier::{Params, Profile, Proof, VerifyError, verify};

const FORGE: ProveOptions<'_> =
    ProveOptions { progress: None, rows_done: None, skip_self_checks: true };

/// The two circuits without lookups: `plain`, then `free`. No byte table gives a shard
/// its height.
fn plain_system() -> System {
    let mut system = system();
    system.circuits = system.circuits.drain(PLAIN..=FREE).collect();
    system.entries.clear();
    system
}

fn witness(plain: Option<usize>, free: Option<usize>) -> ShardWitness {
    let plain = plain.map(|log_height| {
        let mut trace = Trace::zero(1 << log_height, 2);
        for row in 0..1 << log_height {
            let x = element(3 + row as u64);
            trace.row_mut(row).copy_from_slice(&[x, x.square()]);
        }
        trace
    });
    let free = free.map(|log_height| Trace::zero(1 << log_height, 1));
    ShardWitness {
        traces: vec![plain, free],
        publics: vec![vec![]; 2],
        claims: vec![],
        boundary: vec![],
    }
}

fn below(error: VerifyError) -> BelowFloor {
    match error {
        VerifyError::Security(below) => below,
        other => panic!("{other:?}"),
    }
}

/// An honest proof of a shard of two rows beside one of 2^20: the tallest trace of the batch
/// would be worth 100 bits, the weak shard is worth half.
#[test]
fn a_tall_shard_lends_nothing_to_a_low_one() {
    let key = ProvingKey::new(&plain_system(), &Profile::Standard.params()).unwrap();
    let shards = || vec![witness(Some(1), None), witness(None, Some(20))];
    let (proof, _) = prove(&key, shards(), &FORGE).unwrap();
    let refused = below(verify(key.verifying_key(), &[], &proof).unwrap_err());
    let (alone, _) = prove(&key, vec![witness(Some(1), None)], &FORGE).unwrap();
    let alone = below(verify(key.verifying_key(), &[], &alone).unwrap_err());
    assert!((50.0..53.0).contains(&alone.got), "{alone}");
    assert_eq!((refused.got, refused.kind), (alone.got, "provable"));
    let message = refused.to_string();
    let expected = "pad the tallest trace of every shard to 2^7 rows at least";
    assert!(message.ends_with(expected), "{message}");
    assert!(!message.contains("smaller"), "{message}");
    // Who proves is told before the work, in the same words.
    let unforged = prove(&key, shards(), &ProveOptions::default()).unwrap_err();
    assert_eq!(unforged, ProveError::Security(refused));
    // Nothing else is wrong with it: both shards are high enough once the low one is padded.
    let padded = vec![witness(Some(7), None), witness(None, Some(20))];
    let (proof, _) = prove(&key, padded, &ProveOptions::default()).unwrap();
    let report = verify(key.verifying_key(), &[], &proof).unwrap();
    assert!(report.security.provable >= 100.0);
    // A file may say that the low shard is higher than it is: that is another trace.
    let mut lied: Proof = proof.clone();
    lied.statements[0].log_heights[0] = Some(8);
    assert!(verify(key.verifying_key(), &[], &lied).is_err());
}

#[test]
fn taller_traces_than_the_caps_are_refused() {
    for profile in Profile::ALL {
        let key = ProvingKey::new(&plain_system(), &profile.params()).unwrap();
        let statement = |log_height| ShardStatement {
            log_heights: vec![Some(log_height), None],
            main: [0; 32],
            publics: vec![vec![]; 2],
            claims: vec![],
            boundary: vec![],
            bound: vec![],
        };
        let max = profile.caps().log_height;
        assert!(check_statements(key.verifying_key(), &[statement(max)]).is_ok());
        let refused = check_statements(key.verifying_key(), &[statement(max + 1)]).unwrap_err();
        let circuit = "plain".into();
        assert_eq!(refused, ShapeError::Height { shard: 0, circuit, max, got: max + 1 });
    }
}

#[test]
fn the_first_of_the_tallest_circuits_is_padded() {
    let key = ProvingKey::new(&plain_system(), &Profile::Strong.params()).unwrap();
    let of = |plain, free| padding(key.verifying_key(), &[plain, free], 0);
    let circuit = |circuit| Some(Padding { circuit, log_height: 8 });
    assert_eq!(of(Some(0), None), circuit(0));
    assert_eq!(of(None, Some(3)), circuit(1));
    assert_eq!(of(Some(3), Some(3)), circuit(0));
    assert_eq!(of(Some(2), Some(3)), circuit(1));
    assert_eq!(of(Some(8), Some(3)), None);
    assert_eq!(of(Some(3), Some(20)), None);
    let fast = ProvingKey::new(&plain_system(), &Profile::Fast.params()).unwrap();
    assert_eq!(padding(fast.verifying_key(), &[Some(0), None], 0), None);
}

/// A byte table has its height, whatever else a shard holds.
#[test]
fn byte_tables_are_not_padded() {
    let weak = Params { num_queries: 70, ..Profile::Standard.params() };
    let key = ProvingKey::new(&system(), &weak).unwrap();
    let mut heights = vec![None; 6];
    heights[common::BYTES] = Some(8);
    heights[common::OUTER] = Some(0);
    // No height helps, and nothing is padded in vain.
    assert_eq!(padding(key.verifying_key(), &heights, 1), None);
    let statement = common::shard(&[1], common::Inner::Here, &[]);
    let refused = prove(&key, vec![statement], &ProveOptions::default()).unwrap_err();
    let ProveError::Security(refused) = refused else { panic!("{refused}") };
    assert_eq!(refused.remedy, Remedy::Profile);
}
