//! The command line as scripts and auditors use it: one JSON object, standard output, expectations,
//! options for everything that a message names.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

struct Cli(TempDir);

struct Ran {
    code: Option<i32>,
    out: Vec<u8>,
    err: String,
}

impl Cli {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    fn run(&self, args: &str) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_traceloom"));
        command.current_dir(self.0.path()).args(args.split_whitespace());
        command.env("CUDA_VISIBLE_DEVICES", "").env("TRACELOOM_CACHE_DIR", self.path("cache"));
        let Output { status, stdout, stderr } = command.output().unwrap();
        let err = String::from_utf8(stderr).unwrap();
        assert!(!err.contains("panicked"), "{args}: {err}");
        Ran { code: status.code(), out: stdout, err }
    }

    #[track_caller]
    fn ok(&self, args: &str) -> Vec<u8> {
        let ran = self.run(args);
        assert_eq!(ran.code, Some(0), "{args}: {}", ran.err);
        ran.out
    }

    #[track_caller]
    fn fails(&self, code: i32, args: &str, message: &str) {
        let ran = self.run(args);
        assert_eq!(ran.code, Some(code), "{args}: {}", ran.err);
        assert!(ran.err.contains(message), "{args}: {}", ran.err);
    }

    /// The object of a command, whose keys are those that docs/json.md lists for it.
    #[track_caller]
    fn object(&self, code: i32, args: &str) -> Value {
        let ran = self.run(&format!("{args} --json"));
        assert_eq!(ran.code, Some(code), "{args}: {}", ran.err);
        let object: Value = serde_json::from_slice(&ran.out).unwrap();
        assert_eq!(object["format"], "traceloom-output/1", "{object}");
        assert_eq!(object["exit_code"], code, "{object}");
        assert_eq!(object["ok"], code == 0, "{object}");
        assert_eq!(object.get("error").is_some(), code != 0, "{object}");
        object
    }
}

const DOC: &str = include_str!("../docs/json.md");

/// The keys of a command's result as docs/json.md lists them, a line each below its heading.
fn documented(heading: &str) -> Vec<String> {
    let (_, section) = DOC.split_once(&format!("\n## {heading}\n")).unwrap_or_else(|| {
        panic!("docs/json.md has no section {heading}");
    });
    let section = section.split("\n## ").next().unwrap();
    let keys = section.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let mut keys: Vec<String> = keys.map(String::from).collect();
    keys.sort();
    keys
}

#[track_caller]
fn has_documented_keys(heading: &str, result: &Value) {
    let mut keys: Vec<String> = result.as_object().unwrap().keys().cloned().collect();
    keys.sort();
    assert_eq!(keys, documented(heading), "{heading}");
}

const SQUARE: &str = "program \"square\"
fn square(x) -> 1 entry {
  y = mul x, x
  return y
}
end
";

#[test]
fn commands_print_one_object() {
    let cli = Cli::new();
    cli.write("square.tla", SQUARE);
    for (heading, args) in [
        ("programs", "programs"),
        ("execute", "execute square.tla --args 12"),
        ("check", "check square.tla --args 12"),
        ("prove", "prove square.tla --args 12 --out p.proof --profile fast --cache kept"),
        ("prove", "prove square.tla --args 12 --out p.proof --profile fast --report r"),
        ("report", "report r/report.json --html page.html"),
        ("profile", "profile square.tla --args 12 --profile fast --pprof p.pb.gz"),
        ("profile", "profile square.tla --args 12 --no-proof --flamegraph f.svg"),
        ("verify", "verify p.proof --program square.tla --profile fast"),
        ("inspect, of a program", "inspect square.tla"),
        ("inspect, of a proof", "inspect p.proof"),
        ("plan", "plan square.tla --args 12"),
        ("convert and import", "convert square.tla --out square.json"),
        ("cache", "cache list kept"),
        ("doctor", "doctor"),
        ("completions", "completions bash"),
        ("man", "man pages"),
        ("new", "new own"),
        ("codegen", "codegen --crate own --check"),
    ] {
        let object = cli.object(0, args);
        assert_eq!(object["command"], args.split(' ').next().unwrap());
        has_documented_keys(heading, &object["result"]);
    }
    let verified = cli.object(0, "verify p.proof --program square.tla --profile fast --args 12");
    let result = &verified["result"];
    assert_eq!(result["claims"][0]["outputs"], json!([144]));
    assert_eq!(result["compared"], json!(["profile", "program", "entry", "inputs"]));
    assert_eq!(result["read"], json!(["outputs"]));
    assert!(result["warnings"][0].as_str().unwrap().contains("worth nothing"), "{result}");
    assert!(cli.path("pages/traceloom-prove.1").exists());
}

