//! The command line as a person uses it: exit codes, messages, files left behind.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

struct Cli {
    folder: TempDir,
}

struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Cli {
    fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        std::fs::write(self.path(name), bytes).unwrap();
        self.path(name)
    }

    /// Runs in the folder, so that messages have short paths, and without a GPU, on
    /// whatever machine.
    fn run(&self, args: &str) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_traceloom"));
        command.current_dir(self.folder.path()).args(args.split_whitespace());
        command.env("CUDA_VISIBLE_DEVICES", "").env("TRACELOOM_CACHE_DIR", self.path("cache"));
        let Output { status, stdout, stderr } = command.output().unwrap();
        let [out, err] = [stdout, stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        assert!(!err.contains("panicked"), "{args}: {err}");
        Ran { code: status.code(), out, err }
    }

    #[track_caller]
    fn ok(&self, args: &str) -> String {
        let ran = self.run(args);
        assert_eq!(ran.code, Some(0), "{args}: {}{}", ran.out, ran.err);
        ran.out
    }

    #[track_caller]
    fn fails(&self, code: i32, args: &str, message: &str) {
        let ran = self.run(args);
        assert_eq!(ran.code, Some(code), "{args}: {}{}", ran.out, ran.err);
        assert!(ran.err.contains(message), "{args}: {}", ran.err);
    }

    fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn prove(cli: &Cli, input: &Path) {
    let args = format!(
        "prove blake3 --input {} --out p.proof --profile fast",
        input.file_name().unwrap().to_str().unwrap()
    );
    let out = cli.ok(&args);
    let digest = blake3::hash(&std::fs::read(input).unwrap()).to_hex();
    assert!(out.contains(digest.as_str()), "{out}");
}

#[test]
fn a_file_is_proven_and_verified() {
    let cli = Cli::new();
    let input = cli.write("input", "a small file\n".repeat(100));
    prove(&cli, &input);
    let digest = blake3::hash(&std::fs::read(&input).unwrap()).to_hex().to_string();
    let out = cli.ok("verify p.proof --profile fast --explain");
    assert!(out.contains("valid"), "{out}");
    assert!(out.contains(&format!("knowledge of 1300 bytes whose BLAKE3 is {digest}")), "{out}");
    assert!(out.contains("bits provable if BLAKE3 is a random oracle"), "{out}");
    assert!(out.contains("bits heuristic, no better attack known"), "{out}");
    assert!(out.contains("ePrint 2026/2056, theorem 5.12"), "{out}");
    assert!(out.contains("\n  lookup "), "{out}");
    let read =
        "\nread     program, entry, inputs, outputs: the proof says so, and nobody expected it";
    assert!(out.contains("\ncompared profile\n") && out.contains(read), "{out}");
    assert!(out.contains("\nwarning  profile fast is for tests"), "{out}");
    let fingerprint = programs_fingerprint(&cli, "blake3");
    let expect = format!("--args 1300 --outputs 0x{digest}");
    for program in ["blake3", &fingerprint] {
        let verify = format!("verify p.proof --profile fast --program {program}");
        let out = cli.ok(&format!("{verify} {expect}"));
        assert!(out.starts_with("valid    program \"blake3\", profile fast\n"), "{out}");
        assert!(out.contains("\ncompared profile, program, entry, inputs, outputs\n"), "{out}");
        assert!(!out.contains("\nread "), "{out}");
        cli.ok(&format!("{verify} --entry blake3 {expect}"));
        let out = cli.ok(&verify);
        assert!(out.contains("\nread     inputs, outputs: the proof says so"), "{out}");
        assert!(
            out.contains("state it with --args, --outputs, or all of it with --expect"),
            "{out}"
        );
        let out = cli.ok(&format!("{verify} --args 1300"));
        assert!(out.contains("\nread     outputs: the proof says so"), "{out}");
    }
    // Without a program the proof would choose it.
    for option in ["--args 1300", "--outputs 0x00", "--entry blake3"] {
        cli.fails(2, &format!("verify p.proof --profile fast {option}"), "--program <PROGRAM>");
    }
    let other = fingerprint.replace(&fingerprint[..1], "g");
    cli.fails(2, &format!("verify p.proof --program {other}"), "no such program file");
    let other: String = fingerprint.chars().rev().collect();
    cli.fails(
        2,
        &format!("verify p.proof --program {other}"),
        "no program with a name has fingerprint",
    );
    let header = cli.ok("inspect p.proof");
    assert!(header.contains("program      blake3"), "{header}");
    // What the caller expects is compared, never taken from the file.
    cli.fails(1, "verify p.proof", "the proof has profile fast, expected standard");
    let verify = "verify p.proof --profile fast --program blake3";
    cli.fails(1, &format!("{verify} --args 1299"), "other inputs");
    cli.fails(1, &format!("{verify} --outputs 0x00"), "other outputs");
    cli.fails(2, &format!("{verify} --entry nobody"), "name one entry function with --entry");
    let other = "verify p.proof --profile fast --program sha256";
    let sha256 = programs_fingerprint(&cli, "sha256");
    cli.fails(1, other, &format!("its fingerprint is {fingerprint}, expected {sha256}"));
    assert_eq!(cli.files(), ["input", "p.proof"]);
}

fn programs_fingerprint(cli: &Cli, name: &str) -> String {
    let list = cli.ok("programs");
    let own = list.split(name).nth(1).expect("the program is listed");
    let word = own.split_whitespace().skip_while(|word| *word != "fingerprint").nth(1);
    word.expect("its fingerprint is listed").into()
}

