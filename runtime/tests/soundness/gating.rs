//! Rule 4, ungated arguments: only where a slot has exactly one sender over all members.

use traceloom_air::field::element;
use traceloom_air::system::{Arena, Circuit, Direction, ExprId};

use crate::lab::{Lab, minus};

/// A slot is shared by `f` and `g`; messages of function 1 become, doubled, those
/// of memory width 2.
const GROUP: &str = r#"
program "group"
memory 2
circuit f, g
circuit id
fn f(x) -> 1 entry {
  y = call id(x)
  return y
}
fn id(x) -> 1 { return x }
fn g(x) -> 1 entry {
  y = call id(x)
  return y
}
end
"#;

/// Degrees of the arguments of one lookup.
fn degrees(circuit: &Circuit, lookup: usize) -> Vec<u32> {
    let arguments = circuit.lookups[lookup].arguments.iter();
    arguments.map(|&argument| circuit.arena.degree(argument)).collect()
}

#[test]
fn rule_4_slots_of_several_senders_are_gated() {
    let lab = Lab::empty(GROUP);
    let group = &lab.system.circuits[lab.circuit("f+g")];
    // Constants times a selector have degree 1, columns times a selector degree 2.
    assert_eq!(degrees(group, 0), [1, 1, 2, 2]);
    assert_eq!(degrees(group, 1), [1, 1, 2, 2]);
    let alone = &lab.system.circuits[lab.circuit("id")];
    assert_eq!(degrees(alone, 0), [0, 0, 1, 1]);
}

/// The real slot 1 with the first member's arguments sent ungated.
fn ungate_first_member(circuit: &mut Circuit) {
    let names = circuit.column_names.clone();
    let arena: &mut Arena = &mut circuit.arena;
    let mut column = |name: &str| arena.main(names.iter().position(|n| n == name).unwrap());
    let [x, y, gate] = ["input0", "auxiliary1", "selector1"].map(&mut column);
    let (channel, id) = (arena.word(1), arena.word(1));
    let arguments: Vec<ExprId> = [channel, id, x, y]
        .into_iter()
        .map(|argument| {
            let second = arena.mul(gate, argument);
            arena.add(argument, second)
        })
        .collect();
    assert_eq!(circuit.lookups[1].direction, Direction::Push);
    circuit.lookups[1].arguments = arguments;
}

/// g(5) = 99, although id was never asked: the ungated half of the slot turns g's
/// call into a load of width 2 from a pointer that the prover owns.
#[test]
fn rule_4_an_ungated_member_of_a_group_would_be_forged() {
    let mut lab = Lab::empty(GROUP);
    let row = [("input0", 5), ("selector1", 1), ("multiplicity", 1), ("auxiliary1", 99)];
    lab.add_row("f+g", &row);
    let cell = [("multiplicity", 1), ("pointer", 10), ("value0", 198)];
    lab.add_row("memory2", &cell);
    let memory = lab.circuit("memory2");
    lab.shards[0].publics[memory] = vec![element(10)];
    lab.claim("g", None, &[5], &[99]);
    lab.refused("message of function 1: [5, 99]");
    let group = lab.circuit("f+g");
    lab.with_system(|system| ungate_first_member(&mut system.circuits[group])).accepted();
}

/// Slots with one sender are ungated, wherever the sender stands: behind a match, in a
/// continuation, or in one member of a group.
#[test]
fn rule_4_slots_of_one_sender_are_ungated() {
    let lab = Lab::empty(BRANCHES);
    let circuit = |name: &str| &lab.system.circuits[lab.circuit(name)];
    // Two leaves return, one of them calls.
    assert_eq!(degrees(circuit("guarded"), 0), [1, 1, 2, 2]);
    assert_eq!(degrees(circuit("guarded"), 1), [0, 0, 1, 1]);
    // One leaf returns behind two that yield, and one of these calls.
    assert_eq!(degrees(circuit("merged"), 0), [0, 0, 1, 1]);
    assert_eq!(degrees(circuit("merged"), 1), [0, 0, 1, 1]);
    // The one member that calls twice is the only sender of its second call.
    assert_eq!(degrees(circuit("once+twice"), 0), [1, 1, 2, 2]);
    assert_eq!(degrees(circuit("once+twice"), 1), [1, 0, 2, 2]);
    assert_eq!(degrees(circuit("once+twice"), 2), [0, 0, 1, 1]);
}

