//! Proofs with a cache that are killed, run twice at once, or find no room: the next run ends
//! with the same bytes and reuses what was finished.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::tools::{BINARY, files, quiet, shell};

const PROVE: &str = "prove fibonacci --args 30 --profile fast --shards 5 --retention regenerate \
                     --cache cache --report report --out p.proof";

/// Roots and shard proofs that are whole in the cache of `folder`.
fn kept(folder: &Path) -> (usize, usize) {
    let cache = folder.join("cache");
    let names: Vec<String> =
        if cache.exists() { files(&cache).into_keys().collect() } else { Vec::new() };
    let count = |part: &str| names.iter().filter(|name| name.contains(part)).count();
    (count("/root-"), count("/proof-"))
}

fn reused(folder: &Path) -> (usize, usize) {
    let report = fs::read(folder.join("report/report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
    let number = |name: &str| report["cache"][name].as_u64().unwrap() as usize;
    assert_eq!(report["cache"]["ignored"], serde_json::json!([]));
    (number("reused_roots"), number("reused_proofs"))
}

/// Ten kills, spread over a run; `TRACELOOM_KILLS` asks for more of them. `scripts/resume-kills`
/// does the same at random moments with a build of any kind.
#[test]
fn a_killed_prover_goes_on_where_it_was() {
    let kills: u32 = std::env::var("TRACELOOM_KILLS").map_or(10, |n| n.parse().unwrap());
    let folder = TempDir::new().unwrap();
    let prover = || quiet(folder.path(), PROVE);
    let start = Instant::now();
    assert!(prover().status().unwrap().success());
    let whole = start.elapsed();
    let proof = || fs::read(folder.path().join("p.proof")).unwrap();
    let expected = proof();
    assert_eq!((kept(folder.path()), reused(folder.path())), ((5, 5), (0, 0)));
    // Without a cache they are the same.
    let line = PROVE.replace("--cache cache --report report", "");
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut without = Command::new(BINARY);
    without.args(words).current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
    assert!(without.status().unwrap().success());
    assert!(proof() == expected);
    let mut seen = Vec::new();
    for time in 0..kills {
        fs::remove_dir_all(folder.path().join("cache")).unwrap();
        fs::remove_file(folder.path().join("p.proof")).unwrap();
        // Multiples of the golden ratio: never the same part of the run twice.
        let part = (f64::from(time) * 0.618_033_988_75).fract();
        let mut child = prover().spawn().unwrap();
        std::thread::sleep(whole.mul_f64(part));
        child.kill().unwrap();
        child.wait().unwrap();
        let found = kept(folder.path());
        assert!(prover().status().unwrap().success(), "killed after {part:.3}");
        assert!(proof() == expected, "killed after {part:.3}");
        assert_eq!(reused(folder.path()), found, "killed after {part:.3}");
        assert_eq!(kept(folder.path()), (5, 5));
        let (code, text) = shell(folder.path(), "$T cache verify cache");
        assert_eq!(code, Some(0), "{text}");
        seen.push(found);
    }
    println!("roots and proofs that were there after each kill: {seen:?}");
    assert!(seen.iter().any(|&(roots, _)| roots > 0), "{seen:?}");
}

/// Two processes on one cache: one waits and says so, and both have the same bytes.
#[test]
fn two_processes_on_one_cache_do_no_harm() {
    let folder = TempDir::new().unwrap();
    let spawn = |out: &str| {
        let line = PROVE.replace("--report report ", "").replace("p.proof", out);
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut prover = Command::new(BINARY);
        prover.args(words).current_dir(folder.path());
        prover.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let provers = ["a.proof", "b.proof", "c.proof"].map(spawn);
    let said = provers.map(|prover| {
        let output = prover.wait_with_output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    });
    let [a, b, c] =
        ["a.proof", "b.proof", "c.proof"].map(|out| fs::read(folder.path().join(out)).unwrap());
    assert!(a == b && b == c);
    let all = said.concat();
    // Whoever came first did the work, and the others reused it.
    assert_eq!(all.matches("reused 5 of 5 roots and 5 of 5 shard proofs").count(), 2, "{all}");
    assert_eq!(all.matches("reused 0 of 5 roots and 0 of 5 shard proofs").count(), 1, "{all}");
}

/// No room for proofs of shards, since no file may grow beyond a few KiB: that is said, and the
/// error is that of the proof itself. With room again, what was kept is reused.
#[test]
fn a_full_disk_in_the_middle_is_said_and_leaves_whole_files() {
    let folder = TempDir::new().unwrap();
    let line = format!("trap '' XFSZ; ulimit -f 4; $T {}", PROVE.replace("--report report ", ""));
    let (code, text) = shell(folder.path(), &line);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("note: cannot keep cache/"), "{text}");
    assert!(text.contains("; the proof goes on without"), "{text}");
    assert!(text.contains("cannot write p.proof: "), "{text}");
    let (roots, proofs) = kept(folder.path());
    assert!(roots == 5 && proofs < 5, "{roots} {proofs}");
    assert!(quiet(folder.path(), PROVE).status().unwrap().success());
    assert_eq!(reused(folder.path()), (roots, proofs));
}

/// A process that is stopped holds its lock, and the next one waits until it is gone.
#[test]
#[cfg(unix)]
fn a_process_waits_until_the_other_one_is_gone() {
    let folder = TempDir::new().unwrap();
    let mut first = quiet(folder.path(), PROVE).spawn().unwrap();
    let start = Instant::now();
    while kept(folder.path()).0 == 0 {
        assert!(start.elapsed() < Duration::from_secs(120), "nothing is kept");
        std::thread::sleep(Duration::from_millis(5));
    }
    let stop = |signal: &str, process: u32| {
        let mut kill = Command::new("kill");
        assert!(kill.args([signal, &process.to_string()]).status().unwrap().success());
    };
    stop("-STOP", first.id());
    let mut second = Command::new(BINARY);
    second.args(PROVE.split_whitespace()).current_dir(folder.path());
    let mut second = second.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = std::io::BufReader::new(second.stderr.take().unwrap());
    let mut text = String::new();
    while !text.contains("another process works on this proof in cache/") {
        let more = std::io::BufRead::read_line(&mut said, &mut text).unwrap();
        // The first one may have been done before it was stopped.
        if more == 0 {
            break;
        }
    }
    first.kill().unwrap();
    first.wait().unwrap();
    std::io::Read::read_to_string(&mut said, &mut text).unwrap();
    assert!(second.wait().unwrap().success(), "{text}");
    assert_eq!(kept(folder.path()), (5, 5));
    assert!(reused(folder.path()).0 > 0);
}