/// A claim about one entry of a program is none about another.
#[test]
fn the_expected_entry_is_named() {
    let cli = Cli::new();
    cli.write(
        "two.tla",
        "program \"two\"\nfn double(x) -> 1 entry {\n  y = add x, x\n  return y\n}\n\
         fn square(x) -> 1 entry {\n  y = mul x, x\n  return y\n}\nend\n",
    );
    cli.ok("prove two.tla --entry double --args 2 --out p.proof --profile fast");
    let verify = "verify p.proof --profile fast --program two.tla";
    cli.ok(verify);
    cli.ok(&format!("{verify} --entry double --args 2 --outputs 4"));
    // Of both functions 4 is the value at 2.
    let refused = "the proof claims a call of \"double\", expected \"square\"";
    cli.fails(1, &format!("{verify} --entry square --args 2 --outputs 4"), refused);
    cli.fails(2, &format!("{verify} --args 2 --outputs 4"), "name one entry function with --entry");
}

const ONE_ROW: &str = "program \"one_row\"

fn square(v0) -> 1 entry {
  v1 = mul v0, v0
  return v1
}

end
";

const TWO_CELLS: &str = "program \"two_cells\"
memory 1

fn keep(v0) -> 1 entry {
  v1 = store v0
  v2 = const 7
  v3 = store v2
  v4 = load v3
  return v4
}

end
";

/// The tallest trace is a memory: its padding is not a cell that anything loads.
#[test]
fn memories_are_padded_too() {
    let cli = Cli::new();
    cli.write("two.tla", TWO_CELLS);
    cli.ok("prove two.tla --args 9 --out p.proof --profile strong");
    let out = cli.ok("verify p.proof --program two.tla --profile strong");
    assert!(out.contains("keep(9) = 7"), "{out}");
    let header = cli.ok("inspect p.proof");
    assert!(header.contains("log heights, by circuit: 0 8\n"), "{header}");
}

/// The least programs there are, padded to what each profile needs, by every provider alike.
#[test]
fn programs_of_one_row_are_proven_under_every_profile() {
    let cli = Cli::new();
    cli.write("one.tla", ONE_ROW);
    for profile in traceloom::verifier::Profile::ALL.map(|profile| profile.name()) {
        cli.ok(&format!("prove fibonacci --args 0 --out f.proof --profile {profile}"));
        let out = cli.ok(&format!("verify f.proof --profile {profile}"));
        assert!(out.contains("fibonacci(0) = 0"), "{out}");
        cli.ok(&format!("prove one.tla --args 9 --out p.proof --profile {profile}"));
        let out = cli.ok(&format!("verify p.proof --program one.tla --profile {profile}"));
        assert!(out.contains("square(9) = 81"), "{out}");
        let header = cli.ok("inspect p.proof");
        let log_height = match profile {
            "standard" => 7,
            "strong" => 8,
            _ => 0,
        };
        let line = format!("log heights, by circuit: {log_height}\n");
        assert!(header.contains(&line), "{profile}: {header}");
    }
    let refused = "verify p.proof --program one.tla";
    cli.fails(1, refused, "the proof has profile heuristic, expected standard");
}

#[test]
fn an_empty_file_is_an_input() {
    let cli = Cli::new();
    let input = cli.write("empty", "");
    prove(&cli, &input);
    let out = cli.ok("verify p.proof --profile fast");
    assert!(out.contains("knowledge of 0 bytes"), "{out}");
}

#[test]
fn damaged_proofs_are_refused_with_their_place() {
    let cli = Cli::new();
    cli.ok("prove fibonacci --args 20 --out p.proof --profile fast");
    let proof = std::fs::read(cli.path("p.proof")).unwrap();
    cli.write("cut", &proof[..proof.len() / 2]);
    cli.fails(2, "verify cut --profile fast", "byte");
    cli.write("long", [&proof[..], b"x"].concat());
    cli.fails(2, "verify long --profile fast", "byte");
    cli.write("text", "this is no proof");
    cli.fails(2, "verify text --profile fast", "not a traceloom proof");
    cli.write("none", "");
    cli.fails(2, "verify none --profile fast", "byte 0");
    for place in (0..proof.len()).step_by(proof.len() / 40) {
        let mut flipped = proof.clone();
        flipped[place] ^= 1;
        cli.write("flipped", flipped);
        let ran = cli.run("verify flipped --profile fast");
        assert!(matches!(ran.code, Some(1 | 2)), "byte {place}: {}", ran.out);
    }
}

#[test]
fn unreadable_and_malformed_input_is_named() {
    let cli = Cli::new();
    cli.fails(2, "prove blake3 --input nowhere --out p", "cannot read nowhere");
    cli.fails(2, "prove blake3 --input . --out p", "cannot read .");
    cli.fails(2, "prove blake3 --out p", "takes --input FILE");
    cli.fails(2, "verify nowhere", "cannot read nowhere");
    cli.fails(2, "execute nonsense", "no such program file");
    cli.fails(2, "execute fibonacci", "takes --args n");
    cli.fails(2, "execute fibonacci --args 1,2", "has 1 inputs, got 2");
    for number in ["18446744069414584321", "-1", "1.0", "1e3", "0x10", "007", "+1", "x", "1,,2"] {
        cli.fails(2, &format!("execute fibonacci --args={number}"), "decimal number from 0 to");
    }
    cli.ok("execute fibonacci --args 0");
    cli.fails(2, "prove blake3 --nonsense", "--nonsense");
    cli.fails(2, "prove blake3 --input . --out p --profile best", "is not a profile");
    cli.fails(2, "", "Usage");
    assert_eq!(cli.files(), [] as [&str; 0]);
}

