//! A real program of another project, if it is there: it is looked for in
//! `../shared/data`, or in the folder that `TRACELOOM_DATA` names.

use std::path::PathBuf;

use traceloom_air::field::element;
use traceloom_bytecode::Program;
use traceloom_bytecode::import::import;
use traceloom_bytecode::model::{
    Block, BlockId, Control, Function, FunctionId, Match, Op, ValueId,
};

const FILE: &str = "multi_stark.bytecode.json";
/// Hashes the bytes of a list in memory; has no circuit, but could have one.
const HASH: FunctionId = FunctionId(62);

/// The program with an entry `main(len)` that hashes the words of io channel 0.
pub fn program() -> Option<(Program, FunctionId)> {
    let folder = std::env::var_os("TRACELOOM_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
        PathBuf::from,
    );
    let source = std::fs::read(folder.join(FILE)).ok()?;
    let mut program = import(source).unwrap_or_else(|error| panic!("{error}")).program;
    let list = FunctionId(program.functions.len() as u32);
    let main = FunctionId(list.0 + 1);
    program.functions.extend([read_list(list), hash_input(list)]);
    program.functions[HASH.index()].constrained = true;
    program.circuits.extend([HASH, list, main].map(|function| vec![function]));
    Some((program, main))
}

fn values<const N: usize>(numbers: [u32; N]) -> Vec<ValueId> {
    numbers.map(ValueId).to_vec()
}

fn call(function: FunctionId, args: Vec<ValueId>, num_outputs: u32) -> Op {
    Op::Call { function, args, num_outputs, constrained: true }
}

/// `list(i, len)`: the words from `i` on, as cells (0, word, rest) and an end (1, …).
fn read_list(this: FunctionId) -> Function {
    let (zero, one) = (Op::Const(element(0)), Op::Const(element(1)));
    let choice = Match {
        value: ValueId(2),
        cases: vec![(element(0), BlockId(1))],
        default: Some(BlockId(2)),
    };
    let end = Block {
        ops: vec![one.clone(), Op::Store { values: values([3, 3, 3]) }],
        control: Control::Return { selector: 0, values: values([4]) },
    };
    let more = Block {
        ops: vec![
            zero,
            one,
            Op::IoRead { channel: ValueId(3), index: ValueId(0), len: 1 },
            Op::Add(ValueId(0), ValueId(4)),
            call(this, values([6, 1]), 1),
            Op::Store { values: values([3, 5, 7]) },
        ],
        control: Control::Return { selector: 1, values: values([8]) },
    };
    let difference = Op::Sub(ValueId(1), ValueId(0));
    let body = Block { ops: vec![difference], control: Control::Match(choice) };
    function("list", [2, 1], false, vec![body, end, more])
}

/// `main(len)`
fn hash_input(list: FunctionId) -> Function {
    let ops =
        vec![Op::Const(element(0)), call(list, values([1, 0]), 1), call(HASH, values([2]), 32)];
    let control = Control::Return { selector: 0, values: (3..35).map(ValueId).collect() };
    function("main", [1, 32], true, vec![Block { ops, control }])
}

fn function(
    name: &str,
    [num_inputs, num_outputs]: [u32; 2],
    entry: bool,
    blocks: Vec<Block>,
) -> Function {
    Function { name: name.into(), num_inputs, num_outputs, entry, constrained: true, blocks }
}
