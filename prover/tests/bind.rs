//! The shards of a batch of several are bound, each at a point of its own, before the
//! challenges that they share.

mod common;

use std::collections::HashSet;

use common::{F, Inner, PLAIN, batch, claim, fast, shard, system, with_extras};
use traceloom_air::claim::Claim;
use traceloom_air::field::PrimeCharacteristicRing;
use traceloom_air::system::System;
use traceloom_air::trace::ShardWitness;
use traceloom_prover::{ProveOptions, ProvingKey, prove, prove_with};
use traceloom_second_backend::{Columns, ForgedBinding};
use traceloom_verifier::codec::DecodeErrorKind;
use traceloom_verifier::proof::{ShardStatement, Shards};
use traceloom_verifier::scheme::{Cubic, Quadratic};
use traceloom_verifier::shape::ShapeError;
use traceloom_verifier::{Params, Proof, VerifyError, steps, verify};

const FORGE: ProveOptions<'_> =
    ProveOptions { progress: None, rows_done: None, skip_self_checks: true };

struct Fixture {
    key: ProvingKey,
    claims: Vec<Claim>,
    proof: Proof,
}

fn witnesses() -> Vec<ShardWitness> {
    let first = with_extras(shard(&[1, 2], Inner::Elsewhere, &[]), 3, 0);
    batch(vec![first, shard(&[4], Inner::Here, &[1, 2])])
}

fn fixture(params: &Params, witnesses: Vec<ShardWitness>, inputs: &[u64]) -> Fixture {
    let key = ProvingKey::new(&system(), params).unwrap();
    let (proof, _) = prove(&key, witnesses, &ProveOptions::default()).unwrap();
    Fixture { key, claims: inputs.iter().map(|&x| claim(x)).collect(), proof }
}

impl Fixture {
    fn two_shards() -> Self {
        fixture(&fast(2), witnesses(), &[1, 2, 4])
    }

    fn verify(&self, proof: &Proof) -> Result<(), VerifyError> {
        verify(self.key.verifying_key(), &self.claims, proof).map(|_| ())
    }

    fn changed(&self, change: impl FnOnce(&mut Proof)) -> VerifyError {
        let mut proof = self.proof.clone();
        change(&mut proof);
        self.verify(&proof).unwrap_err()
    }
}

fn is_missing(refused: &VerifyError, expected: usize, got: usize) -> bool {
    let text = format!("expected {expected} coefficients of bound values, got {got}");
    matches!(refused, VerifyError::Shape(ShapeError::Count { .. }))
        && refused.to_string().ends_with(&text)
}

#[test]
fn all_main_columns_of_each_shard_are_bound() {
    for degree in [2, 3] {
        let fixture = fixture(&fast(degree), witnesses(), &[1, 2, 4]);
        assert_eq!(fixture.verify(&fixture.proof), Ok(()));
        let decoded = Proof::decode(&fixture.proof.encode()).unwrap();
        assert_eq!(decoded, fixture.proof);
        // outer, plain, free, bytes1; and outer, inner, memory1, bytes1.
        let widths = [5 + 2 + 1 + 3, 5 + 13 + 4 + 3];
        for (statement, width) in fixture.proof.statements.iter().zip(widths) {
            assert_eq!(statement.bound.len(), degree * width);
        }
    }
}

/// A shard alone needs no such values, and may not have any.
#[test]
fn a_shard_alone_is_not_bound() {
    let fixture = fixture(&fast(2), vec![shard(&[5], Inner::Here, &[])], &[5]);
    assert!(fixture.proof.statements[0].bound.is_empty());
    let refused = fixture.changed(|proof| proof.statements[0].bound = vec![F::ONE; 50]);
    assert!(is_missing(&refused, 0, 50), "{refused}");
}

#[test]
fn changed_swapped_and_missing_values_are_refused() {
    let fixture = Fixture::two_shards();
    for shard in 0..2 {
        for at in 0..fixture.proof.statements[shard].bound.len() {
            let refused = fixture.changed(|proof| proof.statements[shard].bound[at] += F::ONE);
            assert_eq!(refused, VerifyError::Unbalanced);
        }
        let expected = fixture.proof.statements[shard].bound.len();
        for got in [0, expected - 2, expected - 1, expected + 1, expected + 2] {
            let resize = |proof: &mut Proof| proof.statements[shard].bound.resize(got, F::ONE);
            let refused = fixture.changed(resize);
            assert!(is_missing(&refused, expected, got), "{refused}");
        }
    }
    // x and y of the outer function.
    let refused = fixture.changed(|proof| proof.statements[1].bound.swap(4, 6));
    assert_eq!(refused, VerifyError::Unbalanced);
    let refused = fixture.changed(|proof| {
        let [first, second] = &mut proof.statements[..] else { panic!("two shards") };
        std::mem::swap(&mut first.bound, &mut second.bound);
    });
    assert!(is_missing(&refused, 22, 50), "{refused}");
    // In the opening as well, which has no place for them.
    let refused = fixture.changed(|proof| {
        let Shards::Quadratic(shards) = &mut proof.shards else { panic!("degree 2") };
        let main = shards[0].opened.iter_mut().find(|round| round.len() == 4).unwrap();
        main[0].push(vec![Quadratic::ONE; 5]);
    });
    assert!(refused.to_string().ends_with("expected 1 opened points, got 2"), "{refused}");
}

/// Squares only: no lookups and no claims, so that two shards may state the same.
fn squares() -> System {
    let mut system = system();
    system.circuits = vec![system.circuits[PLAIN].clone()];
    system.entries.clear();
    system
}

fn square_shard(log_height: usize) -> ShardWitness {
    let witness = with_extras(shard(&[5], Inner::Here, &[]), log_height, 0);
    let traces = vec![witness.traces[PLAIN].clone()];
    ShardWitness { traces, publics: vec![vec![]], claims: vec![], boundary: vec![] }
}

