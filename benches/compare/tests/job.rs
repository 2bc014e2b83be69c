//! One job: its folder, its ends, samples of a device, a cap, a price, and the gate.

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;

use common::{Ended, Place};

/// A program in the folder that is first in PATH.
fn program(place: &Place, name: &str, script: &str) {
    let folder = place.path("bin");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn job(place: &Place, arguments: &[&str]) -> Ended {
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", place.path("bin").display());
    let mut all = vec!["run"];
    all.extend(arguments);
    Ended::from(
        place.command(&all).env("PATH", path).env("RAYON_NUM_THREADS", "3").output().unwrap(),
    )
}

/// An nvidia-smi that knows two devices, answers the query for names and drivers, and then tells
/// samples until it is killed.
const SMI: &str = "case $* in
*name*) echo 'Fake H200, 580.1'; exit 0 ;;
esac
case $* in *-lms*) ;; *) exit 9 ;; esac
while :; do
  echo '0, 1980, 2619, 41, 310.25, 97, 70123'
  echo '1, 210, 2619, [N/A], 80.5, 0, 4'
  sleep 0.02
done";

#[test]
fn a_job_leaves_all_that_says_what_was_measured() {
    let place = Place::new();
    program(&place, "nvidia-smi", SMI);
    fs::write(place.path("input<b>"), "12345").unwrap();
    let ended = job(
        &place,
        &[
            "--out",
            "o",
            "--sample-every",
            "0.05",
            "--price-per-hour",
            "36",
            "--input-file",
            "input<b>",
            "--",
            "SOME=1",
            "sh",
            "-c",
            "echo out; echo err >&2; sleep 0.4",
        ],
    );
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    for part in
        ["ended      ended with exit status 0", "device 0   ", "temperature, °C: 41 to 41", "price"]
    {
        assert!(ended.stdout.contains(part), "{part}: {}", ended.stdout);
    }
    assert_eq!((place.read("o/stdout"), place.read("o/stderr")), ("out\n".into(), "err\n".into()));
    let result = place.json("o/result.json");
    let (outcome, provenance) = (&result["outcome"], &result["provenance"]);
    assert_eq!(result["format"], "traceloom-job/1");
    assert_eq!((&outcome["ending"], &outcome["state"]), (&"done".into(), &"ok".into()));
    // A hundredth of a currency unit per second.
    let (wall, price) = (outcome["wall"].as_f64().unwrap(), outcome["price"].as_f64().unwrap());
    assert!((price - wall / 100.0).abs() < 1e-9, "{outcome}");
    assert_eq!(outcome["devices"].as_array().unwrap().len(), 2);
    assert_eq!(provenance["environment"]["RAYON_NUM_THREADS"], "3");
    assert_eq!(provenance["environment"]["SOME"], "1");
    assert_eq!(provenance["inputs"][0]["bytes"], 5);
    assert_eq!(provenance["machine"]["devices"][0], "Fake H200, driver 580.1");
    // Before the job the same was written, without a result.
    let before = place.json("o/provenance.json");
    assert_eq!(before["outcome"], serde_json::Value::Null);
    assert_eq!(before["provenance"]["program"], provenance["program"]);
    let devices = place.table("o/devices.csv");
    assert!(devices.len() >= 2, "{devices:?}");
    assert_eq!(devices[0][1..], ["0", "1980", "2619", "41", "310.25", "97", "70123"]);
    assert_eq!(devices[1][1..], ["1", "210", "2619", "", "80.5", "0", "4"]);
    let host = place.table("o/host.csv");
    assert!(
        host.iter().any(|line| line[1].parse::<u64>().is_ok_and(|bytes| bytes > 0)),
        "{host:?}"
    );
    let page = place.read("o/report.html");
    for part in
        ["<h2>temperature, °C</h2>", "<h2>Memory of the host</h2>", "device 1", "input&lt;b&gt;"]
    {
        assert!(page.contains(part), "{part}");
    }
    for part in ["<script", "http:", "https:", "input<b>", " src="] {
        assert!(!page.contains(part), "{part}");
    }
    // A job writes over nothing.
    let again = job(&place, &["--out", "o", "--", "true"]);
    assert_eq!(again.code, Some(2), "{}", again.stderr);
    assert!(again.stderr.contains("o is not empty"), "{}", again.stderr);
}

/// Every way to end has a name, a folder, and exit code 1.
#[test]
fn ends_are_told_apart() {
    let place = Place::new();
    program(&place, "nvidia-smi", "echo 'NVIDIA-SMI has failed'; exit 9");
    for (out, options, script, ending, said) in [
        ("f", &[][..], "echo why >&2; exit 3", "failed", "ended with exit status 3"),
        ("s", &[], "kill -9 $$", "signalled", "was ended by signal 9"),
        ("t", &["--timeout", "0.2"], "sleep 60", "timed-out", "ran longer than --timeout allows"),
    ] {
        let arguments = [&["--out", out], options, &["--", "sh", "-c", script]].concat();
        let ended = job(&place, &arguments);
        assert_eq!(ended.code, Some(1), "{}", ended.stderr);
        assert!(ended.stderr.contains(said), "{}", ended.stderr);
        assert!(ended.stderr.contains(&format!("its folder is {out}")), "{}", ended.stderr);
        let outcome = &place.json(&format!("{out}/result.json"))["outcome"];
        assert_eq!(outcome["ending"], ending, "{outcome}");
        let note = outcome["notes"][0].as_str().unwrap();
        assert!(note.starts_with("no samples of devices"), "{note}");
        assert!(place.path(&format!("{out}/report.html")).exists());
    }
    assert!(
        job(&place, &["--out", "n", "--", "no-such-program"]).stderr.contains("command of the job")
    );
    assert!(!place.path("n").exists());
    let missing = job(&place, &["--out", "i", "--input-file", "nowhere", "--", "true"]);
    assert_eq!(missing.code, Some(2), "{}", missing.stderr);
}

