//! Queries that are run as advice first and requested with constraints later.

use traceloom_abi::io::Io;
use traceloom_air::bytes::ByteOp;

use super::*;
use crate::execute::machine::Machine;
use crate::execute::{DebugLine, Fault, Hooks, Words, execute_with};

/// work(x) xors, stores and calls leaf(x), which shifts.
fn work() -> [Function; 2] {
    let ops = vec![
        Op::Binary(ByteOp::Xor, v(0), v(0)),
        Op::Store { values: vs(&[0]) },
        Op::Load { width: 1, pointer: v(2) },
        call(2, &[0], 1),
    ];
    let leaf = straight("leaf", 1, vec![Op::Unary(ByteOp::ShiftLeft, v(0))]);
    [straight("work", 1, ops), leaf]
}

fn main_with(ops: Vec<Op>) -> CheckedProgram {
    let [work, leaf] = work();
    program(vec![straight("main", 1, ops), work, leaf])
}

/// Uses and multiplicities, as if advice had never been taken.
fn assert_counted_once(record: &Record, requests: u64) {
    assert_eq!(multiplicity(record, 1, &[9]), requests);
    assert_eq!(multiplicity(record, 2, &[9]), 1);
    assert_eq!(uses(record, ByteOp::Xor, 9, 9), 1);
    assert_eq!(uses(record, ByteOp::ShiftLeft, 9, 0), 1);
    assert_eq!(record.memories[0].multiplicity(0), 2);
}

#[test]
fn a_promoted_query_counts_its_lookups_once() {
    for (ops, requests, replays) in [
        (vec![call(1, &[0], 4)], 1, 0),
        (vec![advice(1, &[0], 4), call(1, &[0], 4)], 1, 2),
        (vec![advice(1, &[0], 4), call(1, &[0], 4), call(1, &[0], 4)], 2, 2),
        (vec![call(1, &[0], 4), advice(1, &[0], 4), call(1, &[0], 4)], 2, 0),
    ] {
        let execution = run(&main_with(ops), &[(0, &[9])]).unwrap();
        assert_counted_once(&execution.record, requests);
        assert_eq!(execution.stats.replays, replays);
    }
}

#[test]
fn a_claim_promotes_what_an_earlier_claim_took_as_advice() {
    let program = main_with(vec![advice(1, &[0], 4)]);
    let execution = run(&program, &[(0, &[9]), (1, &[9]), (1, &[9])]).unwrap();
    assert_counted_once(&execution.record, 2);
    assert_eq!(execution.outputs(0), execution.outputs(1));
}

#[test]
fn a_child_that_is_counted_already_just_gets_a_request() {
    let program = main_with(vec![advice(1, &[0], 4), call(2, &[0], 1), call(1, &[0], 4)]);
    let execution = run(&program, &[(0, &[9])]).unwrap();
    let record = &execution.record;
    assert_eq!(multiplicity(record, 2, &[9]), 2);
    assert_eq!(uses(record, ByteOp::ShiftLeft, 9, 0), 1);
    assert_eq!(execution.stats.replays, 2);
}

#[test]
fn promoted_queries_keep_their_ranks_and_count_their_gaps() {
    let main = straight("main", 1, vec![advice(0, &[0], 1)]);
    let program = program(vec![fib(), main]);
    let plain = run(&program, &[(0, &[10]), (0, &[12])]).unwrap();
    let promoted = run(&program, &[(1, &[10]), (0, &[10]), (0, &[12])]).unwrap();
    assert_eq!(promoted.claims[1..], plain.claims);
    let (a, b) = (&plain.record.functions[0], &promoted.record.functions[0]);
    for n in 0..=12 {
        let (i, j) = (a.find(&[n]).unwrap(), b.find(&[n]).unwrap());
        assert_eq!((a.rank(i), a.path(i)), (b.rank(j), b.path(j)));
        assert_eq!(a.callee_ranks(i), b.callee_ranks(j));
        assert_eq!(a.multiplicity(i), b.multiplicity(j));
    }
    for (a, b) in [(0, 0), (0, 1), (0, 2)] {
        let count = |execution: &Execution| uses(&execution.record, ByteOp::RangeCheck16, a, b);
        assert_eq!(count(&plain), count(&promoted));
    }
}

#[test]
fn a_long_chain_is_promoted_without_recursion() {
    let body = block(vec![], choose(0, &[(0, 1)], Some(2)));
    let step = vec![c(1), Op::Sub(v(0), v(1)), call(0, &[2], 1)];
    let blocks = vec![body, block(vec![], ret(0, &[0])), block(step, ret(1, &[3]))];
    let main = straight("main", 1, vec![advice(0, &[0], 1), call(0, &[0], 1)]);
    let program = program(vec![entry("chain", 1, 1, blocks), main]);
    let execution = run(&program, &[(1, &[100_000])]).unwrap();
    assert_eq!(execution.stats.replays, 100_001);
    let chain = &execution.record.functions[0];
    assert_eq!(chain.rank(chain.find(&[100_000]).unwrap()), 100_000);
    assert_eq!(total_uses(&execution.record, ByteOp::RangeCheck16), 0);
    assert_eq!(multiplicity(&execution.record, 0, &[50_000]), 1);
}

