//! Full disks, folders that cannot be written, and processes that are killed.
//!
//! What is killed may leave its draft, whose name begins with `.traceloom-`: nobody is
//! left to remove it, nobody reads it, and no later draft has its name.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::tools::{
    COMPILER, PROVE, REPORT, crate_folder, files, long_name, pretended_compiler, quiet, shell,
};

type Files = BTreeMap<String, Vec<u8>>;

fn without_drafts(mut files: Files) -> Files {
    files.retain(|name, _| !name.contains("/.traceloom-") && !name.starts_with(".traceloom-"));
    files
}

/// A disk that is full, since no file may grow beyond a few KiB and the signal about it is
/// ignored: the error names the file, what was there stays, and nothing else is there.
#[test]
fn a_full_disk_leaves_the_old_file_and_no_other() {
    let folder = TempDir::new().unwrap();
    long_name(folder.path());
    fs::create_dir(folder.path().join("report")).unwrap();
    for file in ["p.proof", "report/report.json"] {
        fs::write(folder.path().join(file), "before").unwrap();
    }
    let before = files(folder.path());
    // In half KiB.
    for (command, limit, file) in [(PROVE, 16, "p.proof"), (REPORT, 16, "report/report.json")] {
        fs::write(folder.path().join("p.proof"), "before").unwrap();
        let line = format!("trap '' XFSZ; ulimit -f {limit}; $T {command}");
        let (code, text) = shell(folder.path(), &line);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(&format!("cannot write {file}: ")), "{text}");
        let mut after = files(folder.path());
        if file != "p.proof" {
            // The proof is finished then, and as long as it may be.
            assert_ne!(after.insert("p.proof".into(), b"before".to_vec()).unwrap(), b"before");
        }
        assert!(after == before, "{command}: {:?}", after.keys());
    }
}

/// A crate whose units are those of another version of its program, and the units that it
/// should have.
fn stale_crate(root: &Path) -> Files {
    crate_folder(root);
    let program = root.join("programs/fib.json");
    let text = fs::read_to_string(&program).unwrap();
    assert_eq!(shell(root, "$T codegen --crate .").0, Some(0));
    let old = files(root);
    fs::write(&program, text.replacen("\"value\": 1}", "\"value\": 2}", 1)).unwrap();
    let fresh = TempDir::new().unwrap();
    crate_folder(fresh.path());
    fs::copy(&program, fresh.path().join("programs/fib.json")).unwrap();
    assert_eq!(shell(fresh.path(), "$T codegen --crate .").0, Some(0));
    let new = files(fresh.path());
    let changed = new.iter().filter(|(name, bytes)| old.get(*name) != Some(bytes)).count();
    assert!(changed > 5, "{changed}");
    new
}

/// Every file is a whole one, of before or after.
#[track_caller]
fn are_whole(found: &Files, before: &Files, after: &Files) {
    assert!(found.keys().eq(after.keys()), "{:?}", found.keys());
    for (name, bytes) in found {
        assert!([before, after].iter().any(|files| files.get(name) == Some(bytes)), "{name}");
    }
}

#[test]
fn units_on_a_full_disk_are_old_or_new() {
    let folder = TempDir::new().unwrap();
    let root = folder.path().join("crate");
    let after = stale_crate(&root);
    let before = files(&root);
    let (code, text) = shell(&root, "trap '' XFSZ; ulimit -f 16; $T codegen --crate .");
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("cannot be written: ") && text.contains("File too large"), "{text}");
    are_whole(&files(&root), &before, &after);
    assert!(files(&root) != after, "nothing was too large");
    assert_eq!(shell(&root, "$T codegen --crate .").0, Some(0));
    assert!(files(&root) == after);
}

#[test]
#[cfg(unix)]
fn device_code_on_a_full_disk_leaves_no_part() {
    let folder = TempDir::new().unwrap();
    pretended_compiler(folder.path());
    crate_folder(&folder.path().join("crate"));
    let compile = format!("{COMPILER}; $T codegen --crate crate --device out");
    let (code, text) = shell(folder.path(), &format!("trap '' XFSZ; ulimit -f 4; {compile}"));
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("out/device/") && text.contains("File too large"), "{text}");
    let (code, text) = shell(folder.path(), &compile);
    assert_eq!(code, Some(0), "{text}");
    let whole = files(&folder.path().join("out"));
    // Once more where all of it is there: each file stays, or is replaced.
    fs::remove_dir_all(folder.path().join("out/device/cache")).unwrap();
    for limit in [1, 2, 4, 8] {
        let line = format!("trap '' XFSZ; ulimit -f {limit}; {compile}");
        let (code, text) = shell(folder.path(), &line);
        assert!(matches!(code, Some(0 | 1)), "{limit}: {text}");
        let left = files(&folder.path().join("out"));
        assert!(left.keys().all(|name| whole.contains_key(name)), "{limit}: {:?}", left.keys());
        let is_made = |name: &str| name.ends_with(".cuh") || name.ends_with(".fatbin");
        for (name, bytes) in left.iter().filter(|(name, _)| is_made(name)) {
            assert!(whole[name] == *bytes, "{limit}: {name}");
        }
    }
}