#[test]
fn program_files_are_run_and_their_errors_are_placed() {
    let cli = Cli::new();
    let text = cli.ok("inspect fibonacci");
    cli.write("fib.tla", &text);
    let out = cli.ok("execute fib.tla --args 10");
    assert!(out.contains("(10) = 55"), "{out}");
    cli.ok("check fib.tla --args 10");
    cli.ok("prove fib.tla --args 10 --out p.proof --profile fast");
    let out = cli.ok("verify p.proof --program fib.tla --profile fast");
    assert!(out.contains("(10) = 55"), "{out}");
    cli.write("bad.tla", text.replacen("const", "konst", 1));
    cli.fails(2, "check bad.tla --args 1", "konst");
    cli.write("bytes", [0xff, 0xfe, 0x00]);
    cli.fails(2, "check bytes", "bytes is not a program");
    cli.write("bad.json", "{\"format\": \"traceloom-program/1\",}");
    cli.fails(2, "check bad.json", "bad.json is not a program");
}

/// Nested JSON of another compiler becomes a file of ours, and nothing where it cannot.
#[test]
fn nested_programs_are_imported() {
    let cli = Cli::new();
    let saved = |name: &str| {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus/import");
        std::fs::read_to_string(corpus.join(name)).unwrap()
    };
    let nested = saved("seed-continue.json");
    cli.write("nested.json", &nested);
    cli.fails(2, "execute nested.json --args 7,5", "`traceloom import` reads nested JSON");
    for out in ["p.json", "p.tla"] {
        let said = cli.ok(&format!("import nested.json --out {out}"));
        assert!(said.starts_with("1 functions, 1 of them entries, in 1 circuits\n"), "{said}");
        let fingerprint = said.lines().last().unwrap();
        let shown = cli.ok(&format!("inspect {out}"));
        assert!(shown.starts_with(&format!("; {fingerprint}\n")), "{shown}");
        for (args, output) in [("7,5", 5), ("6,5", 6)] {
            let run = cli.ok(&format!("execute {out} --args {args}"));
            assert!(run.contains(&format!("main({args}) = {output}\n")), "{run}");
        }
        cli.fails(2, &format!("import {out} --out again.json"), "is not nested bytecode");
    }
    // Read, and not a program: its second selector is used twice.
    cli.write("twice.json", nested.replace("\"selector\": 2", "\"selector\": 1"));
    cli.fails(1, "import twice.json --out refused.json", "twice.json: ");
    cli.write("cut.json", &nested[..nested.len() - 3]);
    cli.fails(2, "import cut.json --out refused.json", "cut.json is not nested bytecode");
    assert!(!cli.path("refused.json").exists());
}

#[test]
fn failed_writes_leave_nothing_behind() {
    let cli = Cli::new();
    cli.fails(2, "prove fibonacci --args 5 --profile fast --out no/p.proof", "cannot write");
    cli.fails(2, "prove fibonacci --args 5 --profile fast --out .", "not a regular file");
    assert_eq!(cli.files(), [] as [&str; 0]);
    // A proof that was there stays as it was when the next one is refused.
    cli.write("p.proof", "before");
    cli.fails(2, "prove fibonacci --args 5,6 --profile fast --out p.proof", "inputs");
    assert_eq!(std::fs::read(cli.path("p.proof")).unwrap(), b"before");
    links(&cli);
}

/// Where a proof or its report cannot be written, nothing is executed.
#[test]
fn outputs_are_tried_before_the_work() {
    let cli = Cli::new();
    cli.write("file", "before");
    for (outputs, message) in [
        ("--out no/p.proof", "cannot write no/p.proof: "),
        ("--out .", "cannot write .: it is not a regular file"),
        ("--out file/p.proof", "cannot write file/p.proof: "),
        ("--out p.proof --report file", "cannot make file: "),
        ("--out p.proof --report file/inner", "cannot make file/inner: "),
        ("--out other/p.proof --report r", "cannot write other/p.proof: "),
    ] {
        let ran = cli.run(&format!("prove fibonacci --args 5 --profile fast {outputs}"));
        assert_eq!(ran.code, Some(2), "{outputs}: {}", ran.err);
        assert!(ran.err.contains(message), "{outputs}: {}", ran.err);
        assert!(!ran.err.contains("executing"), "{outputs}: {}", ran.err);
    }
    // Nor does a command that fails later leave a folder or a file.
    cli.fails(2, "prove blake3 --input nowhere --out p.proof --report r/inner", "nowhere");
    assert_eq!(cli.files(), ["file"]);
    assert_eq!(std::fs::read(cli.path("file")).unwrap(), b"before");
    // The folder of the report is made, and may be the proof's.
    cli.ok("prove fibonacci --args 5 --profile fast --out r/p.proof --report r/inner");
    assert!(cli.path("r/inner/report.json").exists() && cli.path("r/p.proof").exists());
}

/// A link to a device or a folder is not a place for a proof; one to a file stays a link.
#[cfg(unix)]
fn links(cli: &Cli) {
    std::fs::create_dir(cli.path("folder")).unwrap();
    cli.write("file", "before");
    for (link, to) in [("a", "/dev/full"), ("b", "folder"), ("c", "file")] {
        std::os::unix::fs::symlink(to, cli.path(link)).unwrap();
        let prove = format!("prove fibonacci --args 3 --profile fast --out {link}");
        match link {
            "c" => drop(cli.ok(&prove)),
            _ => cli.fails(2, &prove, "it is not a regular file"),
        }
        assert!(cli.path(link).is_symlink(), "{link}");
    }
    cli.ok("verify file --profile fast");
}

