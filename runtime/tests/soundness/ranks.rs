//! Rule 2, well-founded calls: nothing justifies itself, in however many steps.

use traceloom_air::claim::{Claim, ClaimError};
use traceloom_air::field::{element, word};
use traceloom_air::system::{CircuitKind, Direction, MAX_RECURSIVE_ROWS};
use traceloom_bytecode::execute::{Limits, execute};
use traceloom_verifier::shape::ShapeError;
use traceloom_verifier::{VerifyError, verify};

use crate::lab::{Lab, load, minus, quotient};

const LOOP: &str = r#"
program "loop"
fn f(x) -> 1 entry {
  y = call f(x)
  return y
}
end
"#;

/// A row of a function that calls once: auxiliaries are multiplicity, rank, output.
fn lone_row(multiplicity: u64, rank: u64) -> Vec<(&'static str, u64)> {
    vec![
        ("input0", 5),
        ("selector0", 1),
        ("multiplicity", multiplicity),
        ("auxiliary1", rank),
        ("auxiliary2", 99),
    ]
}

/// The system where calls of `circuit` ask for the rank of the row itself.
fn asking_for_the_own_rank(lab: &Lab, circuit: usize) -> Lab {
    lab.with_system(|system| {
        let lookups = &mut system.circuits[circuit].lookups;
        assert_eq!(lookups.len(), 2);
        lookups[1].arguments[2] = lookups[0].arguments[2];
    })
}

#[test]
fn rule_2_no_execution_goes_round_in_circles() {
    let program = load(LOOP);
    let f = program.find("f").unwrap();
    let run = execute(&program, &[(f, vec![5])], Default::default(), &Limits::default());
    let error = run.unwrap_err().to_string();
    assert!(error.contains("f"), "{error}");
}

/// f(5) = 99 because f(5) = 99, by a call that has no gap.
#[test]
fn rule_2_a_lone_call_does_not_answer_itself() {
    for rank in [7, 0, u32::MAX] {
        let mut lab = Lab::empty(LOOP);
        // The claim and the row itself.
        lab.add_row("f", &lone_row(2, rank.into()));
        lab.claim("f", Some(rank), &[5], &[99]);
        assert_eq!(lab.check().num_constraints, 0);
        lab.refused("message of function 0");
        // Without the 1 the forgery would pass.
        asking_for_the_own_rank(&lab, 0).accepted();
    }
}

const PAIR: &str = r#"
program "pair"
fn f(x) -> 1 entry {
  y = call g(x)
  return y
}
fn g(x) -> 1 {
  y = call f(x)
  return y
}
end
"#;

/// f(5) = 99 because g(5) = 99 because f(5) = 99: neither call has a gap.
#[test]
fn rule_2_lone_calls_do_not_justify_each_other() {
    let cycle = |ranks: [u64; 2]| {
        let mut lab = Lab::empty(PAIR);
        lab.add_row("f", &lone_row(2, ranks[0]));
        lab.add_row("g", &lone_row(1, ranks[1]));
        lab.claim("f", Some(ranks[0] as u32), &[5], &[99]);
        assert_eq!(lab.check().num_constraints, 0);
        lab
    };
    // In order, reversed, equal, and around zero: one call is never answered.
    for ranks in [[9, 8], [8, 9], [9, 9], [0, minus(1)], [1, 0]] {
        cycle(ranks).refused_by_check("message of function ");
    }
    let equal = cycle([9, 9]);
    equal.refused_by_verify();
    asking_for_the_own_rank(&asking_for_the_own_rank(&equal, 0), 1).accepted();
}

const FORK: &str = r#"
program "fork"
fn f(x) -> 1 entry {
  y = call g(x)
  z = call f(y)
  return z
}
fn g(x) -> 1 {
  y = call f(x)
  return y
}
end
"#;

