//! The debug and the release build of the command line are one program: the same exit
//! codes, text and proof bytes for everything that is saved in this repository. The
//! release build also reads short files that ask for much within their limits.
//!
//! `cargo test` has no release build, so what needs one is ignored there; `.ci/run`
//! names one in `TRACELOOM_RELEASE` and runs it.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use tempfile::TempDir;
use traceloom::bytecode::{json, text};
use traceloom::verifier::codec::MAGIC;

const DEBUG: &str = env!("CARGO_BIN_EXE_traceloom");

fn release() -> PathBuf {
    let path = std::env::var_os("TRACELOOM_RELEASE");
    let path = PathBuf::from(path.expect("TRACELOOM_RELEASE names the release build"));
    assert!(path.is_absolute() && path.is_file(), "{} is no file", path.display());
    path
}

/// What one command did: exit code, standard output, standard error, files it left.
#[derive(PartialEq, Eq)]
struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
    files: BTreeMap<String, Vec<u8>>,
}

/// Text without measured values: `12 ms` and `1.25 s` are `# t`, and so is the memory of a
/// process, `9.2 MiB at most used`. Columns are not aligned.
fn without_measured(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut masked = String::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_unit = |word: &&&str| ["s", "ms"].contains(&word.trim_end_matches([',', ']']));
        let is_measured = |at: usize| {
            let is_memory = words[at + 1..].get(1..4) == Some(&["at", "most", "used"]);
            (is_memory || words.get(at + 1).as_ref().is_some_and(is_unit))
                && words[at].trim_start_matches('[').parse::<f64>().is_ok()
        };
        for (at, word) in words.iter().enumerate() {
            let shown = match (is_measured(at), at > 0 && is_measured(at - 1)) {
                (true, _) => "#",
                (_, true) => "t",
                _ => word,
            };
            let _ = write!(masked, "{shown} ");
        }
        masked.push('\n');
    }
    masked
}

/// Runs in a copy of `files` of its own, without a GPU.
fn run(binary: &Path, files: &BTreeMap<String, Vec<u8>>, args: &[OsString]) -> Ran {
    let folder = TempDir::new().unwrap();
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let mut command = Command::new(binary);
    command.args(args).current_dir(folder.path()).env("RAYON_NUM_THREADS", "1");
    command.env("CUDA_VISIBLE_DEVICES", "").env("TRACELOOM_CACHE_DIR", "cache");
    let Output { status, stdout, stderr } = command.output().unwrap();
    let left = fs::read_dir(folder.path()).unwrap().map(Result::unwrap).filter_map(|entry| {
        let name = entry.file_name().into_string().unwrap();
        let bytes = fs::read(entry.path()).ok()?;
        (files.get(&name) != Some(&bytes)).then_some((name, bytes))
    });
    let (files, [out, err]) =
        (left.collect(), [stdout, stderr].map(|text| without_measured(&text)));
    Ran { code: status.code(), out, err, files }
}

/// What differs between two builds, in a line.
fn difference(files: &[&Ran; 2]) -> Option<String> {
    let [a, b] = files;
    let text = |name: &str, a: &str, b: &str| {
        let mut lines = a.lines().zip(b.lines());
        let (a, b) = lines.find(|(a, b)| a != b).unwrap_or(("(its end)", "(its end)"));
        format!("{name}: {a:.300} | {b:.300}")
    };
    if a.code != b.code {
        return Some(format!(
            "exit code: {:?} | {:?}: {:.300} | {:.300}",
            a.code, b.code, a.err, b.err
        ));
    }
    if a.out != b.out {
        return Some(text("standard output", &a.out, &b.out));
    }
    if a.err != b.err {
        return Some(text("standard error", &a.err, &b.err));
    }
    let names = |ran: &Ran| ran.files.keys().cloned().collect::<Vec<_>>().join(" ");
    (a.files != b.files).then(|| format!("files: {} | {}", names(a), names(b)))
}

/// A file, and what is run on it.
struct Sample {
    name: String,
    files: BTreeMap<String, Vec<u8>>,
    commands: Vec<Vec<OsString>>,
}

fn words(line: &str) -> Vec<OsString> {
    line.split(' ').map(Into::into).collect()
}

