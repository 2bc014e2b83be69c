//! Families of memory: pointers, values, the order of selectors, the first pointer.

use traceloom_air::field::element;

use crate::lab::{Lab, minus};

const CELLS: &str = r#"
program "cells"
memory 1
fn cells(x, y) -> 2 entry {
  p = store x
  q = store y
  a = load p
  b = load q
  return a, b
}
end
"#;

fn honest() -> Lab {
    Lab::new(CELLS, &[("cells", &[5, 6])])
}

/// Columns of `cells`: p, q, a, b are auxiliaries 1 to 4.
#[test]
fn memory_a_pointer_stands_once() {
    // p = q = 0 in a memory that holds 5 and 6 at pointer 0: a = 6 and b = 5.
    let mut lab = honest();
    lab.accepted();
    lab.set("memory1", 1, "pointer", 0);
    lab.set("cells", 0, "auxiliary2", 0);
    lab.set("cells", 0, "auxiliary3", 6);
    lab.set("cells", 0, "auxiliary4", 5);
    lab.claim_output(0, 0, 6);
    lab.claim_output(0, 1, 5);
    lab.refused_only_by("memory1", "pointer increases by one");
}

#[test]
fn memory_values_are_what_was_stored() {
    let mut lab = honest();
    lab.set("cells", 0, "auxiliary3", 7);
    lab.claim_output(0, 0, 7);
    lab.refused("message of memory width 1: [0, 7]");
    let mut lab = honest();
    lab.set("memory1", 0, "value0", 7);
    lab.refused_by_check("message of memory width 1: [0, 5]");
    // A load from a pointer that nobody provides.
    let mut lab = honest();
    lab.set("cells", 0, "auxiliary1", 2);
    lab.refused_by_check("message of memory width 1: [2, 5]");
}

/// A gap between real rows lets the pointers start again.
#[test]
fn memory_real_rows_come_first() {
    let mut lab = honest();
    lab.set("memory1", 0, "multiplicity", 1);
    // Pointer 0 holds 5, then 6 is at pointer 1, a padding row, pointer 0 again.
    lab.set("cells", 0, "auxiliary3", 99);
    lab.claim_output(0, 0, 99);
    lab.add_row("memory1", &[("pointer", minus(1))]);
    let again = [("multiplicity", 1), ("selector", 1), ("pointer", 0), ("value0", 99)];
    assert_eq!(lab.add_row("memory1", &again), 3);
    lab.refused_only_by("memory1", "real rows come first");
}

#[test]
fn memory_a_selector_is_a_bit() {
    let mut lab = Lab::new(CELLS, &[("cells", &[5, 6]), ("cells", &[5, 7])]);
    lab.accepted();
    lab.set("memory1", 3, "selector", 2);
    lab.set("memory1", 3, "pointer", 3);
    lab.refused_only_by("memory1", "selector is a bit");
}

#[test]
fn memory_the_first_pointer_is_the_stated_one() {
    let mut lab = honest();
    let memory = lab.circuit("memory1");
    lab.shards[0].publics[memory] = vec![element(1)];
    lab.refused_only_by("memory1", "first pointer is the stated one");
}

/// What nothing fixes, on purpose: where pointers begin, equal values under two
/// pointers, and what a pointer holds that no store produced.
#[test]
fn memory_pointers_mean_nothing_but_equality() {
    let mut lab = honest();
    let memory = lab.circuit("memory1");
    lab.shards[0].publics[memory] = vec![element(1000)];
    for (row, column) in [(0, "auxiliary1"), (1, "auxiliary2")] {
        lab.set("memory1", row, "pointer", 1000 + row as u64);
        lab.set("cells", 0, column, 1000 + row as u64);
    }
    lab.accepted();
    let mut lab = Lab::new(CELLS, &[("cells", &[5, 5])]);
    assert_eq!(lab.get("memory1", 0, "multiplicity"), 4);
    lab.set("memory1", 0, "multiplicity", 2);
    let twin = [("multiplicity", 2), ("selector", 1), ("pointer", 1), ("value0", 5)];
    lab.add_row("memory1", &twin);
    lab.set("cells", 0, "auxiliary2", 1);
    lab.accepted();
    let source = r#"
        program "peek"
        memory 1
        fn peek(p) -> 1 entry {
          x = load p
          return x
        }
        end
    "#;
    let mut lab = Lab::empty(source);
    lab.add_row("peek", &[("selector0", 1), ("multiplicity", 1), ("auxiliary1", 42)]);
    lab.add_row("memory1", &[("selector", 1), ("multiplicity", 1), ("value0", 42)]);
    lab.claim("peek", None, &[0], &[42]);
    lab.accepted();
}