const BRANCHES: &str = r#"
program "branches"
circuit id
circuit guarded
circuit merged
circuit once, twice
fn id(x) -> 1 { return x }
fn guarded(x) -> 1 entry {
  match x {
    case 0 { return x }
    default {
      y = call id(x)
      return y
    }
  }
}
fn merged(x) -> 1 entry {
  y = match_continue x {
    case 0 { yield x }
    default {
      z = call id(x)
      yield z
    }
  }
  w = mul y, y
  return w
}
fn once(x) -> 1 entry {
  y = call id(x)
  return y
}
fn twice(x) -> 1 entry {
  y = call id(x)
  one = const 1
  z = add x, one
  w = call id(z)
  return w
}
end
"#;

/// Where the sender is off, its arguments are whatever the cells say, and nothing is sent:
/// on the row of another branch, of another member, and on padding.
#[test]
fn rule_4_an_ungated_sender_that_is_off_sends_nothing() {
    let asked: [(&str, &[u64]); 5] =
        [("guarded", &[0]), ("merged", &[0]), ("once", &[5]), ("twice", &[6]), ("once", &[7])];
    let mut lab = Lab::new(BRANCHES, &asked);
    lab.accepted();
    // The branch that does not call: what the other one would have got.
    lab.set("guarded", 0, "auxiliary2", 99);
    lab.set("merged", 0, "auxiliary2", 99);
    // The member that calls once, and padding: the output of a second call.
    for row in [0, 3] {
        lab.set("once+twice", row, "auxiliary2", 99);
    }
    lab.set("once+twice", 3, "input0", 98);
    lab.accepted();
    // On, the same cells are asked for.
    let mut lab = Lab::new(BRANCHES, &asked);
    lab.set("once+twice", 2, "auxiliary2", 99);
    lab.refused("message of function 0: [7, 99]");
}

/// `argument`s of a return without gates, as one of two leaves would send them.
fn ungate_return(circuit: &mut Circuit, outputs: &[&str]) {
    let names = circuit.column_names.clone();
    let mut column = |name: &str| circuit.arena.main(names.iter().position(|n| n == name).unwrap());
    let cells: Vec<ExprId> = outputs.iter().map(|name| column(name)).collect();
    let (channel, function) = (circuit.arena.word(1), circuit.arena.word(0));
    assert_eq!(circuit.lookups[0].direction, Direction::Pull);
    circuit.lookups[0].arguments = [&[channel, function][..], &cells].concat();
}

/// double(0) = 77: with the return of its default ungated, the row of case 0 would
/// answer with the default's product, which nothing fixes there.
#[test]
fn rule_4_a_return_of_two_leaves_stays_gated() {
    let source = r#"
        program "double"
        fn double(x) -> 1 entry {
          match x {
            case 0 { return x }
            default {
              y = mul x, x
              return y
            }
          }
        }
        end
    "#;
    let mut lab = Lab::new(source, &[("double", &[0])]);
    assert_eq!(degrees(&lab.system.circuits[0], 0), [1, 0, 2, 2]);
    let product = "auxiliary2";
    assert_eq!(lab.get("double", 0, product), 0);
    lab.set("double", 0, product, 77);
    lab.accepted();
    lab.claim_output(0, 0, 77);
    lab.refused("message of function 0: [0, 77]");
    let ungated = |system: &mut traceloom_air::system::System| {
        ungate_return(&mut system.circuits[0], &["input0", product]);
    };
    lab.with_system(ungated).accepted();
}

/// A branch without operations shares the return slot, so it is gated as well.
#[test]
fn rule_4_branches_without_operations_are_gated() {
    let source = r#"
        program "branches"
        circuit f, g
        fn f(x) -> 1 entry { return x }
        fn g(x) -> 1 entry { return x }
        end
    "#;
    let mut lab = Lab::new(source, &[("f", &[5]), ("g", &[6])]);
    lab.accepted();
    assert_eq!(degrees(&lab.system.circuits[0], 0), [1, 1, 2, 2]);
    // A row of one member is no row of the other.
    lab.shards[0].claims.swap(0, 1);
    lab.shards[0].claims[0].claim.function = 0;
    lab.shards[0].claims[1].claim.function = 1;
    lab.refused("message of function 0: [6, 6]");
}

/// Where arguments are ungated, a row that is off still sends nothing: whatever
/// stands in its cells is nobody's message.
#[test]
fn rule_4_an_ungated_row_that_is_off_sends_nothing() {
    let source = r#"
        program "alone"
        fn alone(x) -> 1 entry {
          y = call id(x)
          return y
        }
        fn id(x) -> 1 { return x }
        end
    "#;
    let asked: &[(&str, &[u64])] = &[("alone", &[1]), ("alone", &[2]), ("alone", &[3])];
    let mut lab = Lab::new(source, asked);
    for (column, value) in [("input0", 77), ("auxiliary1", minus(3))] {
        lab.set("alone", 3, column, value);
    }
    lab.accepted();
    lab.set("alone", 3, "selector0", 1);
    lab.refused("message of function 1: [77");
}
