//! Flat JSON.

use traceloom_bytecode::Program;
use traceloom_bytecode::json::{parse, print};
use traceloom_bytecode::model::{BlockId, Control, Op, ValueId};

use crate::samples::{self, arms, block, function, program, ret};
use crate::{assert_snapshot, documented};

fn round_trip(program: &Program) -> String {
    let json = print(program);
    let parsed = parse(&json).unwrap_or_else(|error| panic!("{error}\n{json}"));
    assert_eq!(&parsed, program, "{json}");
    json
}

fn errors(source: &str) -> String {
    parse(source).expect_err(source).to_string()
}

/// A program of one function with one operation, one case and one leaf.
const SMALL: &str = r#"{
  "format": "traceloom-program/1",
  "name": "small",
  "memory_sizes": [3],
  "circuits": [
    [0]
  ],
  "functions": [
    {
      "name": "f",
      "inputs": 1,
      "outputs": 1,
      "entry": true,
      "constrained": true,
      "blocks": [
        {
          "ops": [
            {"op": "call", "function": 0, "args": [0], "results": 1}
          ],
          "control": {"control": "match", "value": 1, "cases": [[5, 1]]}
        },
        {
          "ops": [],
          "control": {"control": "return", "selector": 0, "values": [1]}
        }
      ]
    }
  ]
}
"#;

#[test]
fn every_program_survives() {
    round_trip(&samples::everything());
    let json = round_trip(&samples::hostile_names());
    assert!(!json.contains('\0') && !json.contains('\u{202e}'));
    samples::invalid().iter().for_each(|program| drop(round_trip(program)));
    // Blocks in any order, operations that do not fit their byte table, no blocks.
    let strange = vec![
        block(vec![], Control::Match(arms(0, [(0, 9)], Some(0)))),
        block(vec![], ret(0, [])),
        block(
            vec![],
            Control::MatchContinue {
                arms: arms(0, [], None),
                num_outputs: 0,
                continuation: BlockId(1),
            },
        ),
    ];
    round_trip(&program(vec![function("f", 1, 0, strange), function("g", 0, 0, vec![])]));
}

#[test]
fn an_operation_in_the_wrong_byte_table_is_not_read_back() {
    let op = Op::Unary(traceloom_air::bytes::ByteOp::Xor, ValueId(0));
    let json = print(&program(vec![function("f", 1, 0, vec![block(vec![op], ret(0, []))])]));
    let expected = "functions[0].blocks[0].ops[0].args: found 1 element, expected 2";
    assert!(errors(&json).ends_with(expected), "{}", errors(&json));
}

#[test]
fn printing_is_deterministic_with_a_line_for_every_operation() {
    let program = parse(SMALL).unwrap();
    assert_eq!(print(&program), SMALL);
    let json = round_trip(&samples::everything());
    for line in [
        r#"{"op": "const", "value": 18446744069414584320},"#,
        r#"{"op": "call_unconstrained", "function": 1, "args": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], "results": 17},"#,
        r#"{"op": "hint_u32_add", "args": [[0, 1, 2, 3], [4, 5, 6, 7]]},"#,
        r#"{"op": "assert_eq", "lhs": [], "rhs": []},"#,
        r#"{"op": "assert_eq", "lhs": [1], "rhs": [2], "label": "one"},"#,
        r#"{"op": "io_set_info", "channel": 0, "key": [], "index": 1, "len": 0},"#,
        r#"{"op": "debug", "label": "é\n\"\\", "args": [3, 2, 1]},"#,
        r#""control": {"control": "match_continue", "value": 0, "cases": [[5, 1], [2, 2]], "default": 3, "results": 2, "continuation": 7}"#,
    ] {
        assert!(json.lines().any(|found| found.trim() == line), "{line}\n{json}");
    }
}

