//! Shapes that come out, and mistakes that are named.

use super::*;
use crate::model::{BlockId, Control, Op, ValueId};

fn selectors(program: &Program, function: usize) -> Vec<u32> {
    let blocks = program.functions[function].blocks.iter();
    blocks
        .filter_map(|block| match block.control {
            Control::Return { selector, .. } | Control::Yield { selector, .. } => Some(selector),
            _ => None,
        })
        .collect()
}

fn errors(program: ProgramBuilder) -> Vec<BuildErrorKind> {
    program.finish().unwrap_err().0.into_iter().map(|error| error.kind).collect()
}

#[test]
fn blocks_are_in_pre_order_and_selectors_canonical() {
    let mut program = ProgramBuilder::new("shape");
    let f = program.entry("f", 2, 1);
    program.define(f, |f, inputs| {
        let (a, b) = (inputs[0], inputs[1]);
        let merged = f.match_continue(a, 1, |arms| {
            arms.case(5, |f| {
                f.match_value(b, |arms| {
                    arms.case(0, |f| f.ret(&[a])).default(|f| f.yield_values(&[b]));
                })
            });
            arms.default(|f| {
                let sum = f.add(a, b);
                f.yield_values(&[sum])
            });
        });
        let out = f.add(merged[0], a);
        f.ret(&[out])
    });
    let program = program.finish().unwrap();
    let blocks = &program.functions[0].blocks;
    let children: Vec<Vec<u32>> = blocks
        .iter()
        .map(|block| block.control.children().map(|child| child.0).collect())
        .collect();
    assert_eq!(children, [vec![1, 4, 5], vec![2, 3], vec![], vec![], vec![], vec![]]);
    assert_eq!(selectors(&program, 0), [0, 1, 2, 3]);
    // The continuation counts on from the values of the match, not of an arm.
    assert_eq!(blocks[5].ops, [Op::Add(ValueId(2), ValueId(0))]);
    let Control::MatchContinue { continuation, num_outputs, .. } = blocks[0].control else {
        panic!("the body ends in a match with continuation");
    };
    assert_eq!((continuation, num_outputs), (BlockId(5), 1));
}

#[test]
fn deep_nesting_needs_no_stack() {
    const DEPTH: u64 = 100_000;
    let mut program = ProgramBuilder::new("deep");
    let f = program.entry("f", 1, 1);
    let mut body = program.body(f);
    let input = body.inputs()[0];
    for _ in 0..DEPTH {
        body.begin_match(input);
        body.begin_case(0);
        body.ret(&[input]);
        body.begin_default();
    }
    body.ret(&[input]);
    for _ in 0..DEPTH {
        body.end_match();
    }
    program.close(body);
    let program = program.finish().unwrap();
    assert_eq!(program.functions[0].blocks.len() as u64, 2 * DEPTH + 1);
}

#[test]
fn constants_are_shared_only_where_they_are_visible() {
    let mut program = ProgramBuilder::new("constants");
    let f = program.entry("f", 1, 2);
    program.define(f, |f, inputs| {
        let one = f.constant(1);
        f.match_value(inputs[0], |arms| {
            arms.case(0, |f| {
                let two = f.constant(2);
                let again = f.constant(1);
                assert_eq!(one, again);
                f.ret(&[again, two])
            });
            arms.default(|f| {
                let two = f.constant(2);
                f.ret(&[two, two])
            });
        })
    });
    let program = program.finish().unwrap();
    let sizes: Vec<_> = program.functions[0].blocks.iter().map(|block| block.ops.len()).collect();
    assert_eq!(sizes, [1, 1, 1]);
}

#[test]
fn memory_widths_and_circuits_are_collected() {
    let mut program = ProgramBuilder::new("collect");
    let f = program.entry("f", 1, 1);
    let hint = program.unconstrained("hint", 1, 1);
    let g = program.function("g", 1, 1);
    let h = program.function("h", 1, 1);
    program.group(&[f, h]);
    for function in [f, hint, g, h] {
        program.define(function, |f, inputs| {
            let pointer = f.store(&[inputs[0]; 7]);
            let loaded = f.load(3, pointer);
            f.ret(&loaded[..1])
        });
    }
    let program = program.finish().unwrap();
    assert_eq!(program.memory_sizes, [3, 7]);
    assert_eq!(program.circuits, [vec![f.id(), h.id()], vec![g.id()]]);
}

