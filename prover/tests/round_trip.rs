//! Honest proofs are accepted, whatever the heights, fields and profiles.

mod common;

use common::{Inner, claim, fast, shard, system, with_extras};
use traceloom_air::trace::ShardWitness;
use traceloom_prover::{ProveOptions, ProvingKey, prove};
use traceloom_verifier::{Params, Profile, Proof, verify};

fn round_trip(params: &Params, shards: Vec<ShardWitness>, inputs: &[u64]) -> Proof {
    let key = ProvingKey::new(&system(), params).unwrap();
    let options = ProveOptions::default();
    let (proof, _) = prove(&key, shards, &options).unwrap();
    let claims: Vec<_> = inputs.iter().map(|&x| claim(x)).collect();
    verify(key.verifying_key(), &claims, &proof).unwrap();
    let bytes = proof.encode();
    let decoded = Proof::decode(&bytes).unwrap();
    assert_eq!(decoded, proof);
    assert_eq!(decoded.encode(), bytes);
    proof
}

#[test]
fn one_shard_in_both_fields() {
    for degree in [2, 3] {
        for inputs in [&[5][..], &[5, 6], &[1, 2, 3, 4, 5]] {
            round_trip(&fast(degree), vec![shard(inputs, Inner::Here, &[])], inputs);
        }
    }
}

#[test]
fn circuits_without_lookups_at_every_small_height() {
    for (log_plain, log_free) in [(0, 0), (0, 3), (1, 0), (3, 9)] {
        let witness = with_extras(shard(&[5], Inner::Here, &[]), log_plain, log_free);
        round_trip(&fast(2), vec![witness], &[5]);
    }
}

#[test]
fn every_profile() {
    for profile in Profile::ALL {
        let inputs = [3, 4, 5];
        let params = profile.params();
        round_trip(&params, vec![shard(&inputs, Inner::Here, &[])], &inputs);
    }
}

#[test]
fn other_blowups_and_arities() {
    for (log_blowup, max_log_arity) in [(2, 1), (3, 2), (4, 4)] {
        let params = Params { log_blowup, max_log_arity, ..fast(2) };
        round_trip(&params, vec![shard(&[8, 9], Inner::Here, &[])], &[8, 9]);
    }
}

#[test]
fn shards_that_answer_each_other() {
    for degree in [2, 3] {
        let first = with_extras(shard(&[1, 2, 3], Inner::Elsewhere, &[]), 2, 0);
        let second = shard(&[4], Inner::Here, &[1, 2, 3]);
        round_trip(&fast(degree), vec![first, second], &[1, 2, 3, 4]);
    }
}