/// Killed while it writes, by the limit's signal: what was there stays.
#[test]
fn a_write_that_is_killed_leaves_the_old_file() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("p.proof"), "before").unwrap();
    let (code, text) =
        shell(folder.path(), &format!("ulimit -c 0; ulimit -f 16; $T {PROVE}; exit $?"));
    assert!(code.is_none_or(|code| code > 128), "it is not killed: {code:?} {text}");
    let left = files(folder.path());
    assert_eq!(left["p.proof"], b"before");
    assert_eq!(left.len(), 2, "its draft, and nothing else: {:?}", left.keys());
    assert_eq!(without_drafts(left).len(), 1);
    assert_eq!(shell(folder.path(), &format!("$T {PROVE}")).0, Some(0));
    assert_eq!(files(folder.path()).len(), 2, "the draft is in nobody's way");
}

/// Kills what `start` starts at moments spread over `whole`, and looks at what is left.
fn kill(whole: Duration, times: u32, start: impl Fn() -> Command, look: impl Fn(&str)) {
    for time in 0..times {
        // Multiples of the golden ratio: never the same part of the run twice.
        let part = (f64::from(time) * 0.618_033_988_75).fract();
        let mut child = start().spawn().unwrap();
        std::thread::sleep(whole.mul_f64(part));
        child.kill().unwrap();
        child.wait().unwrap();
        look(&format!("killed after {part:.3} of {whole:?}"));
    }
}

/// Killed at any time: there is no proof, or a whole one.
#[test]
fn a_killed_prover_leaves_a_whole_proof_or_none() {
    let folder = TempDir::new().unwrap();
    let proof = folder.path().join("p.proof");
    let prover = || quiet(folder.path(), PROVE);
    let start = Instant::now();
    assert!(prover().status().unwrap().success());
    let whole = start.elapsed();
    let expected = files(folder.path());
    let fresh = || {
        let _ = fs::remove_file(&proof);
        prover()
    };
    kill(whole, 50, fresh, |when| {
        let left = without_drafts(files(folder.path()));
        assert!(left.is_empty() || left == expected, "{when}");
    });
    // Whatever a killed process left is in nobody's way.
    assert!(prover().status().unwrap().success());
    assert!(without_drafts(files(folder.path())) == expected);
}

/// Killed while it writes units: each is old or new, and a later run mends all of them.
#[test]
fn killed_units_are_old_or_new() {
    let folder = TempDir::new().unwrap();
    let (root, work) = (folder.path().join("crate"), folder.path().join("work"));
    let after = stale_crate(&root);
    let before = files(&root);
    let fresh = || {
        let _ = fs::remove_dir_all(&work);
        copy(&before, &work);
        quiet(&work, "codegen --crate .")
    };
    let start = Instant::now();
    assert!(fresh().status().unwrap().success());
    kill(start.elapsed(), 30, fresh, |when| {
        println!("{when}");
        are_whole(&without_drafts(files(&work)), &before, &after);
        assert!(quiet(&work, "codegen --crate .").status().unwrap().success(), "{when}");
        assert!(without_drafts(files(&work)) == after, "{when}");
        assert!(quiet(&work, "codegen --crate . --check").status().unwrap().success(), "{when}");
    });
}

fn copy(files: &Files, to: &Path) {
    for (name, bytes) in files {
        fs::create_dir_all(to.join(name).parent().unwrap()).unwrap();
        fs::write(to.join(name), bytes).unwrap();
    }
}

/// Standard output that cannot be written is an error; a reader that goes is none.
#[test]
#[cfg(target_os = "linux")]
fn output_that_is_lost_is_an_error() {
    let folder = TempDir::new().unwrap();
    for command in ["programs", "inspect fibonacci", "execute fibonacci --args 5"] {
        let (code, text) = shell(folder.path(), &format!("$T {command} > /dev/full"));
        assert_eq!(code, Some(2), "{command}: {text}");
        assert!(text.contains("cannot write to standard output: "), "{command}: {text}");
        let (code, text) = shell(folder.path(), &format!("$T {command} | true"));
        assert_eq!(code, Some(0), "{command}: {text}");
    }
    // A lost message changes no exit code.
    assert_eq!(shell(folder.path(), "$T execute nothing 2> /dev/full").0, Some(2));
    assert_eq!(shell(folder.path(), "$T programs > /dev/full 2> /dev/full").0, Some(2));
    let (code, text) =
        shell(folder.path(), &PROVE.replace("prove", "$T prove").replace("p.proof", "/dev/full"));
    assert!(code == Some(2) && text.contains("not a regular file"), "{text}");
}
