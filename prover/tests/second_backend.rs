//! Two backends that share no kernel give the same proof bytes, so the trait between
//! driver and kernels says all that a backend must know. And the driver keeps what it
//! promises to a backend: order, frees and errors.

mod common;

use std::collections::BTreeSet;
use std::sync::Mutex;

use common::{INNER, Inner, MEMORY, PLAIN, batch, claim, fast, ops, shard, system, with_extras};
use traceloom_air::system::System;
use traceloom_air::trace::{ShardWitness, Trace};
use traceloom_prover::{
    Progress, ProveError, ProveOptions, ProvingKey, SetupError, Stage, prove, prove_with,
};
use traceloom_second_backend::{Call, Columns};
use traceloom_verifier::{Expected, Params, Profile, verify_expected};

/// Proves with both backends, compares the bytes, and verifies.
fn agree(system: &System, params: &Params, shards: &[ShardWitness], inputs: &[u64]) {
    let claims: Vec<_> = inputs.iter().map(|&x| claim(x)).collect();
    agree_on(system, params, shards, &Expected { claims: &claims, boundary: &[] });
}

/// The same of any claim.
fn agree_on(system: &System, params: &Params, shards: &[ShardWitness], expected: &Expected<'_>) {
    let options = ProveOptions::default();
    let key = ProvingKey::new(system, params).unwrap();
    let (first, _) = prove(&key, shards.to_vec(), &options).unwrap();
    let backend = Columns::default();
    let key = ProvingKey::with_backend(&backend, system, params).unwrap();
    let witnesses = shards.iter().map(|shard| backend.witness(shard)).collect();
    let (second, _) = prove_with(&backend, &key, witnesses, &options).unwrap();
    assert!(first.encode() == second.encode(), "proof bytes differ: {params:?}");
    verify_expected(key.verifying_key(), expected, &second).unwrap();
}

/// The toy system, at blowup 2 without the constraint whose degree is too high for it.
fn system_for(params: &Params) -> System {
    let mut system = system();
    if params.log_blowup == 1 {
        system.circuits[INNER].constraints.pop();
    }
    system
}

#[test]
fn every_blowup_arity_and_field() {
    for extension_degree in [2, 3] {
        for log_blowup in 1..=4 {
            for max_log_arity in 1..=4 {
                // At blowup 2 ten queries are worth less than the profile promises.
                let promised = Params { min_heuristic_bits: 0, ..fast(extension_degree) };
                let params = Params { log_blowup, max_log_arity, ..promised };
                let witness = with_extras(shard(&[8, 9, 10], Inner::Here, &[]), 1, 5);
                agree(&system_for(&params), &params, &[witness], &[8, 9, 10]);
            }
        }
    }
}

#[test]
fn every_small_height() {
    for (log_plain, log_free) in [(0, 0), (0, 1), (1, 0), (3, 9), (10, 2)] {
        for inputs in [&[5][..], &[5, 6], &[1, 2, 3, 4, 5]] {
            let witness = with_extras(shard(inputs, Inner::Here, &[]), log_plain, log_free);
            agree(&system(), &fast(2), &[witness], inputs);
        }
    }
}

#[test]
fn systems_without_lookups_or_tables() {
    for extension_degree in [2, 3] {
        for log_height in [0, 1, 2, 6] {
            let mut system = system();
            system.circuits = vec![system.circuits[PLAIN].clone()];
            let witness = with_extras(shard(&[5], Inner::Here, &[]), log_height, 0);
            let witness = ShardWitness {
                traces: vec![witness.traces[PLAIN].clone()],
                publics: vec![vec![]],
                claims: vec![],
                boundary: vec![],
            };
            for max_log_arity in [1, 3] {
                let params = Params { max_log_arity, ..fast(extension_degree) };
                agree(&system, &params, std::slice::from_ref(&witness), &[]);
            }
        }
    }
}

#[test]
fn every_profile_and_all_grinding() {
    let ground = Params {
        lookup_pow_bits: 5,
        zeta_pow_bits: 6,
        batch_pow_bits: 7,
        commit_pow_bits: 8,
        query_pow_bits: 9,
        ..fast(3)
    };
    let profiles = Profile::ALL.map(Profile::params);
    for params in profiles.into_iter().chain([ground]) {
        agree(&system(), &params, &[shard(&[3, 4, 5], Inner::Here, &[])], &[3, 4, 5]);
    }
}