fn saved(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// The program of the saved proofs.
const SQUARE: &str =
    "program \"square\"\nfn square(x) -> 1 entry {\n  y = mul x, x\n  return y\n}\nend\n";

/// A program in any form: shown, planned, and with few inputs run, checked and proven.
/// Where it cannot be shown, the other commands say the same: a few are enough.
fn program(path: &Path) -> Sample {
    let name = path.file_name().unwrap().to_str().unwrap().to_owned();
    let file = format!("file{}", if name.ends_with(".json") { ".json" } else { ".tla" });
    let mut commands = vec![words(&format!("inspect {file}")), words(&format!("plan {file}"))];
    for args in ["", "3", "3,5", "3,5,1", "3,5,1,2"] {
        for command in ["execute", "check", "prove --profile fast --out p.proof"] {
            commands.push(words(&format!("{command} {file} --args {args}")));
        }
    }
    Sample { name, files: [(file, fs::read(path).unwrap())].into(), commands }
}

fn proof(path: &Path) -> Sample {
    let name = path.file_name().unwrap().to_str().unwrap().to_owned();
    let square = SQUARE.as_bytes().to_vec();
    let files = [("p.proof".into(), fs::read(path).unwrap()), ("square.tla".into(), square)].into();
    let lines = [
        "inspect p.proof",
        "verify p.proof",
        "verify p.proof --profile fast --program square.tla --explain",
        "verify p.proof --profile fast --program fibonacci",
    ];
    Sample { name, files, commands: lines.map(words).to_vec() }
}

/// Arguments by themselves; those that would name files elsewhere or that no process can
/// be given are only read, in one build by the harness.
fn arguments(path: &Path) -> Option<Sample> {
    let bytes = fs::read(path).unwrap();
    if bytes.iter().any(|byte| b"/\0".contains(byte)) || bytes.windows(2).any(|two| two == b"..") {
        return None;
    }
    let name = path.file_name().unwrap().to_str().unwrap().to_owned();
    let lines = bytes.strip_suffix(b"\n").unwrap_or(&bytes).split(|&byte| byte == b'\n');
    let args = lines.filter(|_| !bytes.is_empty()).map(|line| OsString::from_vec(line.to_vec()));
    let commands = vec![args.collect()];
    Some(Sample { name, files: BTreeMap::new(), commands })
}

fn samples() -> Vec<Sample> {
    let mut samples: Vec<Sample> = Vec::new();
    for folder in ["text", "json", "import", "cli_files"] {
        samples
            .extend(saved(&format!("tests/fuzz/corpus/{folder}")).iter().map(|path| program(path)));
    }
    let is_program = |path: &&PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.ends_with(".tla") || name.ends_with(".json") && !name.ends_with(".plan.json")
    };
    for folder in ["snapshots", "trace-plans"] {
        samples.extend(saved(folder).iter().filter(is_program).map(|path| program(path)));
    }
    samples.extend(saved("tests/fuzz/corpus/proof_decode_verify").iter().map(|path| proof(path)));
    samples.extend(saved("tests/fuzz/corpus/cli_args").iter().filter_map(|path| arguments(path)));
    samples
}