#[test]
fn values_do_not_cross_functions_or_branches() {
    let mut program = ProgramBuilder::new("scopes");
    let f = program.entry("f", 1, 1);
    let g = program.function("g", 1, 1);
    let mut leaked = None;
    program.define(f, |f, inputs| {
        let n = inputs[0];
        let mut inner = n;
        f.match_value(n, |arms| {
            arms.case(0, |f| {
                inner = f.add(n, n);
                leaked = Some(inner);
                f.ret(&[inner])
            });
            arms.default(|f| {
                // Has the number of `inner`, but is another value.
                let other = f.mul(n, n);
                f.add(other, inner);
                f.ret(&[other])
            });
        })
    });
    program.define(g, |f, _| f.ret(&[leaked.unwrap()]));
    let expected =
        [BuildErrorKind::OutOfScope { index: 1 }, BuildErrorKind::ForeignValue { index: 1 }];
    let found = program.finish().unwrap_err();
    assert_eq!(found.0[0].position, Some((BlockId(2), 1)));
    assert!(found.to_string().starts_with("function f: block 2, operation 1: add: value 1"));
    let found: Vec<_> = found.0.into_iter().map(|error| error.kind).collect();
    assert_eq!(found, expected);
}

#[test]
fn all_mistakes_are_reported_at_once() {
    let mut other = ProgramBuilder::new("other");
    let foreign = other.function("foreign", 0, 0);
    let mut program = ProgramBuilder::new("mistakes");
    let f = program.entry("f", 1, 2);
    let hint = program.unconstrained("f", 1, 1);
    program.group(&[hint]);
    program.define(f, |f, inputs| {
        f.call(hint, &[]);
        f.call(foreign, &[]);
        f.constant(u64::MAX);
        let pointer = f.store(&[]);
        f.load_array::<2>(pointer);
        f.yield_values(&[]);
        f.ret(inputs)
    });
    let expected = [
        BuildErrorKind::CallNeedsCircuit { callee: 1 },
        BuildErrorKind::Count { of: "arguments", expected: 1, got: 0 },
        BuildErrorKind::ForeignFunction { index: 0 },
        BuildErrorKind::NotCanonical { word: u64::MAX },
        BuildErrorKind::EmptyMemory,
        BuildErrorKind::YieldOutside,
        BuildErrorKind::Count { of: "outputs", expected: 2, got: 1 },
        BuildErrorKind::AfterEnd,
        BuildErrorKind::Undefined,
        BuildErrorKind::DuplicateName,
        BuildErrorKind::Grouping,
    ];
    assert_eq!(errors(program), expected);
}

#[test]
fn matches_and_blocks_must_close() {
    let mut program = ProgramBuilder::new("open");
    let handles: Vec<_> = (0..4).map(|i| program.function(&format!("f{i}"), 1, 1)).collect();
    let mut body = program.body(handles[0]);
    let input = body.inputs()[0];
    body.begin_match(input);
    body.begin_case(3);
    body.ret(&[input]);
    body.begin_case(3);
    body.ret(&[input]);
    body.begin_default();
    body.ret(&[input]);
    body.begin_case(4);
    body.ret(&[input]);
    program.close(body);

    let mut body = program.body(handles[1]);
    body.add(input, input);
    program.close(body);

    let mut body = program.body(handles[2]);
    let input = body.inputs()[0];
    body.begin_case(0);
    body.begin_match_continue(input, 1);
    body.end_match();
    program.close(body);

    let expected = [
        BuildErrorKind::DuplicateCase { key: 3 },
        BuildErrorKind::AfterDefault,
        BuildErrorKind::OpenMatch,
        BuildErrorKind::ForeignValue { index: 0 },
        BuildErrorKind::ForeignValue { index: 0 },
        BuildErrorKind::MissingEnd,
        BuildErrorKind::NoOpenMatch,
        BuildErrorKind::NoArms,
        BuildErrorKind::OpenMatch,
        BuildErrorKind::Undefined,
    ];
    assert_eq!(errors(program), expected);
}

#[test]
fn every_operation_on_memory_declares_its_width() {
    let mut program = ProgramBuilder::new("widths");
    let f = program.entry("f", 2, 1);
    program.define(f, |f, x| {
        let quotient = f.hint_biguint_div_rem(x[0], x[1])[0];
        f.ret(&[quotient])
    });
    let program = program.finish().unwrap();
    assert_eq!(program.memory_sizes, [10]);
    crate::CheckedProgram::new(program).unwrap();
}
