//! Rule 2, well-founded calls: nothing justifies itself, in however many steps.

use traceloom_air::bytes::ByteOp;
use traceloom_air::claim::{Claim, ClaimError};
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

/// A row of `f`: auxiliaries are multiplicity, rank, output, four gap bytes.
fn row_of_f(rank: u64, gap: [u64; 4]) -> Vec<(&'static str, u64)> {
    vec![
        ("input0", 5),
        ("selector0", 1),
        // The claim and the row itself.
        ("multiplicity", 2),
        ("auxiliary1", rank),
        ("auxiliary2", 99),
        ("auxiliary3", gap[0]),
        ("auxiliary4", gap[1]),
        ("auxiliary5", gap[2]),
        ("auxiliary6", gap[3]),
    ]
}

/// f(5) = 99 because f(5) = 99.
fn self_justified(rank: u32, gap: [u64; 4]) -> Lab {
    let mut lab = Lab::empty(LOOP);
    lab.add_row("f", &row_of_f(rank.into(), gap));
    lab.claim("f", Some(rank), &[5], &[99]);
    lab
}

#[test]
fn rule_2_no_execution_goes_round_in_circles() {
    let program = load(LOOP);
    let f = program.find("f").unwrap();
    let run = execute(&program, &[(f, vec![5])], Default::default(), &Limits::default());
    let error = run.unwrap_err().to_string();
    assert!(error.contains("f"), "{error}");
}

#[test]
fn rule_2_a_call_of_oneself_needs_a_gap_of_minus_one() {
    // Everything but the bytes of the gap is in order.
    let lab = self_justified(7, [minus(1), 0, 0, 0]);
    lab.refused("u8_range_check");
    let report = lab.check();
    assert_eq!(report.num_constraints, 0, "{report}");
    // Without the range checks of the gap the forgery would pass.
    let unchecked = lab.with_system(|system| {
        let lookups = &mut system.circuits[0].lookups;
        assert_eq!(lookups.len(), 4);
        lookups.truncate(2);
    });
    unchecked.accepted();
}

#[test]
fn rule_2_no_bytes_make_a_gap_of_minus_one() {
    // All bytes at their largest give 2^32 - 1, the smallest are below zero.
    let mut lab = self_justified(7, [255, 255, 255, 255]);
    lab.count_bytes(ByteOp::RangeCheck, 255, 255, 2);
    lab.refused("message of function 0");
    // -1 = 2^32·(2^32 - 1), so bytes of 256 and more are needed.
    for gap in [
        [minus(1), 0, 0, 0],
        [255, 255, 255, quotient(minus(1 << 24), 1 << 24)],
        [0, quotient(minus(1), 1 << 8), 0, 0],
        [0, 0, 0, quotient(minus(1), 1 << 24)],
    ] {
        let lab = self_justified(7, gap);
        let report = lab.check();
        assert!(report.to_string().contains("u8_range_check"), "{gap:?}: {report}");
    }
}

