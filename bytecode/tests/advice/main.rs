//! Warnings of advice that nothing ties: a corpus of programs with and without, the three
//! ways to write a program, and limits. `imported.rs` has a real program of another project.

use std::collections::BTreeSet;

use traceloom_bytecode::advice::{Finding, Sink, analyse};
use traceloom_bytecode::builder::ProgramBuilder;
use traceloom_bytecode::model::{Op, Program};
use traceloom_bytecode::text::Element;
use traceloom_bytecode::{CheckedProgram, json, text};

/// Heading and text of every program of a file.
fn programs(file: &'static str) -> Vec<(&'static str, &'static str)> {
    let parts = file.split("\n== ").skip(1);
    parts.map(|part| part.split_once('\n').expect("a program follows its heading")).collect()
}

fn checked(source: &str) -> CheckedProgram {
    let program = text::parse(source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    CheckedProgram::new(program).unwrap_or_else(|error| panic!("{error}\n{source}"))
}

fn findings(source: &str) -> Vec<Finding> {
    let report = analyse(&checked(source));
    assert!(report.skipped.is_empty());
    report.in_text(source.as_bytes()).findings
}

/// Line of the use, operation of the advice, kind of the use.
fn found(source: &str) -> BTreeSet<(usize, String, &'static str)> {
    let describe = |finding: Finding| {
        let (place, _) = &finding.steps[finding.use_at];
        let line = place.split(':').next().unwrap().parse().expect("a place in text has a line");
        let (_, advice) = &finding.steps[0];
        let advice = advice.split([' ', ',']).next().unwrap().to_owned();
        let sink = match finding.sink {
            Sink::Output(_) => "output",
            Sink::Call(_) => "call",
            Sink::Store => "store",
            Sink::Branch => "branch",
        };
        (line, advice, sink)
    };
    findings(source).into_iter().map(describe).collect()
}

/// What the comments of a program announce.
fn announced(source: &'static str) -> BTreeSet<(usize, String, &'static str)> {
    let mut announced = BTreeSet::new();
    for (line, text) in (1..).zip(source.lines()) {
        let Some((_, uses)) = text.split_once("<- ") else { continue };
        for one in uses.split(", ") {
            let (advice, sink) = one.split_once(' ').unwrap();
            announced.insert((line, advice.to_owned(), sink));
        }
    }
    announced
}

#[test]
fn programs_that_check_their_advice_get_no_warning() {
    let programs = programs(include_str!("good.tla.txt"));
    assert!(programs.len() > 20);
    for (heading, source) in programs {
        let found = findings(source);
        assert!(found.is_empty(), "{heading}:\n{}\n{source}", found[0]);
    }
}

#[test]
fn programs_that_believe_advice_get_a_warning_at_its_first_use() {
    let programs = programs(include_str!("bad.tla.txt"));
    assert!(programs.len() > 20);
    for (heading, source) in programs {
        let announced = announced(source);
        assert!(!announced.is_empty(), "{heading}");
        assert_eq!(found(source), announced, "{heading}\n{source}");
    }
}

/// Each check of the good programs is needed: without it there is a warning. What a program does
/// not need it for is named.
#[test]
fn without_one_check_there_is_a_warning() {
    let mut num_needed = 0;
    for (heading, source) in programs(include_str!("good.tla.txt")) {
        let program = text::parse(source).unwrap();
        for function in 0..program.functions.len() {
            for block in 0..program.functions[function].blocks.len() {
                let mut less = program.clone();
                let ops = &mut less.functions[function].blocks[block].ops;
                let before = ops.len();
                ops.retain(|op| {
                    let is_check = matches!(op, Op::AssertEq { .. } | Op::Allow { .. })
                        || matches!(op, Op::Binary(..)) && op.num_results() == 0;
                    !is_check
                });
                if ops.len() == before {
                    continue;
                }
                let report = analyse(&CheckedProgram::new(less).unwrap());
                assert!(!report.findings.is_empty(), "{heading}: block {block}");
                num_needed += 1;
            }
        }
    }
    assert!(num_needed > 12, "{num_needed}");
}

#[test]
fn a_warning_shows_the_way_from_advice_to_use() {
    let (_, source) = programs(include_str!("bad.tla.txt"))
        .into_iter()
        .find(|(heading, _)| heading.starts_with("a function returns advice"))
        .unwrap();
    let finding = &findings(source)[0];
    assert_eq!(
        finding.to_string(),
        "advice of `io_read` reaches output 0 of \"main\", and nothing ties it: a prover may \
         choose it\n  12:3  io_read (in \"deeper\")\n  13:3  return (in \"deeper\")\n  \
         7:3  call of \"deeper\" (in \"read\")\n  8:3  return (in \"read\")\n  \
         3:3  call of \"read\" (in \"main\")\n  4:3  return (in \"main\")\n  tie it with a constraint, or say that it may be anything: \
         allow \"why\", value"
    );
    // Other forms have no lines.
    let program = json::parse(json::print(checked(source).program())).unwrap();
    let report = analyse(&CheckedProgram::new(program).unwrap());
    let shown = report.findings[0].to_string();
    assert!(
        shown.contains("\n  functions[2].blocks[0].ops[1]  io_read (in \"deeper\")"),
        "{shown}"
    );
    assert_eq!(report.findings[0].chain[0].element, Element::Op(2, 0, 1));
}

/// `allow` is kept by every form, and is no part of what a program is.
#[test]
fn allow_is_kept_by_all_forms_and_left_out_of_the_fingerprint() {
    let source = "program \"p\"\nfn f(n) -> 1 entry {\n  i = hint_inverse n\n  allow \"why\", i\n  \
                  return i\n}\nend\n";
    let with = checked(source);
    assert!(analyse(&with).is_empty());
    let forms: [Program; 2] = [
        text::parse(text::print(with.program()).unwrap()).unwrap(),
        json::parse(json::print(with.program())).unwrap(),
    ];
    for form in forms {
        assert_eq!(&form, with.program());
    }
    let without = checked(&source.replace("  allow \"why\", i\n", ""));
    assert!(!analyse(&without).is_empty());
    assert_eq!(with.fingerprint(), without.fingerprint());
    let mut built = ProgramBuilder::new("p");
    let f = built.entry("f", 1, 1);
    built.define(f, |f, inputs| {
        let i = f.hint_inverse(inputs[0]);
        f.allow("why", &[i]);
        f.ret(&[i])
    });
    assert_eq!(&built.finish().unwrap(), with.program());
}

/// A program from outside may be as wide and as long as its limits allow.
#[test]
fn a_wide_program_is_analysed_or_named_as_too_large() {
    let mut source = String::from("program \"p\"\nfn main(n) -> 1 entry {\n");
    source.push_str("  zero = const 0\n  a0 = io_read zero, zero\n");
    for i in 1..4000 {
        source.push_str(&format!("  x{i} = io_read zero, zero\n  a{i} = add a{}, x{i}\n", i - 1));
        source.push_str(&format!("  b{i}, c{i} = u8_add a{i}, a{i}\n"));
    }
    source.push_str("  return a3999\n}\nend\n");
    let report = analyse(&checked(&source));
    assert!(report.is_empty(), "{report:?}");
    // Every hint is in every later equation: this costs the square of the length.
    let source = source.replace("io_read zero, zero", "hint_inverse zero").replace("4000", "");
    let report = analyse(&checked(&source));
    assert!(report.skipped.len() + report.findings.len() > 0);
}
