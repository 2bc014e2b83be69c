//! Matches, continuations, early returns, deep recursion.

use super::*;
use crate::execute::{Fault, Words};

#[test]
fn cases_are_compared_and_the_default_takes_the_rest() {
    // Many unsorted keys are searched, few are compared one by one.
    for count in [1_u64, 8, 9, 40] {
        let key = |i: u64| (i * 17 + 5) % 41;
        let cases: Vec<_> = (0..count).map(|i| (key(i), 1 + i as u32)).collect();
        for default in [None, Some(1 + count as u32)] {
            let mut blocks = vec![block(vec![], choose(0, &cases, default))];
            let arms = count + u64::from(default.is_some());
            blocks.extend((0..arms).map(|i| block(vec![c(1000 + i)], ret(i as u32, &[1]))));
            let program = program(vec![entry("choose", 1, 1, blocks)]);
            for i in 0..count {
                assert_eq!(outputs(&program, &[key(i)]), [1000 + i]);
            }
            if default.is_some() {
                assert_eq!(outputs(&program, &[99]), [1000 + count]);
                continue;
            }
            let failure = failure(&program, &[99]);
            let keys = Words::new((0..count).map(key));
            assert_eq!(failure.fault, Fault::NoCase { value: v(0), word: 99, keys });
            assert_eq!((failure.place.op, failure.place.what), (None, "match"));
        }
    }
}

#[test]
fn a_match_may_have_just_a_default() {
    let blocks = vec![block(vec![], choose(0, &[], Some(1))), block(vec![], ret(0, &[0]))];
    assert_eq!(outputs(&program(vec![entry("default", 1, 1, blocks)]), &[3]), [3]);
}

/// match x { 0 => { a, b, c; yield c, x }, 1 => return 77, 2 => match y { 0 =>
/// yield y, x, _ => yield x, x } } then (first, second) => first, second, x, y.
fn continued() -> CheckedProgram {
    let cases = arms(0, &[(0, 1), (1, 2), (2, 3)], None);
    let body = Control::MatchContinue { arms: cases, num_outputs: 2, continuation: BlockId(6) };
    let blocks = vec![
        block(vec![c(500)], body),
        block(vec![c(10), c(20), c(30)], yields(0, &[5, 0])),
        block(vec![c(77)], ret(1, &[3, 3, 3, 3])),
        block(vec![c(40)], choose(1, &[(0, 4)], Some(5))),
        block(vec![c(50)], yields(2, &[4, 0])),
        block(vec![], yields(3, &[0, 3])),
        // Values here: x, y, 500, then the two that were yielded.
        block(vec![Op::Add(v(3), v(4))], ret(4, &[5, 2, 0, 1])),
    ];
    program(vec![entry("continued", 2, 4, blocks)])
}

#[test]
fn a_continuation_starts_from_the_match_and_the_yielded_values() {
    let program = continued();
    assert_eq!(outputs(&program, &[0, 9]), [30, 500, 0, 9]);
    assert_eq!(outputs(&program, &[1, 9]), [77; 4]);
    assert_eq!(outputs(&program, &[2, 0]), [52, 500, 2, 0]);
    assert_eq!(outputs(&program, &[2, 9]), [42, 500, 2, 9]);
    assert!(matches!(failure(&program, &[3, 0]).fault, Fault::NoCase { word: 3, .. }));
}

#[test]
fn paths_are_the_leaves_in_order() {
    let program = continued();
    let all: [&[u64]; 4] = [&[0, 9], &[1, 9], &[2, 0], &[2, 9]];
    let execution = run(&program, &all.map(|args| (0, args))).unwrap();
    let table = &execution.record.functions[0];
    for (query, leaves) in [&[0, 4][..], &[1], &[2, 4], &[3, 4]].into_iter().enumerate() {
        let path = program.paths(FunctionId(0)).leaves(table.path(query) as usize);
        assert_eq!(path, Some(leaves));
    }
}

#[test]
fn yields_of_nested_continuations_go_to_their_own() {
    let inner = Control::MatchContinue {
        arms: arms(1, &[(0, 2)], Some(3)),
        num_outputs: 1,
        continuation: BlockId(4),
    };
    let outer = Control::MatchContinue {
        arms: arms(0, &[(0, 1)], Some(5)),
        num_outputs: 1,
        continuation: BlockId(6),
    };
    let blocks = vec![
        block(vec![], outer),
        block(vec![], inner),
        block(vec![c(100)], yields(0, &[2])),
        block(vec![c(1), c(2), c(200)], yields(1, &[4])),
        // The inner continuation yields to the outer one.
        block(vec![c(3), Op::Add(v(2), v(3))], yields(2, &[4])),
        block(vec![c(300)], yields(3, &[2])),
        block(vec![], ret(4, &[2])),
    ];
    let program = program(vec![entry("nested", 2, 1, blocks)]);
    assert_eq!(outputs(&program, &[0, 0]), [103]);
    assert_eq!(outputs(&program, &[0, 1]), [203]);
    assert_eq!(outputs(&program, &[1, 0]), [300]);
}

#[test]
fn calls_resume_in_the_middle_of_a_block() {
    let double = straight("double", 1, vec![Op::Add(v(0), v(0))]);
    let ops = vec![c(3), call(1, &[0], 1), call(1, &[2], 1), Op::Add(v(3), v(1)), call(1, &[4], 1)];
    let program = program(vec![straight("main", 1, ops), double]);
    assert_eq!(outputs(&program, &[5]), [3, 10, 20, 23, 46]);
}

#[test]
fn a_million_nested_calls_need_no_host_stack() {
    let run_deep = || {
        let body = block(vec![], choose(0, &[(0, 1)], Some(2)));
        let step = vec![c(1), Op::Sub(v(0), v(1)), call(0, &[2], 1), Op::Add(v(3), v(1))];
        let blocks = vec![body, block(vec![], ret(0, &[0])), block(step, ret(1, &[4]))];
        let program = program(vec![entry("deep", 1, 1, blocks)]);
        let execution = run(&program, &[(0, &[1_000_000])]).unwrap();
        assert_eq!(execution.outputs(0), [1_000_000]);
        assert_eq!(execution.stats.max_depth, 1_000_001);
        let table = &execution.record.functions[0];
        assert_eq!(table.rank(table.find(&[1_000_000]).unwrap()), 1_000_000);
    };
    std::thread::Builder::new().stack_size(1 << 20).spawn(run_deep).unwrap().join().unwrap();
}
