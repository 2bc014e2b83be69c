//! The saved corpus, and a bounded number of changes of it with a fixed seed.

use std::path::{Path, PathBuf};

use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use traceloom_bytecode::{json, text};
use traceloom_harness::generate::generate;
use traceloom_harness::inputs::{MAX_LEN, TARGETS, Target, honest};
use traceloom_harness::mutate::mutate;
use traceloom_harness::soak::corpus;
use traceloom_harness::tier;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus")
}

fn target(name: &str) -> Target {
    TARGETS.into_iter().find(|target| target.name == name).expect("a target of this name")
}

/// Feeds changed inputs to a target; a panic is reported with its input.
#[track_caller]
fn changed(name: &str, count: usize) {
    let (target, corpus) = (target(name), corpus(&folder()));
    let saved = &corpus[name];
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut accepted = 0;
    for _ in 0..count {
        let (a, b) = (saved.choose(&mut rng).unwrap(), saved.choose(&mut rng).unwrap());
        let input = mutate(&mut rng, a, b);
        match std::panic::catch_unwind(|| (target.run)(&input)) {
            Ok(fine) => accepted += usize::from(fine),
            Err(_) => panic!("{name}: {}", input.escape_ascii()),
        }
    }
    println!("{name}: {accepted} of {count} accepted");
}

#[test]
fn every_target_has_a_corpus_that_it_survives() {
    for (name, inputs) in corpus(&folder()) {
        assert!(inputs.len() >= 4, "{name} has {} inputs", inputs.len());
        let mut accepted = 0;
        for input in &inputs {
            assert!(input.len() <= MAX_LEN, "{name}: an input of {} bytes", input.len());
            accepted += usize::from((target(name).run)(input));
        }
        assert!(0 < accepted && accepted < inputs.len(), "{name}: {accepted} accepted");
    }
}

#[test]
fn changed_text_is_read_or_refused() {
    changed("text", tier::cases(150, 1500));
}

#[test]
fn changed_json_is_read_or_refused() {
    changed("json", tier::cases(150, 1500));
}

#[test]
fn changed_nested_json_is_read_or_refused() {
    changed("import", tier::cases(150, 1500));
}

#[test]
fn changed_proofs_are_refused_or_true() {
    changed("proof_decode_verify", tier::cases(40, 400));
}

#[test]
fn changed_arguments_are_understood_or_refused() {
    changed("cli_args", tier::cases(150, 1500));
}

/// What one reader refuses, another one may be given.
#[test]
fn every_saved_input_is_a_file_for_the_command_line() {
    for (name, inputs) in corpus(&folder()) {
        let shown = inputs.iter().filter(|input| (target("cli_files").run)(input)).count();
        let has_programs = ["text", "json", "proof_decode_verify", "cli_files"].contains(&name);
        assert_eq!(shown > 0, has_programs, "{name}: {shown} of {} are shown", inputs.len());
    }
}

#[test]
fn changed_files_are_read_or_refused_by_every_command() {
    changed("cli_files", tier::cases(30, 300));
}

/// Few bytes that stand for much: ranges of names, wide matches, many functions.
/// Targets count what they build; docs/reliability.md has the memory they take.
#[test]
fn short_files_that_ask_for_much_are_read() {
    let lines =
        |count: usize, line: &dyn Fn(usize) -> String| -> String { (0..count).map(line).collect() };
    let wrap = |signature: &str, body: String| {
        format!("program \"much\"\nmemory 4096\nfn f({signature}) -> 0 entry {{\n{body}}}\nend\n")
    };
    let loads = lines(500, &|i| format!("a{i}x0..a{i}x4095 = load p\n"));
    let stores = lines(1900, &|i| format!("p{i} = store x0..x4095\n"));
    let cases = lines(3000, &|i| format!("case {i} {{ return }}\n"));
    let functions = lines(2000, &|i| format!("fn a{i}() -> 0 {{ return }}\n"));
    let deep = lines(2000, &|i| format!("match x {{\ncase {i} {{ return }}\ndefault {{\n"));
    let sources = [
        wrap("p", loads + "return\n"),
        wrap("x0..x4095", stores + "return\n"),
        wrap("x", format!("match x {{\n{cases}}}\n")),
        wrap("x", deep + "return\n" + &"}\n}\n".repeat(2000)),
        format!("program \"much\"\n{functions}end\n"),
    ];
    for source in sources {
        assert!(source.len() <= 2 * MAX_LEN, "{} bytes", source.len());
        assert!((target("text").run)(source.as_bytes()), "{}", &source[..80]);
    }
}

