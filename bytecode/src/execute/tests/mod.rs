//! Small programs, written as data, and what executing them must leave behind.

mod calls;
mod control;
mod limits;
mod operations;
mod promotion;
mod robustness;

use traceloom_abi::io::Io;
use traceloom_abi::record::Record;
use traceloom_air::bytes::ByteOp;
use traceloom_air::field::element;

use super::{ExecuteError, Execution, Failure, Limits, execute};
use crate::check::CheckedProgram;
use crate::model::{Block, BlockId, Control, Function, FunctionId, Match, Op, Program, ValueId};

fn v(value: u32) -> ValueId {
    ValueId(value)
}

fn vs(values: &[u32]) -> Vec<ValueId> {
    values.iter().copied().map(ValueId).collect()
}

fn c(word: u64) -> Op {
    Op::Const(element(word))
}

/// A constrained call.
fn call(function: u32, args: &[u32], num_outputs: u32) -> Op {
    Op::Call { function: FunctionId(function), args: vs(args), num_outputs, constrained: true }
}

/// An unconstrained call.
fn advice(function: u32, args: &[u32], num_outputs: u32) -> Op {
    Op::Call { function: FunctionId(function), args: vs(args), num_outputs, constrained: false }
}

fn block(ops: Vec<Op>, control: Control) -> Block {
    Block { ops, control }
}

fn ret(selector: u32, values: &[u32]) -> Control {
    Control::Return { selector, values: vs(values) }
}

fn yields(selector: u32, values: &[u32]) -> Control {
    Control::Yield { selector, values: vs(values) }
}

fn arms(value: u32, cases: &[(u64, u32)], default: Option<u32>) -> Match {
    let cases = cases.iter().map(|&(key, block)| (element(key), BlockId(block))).collect();
    Match { value: v(value), cases, default: default.map(BlockId) }
}

fn choose(value: u32, cases: &[(u64, u32)], default: Option<u32>) -> Control {
    Control::Match(arms(value, cases, default))
}

/// A constrained entry.
fn entry(name: &str, num_inputs: u32, num_outputs: u32, blocks: Vec<Block>) -> Function {
    let name = name.into();
    Function { name, num_inputs, num_outputs, entry: true, constrained: true, blocks }
}

/// An entry that returns all results of `ops`.
fn straight(name: &str, num_inputs: u32, ops: Vec<Op>) -> Function {
    let num_outputs = ops.iter().map(Op::num_results).sum::<usize>() as u32;
    let outputs: Vec<u32> = (num_inputs..num_inputs + num_outputs).collect();
    entry(name, num_inputs, num_outputs, vec![block(ops, ret(0, &outputs))])
}

/// The same without a circuit.
fn unconstrained(function: Function) -> Function {
    Function { entry: false, constrained: false, ..function }
}

fn program(functions: Vec<Function>) -> CheckedProgram {
    let ids = (0..functions.len()).filter(|&index| functions[index].constrained);
    let circuits = ids.map(|index| vec![FunctionId(index as u32)]).collect();
    let memory_sizes = vec![1, 2, 10];
    let program = Program { name: "test".into(), functions, memory_sizes, circuits };
    CheckedProgram::new(program).expect("a valid program")
}

fn run(program: &CheckedProgram, claims: &[(u32, &[u64])]) -> Result<Execution, ExecuteError> {
    let claims: Vec<_> =
        claims.iter().map(|&(function, args)| (FunctionId(function), args.to_vec())).collect();
    execute(program, &claims, Io::default(), &Limits::default())
}

/// Outputs of function 0.
fn outputs(program: &CheckedProgram, args: &[u64]) -> Vec<u64> {
    run(program, &[(0, args)]).expect("an execution without error").outputs(0)
}

/// How function 0 fails.
fn failure(program: &CheckedProgram, args: &[u64]) -> Failure {
    expect_failure(run(program, &[(0, args)]))
}

fn expect_failure(result: Result<Execution, ExecuteError>) -> Failure {
    match result {
        Err(ExecuteError::Failed(failure)) => *failure,
        other => panic!("expected a failure, got {other:?}"),
    }
}

fn multiplicity(record: &Record, function: usize, inputs: &[u64]) -> u64 {
    let table = &record.functions[function];
    table.multiplicity(table.find(inputs).expect("a known query"))
}

/// Number of uses of `op` on `a`, `b`.
fn uses(record: &Record, op: ByteOp, a: u8, b: u8) -> u64 {
    let counts = record.byte_counts(op.table());
    counts.row(op.table().row(a, b)).nth(op.position()).unwrap()
}

/// Number of uses of `op` on anything.
fn total_uses(record: &Record, op: ByteOp) -> u64 {
    let counts = record.byte_counts(op.table());
    (0..op.table().height()).map(|row| counts.row(row).nth(op.position()).unwrap()).sum()
}

/// fib(0) = fib(1) = 1, else the sum of the two before.
fn fib() -> Function {
    let recursive = vec![
        c(1),
        Op::Sub(v(0), v(1)),
        call(0, &[2], 1),
        Op::Sub(v(2), v(1)),
        call(0, &[4], 1),
        Op::Add(v(3), v(5)),
    ];
    let one = |selector| block(vec![c(1)], ret(selector, &[1]));
    let body = block(vec![], choose(0, &[(0, 1), (1, 2)], Some(3)));
    entry("fib", 1, 1, vec![body, one(0), one(1), block(recursive, ret(2, &[6]))])
}