/// The cap: a folder stands for the kernel's, whose files the job itself writes as the kernel would.
#[test]
fn a_cap_is_set_before_the_job_and_its_victims_are_counted() {
    let place = Place::new();
    let group = place.path("group");
    fs::create_dir(&group).unwrap();
    fs::write(group.join("cgroup.controllers"), "memory").unwrap();
    let parent = group.display().to_string();
    // The job is in its group when it begins, and its cap is there.
    let script = format!(
        "cd {parent}/traceloom-bench-* && test \"$(cat cgroup.procs)\" = $$ && cat memory.max && \
         echo 777 > memory.peak && echo 'oom_kill 2' > memory.events && exit $0"
    );
    let run = |out: &str, code: &str| {
        let options = ["--out", out, "--memory-max", "3MiB", "--cgroup", &parent];
        let ended = job(&place, &[&options[..], &["--", "sh", "-c", &script, code]].concat());
        // What the kernel would remove with its files.
        for left in fs::read_dir(&group).unwrap().flatten().filter(|entry| entry.path().is_dir()) {
            fs::remove_dir_all(left.path()).unwrap();
        }
        (ended, place.json(&format!("{out}/result.json"))["outcome"].clone())
    };
    let (ended, outcome) = run("killed", "1");
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(ended.stderr.contains("the job was killed by its cap on memory"), "{}", ended.stderr);
    assert_eq!(place.read("killed/stdout"), "3145728");
    assert_eq!(
        (&outcome["ending"], &outcome["peak_together"]),
        (&"out-of-memory".into(), &777.into())
    );
    // A job that goes on without what the cap took from it is done, and that is noted.
    let (ended, outcome) = run("done", "0");
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(
        outcome["notes"].to_string().contains("the cap on memory ended 2 processes"),
        "{outcome}"
    );
    // A cap that cannot be given is no run without a cap.
    let ended =
        job(&place, &["--out", "no", "--memory-max", "1GiB", "--cgroup", "nowhere", "--", "true"]);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(ended.stderr.contains("cannot cap the memory of the job"), "{}", ended.stderr);
}

/// Figures are stored and compared; another command or machine is not compared at all.
#[test]
fn a_baseline_is_a_gate() {
    let place = Place::new();
    let stored = ["--out", "a", "--save-baseline", "base.json", "--", "sleep", "0.1"];
    assert_eq!(job(&place, &stored).code, Some(0));
    let with = |out: &str, change: fn(&mut serde_json::Value), gate: &str, command: &[&str]| {
        let mut baseline = place.json("base.json");
        change(&mut baseline);
        fs::write(place.path("changed.json"), baseline.to_string()).unwrap();
        let options = ["--out", out, "--baseline", "changed.json", "--gate", gate, "--"];
        job(&place, &[&options[..], command].concat())
    };
    let sleep = ["sleep", "0.1"];
    // Far slower and larger ones were stored: all pass.
    let slow = |of: &mut serde_json::Value| {
        for key in ["wall_seconds", "processor_seconds"] {
            of[key] = 1000.0.into();
        }
        of["peak_bytes"] = (1_u64 << 40).into();
    };
    let ended = with("b", slow, "0", &sleep);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(place.json("b/result.json")["outcome"]["gate"]["passes"], true);
    // A far faster one: it fails and says by how much.
    let fast = |of: &mut serde_json::Value| of["wall_seconds"] = 0.000_001.into();
    let ended = with("c", fast, "50", &sleep);
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(ended.stderr.contains("above its gate: wall seconds +"), "{}", ended.stderr);
    assert!(ended.stdout.contains("ABOVE THE GATE"), "{}", ended.stdout);
    assert!(place.read("c/report.html").contains("<b class=\"bad\">above</b>"));
    let ended = with("d", |_| (), "50", &["sleep", "0.2"]);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(ended.stderr.contains("the baseline is of another command"), "{}", ended.stderr);
    let other = |of: &mut serde_json::Value| of["devices"] = serde_json::json!(["H200"]);
    assert!(with("e", other, "50", &sleep).stderr.contains("another list of devices"));
    let format = |of: &mut serde_json::Value| of["format"] = "x/1".into();
    assert!(with("f", format, "50", &sleep).stderr.contains("format is \"x/1\""));
    // A job that fails is stored nowhere.
    let failed = ["--out", "g", "--save-baseline", "none.json", "--", "false"];
    assert_eq!(job(&place, &failed).code, Some(1));
    assert!(!place.path("none.json").exists());
}