#[test]
fn failures_are_objects_too() {
    let cli = Cli::new();
    cli.write("square.tla", SQUARE);
    let kind = |code, args: &str| cli.object(code, args)["error"]["kind"].clone();
    assert_eq!(kind(2, "verify nowhere"), "malformed");
    assert_eq!(kind(2, "verify"), "usage");
    assert_eq!(kind(2, "execute square.tla --args x"), "malformed");
    cli.ok("prove square.tla --args 3 --out p.proof --profile fast");
    let refused = cli.object(1, "verify p.proof --program square.tla --profile fast --outputs 8");
    assert_eq!(refused["error"]["kind"], "refused");
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.contains("number 0 is 9, expected 8"), "{message}");
    cli.fails(2, "prove square.tla --args 3 --out - --json", "both take standard output");
}

#[test]
fn quiet_commands_print_errors_only() {
    let cli = Cli::new();
    cli.write("square.tla", SQUARE);
    let ran = cli.run("prove square.tla --args 3 --out p.proof --quiet");
    assert_eq!((ran.code, &ran.out[..], &ran.err[..]), (Some(0), &[][..], ""));
    let ran = cli.run("verify p.proof -q");
    assert!(ran.out.is_empty() && ran.err.starts_with("error: "), "{}", ran.err);
}