/// Everything that differs between two builds, and how many commands and proofs were
/// compared. A command on a file is left out where the first build refuses the number of
/// inputs.
fn compare(builds: [&Path; 2], samples: &[Sample]) -> (Vec<String>, usize, usize) {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let (num_commands, num_proofs) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        while let Some(sample) = samples.get(next.fetch_add(1, Ordering::Relaxed)) {
            let mut num_left = sample.commands.len();
            for command in &sample.commands {
                if num_left == 0 {
                    break;
                }
                let [a, b] = builds.map(|build| run(build, &sample.files, command));
                let is_shown =
                    command.first().is_none_or(|first| first != "inspect") || a.code == Some(0);
                num_left = if is_shown { num_left } else { num_left.min(4) } - 1;
                num_commands.fetch_add(1, Ordering::Relaxed);
                let proofs = a.files.keys().filter(|name| name.ends_with(".proof"));
                num_proofs.fetch_add(proofs.count(), Ordering::Relaxed);
                if let Some(difference) = difference(&[&a, &b]) {
                    let command = command.join(" ".as_ref());
                    let line = format!("{}: {}: {difference}", sample.name, command.display());
                    found.lock().unwrap().push(line);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    (found.into_inner().unwrap(), num_commands.into_inner(), num_proofs.into_inner())
}

#[test]
#[ignore = "needs a release build: TRACELOOM_RELEASE names it, as in .ci/run"]
fn debug_and_release_agree() {
    let (differences, commands, proofs) = compare([Path::new(DEBUG), &release()], &samples());
    println!("{commands} commands, {proofs} proofs, {} differences", differences.len());
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    assert!(commands > 1000 && proofs > 40, "{commands} commands, {proofs} proofs");
}

/// A build that differs in one thing, be it one byte of a proof, is found.
#[test]
fn builds_that_differ_are_told_apart() {
    let folder = TempDir::new().unwrap();
    let build = |name: &str, script: &str| {
        let path = folder.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{}\n", script.replace("$T", DEBUG))).unwrap();
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    };
    let spoil = "printf X | dd of=p.proof bs=1 seek=200 conv=notrunc 2>/dev/null";
    let builds = [
        (None, build("same", "exec $T \"$@\"")),
        (Some("exit code"), build("code", "$T \"$@\"; exit 7")),
        (Some("standard output"), build("out", "$T \"$@\" | sed s/square/cube/")),
        (Some("standard error"), build("err", "echo more >&2; exec $T \"$@\"")),
        (Some("files"), build("bytes", &format!("$T \"$@\" && {spoil}"))),
    ];
    let command = words("prove square.tla --args 3 --profile fast --out p.proof");
    let files = BTreeMap::from([("square.tla".to_owned(), SQUARE.as_bytes().to_vec())]);
    let samples = [Sample { name: "square".into(), files, commands: vec![command] }];
    for (expected, other) in builds {
        let (found, _, proofs) = compare([Path::new(DEBUG), &other], &samples);
        assert_eq!((found.len(), proofs), (usize::from(expected.is_some()), 1), "{found:?}");
        let named = expected.is_none_or(|part| found[0].contains(&format!(": {part}: ")));
        assert!(named, "{expected:?}: {found:?}");
    }
}

/// Short files that ask for much; docs/reliability.md has what they take. `corpus` of the
/// harness has files to import.
fn much() -> Vec<(&'static str, Vec<u8>)> {
    let lines =
        |count: usize, line: &dyn Fn(usize) -> String| -> String { (0..count).map(line).collect() };
    let wrap = |signature: &str, body: String| {
        format!("program \"much\"\nmemory 4096\nfn f({signature}) -> 0 entry {{\n{body}}}\nend\n")
    };
    let loads = lines(500, &|i| format!("a{i}x0..a{i}x4095 = load p\n"));
    let stores = lines(2000, &|i| format!("p{i} = store x0..x4095\n"));
    let wide = |count| lines(count, &|i| format!("fn a{i}(x0..x4095) -> 0 {{ return }}\n"));
    let cases = lines(3100, &|i| format!("case {i} {{ return }}\n"));
    let deep = lines(200, &|i| format!("match x {{\ncase {i} {{ return }}\ndefault {{\n"));
    let long = format!("{{\"format\": \"traceloom-program/1\", \"name\": {}", "9".repeat(60_000));
    let texts = [
        ("names.tla", wrap("x0..x1999999", "return\n".into())),
        ("loads.tla", wrap("p", loads + "return\n")),
        ("stores.tla", wrap("x0..x4095", stores + "return\n")),
        ("functions.tla", format!("program \"much\"\n{}end\n", wide(510))),
        ("cases.tla", wrap("x", format!("match x {{\n{cases}}}\n"))),
        ("open.json", "[".repeat(60_000)),
        ("long.json", long),
        // Numbers stand for values here, as ranges of names do in text.
        ("functions.json", flat(format!("program \"much\"\n{}end\n", wide(170)))),
        ("matches.json", flat(wrap("x", deep + "return\n" + &"}\n}\n".repeat(200)))),
    ];
    let proof = fibonacci();
    let proofs = [
        ("magic.proof", [&MAGIC[..], &[0x7f; 60_000]].concat()),
        ("lengths.proof", [&proof[..LENGTHS], &[0x7f; 60_000]].concat()),
        ("behind.proof", [&proof[..], &[0; 20_000]].concat()),
        ("p.proof", proof),
    ];
    texts.map(|(name, text)| (name, text.into_bytes())).into_iter().chain(proofs).collect()
}

/// Where the first length of a proof file is: behind magic, version, parameters and
/// fingerprint.
const LENGTHS: usize = 8 + 8 + 12 * 8 + 32;

/// The JSON of a program text.
fn flat(source: String) -> String {
    json::print(&text::parse(&source).unwrap())
}

/// A proof of some size.
fn fibonacci() -> Vec<u8> {
    let command = words("prove fibonacci --args 20 --profile fast --out p.proof");
    let proof = run(Path::new(DEBUG), &BTreeMap::new(), &command).files.remove("p.proof");
    proof.expect("a proof")
}

/// Each in 200 MB of memory of its own, and in a second of processor time; a limit that
/// is crossed ends the process. Read, checked and shown: plans of such files take more.
#[test]
#[ignore = "needs a release build: TRACELOOM_RELEASE names it, as in .ci/run"]
fn short_files_are_read_within_their_limits() {
    let (release, folder) = (release(), TempDir::new().unwrap());
    for (name, bytes) in much() {
        assert!(bytes.len() <= 64 << 10, "{name}: {} bytes", bytes.len());
        fs::write(folder.path().join(name), bytes).unwrap();
        let is_whole = name == "p.proof";
        let command = if is_whole { "verify --profile fast" } else { "inspect" };
        let limited = |limits: &str| {
            let line = format!("{limits}; exec {} {command} {name} >out 2>&1", release.display());
            let mut shell = Command::new("sh");
            shell.args(["-c", &line]).current_dir(folder.path()).env("RAYON_NUM_THREADS", "1");
            let status = shell.status().unwrap();
            let said = fs::read(folder.path().join("out")).unwrap();
            (status.code(), String::from_utf8_lossy(&said[..said.len().min(300)]).into_owned())
        };
        if name == "names.tla" {
            let (code, said) = limited("ulimit -d 4000");
            assert!(!matches!(code, Some(0..=2)), "4 MB do for {name}: {code:?} {said}");
        }
        let (code, said) = limited("ulimit -d 195312; ulimit -t 1");
        assert!(matches!(code, Some(0..=2)), "{name}: {code:?} {said}");
        let is_program = !["names.tla", "loads.tla", "open.json", "long.json"].contains(&name);
        let is_accepted = is_whole || is_program && !name.ends_with(".proof");
        assert_eq!(code == Some(0), is_accepted, "{name}: {said}");
    }
}
