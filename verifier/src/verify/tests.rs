//! Points inside a domain: too rare to be drawn, so the checks behind the draw are run with
//! points of the test's choice.

use p3_field::{Field, TwoAdicField};
use traceloom_air::system::{Arena, Circuit, CircuitKind, System};

use super::*;
use crate::proof::Opening;

/// One circuit of one column, about which nothing is said.
fn system() -> System {
    let circuit = Circuit {
        name: "free".into(),
        kind: CircuitKind::Function { members: vec![], recursive: false },
        width: 1,
        column_names: vec!["column".into()],
        num_publics: 0,
        arena: Arena::default(),
        constraints: vec![],
        lookups: vec![],
    };
    System { fingerprint: [3; 32], circuits: vec![circuit], entries: vec![], boundaries: vec![] }
}

/// What the verifier says of a shard of 2^`log_height` rows whose opening proof is empty and
/// whose constraints hold everywhere.
fn check<E: Extension>(log_height: usize, zeta: E, bound: Option<E>) -> VerifyError {
    let params = crate::Params { extension_degree: E::DEGREE, ..crate::Profile::Fast.params() };
    let key = VerifyingKey::new(&system(), &params).unwrap();
    let num_shards = 1 + usize::from(bound.is_some());
    let shape = ShardShape::new(&key, &[Some(log_height)], num_shards);
    let statement = ShardStatement {
        log_heights: vec![Some(log_height)],
        main: [0; 32],
        publics: vec![vec![]],
        claims: vec![],
        boundary: vec![],
        bound: bound.map_or(vec![], |_| vec![F::ZERO; E::DEGREE]),
    };
    let opened = shape.rounds.iter().map(|round| {
        let zeros = |matrix: &crate::shape::MatrixShape| vec![vec![E::ZERO; matrix.width]];
        round.matrices.iter().map(zeros).collect()
    });
    let opening = Opening {
        batch_witness: F::ZERO,
        fold_roots: vec![],
        fold_witnesses: vec![],
        inputs: vec![],
        folds: vec![],
        final_poly: vec![],
        query_witness: F::ZERO,
    };
    let proof = ShardProof {
        stage_two: None,
        terminals: vec![E::ZERO],
        quotient: [0; 32],
        zeta_witness: F::ZERO,
        opened: opened.collect(),
        opening,
    };
    let challenges = LookupChallenges { beta: E::ONE, gamma: E::TWO };
    let check = ShardCheck {
        key: &key,
        shape: &shape,
        statement: &statement,
        proof: &proof,
        challenges: &challenges,
        bound,
        shard: 1,
    };
    check.check_at(E::TWO, zeta, &mut Transcript::new()).unwrap_err()
}

/// Zero, all rows of the trace, and all rows of the committed coset, of the tallest trace.
fn inside(log_height: usize) -> Vec<F> {
    let rows = F::two_adic_generator(log_height).powers().take(1 << log_height);
    let committed = F::two_adic_generator(log_height + 2).shifted_powers(F::GENERATOR);
    let committed = committed.take(4 << log_height);
    std::iter::once(F::ZERO).chain(rows).chain(committed).collect()
}

/// In the trace domain the constraints are not compared with anything, since the vanishing
/// polynomial is zero there; in the committed coset an opened value is not compared with
/// the row at that place.
#[test]
fn zeta_in_a_domain_is_refused() {
    for log_height in [0, 1, 3] {
        for point in inside(log_height) {
            let refused = check(log_height, Quadratic::from(point), None);
            assert_eq!(refused, VerifyError::ZetaInDomain { shard: 1 }, "{point}");
            let refused = check(log_height, Cubic::from(point), None);
            assert_eq!(refused, VerifyError::ZetaInDomain { shard: 1 }, "{point}");
        }
        let outside = check(log_height, Quadratic::from_u64(12345), None);
        assert!(matches!(outside, VerifyError::Opening { shard: 1, .. }), "{outside:?}");
    }
}

#[test]
fn a_point_that_binds_a_shard_is_refused_in_a_domain() {
    let zeta = Cubic::from_u64(12345);
    for log_height in [0, 1, 3] {
        for point in inside(log_height) {
            let refused = check(log_height, zeta, Some(Cubic::from(point)));
            assert_eq!(refused, VerifyError::BoundInDomain { shard: 1 }, "{point}");
        }
        let outside = check(log_height, zeta, Some(Cubic::from_u64(54321)));
        assert!(matches!(outside, VerifyError::Opening { shard: 1, .. }), "{outside:?}");
    }
}