/// The rank in the claim is the prover's choice, and chosen freely it helps nothing.
#[test]
fn rule_2_a_claim_of_another_rank_is_not_answered() {
    for rank in [0, 6, 8, u32::MAX] {
        let mut lab = self_justified(7, [0; 4]);
        lab.shards[0].claims[0].rank = Some(rank);
        lab.set("f", 0, "multiplicity", 1);
        lab.count_bytes(ByteOp::RangeCheck, 0, 0, 2);
        // The row asks for rank 6; a claim of that rank is one more use, no provider.
        lab.refused_by_check("message of function 0");
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

/// f(5) = 99 because g(5) = 99 because f(5) = 99.
fn mutual(ranks: [u64; 2], gaps: [u64; 2]) -> Lab {
    let mut lab = Lab::empty(PAIR);
    for (name, multiplicity, i) in [("f", 2, 0), ("g", 1, 1)] {
        let mut row = row_of_f(ranks[i], [gaps[i], 0, 0, 0]);
        row[2].1 = multiplicity;
        lab.add_row(name, &row);
    }
    lab.claim("f", Some(ranks[0] as u32), &[5], &[99]);
    lab
}

#[test]
fn rule_2_two_functions_do_not_justify_each_other() {
    // The gaps around the cycle add up to -2: one of them is no 32-bit number.
    let mut lab = mutual([9, 8], [0, minus(2)]);
    lab.count_bytes(ByteOp::RangeCheck, 0, 0, 3);
    assert_eq!(lab.check().num_messages, 1);
    lab.refused("u8_range_check");
    // Rank order reversed: the callee has the larger rank.
    let mut lab = mutual([8, 9], [minus(2), 0]);
    lab.count_bytes(ByteOp::RangeCheck, 0, 0, 3);
    assert_eq!(lab.check().num_messages, 1);
    lab.refused_by_check("u8_range_check");
    // Ranks may wrap around zero, but that closes no circle either.
    let mut lab = mutual([0, minus(1)], [0, minus(2)]);
    lab.count_bytes(ByteOp::RangeCheck, 0, 0, 3);
    assert_eq!(lab.check().num_messages, 1);
    lab.refused_by_check("u8_range_check");
    // With gaps in range the circle stays open.
    let mut lab = mutual([9, 8], [0, 0]);
    lab.count_bytes(ByteOp::RangeCheck, 0, 0, 4);
    lab.refused_by_check("message of function 0");
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

/// Columns of `down`: input, two selectors, multiplicity, rank, inverse witness,
/// output, gap bytes. Row 0 is down(0), row 1 is down(1).
#[test]
fn rule_2_a_callee_has_the_smaller_rank() {
    let mut lab = Lab::new(CHAIN, &[("main", &[1])]);
    lab.accepted();
    assert_eq!(lab.get("down", 0, "auxiliary1"), 0);
    assert_eq!(lab.get("down", 1, "auxiliary1"), 1);
    assert_eq!(lab.get("down", 1, "auxiliary4"), 0);
    lab.set("down", 0, "auxiliary1", 3);
    lab.set("down", 1, "auxiliary4", minus(3));
    lab.count_bytes(ByteOp::RangeCheck, 0, 0, -1);
    let report = lab.check();
    assert_eq!((report.num_constraints, report.num_messages), (0, 1), "{report}");
    lab.refused("u8_range_check");
    // An equal rank needs the gap -1.
    let mut lab = Lab::new(CHAIN, &[("main", &[1])]);
    lab.set("down", 0, "auxiliary1", 1);
    lab.set("down", 1, "auxiliary4", minus(1));
    lab.refused_by_check("u8_range_check");
}

#[test]
fn rule_2_rank_and_gap_are_tied_to_the_messages() {
    let honest = Lab::new(CHAIN, &[("main", &[2])]);
    for (circuit, row, column, message) in [
        ("down", 1, "auxiliary1", "message of function 1"),
        ("down", 1, "auxiliary4", "message of function 1"),
        ("down", 2, "auxiliary7", "message of function 1"),
        // The rank that a caller from outside asks for.
        ("main", 0, "auxiliary2", "message of function 1"),
    ] {
        let mut lab = honest.clone();
        let value = lab.get(circuit, row, column);
        lab.set(circuit, row, column, value + 1);
        lab.refused_by_check(message);
    }
    // Larger gaps are as good as small ones: ranks need not be dense.
    let mut lab = honest.clone();
    let top = lab.get("down", 1, "auxiliary1");
    lab.set("down", 1, "auxiliary1", top + 300);
    lab.set("down", 1, "auxiliary4", 300 % 256);
    lab.set("down", 1, "auxiliary5", 300 / 256);
    lab.set("main", 0, "auxiliary2", top + 300);
    lab.count_bytes(ByteOp::RangeCheck, 0, 0, -1);
    lab.count_bytes(ByteOp::RangeCheck, 44, 1, 1);
    lab.accepted();
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
          return y
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
    // Each call inside the component checks its gap: two lookups more than callers
    // from outside need.
    let pushes = |circuit: usize| {
        let lookups = lab.system.circuits[circuit].lookups.iter();
        lookups.filter(|lookup| lookup.direction == Direction::Push).count()
    };
    assert_eq!([pushes(0), pushes(1), pushes(2)], [3, 3, 1]);
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