/// Writes and names a word, prints it, reads it back.
fn effects() -> Function {
    straight(
        "effects",
        1,
        vec![
            c(0),
            Op::IoWrite { channel: v(1), values: vs(&[0]) },
            Op::IoSetInfo { channel: v(1), key: vs(&[0]), index: v(1), len: v(0) },
            Op::Debug { label: "x".into(), values: vs(&[0]) },
            Op::IoGetInfo { channel: v(1), key: vs(&[0]) },
            Op::IoRead { channel: v(1), index: v(2), len: 1 },
        ],
    )
}

#[test]
fn effects_happen_once() {
    let ops = vec![advice(1, &[0], 4), advice(1, &[0], 4), call(1, &[0], 4), call(1, &[0], 4)];
    let program = program(vec![straight("main", 1, ops), effects()]);
    let mut lines = Vec::new();
    let mut debug = |line: DebugLine<'_>| lines.push(line.to_string());
    let hooks = Hooks { debug: Some(&mut debug), progress: None, calls: None };
    let claims = [(FunctionId(0), vec![6])];
    let execution =
        execute_with(&program, &claims, Io::default(), &Limits::default(), hooks).unwrap();
    assert_eq!(execution.outputs(0), [0, 0, 6, 6].repeat(4));
    assert_eq!(execution.record.io.read(0, 0, 1), Ok(&[6][..]));
    assert_eq!(execution.record.io.len(0), 1);
    assert_eq!(execution.stats.replays, 1);
    assert_eq!(lines, ["effects: x [6]"]);
}

/// Runs `first` as advice of function 1, lets `tamper` change the record, and
/// claims function 1 with the same inputs.
fn replay_after(program: &CheckedProgram, io: Io, tamper: impl FnOnce(&mut Record)) -> Fault {
    let mut machine = Machine::new(program, io, &Limits::default(), Hooks::default());
    machine.claim(0, FunctionId(0), &[9]).unwrap();
    tamper(&mut machine.record);
    match machine.claim(1, FunctionId(1), &[9]) {
        Err(ExecuteError::Failed(failure)) => failure.fault,
        other => panic!("expected a failure, got {other:?}"),
    }
}

fn expected(what: &'static str) -> Fault {
    let (name, inputs) = ("reads".into(), Words::new([9]));
    Fault::Replay { function: FunctionId(1), name, inputs, what }
}

/// One word of channel 0, given to `then` as value 2, is advice that decides.
fn reads(then: Vec<Block>) -> CheckedProgram {
    let mut blocks = then;
    let read = Op::IoRead { channel: v(1), index: v(1), len: 1 };
    blocks[0].ops.splice(0..0, [c(0), read]);
    let leaf = straight("leaf", 1, vec![]);
    let main = straight("main", 1, vec![advice(1, &[0], 1)]);
    program(vec![main, entry("reads", 1, 1, blocks), leaf])
}

fn io(word: u64) -> Io {
    let mut io = Io::default();
    io.add_input(0, &[], &[word]).unwrap();
    io
}

#[test]
fn a_replay_must_reach_the_recorded_end() {
    let change = |record: &mut Record| record.io = io(1);
    let returns = reads(vec![block(vec![], ret(0, &[2]))]);
    assert_eq!(replay_after(&returns, io(0), change), expected("returned other outputs"));
    let choice = block(vec![], choose(2, &[(0, 1), (1, 2)], None));
    let arms = [block(vec![], ret(0, &[0])), block(vec![], ret(1, &[0]))];
    let chooses = reads([&[choice][..], &arms].concat());
    assert_eq!(replay_after(&chooses, io(0), change), expected("took another path"));
    let calls = reads(vec![block(vec![call(2, &[2], 0)], ret(0, &[0]))]);
    let what = "made a call that it did not make before";
    assert_eq!(replay_after(&calls, io(0), change), expected(what));
    let stores = reads(vec![block(vec![Op::Store { values: vs(&[2]) }], ret(0, &[0]))]);
    let what = "stored values that it did not store before";
    assert_eq!(replay_after(&stores, io(0), change), expected(what));
    let text = replay_after(&returns, io(0), change).to_string();
    assert!(text.starts_with("functions[1] (\"reads\") with inputs [9] was first run as advice"));
}

#[test]
fn a_replay_must_call_the_same_queries() {
    // fib(1) and fib(2) exist, so the other call is no new one. Their ranks differ.
    let ops = vec![c(0), Op::IoRead { channel: v(1), index: v(1), len: 1 }, call(0, &[2], 1)];
    let reads = entry("reads", 1, 1, vec![block(ops, ret(0, &[0]))]);
    let main = straight("main", 1, vec![advice(1, &[0], 1)]);
    let program = program(vec![fib(), reads, main]);
    let hooks = Hooks::default();
    let mut machine = Machine::new(&program, io(1), &Limits::default(), hooks);
    machine.claim(0, FunctionId(0), &[2]).unwrap();
    machine.claim(1, FunctionId(2), &[9]).unwrap();
    machine.record.io = io(2);
    match machine.claim(2, FunctionId(1), &[9]) {
        Err(ExecuteError::Failed(failure)) => {
            assert_eq!(failure.fault, expected("called other queries"));
        }
        other => panic!("expected a failure, got {other:?}"),
    }
}
