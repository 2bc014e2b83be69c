//! Memoisation, multiplicities, ranks, gaps, cycles, claims.

use traceloom_air::bytes::ByteOp;
use traceloom_air::field::MODULUS;

use super::*;
use crate::execute::machine::{Machine, one_more};
use crate::execute::{Fault, Hooks, Words};

#[test]
fn fib_is_memoised_and_every_request_is_counted() {
    let program = program(vec![fib()]);
    let execution = run(&program, &[(0, &[20])]).unwrap();
    assert_eq!(execution.outputs(0), [10946]);
    assert_eq!(execution.record.functions[0].len(), 21);
    assert_eq!(execution.stats.queries, 21);
    // The claim; fib(20); fib(20) and fib(19)'s calls of fib(18); ...
    assert_eq!(multiplicity(&execution.record, 0, &[20]), 1);
    assert_eq!(multiplicity(&execution.record, 0, &[19]), 1);
    for n in 1..=18 {
        assert_eq!(multiplicity(&execution.record, 0, &[n]), 2, "fib({n})");
    }
    assert_eq!(multiplicity(&execution.record, 0, &[0]), 1);
}

#[test]
fn ranks_are_above_those_of_callees_and_gaps_are_counted() {
    let program = program(vec![fib()]);
    let execution = run(&program, &[(0, &[5])]).unwrap();
    let table = &execution.record.functions[0];
    let query = |n: u64| table.find(&[n]).unwrap();
    // fib(1) and fib(0) call nobody, and fib(n) calls fib(n - 1).
    let ranks: Vec<u32> = [0, 1, 2, 3, 4, 5].map(|n| table.rank(query(n))).into();
    assert_eq!(ranks, [0, 0, 1, 2, 3, 4]);
    assert_eq!(execution.claims[0].rank, Some(4));
    assert_eq!(table.callee_ranks(query(5)), [3, 2]);
    assert_eq!(table.callee_ranks(query(2)), [0, 0]);
    assert!(table.callee_ranks(query(1)).is_empty());
    let paths: Vec<u32> = [0, 1, 2, 5].map(|n| table.path(query(n))).into();
    assert_eq!(paths, [0, 1, 2, 2]);
    // fib(2) has gaps 0, 0, all others 0, 1.
    let checks = |gap| uses(&execution.record, ByteOp::RangeCheck16, 0, gap);
    assert_eq!(checks(1), 3);
    // Eight gaps of two limbs; the upper limb is always 0.
    assert_eq!(checks(0), 5 + 8);
    assert_eq!(total_uses(&execution.record, ByteOp::RangeCheck16), 16);
}

/// even(n) = n == 0 or odd(n - 1), and the other way round.
fn parity(name: &str, other: u32, at_zero: u64) -> Function {
    let body = block(vec![], choose(0, &[(0, 1)], Some(2)));
    let step = vec![c(1), Op::Sub(v(0), v(1)), call(other, &[2], 1)];
    let zero = block(vec![c(at_zero)], ret(0, &[1]));
    entry(name, 1, 1, vec![body, zero, block(step, ret(1, &[3]))])
}

#[test]
fn ranks_of_a_component_are_depths_and_lone_calls_have_no_gap() {
    let main = straight("main", 1, vec![call(1, &[0], 1), call(2, &[0], 1)]);
    let program = program(vec![main, parity("even", 2, 1), parity("odd", 1, 0)]);
    let execution = run(&program, &[(0, &[3])]).unwrap();
    assert_eq!(execution.outputs(0), [0, 1]);
    let rank = |function: usize, n: u64| {
        let table = &execution.record.functions[function];
        table.rank(table.find(&[n]).unwrap())
    };
    // even(3) -> odd(2) -> even(1) -> odd(0), then odd(3) -> ... -> even(0).
    assert_eq!([rank(2, 0), rank(1, 1), rank(2, 2), rank(1, 3)], [0, 1, 2, 3]);
    assert_eq!([rank(1, 0), rank(2, 1), rank(1, 2), rank(2, 3)], [0, 1, 2, 3]);
    // main is outside: it has no rank, but records those of its callees.
    assert_eq!(execution.claims[0].rank, None);
    let table = &execution.record.functions[0];
    assert_eq!((table.rank(0), table.callee_ranks(0)), (0, &[3, 3][..]));
    // Each row calls one other, whose rank follows from its own.
    let even = &execution.record.functions[1];
    assert!((0..even.len()).all(|query| even.callee_ranks(query).is_empty()));
    assert_eq!(total_uses(&execution.record, ByteOp::RangeCheck16), 0);
}

