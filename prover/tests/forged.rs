//! Every kind of forged proof is refused, with the error that names it.

mod common;

use common::{
    BYTES, FREE, Inner, MEMORY, OUTER, PLAIN, claim, fast, outer_value, shard, system, with_extras,
};
use traceloom_air::claim::Claim;
use traceloom_air::field::{Goldilocks, PrimeCharacteristicRing, element};
use traceloom_air::trace::ShardWitness;
use traceloom_prover::{ProveError, ProveOptions, ProvingKey, prove};
use traceloom_verifier::proof::{ShardProof, Shards};
use traceloom_verifier::scheme::Quadratic;
use traceloom_verifier::shape::ShapeError;
use traceloom_verifier::{Params, Profile, Proof, VerifyError, verify};

const FORGE: ProveOptions<'_> =
    ProveOptions { progress: None, rows_done: None, skip_self_checks: true };

struct Fixture {
    key: ProvingKey,
    claims: Vec<Claim>,
    proof: Proof,
}

fn witness() -> ShardWitness {
    with_extras(shard(&[5], Inner::Here, &[]), 1, 0)
}

fn fixture() -> Fixture {
    let key = ProvingKey::new(&system(), &fast(2)).unwrap();
    let (proof, _) = prove(&key, vec![witness()], &ProveOptions::default()).unwrap();
    Fixture { key, claims: vec![claim(5)], proof }
}

impl Fixture {
    fn verify(&self, proof: &Proof) -> Result<(), VerifyError> {
        verify(self.key.verifying_key(), &self.claims, proof).map(|_| ())
    }

    /// What the verifier says to this proof with the first shard changed.
    fn changed(&self, change: impl FnOnce(&mut ShardProof<Quadratic>)) -> VerifyError {
        let mut proof = self.proof.clone();
        let Shards::Quadratic(shards) = &mut proof.shards else { panic!("degree 2") };
        change(&mut shards[0]);
        self.verify(&proof).unwrap_err()
    }

    fn changed_statement(&self, change: impl FnOnce(&mut Proof)) -> VerifyError {
        let mut proof = self.proof.clone();
        change(&mut proof);
        self.verify(&proof).unwrap_err()
    }

    fn forged(&self, witness: ShardWitness) -> Result<(), VerifyError> {
        let (proof, _) = prove(&self.key, vec![witness], &FORGE).unwrap();
        self.verify(&proof)
    }
}

fn is_count(error: &VerifyError, what: &str) -> bool {
    matches!(error, VerifyError::Shape(ShapeError::Count { what: counted, .. }) if *counted == what)
}

/// Cells that mean nothing: padding of the memory, values and pointers of rows that
/// nobody loads are the prover's own, and a circuit without constraints is free.
fn is_free(circuit: usize, row: usize, column: usize) -> bool {
    match circuit {
        FREE => true,
        MEMORY => matches!((row, column), (0 | 2, 3) | (3, 2 | 3)),
        _ => false,
    }
}

#[test]
fn every_wrong_cell_is_refused() {
    let fixture = fixture();
    assert_eq!(fixture.verify(&fixture.proof), Ok(()));
    let honest = witness();
    for (circuit, trace) in honest.traces.iter().enumerate() {
        let Some(trace) = trace else { continue };
        for cell in 0..trace.values.len() {
            let (row, column) = (cell / trace.width, cell % trace.width);
            // The byte table's rows are all alike.
            if circuit == BYTES && !(5..9).contains(&row) {
                continue;
            }
            let mut wrong = honest.clone();
            wrong.traces[circuit].as_mut().unwrap().values[cell] += Goldilocks::ONE;
            let refused = fixture.forged(wrong).is_err();
            assert_eq!(refused, !is_free(circuit, row, column), "{circuit} {row} {column}");
        }
    }
}

#[test]
fn a_broken_constraint_is_found_out_of_domain() {
    let fixture = fixture();
    let mut wrong = witness();
    wrong.traces[PLAIN].as_mut().unwrap().values[1] += Goldilocks::ONE;
    let refused = fixture.forged(wrong);
    assert!(
        matches!(&refused, Err(VerifyError::Constraints { circuit, .. }) if circuit == "plain"),
        "{refused:?}"
    );
}

