//! Families of memory: pointers, values, padding, the first pointer.

use traceloom_air::field::element;
use traceloom_prover::ProveError;
use traceloom_verifier::shape::ShapeError;

use crate::lab::Lab;

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

/// A memory of three cells, so that a fourth one is padding.
fn padded() -> Lab {
    let lab = Lab::new(CELLS, &[("cells", &[5, 6]), ("cells", &[5, 7])]);
    lab.accepted();
    lab
}

/// What `cells` returns of its first value for the first claim.
fn load_at_zero(lab: &mut Lab, value: u64) {
    assert_eq!(["input0", "input1"].map(|column| lab.get("cells", 0, column)), [5, 6]);
    let multiplicity = lab.get("memory1", 0, "multiplicity");
    lab.set("memory1", 0, "multiplicity", multiplicity - 1);
    lab.set("cells", 0, "auxiliary3", value);
    lab.claim_output(0, 0, value);
}

/// Padding counts on too: with the pointer of a cell it would be that cell once more,
/// with another value.
#[test]
fn memory_pointers_count_on_in_padding() {
    let mut lab = padded();
    load_at_zero(&mut lab, 99);
    assert_eq!(lab.get("memory1", 3, "pointer"), 3);
    lab.set("memory1", 3, "pointer", 0);
    lab.set("memory1", 3, "value0", 99);
    lab.set("memory1", 3, "multiplicity", 1);
    let report = lab.check();
    assert_eq!((report.num_constraints, report.num_messages), (1, 0), "{report}");
    lab.refused_only_by("memory1", "pointer increases by one");
}

/// A cell of padding provides what it holds, under its own pointer, and nothing else.
#[test]
fn memory_padding_answers_for_no_other_pointer() {
    let mut lab = padded();
    load_at_zero(&mut lab, 99);
    lab.refused_by_check("message of memory width 1: [0, 99]");
    lab.set("memory1", 3, "multiplicity", 1);
    lab.refused("message of memory width 1: [0, 99]");
}

/// Padding counts towards the last pointer of a shard, of one alone too.
#[test]
fn memory_padding_ends_below_the_last_pointer() {
    let moved = |first: u64| {
        let mut lab = padded();
        let memory = lab.circuit("memory1");
        lab.shards[0].publics[memory] = vec![element(first)];
        let stored = [(0, "auxiliary1"), (0, "auxiliary2"), (1, "auxiliary1"), (1, "auxiliary2")];
        let pointers = (0..4).map(|row| ("memory1", row, "pointer"));
        let stored = stored.into_iter().map(|(row, column)| ("cells", row, column));
        for (circuit, row, column) in pointers.chain(stored) {
            let pointer = first + lab.get(circuit, row, column);
            lab.set(circuit, row, column, pointer);
        }
        lab
    };
    moved((1 << 32) - 4).accepted();
    let (lab, circuit) = (moved((1 << 32) - 3), "memory1".into());
    let refused = ShapeError::MemoryEnd { shard: 0, circuit, first: (1 << 32) - 3, rows: 4 };
    assert_eq!(lab.try_prove().unwrap_err(), ProveError::Shape(refused));
    assert!(lab.check().is_ok(), "nothing else is wrong");
}

const PEEK: &str = r#"
program "peek"
memory 1
fn peek(p) -> 1 entry {
  x = load p
  return x
}
fn put(x) -> 1 entry {
  p = store x
  return p
}
end
"#;

/// Padding is cells that loads may use, with any values: no store says what they hold. It
/// ends with the trace.
#[test]
fn memory_padding_may_be_loaded() {
    let asked: [(&str, &[u64]); 3] = [("put", &[7]), ("put", &[8]), ("put", &[9])];
    let mut lab = Lab::new(PEEK, &asked);
    let cells = ["multiplicity", "pointer", "value0"].map(|column| lab.get("memory1", 3, column));
    assert_eq!(cells, [0, 3, 0], "padding holds zeros");
    lab.add_row("peek", &[("input0", 3), ("selector0", 1), ("multiplicity", 1)]);
    lab.set("memory1", 3, "multiplicity", 1);
    lab.claim("peek", None, &[3], &[0]);
    lab.accepted();
    lab.set("memory1", 3, "value0", 42);
    lab.set("peek", 0, "auxiliary1", 42);
    lab.claim_output(3, 0, 42);
    lab.accepted();
    // Of what it holds there is one, and no pointer behind it.
    let mut twice = lab.clone();
    twice.add_row("peek", &[("input0", 3), ("selector0", 1), ("multiplicity", 1)]);
    twice.set("peek", 1, "auxiliary1", 43);
    twice.claim("peek", None, &[3], &[43]);
    twice.refused("message of memory width 1: [3, 43]");
    lab.set("peek", 0, "input0", 4);
    lab.shards[0].claims[3].claim.inputs[0] = element(4);
    lab.refused("message of memory width 1: [4, 42]");
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
    let twin = [("multiplicity", 2), ("value0", 5)];
    lab.add_row("memory1", &twin);
    lab.set("cells", 0, "auxiliary2", 1);
    lab.accepted();
    let mut lab = Lab::empty(PEEK);
    lab.add_row("peek", &[("selector0", 1), ("multiplicity", 1), ("auxiliary1", 42)]);
    lab.add_row("memory1", &[("multiplicity", 1), ("value0", 42)]);
    lab.claim("peek", None, &[0], &[42]);
    lab.accepted();
}
