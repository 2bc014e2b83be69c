//! The nested JSON of another project.

use traceloom_bytecode::import::{StatedShare, import};
use traceloom_bytecode::model::{BlockId, FunctionId};
use traceloom_bytecode::text;

const SMALL: &str = r#"{"name": "small", "field": "goldilocks", "memory_sizes": [3],
"source": "nowhere", "lossy": [1.5e3, {}], "op_variants": null,
"functions": [
{"index": 0, "name": null, "input_size": 9, "output_size": 1, "entry": true, "constrained": true,
"layout": {"selectors": 3, "auxiliaries": 30, "lookups": 4},
"body": {"ops": [
{"op": "load", "size": 3, "args": [0]},
{"op": "call", "function": 1, "args": [9, 10], "outputs": 1, "unconstrained": true},
{"op": "call", "function": 0, "args": [0, 1, 2, 3, 4, 5, 6, 7, 8], "outputs": 1, "unconstrained": false},
{"op": "u32_add", "args": [[0, 1, 2, 3], [4, 5, 6, 7]], "unconstrained": true},
{"op": "u32_add3", "args": [[0, 1, 2, 3], [4, 5, 6, 7], [5, 6, 7, 8]], "unconstrained": true},
{"op": "g_to_bytes", "args": [12], "unconstrained": true},
{"op": "g_inverse", "args": [13]},
{"op": "assert_eq", "lhs": [0], "rhs": [1], "msg": "equal"},
{"op": "assert_eq", "lhs": [0, 1], "rhs": [1, 0]},
{"op": "io_get_info", "channel": 0, "key": [1]},
{"op": "io_read", "channel": 0, "index": 33, "len": 2}
], "ctrl": {"ctrl": "match_continue", "value": 0, "cases": [
[7, {"ops": [], "ctrl": {"ctrl": "match", "value": 1, "cases": [], "default":
{"ops": [], "ctrl": {"ctrl": "yield", "selector": 0, "values": [1]}}}}]],
"default": {"ops": [{"op": "const", "value": 5}],
"ctrl": {"ctrl": "return", "selector": 1, "values": [37]}},
"outputs": 1, "shared_auxiliaries": 2, "shared_lookups": 3, "continuation":
{"ops": [], "ctrl": {"ctrl": "return", "selector": 2, "values": [37]}}}}},
{"index": 1, "name": "advice", "input_size": 2, "output_size": 1, "entry": false,
"constrained": false, "layout": {"selectors": 1, "auxiliaries": 1, "lookups": 1},
"body": {"ops": [], "ctrl": {"ctrl": "return", "selector": 0, "values": [0]}}}
]}"#;

const SMALL_TEXT: &str = r#"program "small"
memory 3

fn function_0(v0..v8) -> 1 entry {
  v9, v10, v11 = load v0
  v12 = call_unconstrained advice(v9, v10)
  v13 = call function_0(v0..v8)
  v14..v18 = hint_u32_add [v0..v3], [v4..v7]
  v19..v23 = hint_u32_add3 [v0..v3], [v4..v7], [v5..v8]
  v24..v31 = hint_field_to_bytes v12
  v32 = hint_inverse v13
  assert_eq v0, v1, "equal"
  assert_eq [v0, v1], [v1, v0]
  v33, v34 = io_get_info v0, v1
  v35, v36 = io_read v0, v33
  v37 = match_continue v0 {
    case 7 {
      match v1 {
        default { yield v1 }
      }
    }
    default {
      v37 = const 5
      return v37
    }
  }
  return v37
}

fn advice(v0, v1) -> 1 unconstrained {
  return v0
}

end
"#;

#[test]
fn a_program_keeps_its_meaning_and_its_stated_layouts() {
    let imported = import(SMALL).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(text::print(&imported.program).unwrap(), SMALL_TEXT);
    assert_eq!(imported.program.circuits, [[FunctionId(0)]]);
    let [layout, advice] = &imported.layouts[..] else { panic!() };
    assert_eq!([layout.selectors, layout.auxiliaries, layout.lookups], [3, 30, 4]);
    let share = StatedShare { block: BlockId(0), auxiliaries: 2, lookups: 3 };
    assert_eq!(layout.shared, [share]);
    assert!(advice.shared.is_empty());
}