#[test]
fn the_prover_reports_what_it_is_asked_to_prove_wrongly() {
    let key = ProvingKey::new(&system(), &fast(2)).unwrap();
    let options = ProveOptions::default();
    let run = |witness: ShardWitness| prove(&key, vec![witness], &options).unwrap_err();
    let mut wrong = witness();
    wrong.traces[BYTES].as_mut().unwrap().values[21] += Goldilocks::ONE;
    assert_eq!(run(wrong), ProveError::Unbalanced);
    let mut wrong = witness();
    wrong.traces[PLAIN].as_mut().unwrap().width = 1;
    assert!(matches!(run(wrong), ProveError::TraceWidth { expected: 2, got: 1, .. }));
    let mut wrong = witness();
    wrong.traces[PLAIN].as_mut().unwrap().values.truncate(3);
    assert!(matches!(run(wrong), ProveError::TraceHeight { cells: 3, .. }));
    let mut wrong = witness();
    wrong.traces[PLAIN].as_mut().unwrap().values.clear();
    assert!(matches!(run(wrong), ProveError::TraceHeight { cells: 0, .. }));
    let mut wrong = witness();
    wrong.traces.pop();
    assert!(matches!(run(wrong), ProveError::Shape(ShapeError::Count { what: "traces", .. })));
    let mut wrong = witness();
    wrong.publics[MEMORY].clear();
    assert!(matches!(run(wrong), ProveError::Shape(ShapeError::Count { .. })));
    let mut wrong = witness();
    wrong.claims[0].claim.inputs.push(element(1));
    assert!(matches!(run(wrong), ProveError::Shape(ShapeError::Claim(_))));
    let mut wrong = witness();
    wrong.traces[BYTES].as_mut().unwrap().values.truncate(128 * 3);
    assert!(matches!(run(wrong), ProveError::Shape(ShapeError::FixedHeight { .. })));
    let mut wrong = witness();
    wrong.traces[BYTES] = None;
    assert_eq!(run(wrong), ProveError::Unbalanced);
    assert!(matches!(
        prove(&key, vec![], &options).unwrap_err(),
        ProveError::Shape(ShapeError::Shards { got: 0, .. })
    ));
}

#[test]
fn wrong_terminals_are_refused() {
    let fixture = fixture();
    let one = Quadratic::ONE;
    assert_eq!(fixture.changed(|shard| shard.terminals[0] += one), VerifyError::Unbalanced);
    let compensated = fixture.changed(|shard| {
        shard.terminals[0] += one;
        shard.terminals[1] -= one;
    });
    assert!(matches!(compensated, VerifyError::Constraints { .. }), "{compensated:?}");
    let elsewhere = fixture.changed(|shard| {
        // Circuits without lookups must not help out.
        shard.terminals[0] += one;
        shard.terminals[PLAIN] -= one;
    });
    assert!(
        matches!(elsewhere, VerifyError::Terminal { .. } | VerifyError::Constraints { .. }),
        "{elsewhere:?}"
    );
    for change in [
        |shard: &mut ShardProof<Quadratic>| shard.terminals.push(Quadratic::ZERO),
        |shard: &mut ShardProof<Quadratic>| shard.terminals.truncate(5),
        |shard: &mut ShardProof<Quadratic>| shard.terminals.clear(),
    ] {
        assert!(is_count(&fixture.changed(change), "terminals"));
    }
}

#[test]
fn surplus_and_missing_values_are_refused() {
    let fixture = fixture();
    let zero = Quadratic::ZERO;
    let Shards::Quadratic(shards) = &fixture.proof.shards else { panic!("degree 2") };
    let opened = shards[0].opened.clone();
    for (round, matrices) in opened.iter().enumerate() {
        for (matrix, points) in matrices.iter().enumerate() {
            for point in 0..points.len() {
                let at = |shard: &mut ShardProof<Quadratic>,
                          change: &dyn Fn(&mut Vec<Quadratic>)| {
                    change(&mut shard.opened[round][matrix][point]);
                };
                let error = fixture.changed(|shard| at(shard, &|values| values.push(zero)));
                assert!(is_count(&error, "opened values"));
                let error =
                    fixture.changed(|shard| at(shard, &|values| values.truncate(values.len() - 1)));
                assert!(is_count(&error, "opened values"));
            }
            let error = fixture.changed(|shard| shard.opened[round][matrix].push(vec![zero]));
            assert!(is_count(&error, "opened points"));
        }
        let error = fixture.changed(|shard| shard.opened[round].push(vec![vec![zero]]));
        assert!(is_count(&error, "opened matrices"));
    }
    let error = fixture.changed(|shard| shard.opened.push(vec![]));
    assert!(is_count(&error, "opened rounds"));
    assert!(is_count(&fixture.changed(|shard| shard.stage_two = None), "stage 2 roots"));
    let error = fixture.changed(|shard| drop(shard.opening.inputs.pop()));
    assert!(is_count(&error, "rounds of opened rows"));
}

