//! Depth costs memory, never the stack.

use std::fmt::Write as _;
use std::thread;

use traceloom_bytecode::limits::MAX_IMPORT_DEPTH;
use traceloom_bytecode::model::{BlockId, Control};
use traceloom_bytecode::{Program, import, json, text};

use crate::samples;

/// Runs `test` with a stack of 1 MiB; what it drops it drops there.
fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = thread::Builder::new().stack_size(1 << 20).spawn(test).unwrap();
    thread.join().unwrap();
}

fn survives(program: &Program) {
    let text = text::print(program).unwrap();
    assert_eq!(&text::parse(&text).unwrap(), program);
    drop(text);
    let json = json::print(program);
    assert_eq!(&json::parse(json).unwrap(), program);
}

#[test]
fn matches_nest_a_million_deep() {
    on_a_small_stack(|| {
        for depth in [1_000, 10_000, 100_000] {
            survives(&samples::nested(depth));
        }
        let program = samples::nested(1_000_000);
        let text = text::print(&program).unwrap();
        assert_eq!(text::parse(text).unwrap(), program);
    });
}

#[test]
fn matches_follow_each_other_a_hundred_thousand_times() {
    on_a_small_stack(|| {
        for length in [1_000, 100_000] {
            survives(&samples::chained(length));
        }
    });
}

#[test]
fn braces_that_never_close_are_one_error() {
    on_a_small_stack(|| {
        for depth in [1_000, 1_000_000] {
            let nest = "match a { default {\n".repeat(depth);
            let source = format!("program \"p\"\nfn f(a) -> 0 {{\n{nest}");
            let error = text::parse(source).unwrap_err();
            assert_eq!(error.total, 3, "{error}");
        }
    });
}

/// A program of the other project, with a match in the default of a match.
fn nested_import(depth: usize) -> String {
    let mut out = String::from(
        r#"{"memory_sizes": [], "functions": [{"index": 0, "name": null, "input_size": 1,
        "output_size": 1, "entry": true, "constrained": true,
        "layout": {"selectors": 1, "auxiliaries": 1, "lookups": 1}, "body": "#,
    );
    for _ in 0..depth {
        out.push_str(r#"{"ops":[],"ctrl":{"ctrl":"match","value":0,"cases":[],"default":"#);
    }
    out.push_str(r#"{"ops":[],"ctrl":{"ctrl":"return","selector":0,"values":[0]}}"#);
    out.push_str(&"}}".repeat(depth));
    let _ = write!(out, "}}]}}");
    out
}

#[test]
fn imports_nest_up_to_the_limit() {
    on_a_small_stack(|| {
        for depth in [1_000, 10_000, MAX_IMPORT_DEPTH / 2 - 3] {
            let imported = import::import(nested_import(depth)).unwrap();
            let blocks = &imported.program.functions[0].blocks;
            assert_eq!(blocks.len(), depth + 1);
            let Control::Match(arms) = &blocks[depth - 1].control else { panic!() };
            assert_eq!(arms.default, Some(BlockId(depth as u32)));
        }
        for depth in [MAX_IMPORT_DEPTH / 2 - 2, MAX_IMPORT_DEPTH, 700_000] {
            let error = import::import(nested_import(depth)).unwrap_err();
            assert!(error.to_string().ends_with("nesting exceeds the limit of 100000"), "{error}");
        }
    });
}

#[test]
fn paths_of_deep_errors_stay_short() {
    on_a_small_stack(|| {
        let source = nested_import(40_000).replace("\"values\":[0]", "\"values\":[0.5]");
        let error = import::import(source).unwrap_err().to_string();
        assert!(error.contains(": functions[0].body.ctrl.default.ctrl.default."), "{error}");
        let end = ".ctrl.default.ctrl.values[0]: `0.5` is not a whole decimal number";
        assert!(error.ends_with(end) && error.len() < 400, "{error}");
    });
}

#[test]
fn flat_json_does_not_nest() {
    on_a_small_stack(|| {
        for depth in [17, 1_000_000] {
            let error = json::parse("[".repeat(depth)).unwrap_err();
            assert_eq!(error.to_string(), "1:17: nesting exceeds the limit of 16");
        }
    });
}
