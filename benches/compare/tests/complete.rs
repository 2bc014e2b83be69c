//! Benchmarks that succeed, end to end. No measured time is asserted, but for the order of
//! times that differ a hundredfold.

mod common;

use common::Place;
use serde_json::Value;

#[test]
fn runs_in_the_order_abba_after_warm_ups() {
    let place = Place::new();
    let log = |name: &str| format!("sh -c 'echo {name} >> order.txt'");
    let ended = place.run(&["-n", "4", "--warmup", "1", "--a", &log("a"), "--b", &log("b")]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(place.read("order.txt").replace('\n', ""), "ababbaabba");
    assert_eq!(ended.stderr.lines().filter(|line| line.starts_with("pair ")).count(), 4);
    assert!(ended.stdout.contains("4 pairs of runs in the order A B B A, after one warm-up"));
    assert!(ended.stdout.contains("This repeats each command 4 times\non the same inputs"));
}

#[test]
fn the_table_has_every_run() {
    let place = Place::new();
    let ended =
        place.run(&["-q", "-n", "2", "--a", "true", "--b", "sleep 0.01", "--csv", "runs.csv"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    let header =
        "run,pair,side,start_s,wall_s,user_s,system_s,processor_s,peak_bytes,state,left_behind";
    assert_eq!(place.read("runs.csv").lines().next(), Some(header));
    let table = place.table("runs.csv");
    let keys: Vec<String> = table.iter().map(|line| line[..3].join(" ")).collect();
    assert_eq!(keys, ["1 1 A", "2 1 B", "3 2 B", "4 2 A"]);
    let number = |cell: &String| cell.parse::<f64>().unwrap();
    for line in &table {
        assert_eq!(line.len(), 11);
        assert!(number(&line[4]) > 0.0 && number(&line[8]) > 0.0);
        // The clock of the processor may give 0, and the sum is that of both parts.
        assert!((number(&line[7]) - number(&line[5]) - number(&line[6])).abs() < 2e-6);
        assert_eq!(line[9..], ["ok", "false"]);
    }
    let starts: Vec<f64> = table.iter().map(|line| number(&line[3])).collect();
    assert!(starts.is_sorted());
}

#[test]
fn a_large_difference_is_found_and_the_summary_says_so() {
    let place = Place::new();
    let ended = place.run(&[
        "-q",
        "-n",
        "6",
        "--a",
        "sleep 0.3",
        "--b",
        "sleep 0.001",
        "--json",
        "sum.json",
    ]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let wall = ended.stdout.split("\nprocessor seconds").next().unwrap();
    assert!(wall.contains("verdict       B is faster"), "{}", ended.stdout);
    let sum = place.json("sum.json");
    assert_eq!(sum["format"], "traceloom-bench/1");
    assert_eq!((&sum["state"], &sum["error"]), (&"done".into(), &Value::Null));
    assert_eq!(sum["settings"]["pairs"], 6);
    assert_eq!(sum["runs"].as_array().unwrap().len(), 12);
    let results = &sum["results"]["wall_seconds"];
    assert_eq!(results["verdict"], "b_faster");
    assert_eq!(results["tested"], "log_ratio");
    assert_eq!(results["t"]["degrees_of_freedom"], 5);
    assert_eq!(results["wilcoxon"]["negative"], 21.0);
    assert_eq!(results["wilcoxon"]["p"], 0.03125);
    assert!(sum["results"]["processor_seconds"]["verdict"].is_string());
    assert!(sum["results"]["peak_bytes"]["a"]["median"].as_f64().unwrap() > 0.0);
}

#[test]
fn processor_time_of_descendants_counts() {
    let place = Place::new();
    // Each side waits for its child. B's counts and A's does nothing.
    let count = "sh -c 'sh -c \"i=0; while [ \\$i -lt 300000 ]; do i=\\$((i+1)); done\"; true'";
    let ended = place.run(&[
        "-q",
        "-n",
        "6",
        "--a",
        "sh -c 'sh -c true; true'",
        "--b",
        count,
        "--json",
        "sum.json",
    ]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let sum = place.json("sum.json");
    assert_eq!(sum["results"]["processor_seconds"]["verdict"], "a_faster");
}

#[test]
fn a_template_takes_settings() {
    let place = Place::new();
    let ended = place.run(&[
        "-q",
        "-n",
        "2",
        "--warmup",
        "0",
        "--a",
        "--one",
        "--b",
        "two 'three four'",
        "--keep-output",
        "out",
        "--",
        "N={}",
        "sh",
        "-c",
        "printf '%s/' \"$N\" \"$@\"",
        "name",
        "{}",
        "-{}-",
    ]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(place.read("out/pair-1-A.stdout"), "--one/--one/---one-/");
    let two = "two 'three four'/two/three four/-two 'three four'-/";
    assert_eq!(place.read("out/pair-2-B.stdout"), two);
    assert!(ended.stdout.starts_with("A  N=--one sh -c "), "{}", ended.stdout);
}

#[test]
fn outputs_are_kept_where_asked() {
    let place = Place::new();
    let both = "sh -c 'echo out; echo err >&2'";
    let ended =
        place.run(&["-q", "-n", "2", "--a", both, "--b", "true", "--keep-output", "deep/out"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(place.read("deep/out/warmup-1-A.stdout"), "out\n");
    assert_eq!(place.read("deep/out/pair-2-A.stdout"), "out\n");
    assert_eq!(place.read("deep/out/pair-2-A.stderr"), "err\n");
    assert_eq!(place.read("deep/out/pair-1-B.stdout"), "");
    // Two runs of each side and a warm-up, two files each.
    assert_eq!(std::fs::read_dir(place.path("deep/out")).unwrap().count(), 12);
}

#[test]
fn files_and_programs_are_named_by_digest() {
    let place = Place::new();
    std::fs::write(place.path("in.txt"), "abc").unwrap();
    std::fs::write(place.path("named.txt"), "").unwrap();
    let ended = place.run(&[
        "-q",
        "-n",
        "2",
        "--a",
        "cat in.txt",
        "--b",
        "env x=in.txt true",
        "--input-file",
        "named.txt",
        "--json",
        "sum.json",
    ]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    // The test vectors of BLAKE3 begin with the empty input; "abc" is b3sum's.
    let empty = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";
    let abc = "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85";
    let sum = place.json("sum.json");
    let provenance = &sum["provenance"];
    assert_eq!(provenance["inputs"][0]["blake3"], empty);
    assert_eq!(provenance["arguments"][0]["path"], "in.txt");
    assert_eq!(provenance["arguments"][0]["blake3"], abc);
    assert_eq!(provenance["arguments"].as_array().unwrap().len(), 1);
    let program = provenance["a"]["file"]["path"].as_str().unwrap();
    let bytes = std::fs::read(program).unwrap();
    assert_eq!(provenance["a"]["file"]["blake3"], blake3::hash(&bytes).to_hex().as_str());
    assert!(ended.stdout.contains(abc) && ended.stdout.contains(empty));
    assert!(provenance["ended"].as_str().unwrap() >= provenance["started"].as_str().unwrap());
}

#[test]
fn commit_and_changes_are_told() {
    let place = Place::new();
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=n", "-c", "user.email=e"];
        let mut command = std::process::Command::new("git");
        let output =
            command.args(identity).args(arguments).current_dir(place.path("")).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let checkout = || {
        let ended = place.run(&["-q", "-n", "2", "--a", "true", "--b", "true", "--json", "s.json"]);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        place.json("s.json")["provenance"]["checkout"].clone()
    };
    assert_eq!(checkout(), Value::Null);
    git(&["init", "-q"]);
    std::fs::write(place.path(".gitignore"), "s.json\n").unwrap();
    git(&["add", ".gitignore"]);
    git(&["commit", "-q", "-m", "first"]);
    let commit = git(&["rev-parse", "HEAD"]);
    assert_eq!(checkout(), serde_json::json!({"commit": commit, "dirty": false}));
    std::fs::write(place.path("new"), "").unwrap();
    assert_eq!(checkout(), serde_json::json!({"commit": commit, "dirty": true}));
}

#[test]
fn devices_are_those_of_nvidia_smi_or_none() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    // A stand-in in front of PATH, first one that fails as without a driver.
    let script = place.path("nvidia-smi");
    let run = |text: &str| {
        std::fs::write(&script, text).unwrap();
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = format!("{}:{}", place.path("").display(), std::env::var("PATH").unwrap());
        let arguments = ["-q", "-n", "2", "--a", "true", "--b", "true"];
        let output = place.command(&arguments).env("PATH", path).output().unwrap();
        common::Ended::from(output).stdout
    };
    assert!(run("#!/bin/sh\necho broken\nexit 9\n").contains("  NVIDIA        none\n"));
    let two = run("#!/bin/sh\nprintf 'NVIDIA X, 580.1\\nNVIDIA Y, 580.1\\n'\n");
    assert!(two.contains("  NVIDIA        NVIDIA X, driver 580.1; NVIDIA Y, driver 580.1\n"));
}

#[test]
fn notes_tell_what_weakens_a_result() {
    let place = Place::new();
    let same = "sh -c 'echo x >> grows.txt' name grows.txt";
    std::fs::write(place.path("grows.txt"), "").unwrap();
    let ended = place.run(&["-q", "-n", "4", "--a", same, "--b", same]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    for note in [
        "both commands are the same: what differs is noise (calibration)",
        "4 pairs are too few: the least p value of the Wilcoxon test is 0.1250",
        "grows.txt changed while the benchmark ran (an output?)",
    ] {
        assert!(ended.stdout.contains(note), "{note}\n{}", ended.stdout);
    }
    let ended = place.run(&["-q", "-n", "2", "--a", "sh -c 'sleep 60 & true'", "--b", "true"]);
    assert!(ended.stdout.contains("2 runs left processes behind"), "{}", ended.stdout);
}