#[test]
fn a_lone_call_beside_a_path_with_two_has_no_gap() {
    // f(0) = 0, f(1) = f(0), f(n) = f(1) + f(n - 1).
    let body = block(vec![], choose(0, &[(0, 1), (1, 2)], Some(3)));
    let one = vec![c(0), call(0, &[1], 1)];
    let two = vec![c(1), Op::Sub(v(0), v(1)), call(0, &[1], 1), call(0, &[2], 1)];
    let two = [two, vec![Op::Add(v(3), v(4))]].concat();
    let blocks =
        vec![body, block(vec![], ret(0, &[0])), block(one, ret(1, &[2])), block(two, ret(2, &[5]))];
    let record = run(&program(vec![entry("f", 1, 1, blocks)]), &[(0, &[4])]).unwrap().record;
    let table = &record.functions[0];
    let query = |n: u64| table.find(&[n]).unwrap();
    assert_eq!([0, 1, 2, 3, 4].map(|n| table.rank(query(n))), [0, 1, 2, 3, 4]);
    assert!(table.callee_ranks(query(1)).is_empty());
    assert_eq!(table.callee_ranks(query(4)), [1, 3]);
    // Gaps of f(2), f(3) and f(4), two each.
    assert_eq!(total_uses(&record, ByteOp::RangeCheck16), 2 * 2 * 3);
    assert_eq!(uses(&record, ByteOp::RangeCheck16, 0, 2), 1);
}

#[test]
fn a_large_gap_is_counted_by_its_limbs() {
    // down(n) calls down(n - 1), then up to depth; last(n) calls down(0) only.
    let body = block(vec![], choose(0, &[(0, 1)], Some(2)));
    let step = vec![c(1), Op::Sub(v(0), v(1)), call(0, &[2], 1), c(0), call(0, &[4], 1)];
    let blocks = vec![body, block(vec![], ret(0, &[0])), block(step, ret(1, &[3]))];
    let program = program(vec![entry("down", 1, 1, blocks)]);
    let record = run(&program, &[(0, &[1000])]).unwrap().record;
    // down(n) has rank n, so its second gap is n - 1.
    assert_eq!(uses(&record, ByteOp::RangeCheck16, (999 >> 8) as u8, (999 & 255) as u8), 1);
    assert_eq!(uses(&record, ByteOp::RangeCheck16, 2, 0), 1);
    assert_eq!(total_uses(&record, ByteOp::RangeCheck16), 4 * 1000);
}

#[test]
fn a_query_that_asks_for_itself_is_an_error() {
    let program = program(vec![straight("loop", 2, vec![call(0, &[0, 1], 1)])]);
    let failure = failure(&program, &[3, 4]);
    let (name, inputs) = ("loop".to_owned(), Words::new([3, 4]));
    assert_eq!(failure.fault, Fault::Cycle { function: FunctionId(0), name, inputs });
    assert_eq!(failure.place.op, Some(0));
    assert!(failure.to_string().contains("(\"loop\") with inputs [3, 4] is requested while"));
}

#[test]
fn mutual_cycles_are_errors_however_they_are_called() {
    for constrained in [true, false] {
        let make =
            |callee| if constrained { call(callee, &[0], 1) } else { advice(callee, &[0], 1) };
        let main = straight("main", 1, vec![call(1, &[0], 1)]);
        let (a, b) = (straight("a", 1, vec![make(2)]), straight("b", 1, vec![make(1)]));
        let failure = failure(&program(vec![main, a, b]), &[7]);
        assert!(matches!(&failure.fault, Fault::Cycle { function: FunctionId(1), .. }));
        let callers: Vec<&str> = failure.callers.iter().map(|place| &place.name[..]).collect();
        assert_eq!((failure.place.name.as_str(), &callers[..]), ("b", &["a", "main"][..]));
    }
}