#[test]
fn a_dash_is_standard_output() {
    let cli = Cli::new();
    cli.write("square.tla", SQUARE);
    let prove = "prove square.tla --args 3 --profile fast --out";
    cli.ok(&format!("{prove} p.proof"));
    let ran = cli.run(&format!("{prove} -"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out == std::fs::read(cli.path("p.proof")).unwrap());
    assert!(ran.err.contains("square(3) = 9"), "{}", ran.err);
    let json = cli.ok("convert square.tla --out -");
    cli.write("again.json", &json);
    let text = cli.ok("convert again.json --out -");
    cli.write("again.tla", &text);
    assert!(cli.ok("convert again.tla --out -") == json);
    assert_eq!(cli.ok("convert square.tla --to text --out -"), text);
    assert!(!cli.path("-").exists());
}

/// Both forms of a program have one fingerprint, whichever way it goes.
#[test]
fn conversion_keeps_the_program() {
    let cli = Cli::new();
    cli.write("square.tla", SQUARE);
    cli.ok("convert square.tla --out square.json");
    cli.ok("convert square.json --out back.tla");
    let fingerprint =
        |file: &str| cli.object(0, &format!("inspect {file}"))["result"]["fingerprint"].clone();
    let first = fingerprint("square.tla");
    assert!(first.is_string() && first == fingerprint("square.json"));
    assert_eq!(first, fingerprint("back.tla"));
    cli.fails(2, "convert nowhere --out x.tla", "cannot read nowhere");
    cli.fails(2, "convert square.tla --out no/x.json", "cannot write no/x.json");
    cli.fails(2, "convert square.tla --out .", "not a regular file");
    cli.write("bad.tla", SQUARE.replace("return y", "return y, y"));
    cli.fails(1, "convert bad.tla --out x.json", "bad.tla: invalid program, 1 problem:\n  4:3 (");
    assert!(!cli.path("x.json").exists());
}

/// Every part of an expectation is compared, each alone.
#[test]
fn expectations_are_compared_part_by_part() {
    let cli = Cli::new();
    cli.write("square.tla", SQUARE);
    cli.ok("prove square.tla --args 12 --out p.proof");
    let verified = cli.object(0, "verify p.proof --program square.tla")["result"].clone();
    let expectation = json!({
        "format": "traceloom-expect/1",
        "fingerprint": verified["fingerprint"],
        "system_digest": verified["system_digest"],
        "profile": "standard",
        "entry": "square",
        "inputs": [12],
        "outputs": [144],
        "least_provable_bits": 100,
        "least_heuristic_bits": 100,
    });
    let verify = "verify p.proof --program square.tla --expect e.json";
    let with = |key: &str, value: Value| {
        let mut changed = expectation.clone();
        changed[key] = value;
        cli.write("e.json", changed.to_string());
    };
    with("outputs", json!("0x90"));
    let result = cli.object(0, verify)["result"].clone();
    assert_eq!(result["read"], json!([]));
    let compared = "profile, program, entry, inputs, outputs, fingerprint, system digest, least \
                    provable bits, least heuristic bits";
    let found = result["compared"].as_array().unwrap().iter().map(|name| name.as_str().unwrap());
    assert_eq!(found.collect::<Vec<_>>().join(", "), compared);
    let zeros = "0".repeat(64);
    let digest = |key: &str| verified[key].as_str().unwrap().to_owned();
    for (key, value, message) in [
        ("fingerprint", json!(zeros), format!("the program is {}, e.json", digest("fingerprint"))),
        ("system_digest", json!(zeros), format!("{}, e.json expects", digest("system_digest"))),
        ("profile", json!("strong"), "has profile standard, expected strong".to_owned()),
        ("entry", json!("squire"), "did you mean `square`?".to_owned()),
        ("inputs", json!([13]), "number 0 is 12, expected 13".to_owned()),
        ("outputs", json!([145]), "number 0 is 144, expected 145".to_owned()),
        ("outputs", json!([]), "1 numbers, expected 0: [144], expected []".to_owned()),
        ("least_provable_bits", json!(110), "bits, e.json expects at least 110".to_owned()),
        ("least_heuristic_bits", json!(129), "bits, e.json expects at least 129".to_owned()),
    ] {
        with(key, value);
        let ran = cli.run(verify);
        let code = if key == "entry" { 2 } else { 1 };
        assert_eq!(ran.code, Some(code), "{key}: {}", ran.err);
        assert!(ran.out.is_empty() && ran.err.contains(&message), "{key}: {}", ran.err);
    }
    // What is misspelt is not an expectation that is left out.
    for (key, value) in [
        ("outptus", json!([1])),
        ("format", json!("traceloom-expect/2")),
        ("fingerprint", json!("12")),
        ("inputs", json!([-1])),
        ("inputs", json!([18_446_744_069_414_584_321_u64])),
        ("outputs", json!("0x9")),
        ("profile", json!("best")),
    ] {
        with(key, value);
        cli.fails(2, verify, "e.json: ");
    }
    with("entry", json!("square"));
    // The program of an expectation is known by its name here, or has to be given.
    cli.fails(1, "verify p.proof --expect e.json", "name its file with --program");
    cli.fails(2, &format!("{verify} --args 12"), "cannot be used with");
    cli.fails(2, &format!("{verify} --profile strong"), "are not the same");
}

/// An option for each limit; the error names the option.
#[test]
fn limits_are_options() {
    let cli = Cli::new();
    cli.write(
        "deep.tla",
        "program \"deep\"\nfn f(x) -> 1 entry {\n  one = const 1\n  y = add x, one\n  \
         z = call f(y)\n  return z\n}\nend\n",
    );
    let run = |options: &str| cli.run(&format!("execute deep.tla --args 1 {options}"));
    for (options, message) in [
        ("--limit-depth 1000", "raise --limit-depth if"),
        ("--limit-steps 5000", "raise --limit-steps if"),
        ("--limit-queries 100", "raise --limit-queries if"),
        ("--limit-bytes 64KiB", "raise --limit-bytes if"),
    ] {
        let ran = run(options);
        assert_eq!(ran.code, Some(1), "{options}: {}", ran.err);
        assert!(ran.err.contains(message), "{options}: {}", ran.err);
        assert!(ran.err.contains("deep.tla: ") && ran.err.contains("(\"f\", "), "{}", ran.err);
        assert!(!ran.err.contains("functions["), "{}", ran.err);
    }
    cli.fails(2, "execute deep.tla --args 1 --limit-depth x", "--limit-depth");
}

/// Io on any channel under any key.
#[test]
fn io_is_filled_by_channel_and_key() {
    let cli = Cli::new();
    let program = "program \"io\"
fn f(c, k) -> 1 entry {
  at, len = io_get_info c, k
  x = io_read c, at
  return x
}
end
";
    cli.write("io.tla", program);
    let shown = cli.run("check io.tla --args 3,7 --io 3:7=words");
    assert_eq!(shown.code, Some(2), "{}", shown.err);
    cli.write("words", [42, 43]);
    let out = cli.run("execute io.tla --args 3,7 --io 3:7=words --io 3:8=words");
    let out = if out.code == Some(0) { out.out } else { panic!("{}", out.err) };
    assert!(String::from_utf8(out).unwrap().contains("f(3,7) = 42"));
    for wrong in ["3=words", "3:7", "x:7=words", "3:7=", "3:1,,2=words"] {
        assert_eq!(cli.run(&format!("execute io.tla --args 3,7 --io {wrong}")).code, Some(2));
    }
}

/// Two readings of one name are said; other bytes in a name are no obstacle.
#[test]
fn names_have_one_reading() {
    let cli = Cli::new();
    cli.write("fibonacci", SQUARE);
    let ran = cli.run("execute fibonacci --args 10");
    assert!(String::from_utf8(ran.out).unwrap().contains("fibonacci(10) = 55"));
    assert!(ran.err.contains("note: fibonacci is a program with a name; "), "{}", ran.err);
    let out = String::from_utf8(cli.ok("execute ./fibonacci --args 10")).unwrap();
    assert!(out.contains("square(10) = 100"), "{out}");
    cli.fails(2, "execute fibonaci --args 10", "did you mean fibonacci?");
    cli.write("bom.json", "\u{feff}{\"format\": \"traceloom-program/1\"}");
    cli.fails(2, "inspect bom.json", "1:1: found a byte order mark, expected `{`");
    cli.write("none.tla", SQUARE.replace(" entry", ""));
    cli.fails(2, "execute none.tla --args 1", "this program has none, so nothing of it can be");
    cli.write("two.tla", SQUARE.replace("\nend", "\nfn cube(x) -> 1 { return x }\nend"));
    cli.fails(2, "execute two.tla --entry cube --args 1", "\"cube\" is a function and no entry");
}

#[test]
#[cfg(unix)]
fn paths_are_bytes_and_links_are_kept() {
    use std::os::unix::ffi::OsStringExt;
    let cli = Cli::new();
    let name = std::ffi::OsString::from_vec(b"s\xff.tla".to_vec());
    std::fs::write(cli.0.path().join(&name), SQUARE).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_traceloom"));
    command.current_dir(cli.0.path()).arg("execute").arg(&name).args(["--args", "3"]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    std::os::unix::fs::symlink("gone", cli.path("link")).unwrap();
    cli.fails(2, "prove fibonacci --args 3 --out link", "it is a link to a file that is not there");
    assert!(cli.path("link").is_symlink() && !cli.path("gone").exists());
}

/// What a program says reaches no terminal as it is.
#[test]
fn debug_lines_are_escaped() {
    let cli = Cli::new();
    let program = SQUARE.replace("  return", "  debug \"\\u{1b}[31m\", y\n  return");
    cli.write("debug.tla", program.replace("fn square", "fn \"s\\u{1b}\""));
    let ran = cli.run("execute debug.tla --args 3");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("\\u{1b}[31m") && !ran.err.contains('\u{1b}'), "{:?}", ran.err);
}

/// A machine that starts no further thread: one thread does everything.
#[test]
#[cfg(target_os = "linux")]
fn a_machine_without_threads_is_no_panic() {
    let cli = Cli::new();
    let binary = env!("CARGO_BIN_EXE_traceloom");
    let shell = |line: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", line]).current_dir(cli.0.path()).env("T", binary);
        let output = command.output().unwrap();
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(!text.contains("panicked"), "{text}");
        (output.status.code(), text)
    };
    // The address space has room for one such stack, and for everything else.
    let few = "ulimit -v 4000000; RUST_MIN_STACK=3000000000 RAYON_NUM_THREADS=2 $T";
    let prove = "prove fibonacci --args 20 --profile fast --out p.proof";
    for command in [prove, "verify p.proof --profile fast", "check fibonacci --args 20"] {
        let (code, text) = shell(&format!("{few} {command}"));
        assert_eq!(code, Some(0), "{text}");
        assert!(text.contains("note: the system does not start 2 threads"), "{text}");
    }
}

