//! Programs that the tests write and read.

use traceloom_air::bytes::ByteOp;
use traceloom_air::field::{MODULUS, element};
use traceloom_bytecode::model::{
    Block, BlockId, Control, Function, FunctionId, Match, Op, Program, ValueId,
};

fn v(values: impl IntoIterator<Item = u32>) -> Vec<ValueId> {
    values.into_iter().map(ValueId).collect()
}

fn word(first: u32) -> [ValueId; 4] {
    std::array::from_fn(|i| ValueId(first + i as u32))
}

pub fn ret(selector: u32, values: impl IntoIterator<Item = u32>) -> Control {
    Control::Return { selector, values: v(values) }
}

pub fn yields(selector: u32, values: impl IntoIterator<Item = u32>) -> Control {
    Control::Yield { selector, values: v(values) }
}

pub fn block(ops: Vec<Op>, control: Control) -> Block {
    Block { ops, control }
}

pub fn arms(
    value: u32,
    cases: impl IntoIterator<Item = (u64, u32)>,
    default: Option<u32>,
) -> Match {
    let cases = cases.into_iter().map(|(key, block)| (element(key), BlockId(block))).collect();
    Match { value: ValueId(value), cases, default: default.map(BlockId) }
}

/// A constrained function without entry flag.
pub fn function(name: &str, num_inputs: u32, num_outputs: u32, blocks: Vec<Block>) -> Function {
    Function { name: name.into(), num_inputs, num_outputs, entry: false, constrained: true, blocks }
}

/// Functions in circuits of their own.
pub fn program(functions: Vec<Function>) -> Program {
    let circuits = functions
        .iter()
        .enumerate()
        .filter(|(_, function)| function.constrained)
        .map(|(position, _)| vec![FunctionId(position as u32)])
        .collect();
    Program { name: "sample".into(), functions, memory_sizes: vec![3, 10], circuits }
}

/// Every operation, over twelve inputs.
pub fn all_ops() -> Vec<Op> {
    let (a, b) = (ValueId(0), ValueId(1));
    let call = |constrained: bool, num_outputs| Op::Call {
        function: FunctionId(u32::from(!constrained)),
        args: v(0..12),
        num_outputs,
        constrained,
    };
    let assert = |lhs, rhs, label: Option<&str>| Op::AssertEq {
        lhs: v(lhs),
        rhs: v(rhs),
        label: label.map(Into::into),
    };
    let mut ops = vec![
        Op::Const(element(0)),
        Op::Const(element(MODULUS - 1)),
        Op::Add(a, b),
        Op::Sub(b, a),
        Op::Mul(a, a),
        Op::EqZero(b),
        call(true, 0),
        call(true, 1),
        call(false, 17),
        Op::Store { values: v([]) },
        Op::Store { values: v([5, 4, 3]) },
        Op::Load { width: 3, pointer: a },
        Op::Load { width: 0, pointer: b },
        assert(vec![], vec![], None),
        assert(vec![1], vec![2], Some("one")),
        assert(vec![1, 2, 3, 4, 5], vec![2, 3, 4, 6, 7], Some("")),
        Op::IoGetInfo { channel: a, key: v([1, 2]) },
        Op::IoGetInfo { channel: a, key: v([1]) },
        Op::IoSetInfo { channel: a, key: v([]), index: b, len: a },
        Op::IoRead { channel: a, index: b, len: 9 },
        Op::IoWrite { channel: a, values: v([]) },
        Op::IoWrite { channel: a, values: v([1, 2, 3, 4]) },
        Op::U32LessThan(a, b),
        Op::U32ToField(word(2)),
        Op::HintU32Add([word(0), word(4)]),
        Op::HintU32Add3([word(0), [b, a, b, a], word(8)]),
        Op::HintFieldToBytes(b),
        Op::HintInverse(a),
        Op::HintBigUintDivRem(a, b),
        Op::Debug { label: "all".into(), values: v([]) },
        Op::Debug { label: "é\n\"\\".into(), values: v([3, 2, 1]) },
        Op::Allow { reason: "".into(), values: v([]) },
        Op::Allow { reason: "why".into(), values: v([1, 3]) },
    ];
    ops.extend(ByteOp::UNARY.map(|op| Op::Unary(op, a)));
    ops.extend(ByteOp::BINARY.map(|op| Op::Binary(op, b, a)));
    ops
}