#[test]
fn unconstrained_calls_and_all_below_them_count_nothing() {
    let callee = straight(
        "callee",
        1,
        vec![Op::Binary(ByteOp::Xor, v(0), v(0)), Op::Store { values: vs(&[0]) }, call(2, &[0], 1)],
    );
    let leaf = straight("leaf", 1, vec![Op::Unary(ByteOp::ShiftLeft, v(0))]);
    let program = program(vec![straight("main", 1, vec![advice(1, &[0], 3)]), callee, leaf]);
    let execution = run(&program, &[(0, &[9])]).unwrap();
    assert_eq!(execution.outputs(0), [0, 0, 18]);
    let record = &execution.record;
    assert_eq!(multiplicity(record, 0, &[9]), 1);
    assert_eq!(multiplicity(record, 1, &[9]), 0);
    assert_eq!(multiplicity(record, 2, &[9]), 0);
    assert_eq!((record.memories[0].len(), record.memories[0].multiplicity(0)), (1, 0));
    assert_eq!(total_uses(record, ByteOp::Xor) + total_uses(record, ByteOp::ShiftLeft), 0);
}

#[test]
fn unconstrained_functions_are_memoised_and_make_calls_as_advice() {
    let main = straight("main", 1, vec![advice(1, &[0], 1), advice(1, &[0], 1), call(2, &[0], 1)]);
    // This call is written as a constrained one, but nothing could prove it.
    let helper = unconstrained(straight("helper", 1, vec![call(2, &[0], 1)]));
    let leaf = straight("leaf", 1, vec![Op::Unary(ByteOp::ShiftLeft, v(0))]);
    let execution = run(&program(vec![main, helper, leaf]), &[(0, &[1])]).unwrap();
    assert_eq!(execution.outputs(0), [2, 2, 2]);
    let record = &execution.record;
    assert_eq!((record.functions[1].len(), multiplicity(record, 1, &[1])), (1, 0));
    assert_eq!(multiplicity(record, 2, &[1]), 1);
    assert_eq!(uses(record, ByteOp::ShiftLeft, 1, 0), 1);
}

#[test]
fn several_claims_share_one_record() {
    let program = program(vec![fib(), straight("bits", 1, vec![Op::Unary(ByteOp::Bits, v(0))])]);
    let claims: &[(u32, &[u64])] = &[(0, &[5]), (1, &[5]), (0, &[7]), (0, &[5])];
    let execution = run(&program, claims).unwrap();
    assert_eq!(execution.outputs(0), [8]);
    assert_eq!(execution.outputs(1), [1, 0, 1, 0, 0, 0, 0, 0]);
    assert_eq!(execution.outputs(2), [21]);
    let ranks: Vec<_> = execution.claims.iter().map(|claim| claim.rank).collect();
    assert_eq!(ranks, [Some(4), None, Some(6), Some(4)]);
    assert_eq!(execution.claims[0], execution.claims[3]);
    // Two claims, and calls of fib(6) and fib(7).
    assert_eq!(multiplicity(&execution.record, 0, &[5]), 4);
    assert_eq!(execution.record.functions[0].len(), 8);
    assert!(run(&program, &[]).unwrap().claims.is_empty());
}

#[test]
fn a_function_without_inputs_or_outputs_has_one_query() {
    let nothing = entry("nothing", 0, 0, vec![block(vec![], ret(0, &[]))]);
    let main = straight("main", 1, vec![call(1, &[], 0), call(1, &[], 0)]);
    let execution = run(&program(vec![main, nothing]), &[(0, &[1]), (1, &[])]).unwrap();
    assert_eq!(multiplicity(&execution.record, 1, &[]), 3);
}

#[test]
fn multiplicities_are_field_elements() {
    assert_eq!((one_more(0), one_more(MODULUS - 1)), (1, 0));
    let bits = straight("bits", 1, vec![Op::Unary(ByteOp::Bits, v(0))]);
    let program = program(vec![bits]);
    let (limits, hooks) = (Limits::default(), Hooks::default());
    let mut machine = Machine::new(&program, Io::default(), &limits, hooks);
    for (set, expected) in [(0, 1), (MODULUS - 2, MODULUS - 1), (MODULUS - 1, 0), (0, 1)] {
        if let Some(query) = machine.record.functions[0].find(&[3]) {
            machine.record.functions[0].set_multiplicity(query, set);
        }
        machine.claim(0, FunctionId(0), &[3]).unwrap();
        assert_eq!(multiplicity(&machine.record, 0, &[3]), expected);
    }
    // A multiplicity of zero does not make a counted query count again.
    assert_eq!(uses(&machine.record, ByteOp::Bits, 3, 0), 1);
    assert_eq!(machine.meter.stats().replays, 0);
}