/// Columns of `f` in FORK: multiplicity, rank, output of g and its gap, output of f and
/// its gap. f(5) = 5 because g(5) = 5, where f has `ranks[0]`, and because f(5) = 5;
/// g(5) = 5 because f(5) = 5, by a lone call.
fn forked(ranks: [u64; 2], gaps: [[u64; 2]; 2]) -> Lab {
    let mut lab = Lab::empty(FORK);
    let mut f =
        vec![("input0", 5), ("selector0", 1), ("multiplicity", 3), ("auxiliary1", ranks[0])];
    f.extend([("auxiliary2", 5), ("auxiliary5", 5)]);
    let (first, second) = (["auxiliary3", "auxiliary4"], ["auxiliary6", "auxiliary7"]);
    f.extend(first.into_iter().zip(gaps[0]));
    f.extend(second.into_iter().zip(gaps[1]));
    lab.add_row("f", &f);
    let g = [("input0", 5), ("selector0", 1), ("multiplicity", 1), ("auxiliary2", 5)];
    let g = lab.add_row("g", &g);
    lab.set("g", g, "auxiliary1", ranks[1]);
    lab.claim("f", Some(ranks[0] as u32), &[5], &[5]);
    // What is in range is counted.
    for limb in gaps.as_flattened().iter().filter_map(|&limb| u16::try_from(limb).ok()) {
        lab.count_limb(limb, 1);
    }
    assert_eq!(lab.check().num_constraints, 0);
    lab
}

/// -1 closes the circle of f alone, -2 that through g, whose call has no gap.
#[test]
fn rule_2_a_circle_needs_a_gap_below_zero() {
    let lab = forked([9, 10], [[minus(2), 0], [minus(1), 0]]);
    lab.refused("u16_range_check");
    let report = lab.check();
    assert_eq!((report.num_constraints, report.num_messages), (0, 2), "{report}");
    // Without the range checks of gaps the forgery would pass.
    let mut unchecked = lab.with_system(|system| {
        let lookups = &mut system.circuits[0].lookups;
        assert_eq!(lookups.len(), 7);
        *lookups = [0, 1, 4].map(|kept| lookups[kept].clone()).to_vec();
    });
    // Upper halves of the gaps.
    unchecked.count_limb(0, -2);
    unchecked.accepted();
    // Ranks may wrap around zero, but that closes no circle either.
    forked([0, 1], [[minus(2), 0], [minus(1), 0]]).refused_by_check("u16_range_check");
    // With gaps in range the circles stay open.
    forked([9, 8], [[0; 2]; 2]).refused_by_check("message of function 0");
}

#[test]
fn rule_2_no_limbs_make_a_gap_below_zero() {
    // Both limbs at their largest give 2^32 - 1, the smallest are not below zero.
    let lab = forked([7, minus((1 << 32) - 7)], [[65_535; 2]; 2]);
    lab.refused_by_check("message of function 0");
    // -1 = 2^32·(2^32 - 1), so limbs of 2^16 and more are needed.
    for gap in [[minus(1), 0], [65_535, minus(1)], [0, quotient(minus(1), 1 << 16)]] {
        let report = forked([7, 6], [[0; 2], gap]).check();
        assert!(report.to_string().contains("u16_range_check"), "{gap:?}: {report}");
    }
}

/// The rank in the claim is the prover's choice, and chosen freely it helps nothing.
#[test]
fn rule_2_a_claim_of_another_rank_is_not_answered() {
    for rank in [0, 6, 8, u32::MAX] {
        let mut lab = Lab::empty(LOOP);
        lab.add_row("f", &lone_row(1, 7));
        // The row asks for rank 6; a claim of that rank is one more use, no provider.
        lab.claim("f", Some(rank), &[5], &[99]);
        lab.refused_by_check("message of function 0");
    }
}

const CHAIN: &str = r#"
program "chain"
circuit main
circuit down
fn main(x) -> 1 entry {
  y = call down(x)
  return y
}
fn down(x) -> 1 entry {
  match x {
    case 0 { return x }
    default {
      one = const 1
      less = sub x, one
      y = call down(less)
      return y
    }
  }
}
end
"#;

/// Columns of `down`: input, two selectors, multiplicity, rank, inverse witness, output.
/// Row 0 is down(0), rows 1 and 2 are down(2) and down(1).
#[test]
fn rule_2_the_callee_of_a_lone_call_has_one_less() {
    let honest = Lab::new(CHAIN, &[("main", &[2])]);
    honest.accepted();
    let ranks = [(0, 0), (1, 2), (2, 1)];
    for (row, rank) in ranks {
        let mut lab = honest.clone();
        assert_eq!(lab.get("down", row, "auxiliary1"), rank);
        for other in [rank + 1, rank + 300, minus(1)] {
            lab.set("down", row, "auxiliary1", other);
            lab.refused_by_check("message of function 1");
        }
    }
    let mut lab = honest.clone();
    lab.set("main", 0, "auxiliary2", 3);
    lab.refused_by_check("message of function 1");
    // Where ranks begin is free: all of them may be larger, or begin below zero.
    for more in [300, minus(2)] {
        let mut lab = honest.clone();
        let shifted = |rank: u64| word(element(rank) + element(more));
        for (row, rank) in ranks {
            lab.set("down", row, "auxiliary1", shifted(rank));
        }
        lab.set("main", 0, "auxiliary2", shifted(2));
        lab.accepted();
    }
}

