//! Everything that ends a benchmark early: the message, the exit code, and what is kept.

mod common;

use std::time::{Duration, Instant};

use common::Place;
use serde_json::Value;

/// Succeeds until the file `count` has `n` lines, then complains and exits with 3.
fn fails_after(n: usize) -> String {
    format!(
        "sh -c 'echo x >> count; [ $(wc -l < count) -le {n} ] || {{ echo first >&2; echo last words >&2; exit 3; }}'"
    )
}

#[test]
fn a_failing_command_is_named_and_nothing_is_lost() {
    let place = Place::new();
    // B runs as warm-up, in pair 1 and in pair 2, where it fails as the first of the pair.
    let ended = place.run(&[
        "-q",
        "-n",
        "4",
        "--a",
        "true",
        "--b",
        &fails_after(2),
        "--csv",
        "runs.csv",
        "--json",
        "sum.json",
    ]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""));
    let place_and_state = "error: side B, pair 2: the command ended with exit status 3\n";
    assert!(ended.stderr.starts_with(place_and_state), "{}", ended.stderr);
    assert!(ended.stderr.ends_with("  | first\n  | last words\n"), "{}", ended.stderr);
    let table = place.table("runs.csv");
    let states: Vec<String> =
        table.iter().map(|line| format!("{}{} {}", line[1], line[2], line[9])).collect();
    assert_eq!(states, ["1A ok", "1B ok", "2B exit-3"]);
    let sum = place.json("sum.json");
    assert_eq!((&sum["state"], &sum["results"]), (&"failed".into(), &Value::Null));
    assert!(sum["error"].as_str().unwrap().contains("last words"));
    assert_eq!(sum["runs"].as_array().unwrap().len(), 3);
    assert_eq!(sum["runs"][2]["state"], "exit-3");
}

#[test]
fn a_failing_warm_up_and_a_signal_are_named() {
    let place = Place::new();
    let ended = place.run(&["-q", "--a", "false", "--b", "true"]);
    assert_eq!(ended.code, Some(1));
    let text = "error: side A, warmup 1: the command ended with exit status 1\n  false\n\
                it wrote nothing to standard error\n";
    assert_eq!(ended.stderr, text);
    let ended = place.run(&["-q", "--warmup", "0", "--a", "true", "--b", "sh -c 'kill -9 $$'"]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("side B, pair 1: the command was ended by signal 9"));
}

#[test]
fn long_complaints_are_cut_to_their_end() {
    let place = Place::new();
    let command = "sh -c 'seq 100000 >&2; exit 1'";
    let ended = place.run(&["-q", "--a", command, "--b", "true", "--keep-output", "out"]);
    let expected: Vec<String> = (99_991..=100_000).map(|n| format!("  | {n}")).collect();
    assert!(ended.stderr.ends_with(&format!("error:\n{}\n", expected.join("\n"))));
    assert!(place.read("out/warmup-1-A.stderr").starts_with("1\n2\n"));
}

fn is_alive(pid: &str) -> bool {
    // A killed process may stay a zombie where nobody waits for it.
    std::fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
}