#[test]
fn surplus_roots_and_openings_are_refused() {
    let fixture = fixture();
    type Change = fn(&mut ShardProof<Quadratic>);
    let changes: [Change; 9] = [
        |shard| shard.opening.fold_roots.push([0; 32]),
        |shard| shard.opening.fold_roots.truncate(1),
        |shard| shard.opening.fold_witnesses.push(Goldilocks::ZERO),
        |shard| shard.opening.folds.push(shard.opening.folds[0].clone()),
        |shard| shard.opening.folds[0].path.push([0; 32]),
        |shard| shard.opening.folds[0].siblings[0].push(Quadratic::ZERO),
        |shard| shard.opening.inputs[0].path.push([0; 32]),
        |shard| shard.opening.inputs[0].rows[0][0].push(Goldilocks::ZERO),
        |shard| shard.opening.final_poly.push(Quadratic::ZERO),
    ];
    for (index, change) in changes.into_iter().enumerate() {
        let error = fixture.changed(change);
        assert!(matches!(error, VerifyError::Opening { .. }), "{index}: {error:?}");
    }
}

#[test]
fn grinding_witnesses_are_zero_at_zero_bits() {
    let fixture = fixture();
    let error = fixture.changed_statement(|proof| proof.lookup_witness = Goldilocks::ONE);
    assert_eq!(error, VerifyError::LookupWitness);
    let error = fixture.changed(|shard| shard.zeta_witness = Goldilocks::ONE);
    assert_eq!(error, VerifyError::ZetaWitness { shard: 0 });
    for change in [
        |shard: &mut ShardProof<Quadratic>| shard.opening.batch_witness = Goldilocks::ONE,
        |shard: &mut ShardProof<Quadratic>| shard.opening.query_witness = Goldilocks::ONE,
        |shard: &mut ShardProof<Quadratic>| shard.opening.fold_witnesses[0] = Goldilocks::ONE,
    ] {
        let error = fixture.changed(change);
        assert!(matches!(error, VerifyError::Opening { .. }), "{error:?}");
    }
}

#[test]
fn grinding_is_checked_where_there_is_some() {
    let params = Params {
        lookup_pow_bits: 8,
        zeta_pow_bits: 8,
        batch_pow_bits: 8,
        query_pow_bits: 8,
        commit_pow_bits: 8,
        ..fast(2)
    };
    let key = ProvingKey::new(&system(), &params).unwrap();
    let (proof, _) = prove(&key, vec![witness()], &ProveOptions::default()).unwrap();
    let fixture = Fixture { key, claims: vec![claim(5)], proof };
    assert_eq!(fixture.verify(&fixture.proof), Ok(()));
    // Wrong with probability 255/256 each, and fixed by the fixture.
    let error = fixture.changed_statement(|proof| proof.lookup_witness += Goldilocks::ONE);
    assert_eq!(error, VerifyError::LookupWitness);
    let error = fixture.changed(|shard| shard.zeta_witness += Goldilocks::ONE);
    assert_eq!(error, VerifyError::ZetaWitness { shard: 0 });
    let error = fixture.changed(|shard| shard.opening.batch_witness += Goldilocks::ONE);
    assert!(matches!(error, VerifyError::Opening { .. }));
    let error = fixture.changed(|shard| shard.opening.query_witness += Goldilocks::ONE);
    assert!(matches!(error, VerifyError::Opening { .. }));
}

#[test]
fn what_the_proof_says_is_only_compared() {
    let fixture = fixture();
    let error = fixture.changed_statement(|proof| proof.params = Profile::Standard.params());
    assert_eq!(error, VerifyError::Params);
    let error = fixture.changed_statement(|proof| proof.params.num_queries -= 1);
    assert_eq!(error, VerifyError::Params);
    let error = fixture.changed_statement(|proof| proof.fingerprint[31] ^= 1);
    assert_eq!(error, VerifyError::Fingerprint);
    let error = fixture.changed_statement(|proof| proof.shards = Shards::Cubic(vec![]));
    assert_eq!(error, VerifyError::ShardProofs { expected: 1, got: 0 });
    let weaker = ProvingKey::new(&system(), &Params { num_queries: 9, ..fast(2) }).unwrap();
    let refused = verify(weaker.verifying_key(), &fixture.claims, &fixture.proof);
    assert_eq!(refused.unwrap_err(), VerifyError::Params);
}

#[test]
fn a_proof_for_another_system_is_refused() {
    let fixture = fixture();
    let mut other = system();
    // The same names and fingerprint, but y = x^2 + 2 g would be another statement.
    other.circuits[PLAIN].constraints.clear();
    let other = ProvingKey::new(&other, &fast(2)).unwrap();
    let refused = verify(other.verifying_key(), &fixture.claims, &fixture.proof);
    assert!(refused.is_err());
}

