//! Numbers have one spelling, in every form, and nothing is reduced.

use traceloom_air::field::{MODULUS, word};
use traceloom_bytecode::model::{Control, Op, Program};
use traceloom_bytecode::{import, json, text};

type Reader = fn(&str) -> Result<Program, String>;

/// Each form, with `CONSTANT` and `KEY` where these stand.
const FORMS: [(&str, Reader); 3] = [
    (
        "program \"p\"
fn f(a) -> 0 {
  b = const CONSTANT
  match a { case KEY { return } }
}
end",
        |source| text::parse(source).map_err(|error| error.to_string()),
    ),
    (
        r#"{"format": "traceloom-program/1", "name": "p", "memory_sizes": [], "circuits": [[0]],
"functions": [{"name": "f", "inputs": 1, "outputs": 0, "entry": false, "constrained": true,
"blocks": [{"ops": [{"op": "const", "value": CONSTANT}],
"control": {"control": "match", "value": 0, "cases": [[KEY, 1]]}},
{"ops": [], "control": {"control": "return", "selector": 0, "values": []}}]}]}"#,
        |source| json::parse(source).map_err(|error| error.to_string()),
    ),
    (
        r#"{"name": "p", "memory_sizes": [], "functions": [{"index": 0, "name": "f",
"input_size": 1, "output_size": 0, "entry": false, "constrained": true,
"layout": {"selectors": 1, "auxiliaries": 1, "lookups": 1},
"body": {"ops": [{"op": "const", "value": CONSTANT}],
"ctrl": {"ctrl": "match", "value": 0, "cases": [[KEY,
{"ops": [], "ctrl": {"ctrl": "return", "selector": 0, "values": []}}]], "default": null}}}]}"#,
        |source| {
            let imported = import::import(source).map_err(|error| error.to_string())?;
            Ok(imported.program)
        },
    ),
];

/// Reads a constant and a key, each spelled as given.
fn read(form: usize, constant: &str, key: &str) -> Result<[u64; 2], String> {
    let (source, parse) = FORMS[form];
    let program = parse(&source.replace("CONSTANT", constant).replace("KEY", key))?;
    let block = &program.functions[0].blocks[0];
    match (&block.ops[0], &block.control) {
        (Op::Const(constant), Control::Match(arms)) => Ok([word(*constant), word(arms.cases[0].0)]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn canonical_numbers_are_read_as_they_are() {
    for form in 0..FORMS.len() {
        for number in [0, 1, 10, 1 << 53, i64::MAX as u64, 1 << 63, MODULUS - 1] {
            let spelled = number.to_string();
            assert_eq!(read(form, &spelled, &spelled), Ok([number, number]));
        }
    }
}

#[test]
fn all_other_numbers_are_refused_with_position_and_reason() {
    let many_digits = "9".repeat(400);
    let p = "is not below p = 18446744069414584321";
    let not_decimal = "is not a whole decimal number";
    let cases = [
        ("18446744069414584321", p),
        ("18446744069414584326", p),
        ("18446744073709551615", p),
        ("18446744073709551616", p),
        (&many_digits, p),
        ("-1", "has a sign"),
        ("-0", "has a sign"),
        ("+1", "has a sign"),
        ("1.0", not_decimal),
        ("1e3", not_decimal),
        ("1E+3", not_decimal),
        ("0x10", not_decimal),
        ("1_000", not_decimal),
        ("007", "has leading zeros"),
        ("00", "has leading zeros"),
    ];
    let positions = [[(3, 13), (4, 18)], [(3, 46), (4, 56)], [(4, 43), (5, 50)]];
    for (form, [constant, key]) in positions.into_iter().enumerate() {
        for (spelled, reason) in cases {
            for ((line, column), message) in
                [(constant, read(form, spelled, "0")), (key, read(form, "0", spelled))]
            {
                let message = message.expect_err(spelled);
                assert!(message.starts_with(&format!("{line}:{column}: ")), "{message}");
                assert!(message.contains(reason), "{message}");
                assert!(message.len() < 300, "{message}");
                assert_eq!(message.lines().count(), 1, "{message}");
            }
        }
    }
}

#[test]
fn what_is_no_number_is_refused() {
    for form in 0..FORMS.len() {
        for spelled in ["", "NaN", "Infinity", "\"1\"", "\"\"", "null", "true", "[1]", "١", "½"] {
            assert!(read(form, spelled, "0").is_err(), "form {form}: {spelled}");
            assert!(read(form, "0", spelled).is_err(), "form {form}: {spelled}");
        }
    }
}

#[test]
fn counts_and_indices_stay_below_two_to_the_32() {
    let text = |selector: &str| {
        let source = format!("program \"p\"\nfn f() -> 0 {{ return @{selector} }}\nend");
        text::parse(source).map_err(|error| error.to_string())
    };
    assert!(text("4294967295").is_ok());
    let expected = "2:23: `4294967296` is not below 2^32; expected the number of a selector";
    assert_eq!(text("4294967296"), Err(expected.into()));
    assert!(text("01").is_err());
    let (source, parse) = FORMS[1];
    let source = source.replace("CONSTANT", "0").replace("KEY", "0");
    for (old, new) in
        [("\"value\": 0, \"cases\"", "\"value\": 4294967296, \"cases\""), ("[[0]]", "[[0.0]]")]
    {
        assert!(source.contains(old));
        assert!(parse(&source.replace(old, new)).is_err());
    }
}