#[test]
fn one_change_has_one_message() {
    let cases = [
        (
            "\"goldilocks\"",
            "\"babybear\"",
            "1:28: field: found string `\"babybear\"`, expected \"goldilocks\"",
        ),
        (
            "\"index\": 1",
            "\"index\": 2",
            "25:11: functions[1].index: found `2`, expected 1, the position",
        ),
        ("1.5e3", "01.5e3", "2:32: lossy[0]: found `01.5e3`, expected a value"),
        (
            "\"nowhere\", ",
            "\"nowhere\", \"version\": 2, ",
            "2:22: version: unknown key; expected `name`, `source`, `field`, `memory_sizes`, `lossy`, `op_variants`, `functions`",
        ),
        (
            "\"g_inverse\"",
            "\"io_write\"",
            "13:1: functions[0].body.ops[6]: unknown operation `io_write`",
        ),
        (
            "\"g_inverse\"",
            "\"hint_inverse\"",
            "13:1: functions[0].body.ops[6]: unknown operation `hint_inverse`",
        ),
        (
            "[12], \"unconstrained\": true",
            "[12], \"unconstrained\": false",
            "12:1: functions[0].body.ops[5]: `g_to_bytes` is known unconstrained only",
        ),
        (
            "[12], \"unconstrained\": true",
            "[12], \"unconstrained\": 1",
            "12:53: functions[0].body.ops[5].unconstrained: found `1`, expected `true` or `false`",
        ),
        (
            ", \"unconstrained\": false",
            "",
            "9:1: functions[0].body.ops[2]: key `unconstrained` is missing",
        ),
        (
            "\"args\": [13]",
            "\"args\": []",
            "13:29: functions[0].body.ops[6].args: found 0 elements, expected 1",
        ),
        (
            "\"msg\"",
            "\"label\"",
            "14:45: functions[0].body.ops[7].label: unknown key; expected `op`, `lhs`, `rhs`, `msg`",
        ),
        (
            "\"continuation\"",
            "\"then\"",
            "23:61: functions[0].body.ctrl.then: unknown key; expected `ctrl`, `value`, `cases`, `default`, `outputs`, `shared_auxiliaries`, `shared_lookups`, `continuation`",
        ),
        (
            "\"ctrl\": \"yield\"",
            "\"ctrl\": \"stop\"",
            "20:21: functions[0].body.ctrl.cases[0][1].ctrl.default.ctrl: unknown control `stop`",
        ),
        (
            "[7, {",
            "[8.0, {",
            "19:2: functions[0].body.ctrl.cases[0][0]: `8.0` is not a whole decimal number",
        ),
        ("\"selectors\": 3, ", "", "5:11: functions[0].layout: key `selectors` is missing"),
    ];
    let mut differing = String::new();
    for (old, new, expected) in cases {
        assert!(SMALL.contains(old), "{old}");
        let message = import(SMALL.replacen(old, new, 1)).expect_err(new).to_string();
        // A renamed key is missing as well.
        if !message.lines().any(|line| line == expected) || message.lines().count() > 2 {
            differing += &format!("{old} -> {new}\n{message}\n");
        }
    }
    assert!(differing.is_empty(), "{differing}");
}

#[test]
fn every_cut_or_damaged_document_is_refused_or_read() {
    for len in 0..SMALL.len() {
        assert!(import(&SMALL.as_bytes()[..len]).is_err(), "{len}");
        for byte in [b'"', b'{', b'}', b']', b',', b'9', b'n'] {
            let mut damaged = SMALL.as_bytes().to_vec();
            damaged[len] = byte;
            let _ = import(&damaged).map_err(|error| error.to_string());
        }
    }
}