#[test]
fn wrong_claims_are_refused() {
    let fixture = fixture();
    let key = fixture.key.verifying_key();
    for claims in [vec![], vec![claim(6)], vec![claim(5), claim(5)]] {
        let refused = verify(key, &claims, &fixture.proof);
        assert_eq!(refused.unwrap_err(), VerifyError::Claims);
    }
    let mut wrong = claim(5);
    wrong.outputs[0] += Goldilocks::ONE;
    let mut proof = fixture.proof.clone();
    proof.statements[0].claims[0].claim = wrong.clone();
    let refused = verify(key, std::slice::from_ref(&wrong), &proof);
    assert_eq!(refused.unwrap_err(), VerifyError::Unbalanced);
    let mut witness = witness();
    witness.claims[0].claim = wrong.clone();
    let (proof, _) = prove(&fixture.key, vec![witness], &FORGE).unwrap();
    let refused = verify(key, std::slice::from_ref(&wrong), &proof);
    assert_eq!(refused.unwrap_err(), VerifyError::Unbalanced);
    let mut short = claim(5);
    short.outputs.clear();
    let mut proof = fixture.proof.clone();
    proof.statements[0].claims[0].claim = short.clone();
    let refused = verify(key, &[short], &proof).unwrap_err();
    assert!(matches!(refused, VerifyError::Shape(ShapeError::Claim(_))));
    let mut proof = fixture.proof.clone();
    proof.statements[0].claims[0].rank = Some(1);
    let refused = fixture.verify(&proof).unwrap_err();
    assert!(matches!(refused, VerifyError::Shape(ShapeError::Claim(_))));
}

#[test]
fn an_idle_row_cannot_answer() {
    let fixture = fixture();
    let mut wrong = witness();
    // All constraints of the row off: it would return any result.
    let lie = element(77);
    let cells = [Goldilocks::ONE, Goldilocks::ZERO, element(5), lie, Goldilocks::ZERO];
    wrong.traces[OUTER].as_mut().unwrap().values.copy_from_slice(&cells);
    let lie = Claim { function: 0, inputs: vec![element(5)], outputs: vec![lie] };
    assert_ne!(lie.outputs[0], outer_value(element(5)));
    wrong.claims[0].claim = lie.clone();
    let (proof, _) = prove(&fixture.key, vec![wrong], &FORGE).unwrap();
    assert!(verify(fixture.key.verifying_key(), &[lie], &proof).is_err());
}

#[test]
fn wrong_first_pointers_are_refused() {
    let fixture = fixture();
    let mut wrong = witness();
    wrong.publics[MEMORY][0] += Goldilocks::ONE;
    let refused = fixture.forged(wrong).unwrap_err();
    assert!(matches!(refused, VerifyError::Constraints { circuit, .. } if circuit == "memory1"));
    let set = |pointer: u64| {
        fixture.changed_statement(|proof| proof.statements[0].publics[MEMORY][0] = element(pointer))
    };
    let refused = set(1 << 32);
    let VerifyError::Shape(ShapeError::FirstPointer { got, .. }) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!(got, 1 << 32);
    // Four rows.
    let refused = set((1 << 32) - 3);
    assert!(matches!(refused, VerifyError::Shape(ShapeError::MemoryEnd { rows: 4, .. })));
    assert!(!matches!(set((1 << 32) - 4), VerifyError::Shape(_)));
    let refused =
        fixture.changed_statement(|proof| proof.statements[0].publics[OUTER] = vec![element(1)]);
    assert!(is_count(&refused, "public values"));
}

#[test]
fn heights_and_activity_are_checked() {
    let fixture = fixture();
    let set = |circuit: usize, height: Option<usize>| {
        fixture.changed_statement(|proof| proof.statements[0].log_heights[circuit] = height)
    };
    for height in [0, 7, 9] {
        let refused = set(BYTES, Some(height));
        assert!(
            matches!(refused, VerifyError::Shape(ShapeError::FixedHeight { .. })),
            "{refused:?}"
        );
    }
    for height in [27, 33, 64, u32::MAX as usize] {
        let refused = set(OUTER, Some(height));
        assert!(matches!(refused, VerifyError::Shape(ShapeError::Height { .. })), "{refused:?}");
    }
    assert!(matches!(set(OUTER, Some(1)), VerifyError::Unbalanced));
    for circuit in [FREE, BYTES] {
        assert!(is_count(&set(circuit, None), "terminals"));
    }
    let refused = fixture.changed_statement(|proof| proof.statements.clear());
    assert!(matches!(refused, VerifyError::Claims));
}