/// Short files of another project that ask for much: 200 MB, and five seconds of processor
/// time, since this is a debug build. The soak imports, which also checks, plans and emits what
/// is accepted. A crossed limit ends the process.
#[test]
#[cfg(target_os = "linux")]
fn short_files_are_imported_within_their_limits() {
    let function = |index: usize, inputs: usize, ops: &str| {
        format!(
            "{{\"index\": {index}, \"name\": \"f{index}\", \"input_size\": {inputs}, \
             \"output_size\": 0, \"entry\": true, \"constrained\": true, \"layout\": \
             {{\"selectors\": 1, \"auxiliaries\": 0, \"lookups\": 0}}, \"body\": {{\"ops\": [{ops}], \
             \"ctrl\": {{\"ctrl\": \"return\", \"selector\": 0, \"values\": []}}}}}}"
        )
    };
    let program = |functions: Vec<String>| {
        format!(
            "{{\"name\": \"p\", \"field\": \"goldilocks\", \"memory_sizes\": [3000], \"functions\": \
             [{}]}}",
            functions.join(",")
        )
    };
    let loads = vec!["{\"op\": \"load\", \"size\": 3000, \"args\": [0]}"; 690].join(",");
    let files = [
        ("loads", program(vec![function(0, 1, &loads)]), true),
        ("inputs", program((0..230).map(|index| function(index, 4096, "")).collect()), true),
        ("values", program(vec![function(0, 2_000_000, "")]), true),
        ("more", program(vec![function(0, 4_000_000_000, "")]), false),
        ("open", "[".repeat(60_000), false),
        ("deep", "{\"a\":".repeat(10_000), false),
    ];
    let folder = tempfile::tempdir().unwrap();
    let soak = env!("CARGO_BIN_EXE_traceloom-soak");
    let run = |limits: &str, name: &str| {
        let line = format!("{limits}; exec {soak} --target import --file {name}");
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &line]).current_dir(folder.path()).output().unwrap()
    };
    for (name, text, is_accepted) in files {
        assert!(text.len() <= MAX_LEN, "{name}: {} bytes", text.len());
        std::fs::write(folder.path().join(name), text).unwrap();
        let ran = run("ulimit -d 195312; ulimit -t 5", name);
        let said = String::from_utf8_lossy(&ran.stdout).trim().to_owned();
        let expected = if is_accepted { "accepted" } else { "refused" };
        assert_eq!(said, expected, "{name}: {}, {}", ran.status, ran.stderr.escape_ascii());
    }
    assert!(!run("ulimit -d 500", "loads").status.success(), "half a MB does: no limit holds");
}

/// A file that was cut is noticed, wherever it was cut.
#[test]
fn cut_files_are_refused() {
    // Fewer arguments are arguments, and what the command line reads is among the others.
    let is_form = |name: &str| !["cli_args", "cli_files"].contains(&name);
    for (name, inputs) in corpus(&folder()).into_iter().filter(|(name, _)| is_form(name)) {
        for input in inputs.iter().filter(|input| (target(name).run)(input)) {
            let end = input.trim_ascii_end().len();
            for len in (0..end).step_by(64) {
                assert!(!(target(name).run)(&input[..len]), "{name}: {len} bytes");
            }
        }
    }
}

/// The generated part of the corpus is what the generator gives; the rest is written by
/// hand.
#[test]
fn generated_seeds_are_current() {
    let bless = std::env::var_os("TRACELOOM_BLESS").is_some();
    let write = |name: &str, file: String, bytes: &[u8]| {
        let path = folder().join(name).join(file);
        if bless {
            return std::fs::write(path, bytes).unwrap();
        }
        let is_current = std::fs::read(&path).is_ok_and(|found| found == bytes);
        assert!(is_current, "{} is stale; run with TRACELOOM_BLESS=1", path.display());
    };
    // Small programs: short files, and most changes hit something that matters.
    let cases = (0..).map(generate).filter(|case| text::print(&case.program).unwrap().len() < 2500);
    for case in cases.take(6) {
        let (seed, program) = (case.seed, &case.program);
        write("text", format!("seed-{seed:03}.tla"), text::print(program).unwrap().as_bytes());
        write("json", format!("seed-{seed:03}.json"), json::print(program).as_bytes());
    }
    let proof = &honest().bytes;
    write("proof_decode_verify", "seed-honest.proof".into(), proof);
    for (number, len) in [0, 7, 8, 150, proof.len() - 1].into_iter().enumerate() {
        write("proof_decode_verify", format!("seed-cut{number}.proof"), &proof[..len]);
    }
}
