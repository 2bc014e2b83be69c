//! Rule 3, arity: messages are padded with zeros, and still none equals another.

use std::collections::BTreeMap;

use traceloom_air::claim::{Claim, ClaimError};
use traceloom_air::field::{element, word};
use traceloom_verifier::shape::ShapeError;
use traceloom_verifier::{Proof, VerifyError, verify};

use crate::evaluate::messages;
use crate::exhaustive::programs;
use crate::lab::{Lab, load_error};

/// Functions of many arities, one of them without inputs and outputs.
const SHORT: &str = r#"
program "short"
fn unit() -> 0 entry { return }
fn zero(x) -> 1 entry {
  y = sub x, x
  return y
}
end
"#;

fn elements(words: &[u64]) -> Vec<traceloom_air::field::Goldilocks> {
    words.iter().map(|&word| element(word)).collect()
}

/// The verifier's answer to an honest proof with another claim in its statement.
fn reclaimed(lab: &Lab, proof: &Proof, inputs: &[u64], outputs: &[u64]) -> VerifyError {
    let mut proof = proof.clone();
    let function = proof.statements[0].claims[0].claim.function;
    let claim = Claim { function, inputs: elements(inputs), outputs: elements(outputs) };
    proof.statements[0].claims[0].claim = claim.clone();
    verify(lab.key().verifying_key(), &[claim], &proof).unwrap_err()
}

#[test]
fn rule_3_a_claim_whose_padding_completes_it_is_refused() {
    let lab = Lab::new(SHORT, &[("zero", &[5])]);
    let proof = lab.prove();
    assert_eq!(lab.verify(&proof), Ok(()));
    // zero(5) = 0 has the message 1, 1, 5, 0: so has a claim without output, and
    // one with an output too many. Only the arity tells them apart.
    for (inputs, outputs, what, expected, got) in [
        (&[5][..], &[][..], "outputs", 1, 0),
        (&[5], &[0, 0], "outputs", 1, 2),
        (&[5, 0], &[], "inputs", 1, 2),
        (&[], &[5], "inputs", 1, 0),
    ] {
        let name = "zero".into();
        let error = ClaimError::Arity { index: 0, name, what, expected, got };
        let refused = VerifyError::Shape(ShapeError::Claim(error));
        assert_eq!(reclaimed(&lab, &proof, inputs, outputs), refused);
    }
}

#[test]
fn rule_3_a_rank_where_none_belongs_is_refused() {
    let lab = Lab::new(SHORT, &[("zero", &[5])]);
    let mut proof = lab.prove();
    proof.statements[0].claims[0].rank = Some(5);
    let refused = lab.verify(&proof).unwrap_err();
    let VerifyError::Shape(ShapeError::Claim(ClaimError::Arity { what, .. })) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!(what, "ranks");
}

#[test]
fn rule_3_only_entries_are_claimed() {
    let source = r#"
        program "inside"
        fn main(x) -> 1 entry {
          y = call inner(x)
          return y
        }
        fn inner(x) -> 1 { return x }
        end
    "#;
    let mut lab = Lab::new(source, &[("main", &[5])]);
    let proof = lab.prove();
    lab.shards[0].claims.clear();
    lab.claim("inner", None, &[5], &[5]);
    let mut proof = proof;
    proof.statements[0].claims = lab.shards[0].claims.clone();
    let error = ClaimError::NotAnEntry { index: 0, function: 1 };
    assert_eq!(lab.verify(&proof), Err(VerifyError::Shape(ShapeError::Claim(error))));
}

/// The first elements of a message fix its length, on every row of every program:
/// function and rank fix inputs and outputs, a width fixes values, and the channel
/// of a byte operation fixes everything.
#[test]
fn rule_3_the_head_of_a_message_fixes_its_length() {
    let mut labs: Vec<Lab> = programs::all().into_iter().map(|(_, lab)| lab).collect();
    labs.push(Lab::new(SHORT, &[("unit", &[]), ("zero", &[5])]));
    for lab in labs {
        let mut lengths: BTreeMap<(u64, u64), usize> = BTreeMap::new();
        for (index, function) in lab.program.program().functions.iter().enumerate() {
            let id = traceloom_bytecode::model::FunctionId(index as u32);
            let rank = usize::from(lab.program.callgraph().is_ranked(id));
            let arity = function.num_inputs as usize + function.num_outputs as usize;
            lengths.insert((1, index as u64), 2 + rank + arity);
        }
        for &width in &lab.program.program().memory_sizes {
            lengths.insert((2, width.into()), 3 + width as usize);
        }
        for message in messages(&lab) {
            let head = (word(message[0]), message.get(1).map_or(0, |&second| word(second)));
            assert_ne!(head.0, 0, "a message without a channel");
            let Some(&length) = lengths.get(&head) else {
                assert!(head.0 >= 16, "{head:?} is no function and no width");
                continue;
            };
            let padding = message.iter().skip(length);
            assert!(padding.copied().all(|cell| word(cell) == 0), "{message:?}");
        }
    }
}

/// A load of one width is not served by the memory of another.
#[test]
fn rule_3_memory_widths_do_not_mix() {
    let source = r#"
        program "widths"
        memory 1, 2
        fn main(x) -> 1 entry {
          p = store x
          y = load p
          return y
        }
        end
    "#;
    let mut lab = Lab::new(source, &[("main", &[5])]);
    // Padded by a zero, (2, pointer, 99, 0) of width 2 would answer (1, pointer, 99).
    lab.set("memory1", 0, "multiplicity", 1);
    lab.add_row("memory2", &[("multiplicity", 1), ("value0", 99)]);
    lab.set("main", 0, "auxiliary2", 99);
    lab.claim_output(0, 0, 99);
    lab.refused("message of memory width");
}

#[test]
fn rule_3_arities_are_checked_at_load() {
    let program = |head: &str, body: &str| {
        format!("program \"wrong\"\n{head}\nfn main(x) -> 1 entry {{\n{body}\n}}\n{REST}\nend\n")
    };
    const REST: &str = r#"
        fn pair(x) -> 2 { return x, x }
        fn advice(x) -> 1 unconstrained { return x }
    "#;
    for (head, body, expected) in [
        ("", "y = call advice(x)\nreturn y", "is unconstrained, so nothing would prove this call"),
        ("", "y = call pair(x)\nreturn y", "has 2 outputs, the call has 1"),
        ("", "a, b = call pair(x, x)\nreturn a", "has 1 inputs, the call has 2"),
        ("", "return x, x", "returns 2 values, but the function has 1 outputs"),
        ("", "yield x", "yields outside of a match with continuation"),
        (
            "",
            "r = match_continue x {\n case 0 { yield x, x }\n default { yield x }\n}\nreturn r",
            "yields 2 values, but the match merges 1",
        ),
        ("", "match x {\n}", "has no arm"),
        ("", "match x {\n case 1 { return x }\n case 1 { return x }\n}", "has the case 1 twice"),
        ("", "p = store x\nreturn p", "needs memory of width 1"),
        ("memory 1, 1", "return x", "widths of memory must rise strictly"),
        ("memory 0", "return x", "widths of memory are 1 to"),
        ("circuit main", "return x", "is constrained but in no circuit"),
        ("circuit main, main\ncircuit pair", "return x", "is in a circuit already"),
        ("circuit main, advice\ncircuit pair", "return x", "is not a constrained function"),
    ] {
        let error = load_error(&program(head, body));
        assert!(error.contains(expected), "expected {expected:?} in\n{error}");
    }
}
