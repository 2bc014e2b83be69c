//! A soak is a function of its seed, its last line says what was tried, and its exit
//! code whether anything differed.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use traceloom_harness::inputs::TARGETS;
use traceloom_harness::soak::{Soak, corpus};

/// Inputs per target and round.
const INPUTS: usize = 6;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus")
}

/// The numbers of a last line: programs, forgeries, of them refused, inputs,
/// differences.
#[track_caller]
fn numbers(line: &str) -> [usize; 5] {
    let parts: Vec<&str> = line.split(", ").collect();
    let names = ["programs", "forgeries", "of them refused", "inputs", "differences"];
    assert_eq!(parts.len(), names.len(), "{line}");
    std::array::from_fn(|i| {
        let number = parts[i].strip_prefix(names[i]).and_then(|rest| rest.trim().parse().ok());
        number.unwrap_or_else(|| panic!("no {} in {line}", names[i]))
    })
}

#[test]
fn a_round_tries_everything_and_says_so() {
    let run = || {
        let mut soak = Soak::new(3, corpus(&folder()));
        soak.round();
        assert_eq!(soak.differences, 0);
        soak.summary()
    };
    let summary = run();
    let [programs, forgeries, refused, inputs, differences] = numbers(&summary);
    assert_eq!((programs, inputs, differences), (1, INPUTS * TARGETS.len(), 0));
    assert!(0 < refused && refused <= forgeries, "{summary}");
    assert_eq!(run(), summary);
}

/// One round, as a process.
fn soak(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_traceloom-soak"));
    command.args(["--minutes", "0", "--seed", "3"]).args(args);
    command.output().expect("the soak starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("output is text")
}

#[test]
fn without_a_difference_the_exit_code_is_0() {
    let output = soak(&["--corpus", folder().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let last = text(&output.stdout).lines().last().unwrap();
    assert_eq!(numbers(last)[4], 0);
}

#[test]
fn a_difference_is_shrunk_and_the_exit_code_is_1() {
    let output = soak(&["--corpus", folder().to_str().unwrap(), "--plant"]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let lines: Vec<&str> = text(&output.stdout).lines().collect();
    let found = lines.iter().filter(|line| **line == "difference in planted: {").count();
    let [programs, _, _, inputs, differences] = numbers(lines.last().unwrap());
    assert_eq!((programs, inputs), (1, INPUTS * (TARGETS.len() + 1)));
    assert!(found > 0, "{lines:?}");
    assert_eq!(differences, found);
}

/// What cannot be run as it was asked for is not run otherwise.
#[test]
fn what_is_missing_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join(TARGETS[0].name);
    let (folder, missing) = (folder.path().to_str().unwrap(), missing.to_str().unwrap());
    for (args, error) in [
        (&["--corpus", folder][..], missing),
        (&["--target", "text"], "--target needs --file"),
        (&["--file", "x"], "--file needs --target"),
        (&["--target", "nothing", "--file", "x"], "\"nothing\" is no target"),
        (&["--seed"], "--seed needs a value"),
    ] {
        let output = soak(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {output:?}");
        assert!(text(&output.stderr).contains(error), "{args:?}: {output:?}");
        assert!(output.stdout.is_empty(), "{args:?}: {output:?}");
    }
}
