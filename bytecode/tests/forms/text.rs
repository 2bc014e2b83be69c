//! Text assembly.

use traceloom_bytecode::Program;
use traceloom_bytecode::model::{Control, FunctionId};
use traceloom_bytecode::text::{NotATree, parse, print};

use crate::samples::{self, arms, block, function, program, ret};
use crate::{assert_snapshot, documented};

fn round_trip(program: &Program) -> String {
    let text = print(program).unwrap();
    let parsed = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(&parsed, program, "{text}");
    assert_eq!(print(&parsed).unwrap(), text);
    text
}

fn errors(source: &str) -> String {
    parse(source).expect_err(source).to_string()
}

/// Errors of the lines of a function with inputs `a`, `b`, `v0..v9`.
fn line_errors(lines: &str) -> String {
    errors(
        &format!("program \"\"; fn f(a, b, v0..v9) -> 0 {{\n{lines}\n}}\nend").replace(';', "\n"),
    )
}

#[test]
fn every_operation_and_control_survives() {
    let text = round_trip(&samples::everything());
    for line in [
        "fn all_ops(v0..v11) -> 1 entry {",
        "  v13 = const 18446744069414584320",
        "  v19..v35 = call_unconstrained advice(v0..v11)",
        "  assert_eq v1, v2, \"one\"",
        "  io_set_info v0, [], v1, v0",
        "v0, [v1, v2]",
        " = hint_u32_add3 [v0..v3], [v1, v0, v1, v0], [v8..v11]",
        "  debug \"é\\n\\\"\\\\\", v3, v2, v1",
        "  u8_range_check v1, v0",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

#[test]
fn controls_read_like_a_program() {
    let text = round_trip(&samples::everything());
    let expected = r#"
fn controls(v0, v1) -> 1 {
  v2, v3 = match_continue v0 {
    case 5 {
      v2 = const 1
      yield @3 v0, v2
    }
    case 2 { yield @0 v1, v1 }
    default {
      v2 = add v0, v1
      match v2 {
        case 0 { yield v0, v1 }
        default {
          v3 = const 7
          match v3 {
            default { return @1 v3 }
          }
        }
      }
    }
  }
  v4 = mul v2, v3
  match_continue v4 {
    case 18446744069414584320 { yield }
  }
  v5 = eq_zero v4
  return v5
}

fn "no matches"() -> 0 entry unconstrained {
  match %0 {
  }
}

end
"#;
    assert!(text.ends_with(expected), "{text}");
}

#[test]
fn the_documented_example_is_a_program() {
    let example = documented(include_str!("../../src/text/mod.rs"), "text");
    let program = parse(&example).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(program.circuits, [[FunctionId(0), FunctionId(1)]]);
    assert_eq!(program.functions[0].blocks.len(), 4);
    round_trip(&program);
}

#[test]
fn hostile_names_survive() {
    let text = round_trip(&samples::hostile_names());
    assert!(!text.contains('\0') && !text.contains('\u{202e}'), "{text}");
}

#[test]
fn invalid_programs_can_be_shown() {
    for program in samples::invalid() {
        round_trip(&program);
    }
}

#[test]
fn names_comments_and_blank_lines_are_free() {
    let source = "
        ; a comment { with \" and }
        program \"p\" ; and another

        circuit even, odd
        fn odd(n) -> 1 {  \r
          zero = const 0  ; a name
          match n { case 0 { return zero }
            default {
              one = const 1
              m = sub n, one
              r = call even(m)
              return r } }
        }
        fn even(n) -> 1 entry { bytes0..bytes7 = u8_bit_decomposition n
          a, b, c, d, e = hint_u32_add [bytes0..bytes3], [bytes4..bytes7]
          return @7 e
        }
        memory 3
        end";
    let program = parse(source).unwrap();
    assert_eq!(program.circuits, [vec![FunctionId(1), FunctionId(0)]]);
    assert_eq!(program.memory_sizes, [3]);
    let text = round_trip(&program);
    assert!(text.contains("\ncircuit even, odd\n"), "{text}");
    assert!(text.contains("  return @7 v13\n"), "{text}");
}

#[test]
fn blocks_that_are_no_tree_are_not_printed() {
    let leaf = || block(vec![], ret(0, []));
    let choice = |default| block(vec![], Control::Match(arms(0, [(0, 1)], Some(default))));
    let cases = [
        (vec![], 0),
        (vec![choice(2), leaf()], 2),
        (vec![choice(1), leaf(), leaf()], 1),
        (vec![choice(0), leaf(), leaf()], 0),
        (vec![leaf(), leaf()], 1),
    ];
    for (blocks, block) in cases {
        let program = program(vec![function("f", 1, 0, blocks)]);
        assert_eq!(print(&program), Err(NotATree { function: 0, block }));
    }
}

#[test]
fn all_errors_are_reported_at_once() {
    let source = "program \"p\"
memory 3, x
fn f(a, a) -> 1 entry {
  b = add a
  c = mul a, d
  e = foo a
  g, h = sub a, b
  assert_eq a, \"no\"
  match a {
    case 007 { return e }
    case -1 {
      i = call g(a)
    }
    default { return nope; }
    ; the comment hid a brace
  }}
}
fn \"\\q\"() -> 0 { return
  return }
fn h() -> 0 { x = call f()
  return x, x
}
fn h() -> 0 { call h() return }
circuit h, #4294967296
";
    assert_snapshot(&errors(source), include_str!("text_errors.txt"));
}

#[test]
fn one_error_has_one_message() {
    let cases = [
        ("x = add a", "3:9: `add` takes 2 values here, found 1"),
        ("x = add a, b, a", "3:9: `add` takes 2 values here, found 3"),
        ("x = u32_to_field v0..v4", "3:18: `u32_to_field` takes 4 values here, found 5"),
        (
            "x..y = u8_add a, b",
            "3:1: expected a range of one name with ascending numbers, like `v0..v3`",
        ),
        ("x, y = add a, b", "3:1: `add` has 1 result, found 2 names"),
        ("add a, b", "3:1: `add` has 1 result, found 0 names"),
        ("x = debug \"\"", "3:1: `debug` has 0 results, found 1 name"),
        ("x = assert_eq a, [a", "3:20: found the end of the line, expected `]`"),
        ("assert_eq v0..v1, b", "3:11: `assert_eq` takes 1 value here, found 2"),
        (
            "x0..x4 = hint_u32_add [v0..v3], [v0..v2]",
            "3:33: `hint_u32_add` takes 4 values here, found 3",
        ),
        ("a = const 1", "3:1: the name `a` is already taken"),
        ("x, x, a = call f()", "3:1: 2 of the names that begin here are already taken: `x`, …"),
        ("x = add x, a", "3:9: no value is called `x` here"),
        ("x = store v8..v12", "3:11: the range that begins here holds unknown names"),
        ("x = const", "3:10: found the end of the line, expected a constant"),
        ("x = const \"1\"", "3:11: found string `\"1\"`, expected a constant"),
        ("x = const 1 2", "3:13: found `2`, expected the end of the line"),
        ("x = call g()", "3:10: no function is called `g`"),
        (
            "x = konst 1",
            "3:5: found `konst`, expected an operation, `return`, `yield` or a match; did you mean `const`?",
        ),
        (
            "abc = const 1\nx = add abd, a",
            "4:9: no value is called `abd` here; did you mean `abc`?",
        ),
        (
            "x = call add()",
            "3:10: found `add`, expected a function's name; words like this in quotes",
        ),
        ("x = io_read a", "3:14: found the end of the line, expected `,`"),
        (
            "debug \"\\x\"",
            "3:8: expected an escape: `\\\"`, `\\\\`, `\\n`, `\\r`, `\\t` or `\\u{...}`",
        ),
        ("debug \"open", "3:7: found a string that its line does not close, expected a string"),
        ("x = match a {\n}", "3:1: `match` has no result that could be named"),
        ("foo a", "3:5: found `a`, expected `=` (or an operation at the start of the line)"),
        ("x = add a, é", "3:12: found `é`, expected a value"),
        ("x = add a, \u{feff}b", "3:12: found a byte order mark, expected a value"),
    ];
    for (line, expected) in cases {
        let leaf = if line.contains("match") { "" } else { "\nreturn" };
        let message = line_errors(&format!("{line}{leaf}"));
        assert_eq!(message, expected, "{line}");
    }
}

#[test]
fn structure_errors_have_one_message() {
    let cases = [
        ("", "4:1: found `}`, expected `return`, `yield` or `match` at the end of the block"),
        (
            "return\nreturn\nreturn",
            "4:1: found `return`, expected `}`: this block has come to its end",
        ),
        (
            "match a {\ncase 1 {return}\ndefault {return}\ndefault {return}\n}",
            "6:1: expected no arm after `default`",
        ),
        ("match a {\ndefault {return}\ncase 1 {return}\n}", "5:1: expected no arm after `default`"),
        ("match a {\nreturn\n}", "4:1: found `return`, expected `case`, `default` or `}`"),
        (
            "match a {\ncase 1 { x = const 1 }\n}",
            "4:22: found `}`, expected `return`, `yield` or `match` at the end of the block",
        ),
        (
            "match a {\ncase 1 { x = const 1\n return }\ndefault { return x }\n}",
            "6:18: no value is called `x` here",
        ),
        (
            "match_continue a {\n}\n",
            "6:1: found `}`, expected `return`, `yield` or `match` at the end of the block",
        ),
        ("return }", "4:1: found `}`, expected an item: no block is open"),
    ];
    for (lines, expected) in cases {
        let message = line_errors(lines);
        assert!(message.starts_with(expected), "{lines}\n{message}");
    }
}

#[test]
fn a_list_of_many_errors_is_capped() {
    let source = format!("program \"p\"\n{}end", "memory\n".repeat(1_000));
    let error = parse(source).unwrap_err();
    assert_eq!((error.total, error.diagnostics.len()), (1_000, 100));
    assert!(error.to_string().ends_with("\nand 900 more errors"));
}

#[test]
fn every_cut_text_is_refused() {
    for program in [samples::everything(), samples::hostile_names()] {
        let text = print(&program).unwrap();
        for len in 0..text.len() - 1 {
            assert!(parse(&text.as_bytes()[..len]).is_err(), "{len}");
        }
        assert_eq!(parse(&text[..text.len() - 1]).unwrap(), program);
        assert!(parse(text.clone() + "end").is_err());
        assert!(parse("\u{feff}".to_string() + &text).is_err());
    }
}

#[test]
fn a_damaged_byte_never_panics() {
    let text = print(&samples::everything()).unwrap();
    for at in 0..text.len() {
        for byte in [b'\n', b'"', b'{', b'}', b'9'] {
            let mut damaged = text.clone().into_bytes();
            damaged[at] = byte;
            let _ = parse(&damaged).map_err(|error| error.to_string());
        }
    }
}

#[test]
fn small_texts_stay_small() {
    let body =
        |line: &str| format!("program \"p\"\nfn f(v0..v65535) -> 0 {{\n{line}return\n}}\nend");
    let operands = errors(&body(&"debug \"\", v0..v65535\n".repeat(200)));
    assert!(operands.contains("the program exceeds the limit of 8388608 operands"), "{operands}");
    let values = errors(&body("w0..w4294967294 = call f()\n"));
    assert_eq!(values, "3:1: the program exceeds the limit of 2097152 values");
    let functions = format!("program \"p\"\n{}end", "fn f() -> 0 { return }\n".repeat(65_537));
    let functions = errors(&functions);
    assert_eq!(functions, "65538:4: the program exceeds the limit of 65536 functions");
}