#[test]
fn help_names_exit_codes_and_everything_wraps() {
    let cli = Cli::new();
    for args in ["--help", "prove --help", "verify --help", "codegen -h", "new -h"] {
        let text = String::from_utf8(cli.ok(args)).unwrap();
        assert!(text.contains("Exit codes:\n  0  done\n  1  "), "{args}: {text}");
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{args}: {text}");
    }
    let version = String::from_utf8(cli.ok("--version")).unwrap();
    assert!(version.contains("\nbuilt for "), "{version}");
    for shell in ["bash", "zsh", "fish"] {
        let script = String::from_utf8(cli.ok(&format!("completions {shell}"))).unwrap();
        assert!(script.contains("limit-depth"), "{shell}");
    }
}

/// Asked for colours by one variable and asked not to by another, nothing is coloured.
#[test]
fn no_color_is_obeyed() {
    let cli = Cli::new();
    let run = |variables: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_traceloom"));
        command.current_dir(cli.0.path()).args(["prove", "--nonsense"]);
        command.env_remove("NO_COLOR").envs(variables.iter().copied());
        String::from_utf8(command.output().unwrap().stderr).unwrap()
    };
    assert!(run(&[("CLICOLOR_FORCE", "1")]).contains('\u{1b}'));
    assert!(!run(&[("NO_COLOR", "1")]).contains('\u{1b}'));
    assert!(!run(&[]).contains('\u{1b}'));
}