/// Every operation and control, flags in all combinations.
pub fn everything() -> Program {
    let controls = vec![
        // 0: a match that goes on in 7.
        block(
            vec![],
            Control::MatchContinue {
                arms: arms(0, [(5, 1), (2, 2)], Some(3)),
                num_outputs: 2,
                continuation: BlockId(7),
            },
        ),
        block(vec![Op::Const(element(1))], yields(3, [0, 2])),
        block(vec![], yields(0, [1, 1])),
        // 3: a match inside the arm, one arm of which returns early.
        block(vec![Op::Add(ValueId(0), ValueId(1))], Control::Match(arms(2, [(0, 4)], Some(5)))),
        block(vec![], yields(2, [0, 1])),
        block(vec![Op::Const(element(7))], Control::Match(arms(3, [], Some(6)))),
        block(vec![], ret(1, [3])),
        block(
            vec![Op::Mul(ValueId(2), ValueId(3))],
            Control::MatchContinue {
                arms: arms(4, [(MODULUS - 1, 8)], None),
                num_outputs: 0,
                continuation: BlockId(9),
            },
        ),
        block(vec![], yields(4, [])),
        block(vec![Op::EqZero(ValueId(4))], ret(5, [5])),
    ];
    let mut functions = vec![
        function("all_ops", 12, 1, vec![block(all_ops(), ret(0, [12]))]),
        function("advice", 12, 17, vec![block(vec![], ret(0, (0..17).map(|i| i % 12)))]),
        function("controls", 2, 1, controls),
        function("no matches", 0, 0, vec![block(vec![], Control::Match(arms(0, [], None)))]),
    ];
    functions[0].entry = true;
    functions[1].constrained = false;
    functions[3].entry = true;
    functions[3].constrained = false;
    program(functions)
}

/// Names that try to end a string, a comment, a line or a file.
pub const HOSTILE_NAMES: &[&str] = &[
    "",
    " ",
    "\"",
    "\\",
    "\\\"",
    "a\nb",
    "a\r\nb",
    "\0",
    "*/",
    "/* \u{7f}",
    "; end",
    "# 1",
    "#1",
    "%1",
    "{\"op\": \"add\"}",
    "\u{202e}\u{2066}\u{feff}\u{200b}",
    "π𝔽é",
    "\u{10ffff}\u{fffd}\u{e000}",
    "fn",
    "end",
    "case",
    "return",
    "match_continue",
    "u8_add",
    "entry",
    "none",
    "v0",
    "a.b",
    "\\u{41}",
    "\\n",
    "1",
    "-",
    "..",
];

/// Every hostile name as the name of a function, a label and a debug string.
/// All functions call each other, by name where that is possible.
pub fn hostile_names() -> Program {
    let functions = HOSTILE_NAMES.iter().enumerate().map(|(i, &name)| {
        let ops = vec![
            Op::AssertEq { lhs: v([]), rhs: v([]), label: Some(name.into()) },
            Op::Debug { label: name.into(), values: v([]) },
            Op::Call {
                function: FunctionId((i as u32 + 1) % HOSTILE_NAMES.len() as u32),
                args: v([]),
                num_outputs: 0,
                constrained: true,
            },
        ];
        function(name, 0, 0, vec![block(ops, ret(0, []))])
    });
    let mut program = program(functions.collect());
    program.name = HOSTILE_NAMES.concat();
    program
}

/// Programs that no validation would accept, but that can be shown.
pub fn invalid() -> Vec<Program> {
    let call = |function| Op::Call {
        function: FunctionId(function),
        args: v([]),
        num_outputs: 0,
        constrained: true,
    };
    let leaf = |ops| vec![block(ops, ret(0, []))];
    // Two functions of one name, calls by position, one to nowhere.
    let twins = program(vec![
        function("f", 0, 0, leaf(vec![call(1), call(0), call(7)])),
        function("f", 0, 0, leaf(vec![])),
    ]);
    // Values that do not exist.
    let ops = vec![
        Op::Add(ValueId(1), ValueId(u32::MAX)),
        Op::Store { values: v(0..9) },
        Op::AssertEq { lhs: v(6..8), rhs: v([9]), label: None },
    ];
    let missing_values = program(vec![function("f", 2, 7, vec![block(ops, ret(u32::MAX, 3..9))])]);
    // Circuits that do not match the functions, and none at all.
    let mut circuits = twins.clone();
    circuits.circuits = vec![vec![], vec![FunctionId(1), FunctionId(1)], vec![FunctionId(9)]];
    let mut no_circuits = twins.clone();
    no_circuits.circuits = vec![];
    no_circuits.memory_sizes = vec![7, 7, 0];
    let equal_keys = vec![
        block(vec![], Control::Match(arms(0, [(1, 1), (1, 2)], None))),
        block(vec![], ret(0, [])),
        block(vec![], yields(0, [])),
    ];
    let equal_keys = program(vec![function("f", 1, 0, equal_keys)]);
    let nothing =
        Program { name: "".into(), functions: vec![], memory_sizes: vec![], circuits: vec![] };
    vec![twins, missing_values, circuits, no_circuits, equal_keys, nothing]
}

/// A match in the default of a match, `depth` times.
pub fn nested(depth: u32) -> Program {
    let blocks = (0..depth).map(|i| block(vec![], Control::Match(arms(0, [], Some(i + 1)))));
    let leaf = block(vec![], ret(0, [0]));
    program(vec![function("nested", 1, 1, blocks.chain([leaf]).collect())])
}

/// A match after a match, `length` times.
pub fn chained(length: u32) -> Program {
    let blocks = (0..length).flat_map(|i| {
        let next = Control::MatchContinue {
            arms: arms(0, [], Some(2 * i + 1)),
            num_outputs: 1,
            continuation: BlockId(2 * i + 2),
        };
        [block(vec![], next), block(vec![], yields(i, [i]))]
    });
    let leaf = block(vec![], ret(length, [length]));
    program(vec![function("chained", 1, 1, blocks.chain([leaf]).collect())])
}
