//! Rule 4, ungated arguments: only where a circuit has exactly one leaf.

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
fn rule_4_a_group_gates_all_arguments() {
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
    let cell = [("multiplicity", 1), ("selector", 1), ("pointer", 10), ("value0", 198)];
    lab.add_row("memory2", &cell);
    let memory = lab.circuit("memory2");
    lab.shards[0].publics[memory] = vec![traceloom_air::field::element(10)];
    lab.claim("g", None, &[5], &[99]);
    lab.refused("message of function 1: [5, 99]");
    let group = lab.circuit("f+g");
    lab.with_system(|system| ungate_first_member(&mut system.circuits[group])).accepted();
}

/// One leaf behind a match is not one leaf without a match: the arguments are
/// gated, although no other branch shares the slot.
#[test]
fn rule_4_a_leaf_behind_a_match_gates_its_arguments() {
    let source = r#"
        program "guarded"
        fn first() -> 0 entry { return }
        fn id(x) -> 1 { return x }
        fn guarded(x) -> 1 entry {
          match x {
            case 3 {
              y = call id(x)
              return y
            }
          }
        }
        fn only(x) -> 1 entry {
          match x {
            default { return x }
          }
        }
        end
    "#;
    let lab = Lab::empty(source);
    for name in ["guarded", "only"] {
        let circuit = &lab.system.circuits[lab.circuit(name)];
        for lookup in 0..circuit.lookups.len() {
            assert_eq!(degrees(circuit, lookup), [1, 1, 2, 2], "{name}");
        }
    }
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