#[test]
fn shards_that_answer_each_other() {
    for extension_degree in [2, 3] {
        let first = with_extras(shard(&[1, 2, 3], Inner::Elsewhere, &[]), 2, 0);
        let second = shard(&[4], Inner::Here, &[1, 2, 3]);
        let third = with_extras(shard(&[], Inner::Elsewhere, &[]), 4, 1);
        let shards = batch(vec![first, second, third]);
        agree(&system(), &fast(extension_degree), &shards, &[1, 2, 3, 4]);
    }
}

/// Fixed columns that a program brings, and claims of boundary messages.
#[test]
fn op_tables() {
    for extension_degree in [2, 3] {
        for log_blowup in 1..=4 {
            // At blowup 2 ten queries are worth less than the profile promises.
            let promised = Params { min_heuristic_bits: 0, ..fast(extension_degree) };
            let params = Params { log_blowup, ..promised };
            let witness = ops::witness(ops::NUMBERS, 100);
            let boundary = ops::claim(100, 100 + ops::NUMBERS.iter().sum::<u64>());
            let expected = Expected { claims: &[], boundary: &boundary };
            agree_on(&ops::system(ops::NUMBERS), &params, &[witness], &expected);
        }
    }
}

fn two_shards() -> Vec<ShardWitness> {
    batch(vec![shard(&[1, 2], Inner::Elsewhere, &[]), shard(&[4], Inner::Here, &[1, 2])])
}

fn run(backend: &Columns) -> Result<(), String> {
    let params = Params { query_pow_bits: 3, zeta_pow_bits: 2, ..fast(2) };
    let key = ProvingKey::with_backend(backend, &system(), &params);
    let key = key.map_err(|error| error.to_string())?;
    let witnesses = two_shards().iter().map(|shard| backend.witness(shard)).collect();
    let proof = prove_with(backend, &key, witnesses, &ProveOptions::default());
    proof.map(|_| ()).map_err(|error| error.to_string())
}

#[test]
fn a_failure_of_any_call_is_an_error_and_frees_everything() {
    let honest = Columns::default();
    run(&honest).unwrap();
    let calls = honest.calls();
    let methods: BTreeSet<_> = calls.iter().map(|call| call.method).collect();
    assert_eq!(methods.len(), 13, "a method is never called: {methods:?}");
    for (index, Call { method, .. }) in calls.iter().enumerate() {
        let failing = Columns::failing_at(index);
        let expected = format!("the columns backend failed: {method} was asked to fail");
        assert_eq!(run(&failing), Err(expected));
        assert_eq!(failing.calls().len(), index + 1, "nothing is called after a failure");
        let alive = failing.alive();
        assert_eq!((alive.traces, alive.commitments, alive.layers), (0, 0, 0));
    }
}

#[test]
fn everything_is_freed_after_its_last_reader() {
    let backend = Columns::default();
    let params = fast(2);
    let key = ProvingKey::with_backend(&backend, &system(), &params).unwrap();
    let shards = two_shards();
    let traces: Vec<usize> =
        shards.iter().map(|shard| shard.traces.iter().flatten().count()).collect();
    let witnesses = shards.iter().map(|shard| backend.witness(shard)).collect();
    prove_with(&backend, &key, witnesses, &ProveOptions::default()).unwrap();
    let calls = backend.calls();
    let of = |method: &str| calls.iter().filter(|c| c.method == method).collect::<Vec<_>>();
    // One preprocessed table, one main commitment per shard, then the shard's own.
    let counts = |method: &str| -> Vec<(usize, usize)> {
        of(method).iter().map(|call| (call.traces, call.commitments)).collect()
    };
    assert_eq!(counts("stage_two"), [(traces[0] + traces[1], 3), (traces[1], 2)]);
    assert_eq!(counts("quotient"), [(traces[1], 4), (0, 3)]);
    assert_eq!(counts("open_values"), [(traces[1], 5), (0, 4)]);
    // Query openings of layers come last; by then the shard's commitments are gone, and
    // each layer goes when it is done.
    let layers: Vec<_> = of("open_layer").iter().map(|c| (c.commitments, c.layers)).collect();
    let num_layers = |after| layers.iter().filter(|layer| layer.0 == after).count();
    let (first, second) = (num_layers(2), num_layers(1));
    assert!(first > 1 && second > 1);
    let expected = (1..=first).rev().map(|alive| (2, alive));
    let expected: Vec<_> = expected.chain((1..=second).rev().map(|alive| (1, alive))).collect();
    assert_eq!(layers, expected);
    let alive = backend.alive();
    assert_eq!((alive.traces, alive.commitments, alive.layers), (0, 1, 0), "but for the key");
}

