//! Every limit stops an execution, by name, and just there.

use traceloom_abi::io::Io;

use super::*;
use crate::execute::{Fault, Hooks, Limit, LimitError, Stats, execute_with};

/// count(n) = n, by n nested calls.
fn count() -> Function {
    let body = block(vec![], choose(0, &[(0, 1)], Some(2)));
    let step = vec![c(1), Op::Sub(v(0), v(1)), call(0, &[2], 1), Op::Add(v(3), v(1))];
    let blocks = vec![body, block(vec![], ret(0, &[0])), block(step, ret(1, &[4]))];
    entry("count", 1, 1, blocks)
}

fn limited(
    program: &CheckedProgram,
    args: &[u64],
    limits: &Limits,
) -> Result<Execution, ExecuteError> {
    execute(program, &[(FunctionId(0), args.to_vec())], Io::default(), limits)
}

/// The execution needs exactly `most` of `limit`.
fn assert_needs(program: &CheckedProgram, args: &[u64], limit: Limit, most: u64) {
    let limits = |most| {
        let mut limits = Limits::default();
        *match limit {
            Limit::Steps => &mut limits.steps,
            Limit::Queries => &mut limits.queries,
            Limit::Pointers => &mut limits.pointers,
            Limit::Bytes => &mut limits.bytes,
            Limit::Depth => &mut limits.depth,
        } = most;
        limits
    };
    limited(program, args, &limits(most)).unwrap();
    let failure = expect_failure(limited(program, args, &limits(most - 1)));
    let Fault::Limit(error) = failure.fault else { panic!("{failure}") };
    assert_eq!((error.limit, error.most), (limit, most - 1));
    assert!(error.needed >= most);
    let text = error.to_string();
    assert!(text.contains(&format!("the limit is {}", most - 1)) && text.contains("raise"));
}

#[test]
fn every_limit_is_named() {
    let counting = program(vec![count()]);
    // Ten times a match and a step of five, then a match and a return.
    assert_needs(&counting, &[10], Limit::Steps, 10 * 6 + 2);
    assert_needs(&counting, &[10], Limit::Queries, 11);
    assert_needs(&counting, &[10], Limit::Depth, 11);
    let store = |a| Op::Store { values: vs(&[a]) };
    let storing = program(vec![straight("store", 2, vec![store(0), store(1), store(0)])]);
    assert_needs(&storing, &[1, 2], Limit::Pointers, 2);
    assert_needs(&storing, &[1, 1], Limit::Pointers, 1);
}

#[test]
fn record_and_frames_count_as_bytes() {
    let counting = program(vec![count()]);
    let limits = Limits { bytes: 100_000, ..Limits::default() };
    limited(&counting, &[100], &limits).unwrap();
    let failure = expect_failure(limited(&counting, &[10_000], &limits));
    assert!(matches!(failure.fault, Fault::Limit(LimitError { limit: Limit::Bytes, .. })));
    assert_eq!(failure.callers.len(), 5);
    assert!(failure.to_string().contains("more"));
    let tiny = Limits { bytes: 500, ..Limits::default() };
    let set = Op::IoSetInfo { channel: v(0), key: vs(&[0; 60]), index: v(0), len: v(0) };
    let write = Op::IoWrite { channel: v(0), values: vs(&[0; 60]) };
    for op in [set, write] {
        let one = program(vec![straight("io", 1, vec![op])]);
        let failure = expect_failure(limited(&one, &[0], &tiny));
        assert!(matches!(failure.fault, Fault::Limit(LimitError { limit: Limit::Bytes, .. })));
    }
}

#[test]
fn a_claim_can_hit_a_limit_before_its_body_starts() {
    let limits = Limits { queries: 0, ..Limits::default() };
    let failure = expect_failure(limited(&program(vec![count()]), &[1], &limits));
    assert!(failure.to_string().starts_with("functions[0] (\"count\", claim): 1 queries needed"));
}

#[test]
fn hard_limits_cannot_be_raised() {
    let error = LimitError { limit: Limit::Queries, most: u64::from(u32::MAX), needed: 1 << 32 };
    assert!(error.to_string().ends_with("claim the work in parts"));
}

#[test]
fn endless_recursion_ends() {
    // f(x) = f(x + 1) never meets itself.
    let ops = vec![c(1), Op::Add(v(0), v(1)), call(0, &[2], 1)];
    let program = program(vec![entry("endless", 1, 1, vec![block(ops, ret(0, &[3]))])]);
    let limits = Limits { depth: 10_000, ..Limits::default() };
    let failure = expect_failure(limited(&program, &[0], &limits));
    assert!(matches!(failure.fault, Fault::Limit(LimitError { limit: Limit::Depth, .. })));
    assert_eq!(failure.depth, 9_999);
}

#[test]
fn progress_is_reported_about_every_so_many_steps() {
    let program = program(vec![count()]);
    for every in [0, 1, 100, 1_000_000] {
        let mut reports = Vec::new();
        let mut progress = |stats: &Stats| reports.push(stats.steps);
        let hooks = Hooks { debug: None, progress: Some((every, &mut progress)), calls: None };
        let claims = [(FunctionId(0), vec![1000])];
        let stats = execute_with(&program, &claims, Io::default(), &Limits::default(), hooks)
            .unwrap()
            .stats;
        assert_eq!(stats.steps, 6002);
        assert!(reports.is_sorted());
        // A block with its operations is one report at most.
        let expected = match every {
            0 | 1 => 2002,
            _ => stats.steps / every,
        };
        assert_eq!(reports.len() as u64, expected);
    }
}
