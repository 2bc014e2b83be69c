//! Rule 7, advice promotion: a query that ran as advice first and is requested
//! with constraints later has a row, so its children have theirs. Rule 8: effects
//! are not repeated by memoised calls.

use traceloom_abi::io::Io;
use traceloom_air::bytes::ByteOp;
use traceloom_bytecode::execute::{Limits, execute};

use crate::lab::{Lab, load};

const PROMOTED: &str = r#"
program "promoted"
memory 1
fn main(x) -> 1 entry {
  a = call_unconstrained twice(x)
  b = call twice(x)
  assert_eq a, b
  return b
}
fn twice(x) -> 1 {
  channel = const 7
  io_write channel, x
  y = call half(x)
  z = add y, y
  return z
}
fn half(x) -> 1 {
  p = store x
  y = load p
  z = u8_xor y, y
  w = add y, z
  return w
}
end
"#;

#[test]
fn rule_7_a_promoted_query_counts_its_children() {
    let mut lab = Lab::new(PROMOTED, &[("main", &[5])]);
    lab.accepted();
    for circuit in ["main", "twice", "half"] {
        assert_eq!(lab.get(circuit, 0, "multiplicity"), 1, "{circuit}");
    }
    assert_eq!(lab.get("memory1", 0, "multiplicity"), 2);
}

/// What an executor would leave behind that forgot to replay: the promoted row is
/// there, the rows below are not.
#[test]
fn rule_7_a_promoted_query_without_its_children_is_refused() {
    let mut lab = Lab::new(PROMOTED, &[("main", &[5])]);
    lab.drop_trace("half");
    lab.drop_trace("memory1");
    lab.count_bytes(ByteOp::Xor, 5, 5, -1);
    lab.refused("message of function 2: [5, 5]");
    // Were the children not asked for, any result would do.
    for (circuit, column, lie) in
        [("twice", "auxiliary1", 8), ("main", "auxiliary1", 16), ("main", "auxiliary2", 16)]
    {
        lab.set(circuit, 0, column, lie);
    }
    lab.claim_output(0, 0, 16);
    let report = lab.check();
    assert_eq!((report.num_constraints, report.num_messages), (0, 1), "{report}");
    lab.refused("message of function 2: [5, 8]");
    let twice = lab.circuit("twice");
    lab.with_system(|system| system.circuits[twice].lookups.truncate(1)).accepted();
}

#[test]
fn rule_7_a_child_that_is_counted_too_seldom_is_refused() {
    let honest = Lab::new(PROMOTED, &[("main", &[5])]);
    for circuit in ["twice", "half", "memory1"] {
        let mut lab = honest.clone();
        let count = lab.get(circuit, 0, "multiplicity");
        lab.set(circuit, 0, "multiplicity", count - 1);
        lab.refused_by_check("message of");
    }
    let mut lab = honest;
    lab.count_bytes(ByteOp::Xor, 5, 5, -1);
    lab.refused_by_check("message of u8_xor");
}

/// A promoted query keeps its rank, and so do the queries below it.
#[test]
fn rule_7_a_promoted_query_keeps_its_rank() {
    let source = r#"
        program "ranked"
        fn main(x) -> 1 entry {
          a = call_unconstrained down(x)
          b = call down(x)
          assert_eq a, b
          return b
        }
        fn down(x) -> 1 {
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
    let honest = Lab::new(source, &[("main", &[2])]).with_short_byte_tables();
    honest.accepted();
    let mut lab = honest;
    for (row, rank) in [(0, 0), (1, 2), (2, 1)] {
        assert_eq!(lab.get("down", row, "auxiliary1"), rank);
    }
    // The advice left out two rows; the promoted one does not stand alone.
    lab.trace("down").row_mut(2).fill(traceloom_air::field::element(0));
    lab.refused("message of function 1");
}

/// The replay has no effects, and neither has a second call (rule 8).
#[test]
fn rule_8_effects_happen_once() {
    let program = load(PROMOTED);
    let main = program.find("main").unwrap();
    let claims = [(main, vec![5]), (main, vec![5])];
    let run = execute(&program, &claims, Io::default(), &Limits::default()).unwrap();
    // `twice` and `half` are promoted, once.
    assert_eq!(run.stats.replays, 2);
    assert_eq!(run.record.io.len(7), 1);
}