/// The example is what `new` makes, but for what the builds of the two leave.
#[test]
fn the_example_is_what_new_makes() {
    let cli = Cli::new();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/own-program");
    std::fs::create_dir_all(cli.path("codegen")).unwrap();
    cli.write("codegen/Cargo.toml", "");
    std::fs::create_dir(cli.path("examples")).unwrap();
    cli.ok("new examples/own-program --traceloom ../..");
    let files = |root: &Path| {
        let mut files = std::collections::BTreeMap::new();
        let mut folders = vec![root.to_owned()];
        while let Some(folder) = folders.pop() {
            for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                match path.is_dir() {
                    true if name == "target" => {}
                    true => folders.push(path),
                    false if name == "Cargo.lock" || name.ends_with(".proof") => {}
                    false => drop(files.insert(name, std::fs::read_to_string(path).unwrap())),
                }
            }
        }
        files
    };
    let (made, kept) = (files(&cli.path("examples/own-program")), files(&example));
    assert_eq!(made.keys().collect::<Vec<_>>(), kept.keys().collect::<Vec<_>>());
    for (name, text) in &made {
        assert!(*text == kept[name], "{name} differs; write it anew with `traceloom new`");
    }
    assert!(made.contains_key("src/units/binomial/mod.rs"), "{:?}", made.keys());
    cli.ok("codegen --check --crate examples/own-program");
    // Its expectation is that of its program.
    let program = "examples/own-program/programs/binomial.tla";
    cli.ok(&format!("prove {program} --args 24,9 --out p.proof"));
    let expect = "--expect examples/own-program/expect.json";
    cli.ok(&format!("verify p.proof --program {program} {expect}"));
    cli.ok(&format!("prove {program} --args 24,8 --out p.proof"));
    cli.fails(1, &format!("verify p.proof --program {program} {expect}"), "is 8, expected 9");
    cli.fails(2, "new examples/own-program", "is there already");
    cli.fails(2, "new Bad", "is no name of a project");
    cli.fails(2, "new good --traceloom nowhere", "name the folder of traceloom with --traceloom");
    assert!(!cli.path("good").exists());
}

/// A stale unit is one line, and its files are shown when asked for.
#[test]
fn stale_units_are_summed_up_and_shown() {
    let cli = Cli::new();
    cli.write("square.tla", SQUARE);
    cli.ok("new own");
    let program = cli.path("own/programs/binomial.tla");
    let text = std::fs::read_to_string(&program).unwrap();
    std::fs::write(&program, text.replace("const 1", "const 2")).unwrap();
    let check = "codegen --crate own --check";
    let ran = cli.run(check);
    assert_eq!(ran.code, Some(1));
    let lines = ran.err.lines().count();
    assert!(lines == 2 && ran.err.contains("own/src/units/binomial: stale, "), "{}", ran.err);
    assert!(ran.err.contains("the program has changed, its fingerprint from "), "{}", ran.err);
    let ran = cli.run(&format!("{check} --diff"));
    let shown = String::from_utf8(ran.out).unwrap();
    assert!(ran.code == Some(1) && shown.contains("--- own/src/units/binomial/"), "{shown}");
    assert!(shown.lines().any(|line| line.starts_with('-') && !line.starts_with("---")), "{shown}");
    cli.fails(2, "codegen --crate own --diff", "--check");
}