#[cfg(not(unix))]
fn links(_: &Cli) {}

#[test]
fn all_programs_are_listed_and_checked() {
    let cli = Cli::new();
    let list = cli.ok("programs");
    for example in &traceloom::programs::ALL {
        assert!(list.contains(example.name), "{list}");
    }
    cli.write("words", [3_u32, 1, 2, 1].map(u32::to_le_bytes).concat());
    let out = cli.ok("check merge_sort --input words");
    assert!(out.contains("all constraints hold, all messages balance"), "{out}");
    cli.ok("check sha256 --input words");
    cli.ok("check div_rem --args 7,0,0,0,2,0,0,0");
    cli.fails(2, "check merge_sort --input nothing", "cannot read nothing");
    cli.write("odd", "12345");
    cli.fails(2, "check merge_sort --input odd", "multiple of 4");
}

#[test]
fn rows_have_a_provider_and_a_reason() {
    let cli = Cli::new();
    let prove = |trace: &str, out: &str| {
        cli.ok(&format!("prove fibonacci --args 20 --profile fast --out {out} {trace}"));
        std::fs::read(cli.path(out)).unwrap()
    };
    let scalar = prove("--trace scalar --strict --report reports/scalar", "s.proof");
    let reference = prove("--trace reference --strict --report reports/reference", "r.proof");
    assert!(scalar == reference, "proof bytes do not depend on the provider");
    let report = |name: &str| {
        std::fs::read_to_string(cli.path("reports").join(name).join("report.json")).unwrap()
    };
    assert!(report("scalar").contains("\"provider\": \"scalar\""), "{}", report("scalar"));
    assert!(report("scalar").contains("\"evaluator\": \"system\""));
    assert!(report("reference").contains("generated rows are disabled"));
    assert!(!report("reference").contains("\"evaluator\": \"generated\""));

    // A program that nothing was generated for: said once, and refused if strict.
    let text = cli.ok("inspect fibonacci").replace("program \"fibonacci\"", "program \"other\"");
    cli.write("other.tla", text.replacen("const 1", "const 2", 1));
    for (trace, notes) in [("auto", 1), ("scalar", 1), ("reference", 0)] {
        let ran = cli.run(&format!("check other.tla --args 5 --trace {trace}"));
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
        let found = ran.err.lines().filter(|line| line.starts_with("note: ")).count();
        assert_eq!(found, notes, "{trace}: {}", ran.err);
    }
    cli.fails(1, "check other.tla --args 5 --strict", "no unit was generated for program");
    cli.ok("check other.tla --args 5 --strict --trace reference");
    cli.fails(
        2,
        "check fibonacci --args 5 --trace magic",
        "choose one of reference, scalar, device, auto",
    );
}

/// Every step has a line of its own where standard error is not a terminal.
#[test]
fn steps_are_told_in_lines() {
    let cli = Cli::new();
    let ran = cli.run("prove fibonacci --args 5 --profile fast --out p.proof");
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let lines = ran.err.lines().filter_map(|line| line.split_once("] "));
    let steps: Vec<&str> = lines.map(|(_, step)| step).collect();
    let stages = traceloom::prover::Stage::ALL.map(traceloom::prover::Stage::name);
    let expected = [&["executing", "setting up", "building rows"], &stages[..], &["verifying"]];
    assert_eq!(steps, expected.concat(), "{}", ran.err);
}

#[test]
fn the_backend_is_chosen_once_and_said() {
    let cli = Cli::new();
    let notes = |backend: &str| {
        let command =
            format!("prove fibonacci --args 5 --profile fast --out p.proof --report r {backend}");
        let ran = cli.run(&command);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
        let report = std::fs::read_to_string(cli.path("r/report.json")).unwrap();
        assert!(report.contains("\"name\": \"cpu\""), "{report}");
        ran.err
            .lines()
            .filter(|line| line.starts_with("note: "))
            .map(String::from)
            .collect::<Vec<String>>()
    };
    // Nobody asked for a GPU, and none would have been used.
    for backend in ["", "--backend auto", "--backend cpu"] {
        assert_eq!(notes(backend), Vec::<String>::new());
    }
    std::fs::remove_file(cli.path("p.proof")).unwrap();
    let cuda = "prove fibonacci --args 5 --profile fast --out p.proof --backend cuda";
    if traceloom_cuda::probe::devices().is_ok() {
        let ran = cli.run(cuda);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
        let report = cli.run(&format!("{cuda} --report r"));
        assert_eq!(report.code, Some(0), "{}{}", report.out, report.err);
        let report = std::fs::read_to_string(cli.path("r/report.json")).unwrap();
        assert!(report.contains("\"name\": \"cuda\""), "{report}");
    } else {
        cli.fails(1, cuda, "`traceloom doctor` prints what this machine has");
        assert!(!cli.path("p.proof").exists());
    }
    cli.fails(2, "prove fibonacci --args 5 --out p --backend gpu", "choose one of cpu, cuda, auto");
}

#[test]
fn a_device_that_is_asked_for_by_name_and_not_there_is_an_error() {
    let cli = Cli::new();
    for command in ["check fibonacci --args 20", "prove fibonacci --args 20 --out p"] {
        for strict in ["", " --strict"] {
            let ran = cli.run(&format!("{command} --trace device{strict}"));
            assert_eq!(ran.code, Some(1), "{}{}", ran.out, ran.err);
            assert!(ran.err.contains("error: --trace device: "), "{}", ran.err);
            assert!(ran.err.contains("--trace auto writes the rows on the CPU"), "{}", ran.err);
        }
    }
    assert!(!cli.path("p").exists());
    let ran = cli.run("check fibonacci --args 20 --trace auto");
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(!ran.err.contains("note: "), "{}", ran.err);
}