fn await_that(what: &str, condition: impl Fn() -> bool) {
    let began = Instant::now();
    while !condition() {
        assert!(began.elapsed() < Duration::from_secs(60), "waited a minute: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_timeout_kills_the_whole_group() {
    let place = Place::new();
    let command = "sh -c 'sleep 600 & echo $! > pid; wait'";
    let ended = place.run(&[
        "-q",
        "--warmup",
        "0",
        "--timeout",
        "1",
        "--a",
        command,
        "--b",
        "true",
        "--csv",
        "runs.csv",
    ]);
    assert_eq!(ended.code, Some(1));
    let text = "error: side A, pair 1: the command ran longer than --timeout allows and was killed";
    assert!(ended.stderr.starts_with(text), "{}", ended.stderr);
    assert_eq!(place.table("runs.csv")[0][9], "timeout");
    await_that("the child of the command ends", || !is_alive(place.read("pid").trim()));
}

#[test]
fn an_interruption_ends_the_run_and_keeps_the_table() {
    let place = Place::new();
    // The second run of A writes its process id and stays.
    let command = "sh -c 'if [ -e began ]; then echo $$ > pid; exec sleep 600; fi; : > began'";
    let arguments = ["-q", "--warmup", "0", "--a", command, "--b", "true", "--csv", "runs.csv"];
    let tool = place
        .command(&arguments)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let pid = || std::fs::read_to_string(place.path("pid")).unwrap_or_default();
    await_that("the second run begins", || pid().ends_with('\n'));
    let kill = ["-INT", &tool.id().to_string()];
    assert!(std::process::Command::new("kill").args(kill).status().unwrap().success());
    let ended = common::Ended::from(tool.wait_with_output().unwrap());
    assert_eq!(ended.code, Some(1));
    assert_eq!(ended.stderr, "error: interrupted after 3 runs\n");
    assert_eq!(place.table("runs.csv").len(), 3);
    await_that("the command ends", || !is_alive(pid().trim()));
}

#[test]
fn outputs_are_tried_before_the_first_run() {
    let place = Place::new();
    let mark = "touch ran";
    for (option, file, message) in [
        ("--csv", "no/such/folder.csv", "cannot write the table to no/such/folder.csv"),
        ("--json", "no/such/folder.json", "cannot write the summary to no/such/folder.json"),
        ("--csv", "/dev/full", "cannot write the table to /dev/full: No space left"),
        ("--json", "/dev/full", "cannot write the summary to /dev/full: No space left"),
        ("--keep-output", "/dev/null", "cannot write outputs of commands to /dev/null"),
        ("--input-file", "absent", "cannot read the input file absent"),
        ("--input-file", ".", "cannot read the input file .: it is not a regular file"),
    ] {
        let ended = place.run(&["-q", "--a", mark, "--b", mark, option, file]);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{option} {file}");
        assert!(ended.stderr.contains(message), "{option} {file}: {}", ended.stderr);
    }
    let same = ["--csv", "x", "--json", "x"];
    let ended = place.run(&[&["--a", mark, "--b", mark], &same[..]].concat());
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("--csv and --json both name x; give two paths"));
    assert!(!place.path("ran").exists());
}

#[test]
fn usage_is_checked_before_the_first_run() {
    let place = Place::new();
    let mark = "touch ran";
    let even = "give an even number from 2 to 1000: the order A B B A takes two pairs";
    let cases: [(&[&str], &str); 16] = [
        (&["-n", "0", "--a", mark, "--b", mark], even),
        (&["-n", "1", "--a", mark, "--b", mark], even),
        (&["-n", "7", "--a", mark, "--b", mark], even),
        (&["-n", "1002", "--a", mark, "--b", mark], even),
        (&["-n", "-2", "--a", mark, "--b", mark], even),
        (&["-n", "many", "--a", mark, "--b", mark], even),
        (&["--a", mark], "--b <COMMAND|SETTING>"),
        (&["--a", mark, "--b", ""], "command B is empty"),
        (&["--a", "X=1", "--b", mark], "command A is empty"),
        (&["--a", mark, "--b", "'"], "command B has a quote or a backslash without an end: '"),
        (&["--a", mark, "--b", "no-such-program x"], "command B: no program \"no-such-program\""),
        (
            &["--a", "1", "--b", "2", "--", "touch", "ran"],
            "the template has no {} for the settings",
        ),
        (&["--a", mark, "--b", mark, "--timeout", "0"], "give a number of seconds above zero"),
        (&["--a", mark, "--b", mark, "--timeout", "nan"], "give a number of seconds above zero"),
        (&["--a", mark, "--b", mark, "--confidence", "100"], "from 50 to 99.999"),
        (&["--a", mark, "--b", mark, "--confidence", "NaN"], "from 50 to 99.999"),
    ];
    for (arguments, message) in cases {
        let ended = place.run(arguments);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(ended.stderr.contains(message), "{arguments:?}: {}", ended.stderr);
    }
    assert!(!place.path("ran").exists());
}

#[test]
fn a_program_that_cannot_start_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    std::fs::write(place.path("broken"), "#!/no/such/interpreter\n").unwrap();
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(place.path("broken"), mode).unwrap();
    let ended = place.run(&["-q", "--a", "true", "--b", "./broken"]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.starts_with("error: side B, warmup 1: cannot run "), "{}", ended.stderr);
}

#[test]
fn files_that_change_spoil_the_benchmark() {
    let place = Place::new();
    std::fs::write(place.path("input"), "").unwrap();
    let ended = place.run(&[
        "-q",
        "-n",
        "2",
        "--a",
        "true",
        "--b",
        "sh -c 'echo x >> input'",
        "--input-file",
        "input",
        "--csv",
        "runs.csv",
    ]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""));
    assert!(ended.stderr.starts_with("error: input changed while the benchmark ran"));
    assert_eq!(place.table("runs.csv").len(), 4);
}

#[test]
fn a_report_that_cannot_be_printed_is_an_error() {
    let place = Place::new();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let mut command = place.command(&["-q", "-n", "2", "--a", "true", "--b", "true"]);
    let ended = common::Ended::from(command.stdout(full).output().unwrap());
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("cannot write the report to standard output"));
}