const FAN: &str = r#"
program "fan"
circuit main
circuit down
fn main(x) -> 1 entry {
  y = call down(x)
  return y
}
fn down(x) -> 1 entry {
  match x {
    case 0 { return x }
    default {
      one = const 1
      less = sub x, one
      y = call down(less)
      zero = const 0
      z = call down(zero)
      s = add y, z
      return s
    }
  }
}
end
"#;

/// Columns of `down`: input, two selectors, multiplicity, rank, inverse witness, then per
/// call its output and gap limbs. Row 0 is down(0), row 1 is down(1).
#[test]
fn rule_2_a_callee_has_the_smaller_rank() {
    let honest = Lab::new(FAN, &[("main", &[1])]);
    honest.accepted();
    let mut lab = honest.clone();
    assert_eq!(lab.get("down", 0, "auxiliary1"), 0);
    assert_eq!(lab.get("down", 1, "auxiliary1"), 1);
    assert_eq!(lab.get("down", 1, "auxiliary4"), 0);
    // A larger rank, and an equal one.
    for (rank, gap) in [(3, minus(3)), (1, minus(1))] {
        let mut lab = honest.clone();
        lab.set("down", 0, "auxiliary1", rank);
        lab.set("down", 1, "auxiliary4", gap);
        lab.set("down", 1, "auxiliary7", gap);
        lab.count_limb(0, -2);
        let report = lab.check();
        assert_eq!((report.num_constraints, report.num_messages), (0, 1), "{report}");
        lab.refused("u16_range_check");
    }
}

#[test]
fn rule_2_rank_and_gap_are_tied_to_the_messages() {
    let honest = Lab::new(FAN, &[("main", &[2])]);
    honest.accepted();
    for (circuit, row, column) in [
        ("down", 1, "auxiliary1"),
        ("down", 1, "auxiliary4"),
        ("down", 1, "auxiliary7"),
        ("down", 2, "auxiliary5"),
        ("down", 2, "auxiliary8"),
        // The rank that a caller from outside asks for.
        ("main", 0, "auxiliary2"),
    ] {
        let mut lab = honest.clone();
        let value = lab.get(circuit, row, column);
        lab.set(circuit, row, column, value + 1);
        lab.refused_by_check("message of function 1");
    }
    // Larger gaps are as good as small ones: ranks need not be dense.
    let mut lab = honest.clone();
    let top = lab.get("down", 1, "auxiliary1");
    assert_eq!([lab.get("down", 1, "auxiliary4"), lab.get("down", 1, "auxiliary7")], [0, 1]);
    lab.set("down", 1, "auxiliary1", top + 70_000);
    for (low, high, gap) in
        [("auxiliary4", "auxiliary5", 70_000), ("auxiliary7", "auxiliary8", 70_001)]
    {
        let limbs = [gap % (1 << 16), gap >> 16];
        lab.set("down", 1, low, limbs[0]);
        lab.set("down", 1, high, limbs[1]);
        limbs.iter().for_each(|&limb| lab.count_limb(limb as u16, 1));
    }
    lab.set("main", 0, "auxiliary2", top + 70_000);
    // Both gaps were small: 0, 0 and 1, 0.
    lab.count_limb(0, -3);
    lab.count_limb(1, -1);
    lab.accepted();
}

/// A call that is not alone on its path, and has no gap by mistake, closes no circle. But
/// honest rows have nothing to ask: down(2) calls down(1) and down(0), whose ranks differ.
#[test]
fn rule_2_a_call_beside_another_cannot_do_without_a_gap() {
    let honest = Lab::new(FAN, &[("main", &[2])]);
    let index = honest.circuit("down");
    let mistaken = |position: usize| {
        honest.with_system(|system| {
            let circuit = &mut system.circuits[index];
            // Selector of the default, and rank.
            let [gate, rank] = [2, 4].map(|column| circuit.arena.main(column));
            let one = circuit.arena.word(1);
            let less = circuit.arena.sub(rank, one);
            circuit.lookups[position].arguments[2] = circuit.arena.mul(gate, less);
        })
    };
    // The call of down(n - 1) had gap 0, so it loses nothing.
    mistaken(1).with_short_byte_tables().accepted();
    // The call of down(0) had gap 1 in down(2). No ranks of the three rows will do: it
    // would take one rank for down(1) and down(0), of which one calls the other.
    let mistaken = mistaken(4);
    mistaken.refused("message of function 1");
    for ranks in [[0, 2, 1], [1, 2, 1], [0, 1, 1], [0, 1, 0], [minus(1), 0, minus(1)]] {
        let mut lab = mistaken.clone();
        for (row, rank) in ranks.into_iter().enumerate() {
            lab.set("down", row, "auxiliary1", rank);
        }
        lab.set("main", 0, "auxiliary2", ranks[1]);
        lab.refused_by_check("message of function 1");
    }
}