#[test]
fn a_key_is_used_for_many_proofs() {
    let backend = Columns::default();
    let key = ProvingKey::with_backend(&backend, &system(), &fast(2)).unwrap();
    let proof = |inputs: &[u64]| {
        let witness = backend.witness(&shard(inputs, Inner::Here, &[]));
        prove_with(&backend, &key, vec![witness], &ProveOptions::default()).unwrap().0.encode()
    };
    let first = proof(&[1]);
    assert_ne!(proof(&[2]), first);
    assert_eq!(proof(&[1]), first);
    let preprocessed = backend.calls().iter().filter(|c| c.method == "preprocess").count();
    assert_eq!(preprocessed, 1);
}

#[test]
fn wrong_fixed_columns_are_refused_with_circuit_and_backend() {
    // A byte table, and the columns of a program.
    for (system, circuit) in [(system(), "bytes1"), (ops::system(ops::NUMBERS), "program")] {
        let backend = Columns::with_wrong_tables();
        let refused = ProvingKey::with_backend(&backend, &system, &fast(2)).err().unwrap();
        let (circuit, backend) = (circuit.to_owned(), "columns".to_owned());
        let text = refused.to_string();
        let begin = format!("circuit {circuit}: the {backend} backend commits to other");
        assert!(text.starts_with(&begin), "{text}");
        assert_eq!(refused, SetupError::FixedRoot { circuit, backend });
    }
}

#[test]
fn traces_of_a_backend_are_checked_too() {
    let backend = Columns::default();
    let key = ProvingKey::with_backend(&backend, &system(), &fast(2)).unwrap();
    let refused = |change: &dyn Fn(&mut Trace)| {
        let mut witness = shard(&[5], Inner::Here, &[]);
        change(witness.traces[MEMORY].as_mut().unwrap());
        let witness = vec![backend.witness(&witness)];
        prove_with(&backend, &key, witness, &ProveOptions::default()).unwrap_err()
    };
    let error = refused(&|trace| trace.width = 2);
    assert!(matches!(error, ProveError::TraceWidth { expected: 4, got: 2, .. }), "{error:?}");
    let error = refused(&|trace| trace.values.truncate(12));
    assert!(matches!(error, ProveError::TraceHeight { cells: 12, .. }), "{error:?}");
}

#[test]
fn progress_names_every_stage_and_only_grows() {
    let seen = Mutex::new(Vec::new());
    let report = |step: Progress| seen.lock().unwrap().push(step);
    let options = ProveOptions { progress: Some(&report), ..ProveOptions::default() };
    let key = ProvingKey::new(&system(), &fast(2)).unwrap();
    prove(&key, two_shards(), &options).unwrap();
    let seen = seen.into_inner().unwrap();
    let stages: Vec<_> = seen.iter().map(|step| (step.stage, step.shard)).collect();
    let shard = |shard| [Stage::StageTwo, Stage::Quotient, Stage::Opening].map(|s| (s, shard));
    let mut expected = vec![(Stage::Main, 0), (Stage::Main, 1), (Stage::Lookup, 0)];
    expected.extend([shard(0), shard(1)].concat());
    assert_eq!(stages, expected);
    assert!(seen.is_sorted_by_key(|step| step.done) && seen[0].done == 0);
    assert!(seen.iter().all(|step| step.total == seen[0].total && step.done < step.total));
}