#[test]
fn doctor_ends_well_on_any_machine() {
    let cli = Cli::new();
    let ran = cli.run("doctor");
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    for line in ["driver  ", "toolkit  ", "NVRTC  ", "kernels  ", "blake3  ", "fibonacci  "] {
        assert!(ran.out.lines().any(|found| found.starts_with(line)), "{line}:\n{}", ran.out);
    }
    assert!(ran.out.contains("generated: circuits 4 of 4, functions 12 of 12"), "{}", ran.out);
}

#[test]
fn a_proof_of_several_shards_is_made_and_verified() {
    let cli = Cli::new();
    let prove = "prove fibonacci --args 30 --profile fast --report r --out";
    let out = cli.ok(&format!("{prove} p --shards 4"));
    assert!(out.contains("\nshards   4, "), "{out}");
    let report = std::fs::read_to_string(cli.path("r/report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["shards"]["shards"].as_array().unwrap().len(), 4);
    assert_eq!(report["shards"]["retention"], "retain");
    cli.ok(&format!("{prove} q --shards 4 --retention regenerate --max-memory 2GiB"));
    let [p, q] = ["p", "q"].map(|name| std::fs::read(cli.path(name)).unwrap());
    assert!(p == q);
    let verify = "verify p --profile fast --program fibonacci --args 30";
    cli.ok(&format!("{verify} --outputs 832040"));
    cli.fails(1, &format!("{verify} --outputs 832041"), "other outputs");
}

/// Finished shards are kept and reused, which is said; the folder is listed, verified and pruned.
#[test]
fn a_cache_is_reused_listed_verified_and_pruned() {
    let cli = Cli::new();
    let prove = "prove fibonacci --args 30 --profile fast --shards 3 --report r --cache c --out";
    let first = cli.run(&format!("{prove} p"));
    assert_eq!(first.code, Some(0), "{}{}", first.out, first.err);
    assert!(first.err.contains("note: reused 0 of 3 roots and 0 of 3 shard proofs from c/"));
    assert!(first.out.contains("\ncache    0 roots and 0 shard proofs reused\n"), "{}", first.out);
    let second = cli.run(&format!("{prove} q"));
    assert!(second.err.contains("note: reused 3 of 3 roots and 3 of 3 shard proofs from c/"));
    assert!(
        second.out.contains("\ncache    3 roots and 3 shard proofs reused\n"),
        "{}",
        second.out
    );
    let [p, q] = ["p", "q"].map(|name| std::fs::read(cli.path(name)).unwrap());
    assert!(p == q);
    let report = std::fs::read_to_string(cli.path("r/report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["cache"]["reused_proofs"], 3);
    assert_eq!(report["workers"][0]["proven"], 0);
    let list = cli.ok("cache list c");
    for part in
        ["fibonacci, profile fast", "3 of 3 roots, 3 of 3 shard proofs", "0 bytes of no use"]
    {
        assert!(list.contains(part), "{list}");
    }
    assert!(cli.ok("cache verify c").starts_with("all 6 files are whole"));
    let folder = std::fs::read_dir(cli.path("c")).unwrap().next().unwrap().unwrap().path();
    std::fs::write(folder.join("root-00001"), "torn").unwrap();
    cli.fails(1, "cache verify c", "1 of 6 files are of no use to this version");
    assert!(cli.ok("cache list c").contains("root-00001: it is not a file of a cache"));
    std::fs::write(folder.join("root-00001"), "trloom").unwrap();
    assert!(cli.ok("cache list c").contains("root-00001: it is torn"));
    assert!(cli.ok("cache prune c").starts_with("1 files removed, "));
    assert!(cli.ok("cache prune c --older-than 1d").starts_with("0 files removed, "));
    assert!(cli.ok("cache prune c --all").starts_with("5 files removed, "));
    assert_eq!(std::fs::read_dir(cli.path("c")).unwrap().count(), 0);
    cli.fails(2, "cache list p", "cache p: it is not a folder");
    cli.fails(2, "cache verify nothing", "cache nothing: cannot read it");
    cli.fails(2, "cache prune c --older-than 7", "\"7\" is no age");
    let prove = "prove fibonacci --args 5 --profile fast --out s --cache";
    cli.fails(2, &format!("{prove} p"), "cache p: it is not a folder; name a folder");
    assert!(!cli.files().contains(&"s".to_owned()));
}

/// The same steps as lines of JSON, with shards, rows and what is left.
#[test]
fn steps_are_told_as_json() {
    let cli = Cli::new();
    let ran = cli.run("prove fibonacci --args 30 --profile fast --shards 3 --log json --out p");
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let lines =
        ran.err.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let lines: Vec<_> = lines.collect();
    assert!(lines.iter().all(|line| line["format"] == "traceloom-log/1"));
    let steps: Vec<_> = lines.iter().filter(|line| line["event"] == "step").collect();
    let of = |step: &'static str| steps.iter().filter(move |line| line["step"] == step);
    for stage in ["main", "stage 2", "quotient", "opening"] {
        let shards: Vec<u64> = of(stage).map(|line| line["shard"].as_u64().unwrap()).collect();
        assert_eq!(shards, [0, 1, 2], "{stage}");
        let numbers = |name: &str| -> Vec<u64> {
            of(stage).map(|line| line[name].as_u64().unwrap()).collect()
        };
        let (rows, all) = (numbers("rows_done"), numbers("rows"));
        assert!(rows[0] == 0 && rows.is_sorted() && rows[2] < all[0], "{stage}: {rows:?} {all:?}");
        assert!(numbers("done").is_sorted() && numbers("shards") == [3; 3]);
    }
    let last = of("opening").next_back().unwrap();
    assert!(last["remaining_seconds"].as_f64().unwrap() > 0.0, "{last}");
    assert!(last["done"].as_u64() < last["total"].as_u64(), "{last}");
    let ran = cli.run("prove fibonacci --args 30 --profile fast --shards 99 --log json --out p");
    let lines: Vec<&str> = ran.err.lines().collect();
    let error: serde_json::Value = serde_json::from_str(lines[lines.len() - 2]).unwrap();
    assert_eq!(error["event"], "error");
    assert!(error["message"].as_str().unwrap().contains("99 shards need 99 rows"), "{error}");
    cli.fails(2, "prove fibonacci --args 5 --log xml --out p", "there are text and json");
}

#[test]
fn devices_are_chosen_and_those_that_are_not_there_are_named() {
    let cli = Cli::new();
    let prove = "prove fibonacci --args 5 --profile fast --out p --backend cuda --devices";
    cli.fails(2, &format!("{prove} 0,0"), "device 0 is named twice");
    cli.fails(2, &format!("{prove} some"), "are no devices; give numbers");
    cli.fails(2, &format!("{prove} 0 --device 1"), "cannot be used with");
    cli.fails(1, &format!("{prove} 4000"), "--backend cuda: ");
}

/// What cannot be done is refused before there is any row, and nothing is written.
#[test]
fn shards_and_caps_that_cannot_be_are_refused() {
    let cli = Cli::new();
    for (code, options, message) in [
        (2, "--shards 0", "--shards: a proof has at least 1 shard, not 0"),
        (2, "--shards 70000", "--shards: a proof has at most 65536 shards, not 70000"),
        (2, "--shards few", "\"few\" is no number of shards; give a number or auto"),
        (2, "--shards -1", "unexpected argument '-1'"),
        (
            1,
            "--shards 33",
            "--shards: 33 shards need 33 rows of one circuit, the tallest (fibonacci) has 31; ask for at most 31",
        ),
        (2, "--max-shard-cells 0", "--max-shard-cells: 0 leaves no room"),
        (1, "--max-shard-cells 9", "the cap is 9; raise the cap to"),
        (2, "--max-memory 0", "--max-memory: 0 leaves no room"),
        (2, "--max-memory 8GB", "\"8GB\" is no size"),
        (1, "--max-memory 1MiB", "--max-memory: record, keys and the byte tables of shard 0 need"),
        (2, "--retention keep", "\"keep\" is no retention"),
    ] {
        for command in ["plan fibonacci --args 30", "prove fibonacci --args 30 --out p"] {
            cli.fails(code, &format!("{command} --profile fast {options}"), message);
        }
    }
    assert!(cli.files().is_empty(), "{:?}", cli.files());
}

#[test]
fn plans_are_printed_with_the_rows_of_a_run() {
    let cli = Cli::new();
    let table = cli.ok("plan fibonacci");
    assert!(table.contains("canonical") && !table.contains("row bytes"), "{table}");
    let table = cli.ok("plan fibonacci --args 20");
    assert!(table.contains("row bytes"), "{table}");
    let last = table.lines().find(|line| line.starts_with("fibonacci") && line.contains(" 2 "));
    // Path 2 is the recursive one: 14 columns, 48 of 56 seed bytes, 19 rows.
    let columns: Vec<&str> = last.expect("path 2").split_whitespace().collect();
    assert_eq!(columns, ["fibonacci", "2", "14", "56", "48", "4", "19", "912", "2128"]);
    assert!(!cli.ok("plan fibonacci").contains("shards"));
    let table = cli.ok("plan fibonacci --args 20 --shards 3 --profile fast --retention regenerate");
    assert!(table.contains("shards 3, as asked for"), "{table}");
    for shard in 0..3 {
        assert!(table.contains(&format!("  shard {shard}: ")), "{table}");
    }
    assert!(table.contains("memory planned on the CPU, regenerate"), "{table}");
    assert!(table.contains(" MiB  peak"), "{table}");
    cli.fails(2, "plan fibonacci --args x", "decimal number");
    cli.fails(2, "plan nonsense", "no such program file");
}

#[test]
fn codegen_check_names_what_differs_and_writes_nothing() {
    let cli = Cli::new();
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("trace-plans/fibonacci.json");
    std::fs::create_dir_all(cli.path("crate/programs")).unwrap();
    std::fs::copy(own, cli.path("crate/programs/fib.json")).unwrap();
    cli.fails(2, "codegen --crate crate", "crate is not a crate: it has no Cargo.toml");
    cli.write("crate/Cargo.toml", "");
    cli.fails(1, "codegen --check --crate crate", "crate/src/units/fib: missing, all ");
    assert!(!cli.path("crate/src").exists());
    let out = cli.ok("codegen --crate crate");
    assert!(out.contains("wrote crate/src/units/fib/f_fibonacci.rs"), "{out}");
    assert!(cli.ok("codegen --crate crate").contains("0 files changed"));
    let out = cli.ok("codegen --check --crate crate");
    assert_eq!(out, "8 files are as the programs say\n");
    let file = "crate/src/units/fib/f_fibonacci.rs";
    let text = std::fs::read_to_string(cli.path(file)).unwrap();
    cli.write(file, text.replacen("over |=", "over &=", 1));
    cli.fails(1, "codegen --check --crate crate", &format!("{file}: edited"));
    cli.fails(1, "codegen --check --crate crate", "traceloom codegen --crate crate");
    cli.fails(1, "codegen --crate crate --programs none", "crate/none: cannot be read");
    cli.fails(2, "codegen --nonsense", "--nonsense");
}

/// A byte of a hint is returned: every proof of it would be a proof of what the prover likes.
#[test]
fn advice_that_nothing_ties_is_warned_of() {
    let cli = Cli::new();
    let source = "program \"p\"\nfn low(a) -> 1 entry {\n  b0..b7 = hint_field_to_bytes a\n  \
                  return b0\n}\nend\n";
    let path = cli.write("p.tla", source);
    let path = path.display();
    let warning = "warning: advice of `hint_field_to_bytes` reaches output 0 of \"low\", and \
                   nothing ties it: a prover may choose it\n  3:3  hint_field_to_bytes, result 0 \
                   (in \"low\")\n  4:3  return (in \"low\")\n";
    for command in [format!("check {path} --args 7"), format!("plan {path}")] {
        let ran = cli.run(&command);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(ran.err.contains(warning), "{}", ran.err);
        assert!(!ran.out.contains("warning"), "{}", ran.out);
        let quiet = cli.run(&format!("{command} --quiet"));
        assert!(!quiet.err.contains("warning"), "{}", quiet.err);
        let json: serde_json::Value =
            serde_json::from_str(&cli.run(&format!("{command} --json")).out).unwrap();
        assert_eq!(json["result"]["warnings"][0]["steps"][1]["place"], "4:3", "{json}");
    }
    // Both forms keep what silences it.
    let allowed = source.replace("  return", "  allow \"any byte will do\", b0\n  return");
    let allowed = cli.write("q.tla", allowed);
    let json = cli.path("q.json");
    cli.ok(&format!("convert {} --out {}", allowed.display(), json.display()));
    for path in [allowed, json] {
        let ran = cli.run(&format!("check {} --args 7", path.display()));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(!ran.err.contains("warning"), "{}", ran.err);
    }
    // `codegen` says it for every program of a crate.
    let cli = Cli::new();
    cli.write("Cargo.toml", "");
    std::fs::create_dir(cli.path("programs")).unwrap();
    cli.write("programs/p.tla", source);
    let root = cli.path("");
    let done = cli.ok(&format!("codegen --crate {}", root.display()));
    assert!(done.contains("programs/p.tla: advice of `hint_field_to_bytes`"), "{done}");
    assert!(done.contains("  4:3  return (in \"low\")"), "{done}");
}

#[test]
fn built_in_programs_have_no_warning() {
    let cli = Cli::new();
    for name in ["blake3", "sha256", "fibonacci", "merge_sort", "div_rem"] {
        let ran = cli.run(&format!("plan {name}"));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(!ran.err.contains("warning"), "{}", ran.err);
    }
}

/// A changed cell: what refuses it is said in the words of the program, with the row's cells.
#[test]
fn a_changed_cell_is_refused_in_the_words_of_the_program() {
    let cli = Cli::new();
    let source = "program \"p\"\nfn main(a) -> 1 entry {\n  q = call square(a)\n  one = const 1\n  \
                  r = sub q, one\n  return r\n}\nfn square(a) -> 1 {\n  p = mul a, a\n  \
                  return p\n}\nend\n";
    let path = cli.write("p.tla", source);
    let path = path.display();
    let out = cli.ok(&format!("check {path} --args 3"));
    assert!(out.contains("all constraints hold, all messages balance"), "{out}");
    let ran = cli.run(&format!("check {path} --args 3 --poke square,0,p=-1"));
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(
        ran.out.contains("changed  circuit \"square\", row 0, auxiliary1: -1 instead of 9"),
        "{}",
        ran.out
    );
    for part in [
        "1 constraint failures, 2 unbalanced messages",
        "circuit \"square\", row 0, constraint 1: square: block 0, op 0 mul: column is the product",
        "= 10, expected 0\n",
        "    input0     = 3   a, input 0\n",
        "    auxiliary1 = -1  p, result of mul at 9:3\n",
        "call of \"square\"(3) = 9\n  used 1 times, first by circuit \"main\", row 0",
        "nearly the same: call of \"square\"(3) = -1\n",
        "    output 0: 9 and -1\n",
    ] {
        assert!(ran.err.contains(part), "{part}\n{}", ran.err);
    }
    let ran = cli.run(&format!("check {path} --args 3 --poke square,0,p=8 --show 1"));
    assert!(ran.err.ends_with("… and 1 more unbalanced messages\n"), "{}", ran.err);
    let check = |poke: &str| format!("check {path} --args 3 --poke {poke}");
    cli.fails(2, &check("sqare,0,p=8"), "no circuit \"sqare\"; there are main, square");
    cli.fails(2, &check("sqare,0,p=8"), "did you mean `square`?");
    cli.fails(2, &check("square,9,p=8"), "circuit \"square\" has no row 9; its rows are 0 to 0");
    cli.fails(2, &check("square,0,q=8"), "circuit \"square\" has no column \"q\"");
    cli.fails(2, &check("square,0=8"), "CIRCUIT,ROW,COLUMN=VALUE");
}

#[test]
fn elf_files_are_executed_and_inspected() {
    let cli = Cli::new();
    cli.write("f.elf", include_bytes!("../riscv/guests/fibonacci.elf"));
    cli.write("input", "30");
    let out = cli.ok("execute f.elf --input input --output out");
    assert!(out.contains("exit     0") && out.contains("832040"), "{out}");
    assert_eq!(std::fs::read(cli.path("out")).unwrap(), b"832040\n");
    let out = cli.ok("inspect f.elf");
    assert!(out.contains("; RV64IM, entry 0x1") && out.contains("ecall"), "{out}");

    cli.fails(1, "execute f.elf", "the guest exited with code 1");
    cli.fails(1, "execute f.elf --input input --max-cycles 9", "the limit of 9 instructions");
    cli.fails(1, "execute f.elf --input input --max-cycles 9", "with --max-cycles");
    cli.fails(2, "execute f.elf --args 3", "give bytes with --input");
    cli.fails(2, "execute fibonacci --args 3 --max-cycles 9", "is no ELF file");
    let mut other = include_bytes!("../riscv/guests/fibonacci.elf").to_vec();
    other[4] = 1;
    cli.write("f.elf", &other);
    cli.fails(2, "execute f.elf", "byte 4, EI_CLASS is 0x1: the file has 32 bits");
    cli.fails(2, "inspect f.elf", "byte 4, EI_CLASS is 0x1: the file has 32 bits");
    cli.fails(2, "prove f.elf --out p.proof", "byte 4, EI_CLASS is 0x1: the file has 32 bits");
}

#[test]
fn elf_files_are_proven_and_verified() {
    let cli = Cli::new();
    cli.write("f.elf", include_bytes!("../riscv/guests/fibonacci.elf"));
    cli.write("input", "9");
    cli.write("output", "34\n");
    cli.write("other", "35\n");
    let out = cli.ok("check f.elf --input input");
    assert!(out.contains("cpu") && out.contains("all constraints hold"), "{out}");
    let out = cli.ok("plan f.elf --input input");
    assert!(out.contains("memw_r") && out.contains("instructions"), "{out}");
    let out = cli.ok("prove f.elf --input input --out p.proof --profile fast");
    assert!(out.contains("exits with 0") && out.contains("34"), "{out}");
    let verify = "verify p.proof --program f.elf --profile fast";
    let out = cli.ok(&format!("{verify} --input input --output output"));
    assert!(out.contains("compared profile, program, input, output"), "{out}");
    let out = cli.ok(verify);
    assert!(out.contains("read     input, output"), "{out}");
    cli.fails(1, &format!("{verify} --output other"), "byte 1 is 0x34, expected 0x35");
    cli.fails(2, &format!("{verify} --args 3"), "an ELF file has no entry function");
    cli.fails(1, "verify p.proof --profile fast", "name its file with --program");
    cli.fails(1, "prove f.elf --out q.proof", "the guest exited with code 1");
    cli.fails(1, "prove f.elf --input input --out q.proof --max-cycles 9", "with --max-cycles");
}

/// Tables for people, and files for other tools.
#[test]
fn costs_are_told_by_function_and_operation() {
    let cli = Cli::new();
    let profile = "profile fibonacci --args 30 --profile fast";
    let out = cli.ok(&format!("{profile} --flamegraph f.svg --pprof p.pb.gz"));
    let heads = out.lines().filter(|line| line.trim_start().starts_with('%'));
    let heads: Vec<&str> = heads.filter_map(|line| line.split_whitespace().last()).collect();
    assert_eq!(heads, ["function", "function"], "{out}");
    for part in ["whole proof", "row  fib", "padding", "  all\n"] {
        assert!(out.contains(part), "{part}: {out}");
    }
    let svg = std::fs::read_to_string(cli.path("f.svg")).unwrap();
    assert!(svg.starts_with("<?xml") && svg.contains("fibonacci by seconds"), "{svg}");
    assert_eq!(std::fs::read(cli.path("p.pb.gz")).unwrap()[..2], [0x1f, 0x8b]);
    // Without a proof there are no seconds, and the rest is the same.
    let counted = cli.ok(&format!("{profile} --no-proof --show 2"));
    assert!(counted.contains(" more\n") && !counted.contains("whole proof"), "{counted}");
    let all = |text: &str| {
        text.lines()
            .rfind(|line| line.ends_with("  all"))
            .map(|line| line.split_whitespace().skip(2).map(String::from).collect::<Vec<_>>())
    };
    assert_eq!(all(&counted), all(&out));
    cli.fails(2, &format!("{profile} --no-proof --by seconds"), "--by seconds needs a proof");
    cli.fails(2, &format!("{profile} --by money"), "choose one of seconds, cells, rows, lookups");
}

/// A page beside the proof, and the same page from report.json later.
#[test]
fn a_report_is_a_page_too() {
    let cli = Cli::new();
    let prove = "prove fibonacci --args 30 --profile fast --shards 2 --out";
    cli.ok(&format!("{prove} p --report r --report-html page.html"));
    let page = std::fs::read_to_string(cli.path("page.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("main, shard 1: "), "{page}");
    let said = cli.ok("report r/report.json --html again.html");
    assert_eq!(said, "page of r/report.json in again.html\n");
    assert!(std::fs::read_to_string(cli.path("again.html")).unwrap() == page);
    assert!(cli.ok("report r/report.json --html -").starts_with(&page));
    // Places are tried before the work, and nothing is written twice to one place.
    cli.fails(
        2,
        &format!("{prove} q --report-html missing/page.html"),
        "cannot write missing/page",
    );
    cli.fails(
        2,
        &format!("{prove} - --report-html -"),
        "--out and --report-html both take standard",
    );
    assert!(!cli.path("q").exists());
    cli.write("other.json", "{}");
    cli.fails(
        2,
        "report other.json --html x",
        "other.json: no report of a proof: it has no format",
    );
    cli.write("torn.json", "{");
    cli.fails(2, "report torn.json --html x", "torn.json is no JSON");
    cli.fails(2, "report missing.json --html x", "cannot read missing.json");
}