/// The rank of a claim is no part of the statement, but it has to be there, and to
/// be the one of the row that answers.
#[test]
fn rule_2_a_claim_of_a_ranked_function_carries_its_rank() {
    let lab = Lab::new(CHAIN, &[("down", &[2])]);
    assert_eq!(lab.shards[0].claims[0].rank, Some(2));
    let proof = lab.prove();
    assert_eq!(lab.verify(&proof), Ok(()));
    let mut other = proof.clone();
    other.statements[0].claims[0].rank = Some(1);
    assert_eq!(lab.verify(&other), Err(VerifyError::Unbalanced));
    // Without a rank the input would stand where the rank belongs.
    other.statements[0].claims[0].rank = None;
    let refused = lab.verify(&other).unwrap_err();
    let VerifyError::Shape(ShapeError::Claim(ClaimError::Arity { what, got, .. })) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!((what, got), ("ranks", 0));
}

/// Cycles that close through a default, through a continuation, or through a
/// member of another circuit are cycles too.
#[test]
fn rule_2_every_constrained_cycle_is_ranked() {
    let source = r#"
        program "cycles"
        circuit "by default", plain
        circuit "by continuation"
        circuit outside
        fn "by default"(x) -> 1 {
          match x {
            case 0 { return x }
            default {
              y = call "by continuation"(x)
              return y
            }
          }
        }
        fn "by continuation"(x) -> 1 {
          r = match_continue x {
            case 0 { return x }
            default { yield x }
          }
          y = call "by default"(r)
          z = call "by default"(y)
          return z
        }
        fn plain(x) -> 1 { return x }
        fn outside(x) -> 1 entry {
          y = call "by default"(x)
          z = call_unconstrained outside(y)
          return z
        }
        end
    "#;
    let lab = Lab::empty(source);
    let ranked = |name: &str| lab.program.callgraph().is_ranked(lab.program.find(name).unwrap());
    assert!(ranked("by default") && ranked("by continuation"));
    // Advice proves nothing, so it closes no cycle.
    assert!(!ranked("plain") && !ranked("outside"));
    let counted: Vec<bool> = lab.system.circuits[..3]
        .iter()
        .map(|circuit| matches!(circuit.kind, CircuitKind::Function { recursive: true, .. }))
        .collect();
    // One ranked member is enough for the whole circuit's rows to count.
    assert_eq!(counted, [true, true, false]);
    // Two calls on one path check their gaps: two lookups more each than a lone call or
    // a caller from outside needs.
    let pushes = |circuit: usize| {
        let lookups = lab.system.circuits[circuit].lookups.iter();
        lookups.filter(|lookup| lookup.direction == Direction::Push).count()
    };
    assert_eq!([pushes(0), pushes(1), pushes(2)], [1, 6, 1]);
}

/// More rows than 2^31 could close a cycle modulo p. No such trace fits into a
/// test, but heights are only numbers until openings are checked.
#[test]
fn rule_2_too_many_recursive_rows_are_refused() {
    let lab = Lab::new(CHAIN, &[("main", &[1])]);
    let proof = lab.prove();
    assert_eq!(lab.verify(&proof), Ok(()));
    let down = lab.circuit("down");
    let batch = |shards: usize, log_height: usize| {
        let mut proof = proof.clone();
        proof.statements[0].log_heights[down] = Some(log_height);
        let mut more = proof.statements[0].clone();
        more.claims.clear();
        proof.statements.resize(shards, more);
        let claims: Vec<Claim> = proof.claims().cloned().collect();
        verify(lab.key().verifying_key(), &claims, &proof).unwrap_err()
    };
    let got = 33 << 26;
    let refused = ShapeError::RecursiveRows { max: MAX_RECURSIVE_ROWS, got };
    assert_eq!(batch(33, 26), VerifyError::Shape(refused));
    // At most the bound, it is something else that is wrong.
    assert_eq!(batch(32, 26), VerifyError::ShardProofs { expected: 32, got: 1 });
}