/// What the verifier says of a proof by the second backend, its transcript consistent.
fn forged(forged: Option<ForgedBinding>, shards: &[ShardWitness]) -> Result<(), VerifyError> {
    let backend = forged.map_or_else(Columns::default, Columns::forging);
    let key = ProvingKey::with_backend(&backend, &squares(), &fast(3)).unwrap();
    let witnesses = shards.iter().map(|shard| backend.witness(shard)).collect();
    let (proof, _) = prove_with(&backend, &key, witnesses, &FORGE).unwrap();
    verify(key.verifying_key(), &[], &proof).map(|_| ())
}

/// A prover that binds another value than its column has plays the whole protocol with it:
/// it is the opening that refuses.
#[test]
fn other_values_than_the_committed_ones_are_refused_by_the_opening() {
    let shards = [square_shard(4), square_shard(3)];
    assert_eq!(forged(None, &shards), Ok(()));
    let refused = forged(Some(ForgedBinding::Value), &shards).unwrap_err();
    assert!(matches!(refused, VerifyError::Opening { shard: 0, .. }), "{refused:?}");
}

/// Two shards that state the same are bound at different points, and a prover that uses
/// the first one's for both is refused at the second.
#[test]
fn a_point_of_another_index_is_refused() {
    let shards = [square_shard(4), square_shard(4)];
    assert_eq!(forged(None, &shards), Ok(()));
    let refused = forged(Some(ForgedBinding::FirstPoint), &shards).unwrap_err();
    assert!(matches!(refused, VerifyError::Opening { shard: 1, .. }), "{refused:?}");
}

/// Values of the right widths that belong to another shard.
#[test]
fn values_swapped_between_equal_shards_are_refused() {
    let key = ProvingKey::new(&squares(), &fast(2)).unwrap();
    let shards = vec![square_shard(4), square_shard(4)];
    let (mut proof, _) = prove(&key, shards, &ProveOptions::default()).unwrap();
    assert!(verify(key.verifying_key(), &[], &proof).is_ok());
    let [first, second] = &mut proof.statements[..] else { panic!("two shards") };
    assert_eq!(first.main, second.main);
    assert_ne!(first.bound, second.bound);
    std::mem::swap(&mut first.bound, &mut second.bound);
    assert!(verify(key.verifying_key(), &[], &proof).is_err());
}

/// A change of a statement.
type Change<'a> = &'a dyn Fn(&mut ShardStatement);

/// The point is that of parameters, number of shards, system, index and own statement; what
/// it is drawn for comes later.
#[test]
fn a_point_depends_on_its_own_shard_alone() {
    let fixture = Fixture::two_shards();
    let key = fixture.key.verifying_key();
    let statement = &fixture.proof.statements[1];
    let point = |num_shards, index, change: Change<'_>| -> Cubic {
        let mut statement = statement.clone();
        change(&mut statement);
        steps::bound_point(&steps::seed(key, num_shards), index, &statement)
    };
    let own = point(2, 1, &|_| ());
    assert_eq!(point(2, 1, &|statement| statement.bound.clear()), own);
    let others: [(usize, usize, Change<'_>); 6] = [
        (2, 0, &|_| ()),
        (3, 1, &|_| ()),
        (2, 1, &|statement| statement.main[31] ^= 1),
        (2, 1, &|statement| statement.log_heights[0] = Some(7)),
        (2, 1, &|statement| statement.publics[common::MEMORY][0] += F::ONE),
        (2, 1, &|statement| statement.claims = fixture.proof.statements[0].claims.clone()),
    ];
    let mut points = HashSet::from([own]);
    for (num_shards, index, change) in others {
        assert!(points.insert(point(num_shards, index, change)));
    }
    let other = ProvingKey::new(&system(), &Params { num_queries: 11, ..fast(2) }).unwrap();
    let seed = steps::seed(other.verifying_key(), 2);
    assert!(points.insert(steps::bound_point(&seed, 1, statement)));
    let other = ProvingKey::new(&squares(), &fast(2)).unwrap();
    let seed = steps::seed(other.verifying_key(), 2);
    assert!(points.insert(steps::bound_point(&seed, 1, statement)));
}

/// The lists of bound values stand behind the statements, and are admitted as all lists are.
#[test]
fn lengths_of_bound_values_are_limited_by_the_file() {
    let fixture = Fixture::two_shards();
    let bytes = fixture.proof.encode();
    let mut other = fixture.proof.clone();
    other.statements[0].bound[0] += F::ONE;
    let mut pairs = bytes.iter().zip(other.encode()).enumerate();
    let first = pairs.find_map(|(at, (old, new))| (*old != new).then_some(at)).unwrap();
    let length = first / 8 * 8 - 8;
    assert_eq!(bytes[length..length + 8], 22u64.to_le_bytes());
    for wrong in [u64::MAX, 1 << 40, bytes.len() as u64 / 8] {
        let mut file = bytes.clone();
        file[length..length + 8].copy_from_slice(&wrong.to_le_bytes());
        let error = Proof::decode(&file).unwrap_err();
        assert_eq!((error.offset, error.field), (length, "bound values"));
        assert_eq!(error.kind, DecodeErrorKind::Length(wrong));
    }
    let mut file = bytes.clone();
    file[length + 8..length + 16].copy_from_slice(&u64::MAX.to_le_bytes());
    let error = Proof::decode(&file).unwrap_err();
    assert_eq!(error.kind, DecodeErrorKind::NonCanonical(u64::MAX));
    let error = Proof::decode(&bytes[..length + 4]).unwrap_err();
    assert_eq!(error.field, "bound values");
}