/// Every replacement gives exactly these errors.
#[test]
fn one_change_has_one_message() {
    let op = "functions[0].blocks[0].ops[0]";
    let cases = [
        ("traceloom-program/1", "traceloom-program/2", "2:13: format: found string `\"traceloom-program/2\"`, expected \"traceloom-program/1\"".into()),
        ("[3]", "3", "4:19: memory_sizes: found `3`, expected an array".into()),
        ("\"entry\": true", "\"entry\": 1", "13:16: functions[0].entry: found `1`, expected `true` or `false`".into()),
        ("\"entry\": true,", "", "9:5: functions[0]: key `entry` is missing".into()),
        ("\"entry\"", "\"extra\": 0, \"entry\"", "13:7: functions[0].extra: unknown key; expected `name`, `inputs`, `outputs`, `entry`, `constrained`, `blocks`".into()),
        ("\"entry\"", "\"inputs\": 1, \"entry\"", "13:7: functions[0]: key `inputs` occurs twice".into()),
        ("\"entry\"", "\"input\\u0073\": 1, \"entry\"", "13:7: functions[0]: key `inputs` occurs twice".into()),
        ("\"args\": [0]", "\"args\": [0, {}]", format!("18:55: {op}.args[1]: found an object, expected a number")),
        ("\"args\": [0]", "\"args\": [0, \"1\"]", format!("18:55: {op}.args[1]: found string `\"1\"`, expected a number")),
        ("\"args\": [0]", "\"args\": [4294967296]", format!("18:52: {op}.args[0]: `4294967296` is not below 2^32")),
        ("\"call\"", "\"cal\"", format!("18:13: {op}: unknown operation `cal`; did you mean `call`?")),
        ("\"call\"", "7", format!("18:20: {op}.op: found `7`, expected a string")),
        ("\"op\": \"call\", ", "", format!("18:13: {op}: key `op` is missing")),
        ("\"results\": 1}", "\"outputs\": 1}", format!("18:13: {op}: key `results` is missing\n18:56: {op}.outputs: unknown key; expected `op`, `function`, `args`, `results`")),
        ("\"results\": 1}", "\"results\": 2097152}", format!("18:13: {op}: the program exceeds the limit of 2097152 values")),
        ("[[5, 1]]", "[[5]]", "20:65: functions[0].blocks[0].control.cases[0]: found 1 element, expected 2".into()),
        ("[[5, 1]]", "[[5, 1], []]", "20:73: functions[0].blocks[0].control.cases[1]: found 0 elements, expected 2".into()),
        ("[[5, 1]]", "[[5, 1]], \"default\": true", "20:85: functions[0].blocks[0].control.default: found `true`, expected a number".into()),
        ("\"match\"", "\"switch\"", "20:22: functions[0].blocks[0].control: unknown control `switch`".into()),
        ("\"return\"", "\"match\"", "24:22: functions[0].blocks[1].control: key `value` is missing\n24:22: functions[0].blocks[1].control: key `cases` is missing\n24:43: functions[0].blocks[1].control.selector: unknown key; expected `control`, `value`, `cases`, `default`\n24:58: functions[0].blocks[1].control.values: unknown key; expected `control`, `value`, `cases`, `default`".into()),
        ("[1]}", "[1],}", "24:72: expected no comma after the last element".into()),
        ("[3]", "[3,]", "4:21: expected no comma after the last element".into()),
        ("\"name\": \"f\"", "\"name\": null", "10:15: functions[0].name: found `null`, expected a string".into()),
        ("{\n  \"format\"", "\u{feff}{\n  \"format\"", "1:1: found a byte order mark, expected `{`".into()),
        ("  ]\n}\n", "  ]\n}\n{}", "30:1: found `{`, expected nothing after the document".into()),
        ("[3]", "[[[[[[[[[[[[[[[[[[[[", "4:34: nesting exceeds the limit of 16".into()),
    ];
    let mut differing = String::new();
    for (old, new, expected) in cases {
        assert!(SMALL.contains(old), "{old}");
        let message = errors(&SMALL.replacen(old, new, 1));
        if message != expected {
            differing += &format!("{old} -> {new}\n{message}\n");
        }
    }
    assert_eq!(differing, "");
}

#[test]
fn the_documented_example_is_what_printing_gives() {
    let example = documented(include_str!("../../src/json/mod.rs"), "json");
    let program = parse(&example).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(print(&program), example);
}

#[test]
fn null_means_left_out() {
    let source = SMALL.replace("[[5, 1]]", "[[5, 1]], \"default\": null");
    assert_eq!(parse(source).unwrap(), parse(SMALL).unwrap());
}

#[test]
fn all_errors_are_reported_at_once() {
    let source = r#"{
  "format": "traceloom-program/1",
  "name": 5,
  "memory_sizes": [3, 1.0],
  "functions": [
    {"name": "f", "inputs": -1, "outputs": 1e3, "entry": "yes", "constrained": true,
     "constrained": false, "blocks": [
      {"ops": [
        {"op": "const", "value": 18446744069414584321},
        {"op": "add", "args": [0, 1, 2]},
        {"op": "assert_eq", "lhs": [007], "rhs": 0, "label": 0},
        {"op": "u32_add"},
        {"op": "hint_u32_add", "args": [[0, 1, 2, 3], [0, 1, 2]]},
        {"op": "io_read", "channel": [0], "index": 0, "results": "1"}
      ], "control": {"control": "match", "value": 0, "cases": [[NaN, 1], [1]], "default": {}}},
      []
    ]}
  ]
}"#;
    assert_snapshot(&errors(source), include_str!("json_errors.txt"));
}

#[test]
fn every_cut_document_is_refused() {
    for source in [SMALL.to_string(), print(&samples::everything())] {
        for len in 0..source.len() - 1 {
            assert!(parse(&source.as_bytes()[..len]).is_err(), "{len}");
        }
        assert!(parse(&source[..source.len() - 1]).is_ok());
    }
}

#[test]
fn a_damaged_byte_never_panics() {
    for at in 0..SMALL.len() {
        for byte in [0, b'\n', b'"', b'{', b'}', b'[', b']', b',', b'\\', b'9', b'n', 0xff] {
            let mut damaged = SMALL.as_bytes().to_vec();
            damaged[at] = byte;
            let _ = parse(&damaged).map_err(|error| error.to_string());
        }
    }
}
