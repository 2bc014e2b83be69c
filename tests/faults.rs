//! Known faults of systems like this one, tried on the command line: full disks and
//! torn writes, small stacks, processes that differ, hostile files.
//! docs/reliability.md says which test stands for which fault.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

const BINARY: &str = env!("CARGO_BIN_EXE_traceloom");

/// What a shell line did, run in `folder` with `$T` for the program.
fn shell(folder: &Path, line: &str) -> (Option<i32>, String) {
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(folder).env("T", BINARY);
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned();
    assert!(!text.contains("panicked") && !text.contains("overflow"), "{line}: {text}");
    (status.code(), text)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

const PROVE: &str = "prove fibonacci --args 20 --profile fast --out p.proof";
const VERIFY: &str = "verify p.proof --profile fast";

/// A disk that is full: the error names the file, and what was there stays.
#[test]
fn a_full_disk_leaves_the_old_file_and_no_other() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("p.proof"), "before").unwrap();
    // No file may grow beyond 8 KiB, and the signal about it is ignored.
    let line = format!("trap '' XFSZ; ulimit -f 16; $T {PROVE}");
    let (code, text) = shell(folder.path(), &line);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("cannot write p.proof: "), "{text}");
    assert_eq!(fs::read(folder.path().join("p.proof")).unwrap(), b"before");
    assert_eq!(names(folder.path()), ["p.proof"]);
}

/// Killed while it writes, by the limit's signal: what was there stays.
#[test]
fn a_write_that_is_killed_leaves_the_old_file() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("p.proof"), "before").unwrap();
    let (code, text) = shell(folder.path(), &format!("ulimit -f 16; $T {PROVE}; exit $?"));
    assert!(code.is_none_or(|code| code > 128), "it is not killed: {code:?} {text}");
    assert_eq!(fs::read(folder.path().join("p.proof")).unwrap(), b"before");
}

/// Killed at any time: there is no proof, or a whole one.
#[test]
fn a_killed_prover_leaves_a_whole_proof_or_none() {
    let folder = TempDir::new().unwrap();
    let proof = folder.path().join("p.proof");
    let prover = || {
        let mut command = Command::new(BINARY);
        command.args(PROVE.split(' ')).current_dir(folder.path());
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let start = Instant::now();
    assert!(prover().wait().unwrap().success());
    let whole = start.elapsed();
    let expected = fs::read(&proof).unwrap();
    const KILLS: u32 = 12;
    for kill in 1..=KILLS {
        let _ = fs::remove_file(&proof);
        let mut child = prover();
        std::thread::sleep(whole * kill / KILLS);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!proof.exists() || fs::read(&proof).unwrap() == expected, "kill {kill}");
    }
    // Whatever a killed process left is in nobody's way.
    assert!(prover().wait().unwrap().success());
    assert_eq!(fs::read(&proof).unwrap(), expected);
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

/// Matches in each other's default, and one after the other.
fn deep(depth: usize) -> [String; 2] {
    let wrap = |body: String| format!("program \"deep\"\nfn f(x) -> 1 entry {{\n{body}}}\nend\n");
    let (mut nested, mut row) = (String::new(), String::new());
    for i in 0..depth {
        let _ = writeln!(nested, "match x {{\ncase {i} {{ return x }}\ndefault {{");
        let arms = format!("case {i} {{ yield x }}\ndefault {{ yield x }}");
        let _ = writeln!(row, "y{i} = match_continue x {{\n{arms}\n}}");
    }
    [wrap(nested + "return x\n" + &"}\n}\n".repeat(depth)), wrap(row + "return x\n")]
}

/// No command needs a stack as deep as its program: 1 MiB does for all of them.
#[test]
fn deep_programs_are_read_or_refused_on_a_small_stack() {
    let folder = TempDir::new().unwrap();
    let mut codes = Vec::new();
    for depth in [100, 20_000] {
        for (shape, source) in deep(depth).into_iter().enumerate() {
            fs::write(folder.path().join("deep.tla"), source).unwrap();
            for command in ["inspect deep.tla", "check deep.tla --args 7", "plan deep.tla"] {
                let (code, text) = shell(
                    folder.path(),
                    &format!("ulimit -s 1024; ulimit -v 4000000; $T {command}"),
                );
                let start: String = text.chars().take(500).collect();
                assert!(matches!(code, Some(0..=2)), "{shape} {depth} {command}: {code:?} {start}");
                codes.push(code == Some(0));
            }
        }
    }
    assert!(codes[..6].iter().all(|&fine| fine), "100 matches are fine: {codes:?}");
}

/// Hash seeds, thread counts and paths differ from process to process; proofs do not.
/// `TRACELOOM_PROCESSES` asks for more of them.
#[test]
fn proofs_do_not_depend_on_the_process() {
    let processes = std::env::var("TRACELOOM_PROCESSES").map_or(6, |n| n.parse().unwrap());
    let mut first: Option<(Vec<u8>, Vec<u8>)> = None;
    for process in 0..processes {
        let folder = TempDir::new().unwrap();
        let mut command = Command::new(BINARY);
        command.args(PROVE.split(' ')).current_dir(folder.path());
        command.env("RAYON_NUM_THREADS", ["1", "16", "3"][process % 3]);
        assert!(command.output().unwrap().status.success());
        let proof = fs::read(folder.path().join("p.proof")).unwrap();
        let shown = Command::new(BINARY).args(["inspect", "blake3"]).output().unwrap().stdout;
        let (proof_first, shown_first) =
            first.get_or_insert_with(|| (proof.clone(), shown.clone()));
        assert!(proof == *proof_first, "process {process}: another proof");
        assert!(shown == *shown_first, "process {process}: another fingerprint or text");
    }
}

/// Two provers at once, with one thread or three: nobody waits for the other.
#[test]
fn two_provers_at_once_finish() {
    let folder = TempDir::new().unwrap();
    for threads in ["1", "3"] {
        let provers = ["a.proof", "b.proof"].map(|out| {
            let mut command = Command::new(BINARY);
            command.args(PROVE.replace("p.proof", out).split(' ')).current_dir(folder.path());
            command.env("RAYON_NUM_THREADS", threads);
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        });
        for mut prover in provers {
            let start = Instant::now();
            let status = loop {
                if let Some(status) = prover.try_wait().unwrap() {
                    break status;
                }
                assert!(start.elapsed() < Duration::from_secs(120), "{threads} threads hang");
                std::thread::sleep(Duration::from_millis(20));
            };
            assert!(status.success());
        }
        let [a, b] = ["a.proof", "b.proof"].map(|out| fs::read(folder.path().join(out)).unwrap());
        assert!(a == b);
    }
}

/// Bytes behind a proof, one or a million, are refused; so is each kind of file that
/// is not one.
#[test]
fn what_is_behind_a_proof_is_refused() {
    let folder = TempDir::new().unwrap();
    assert_eq!(shell(folder.path(), &format!("$T {PROVE}")).0, Some(0));
    let path: PathBuf = folder.path().join("p.proof");
    let proof = fs::read(&path).unwrap();
    assert_eq!(shell(folder.path(), &format!("$T {VERIFY}")).0, Some(0));
    for len in [1, 1 << 20] {
        fs::write(&path, [&proof[..], &vec![0; len]].concat()).unwrap();
        let (code, text) = shell(folder.path(), &format!("$T {VERIFY}"));
        assert!(code == Some(2) && text.contains("byte"), "{len}: {text}");
    }
}

/// Small files take neither long nor much memory: 200 MB of address space beyond what
/// the program itself has are enough, and a second of processor time.
#[test]
#[cfg(target_os = "linux")]
fn small_files_are_read_within_their_limits() {
    let folder = TempDir::new().unwrap();
    let wrap = |signature: &str, body: &str| {
        format!(
            "program \"much\"\nmemory 4096\nfn f({signature}) -> 0 entry {{\n{body}return\n}}\nend\n"
        )
    };
    let loads: String = (0..200).map(|i| format!("a{i}x0..a{i}x4095 = load p\n")).collect();
    let files = [
        ("names.tla", wrap("x0..x1999999", "")),
        ("loads.tla", wrap("p", &loads)),
        (
            "open.tla",
            "program \"p\"\nfn f(a) -> 0 {\n".to_owned() + &"match a { default {\n".repeat(3_000),
        ),
        ("open.json", "[".repeat(60_000)),
        (
            "long.json",
            format!("{{\"format\": \"traceloom-program/1\", \"name\": {}", "9".repeat(60_000)),
        ),
        ("proof", format!("{}{}", "traceloom", "\u{7f}".repeat(60_000))),
    ];
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
        // Kilobytes of memory of all kinds, and seconds. One thread: each reserves
        // address space of its own.
        let line =
            format!("export RAYON_NUM_THREADS=1; ulimit -v 400000; ulimit -t 5; $T inspect {name}");
        let (code, text) =
            shell(folder.path(), &format!("{line} > out 2>&1; c=$?; tail -c 300 out; exit $c"));
        assert!(matches!(code, Some(0..=2)), "{name}: {code:?} {text}");
    }
}

/// Notes what it is asked, with the variables that change what nvcc does.
const NVCC: &str = r#"#!/bin/sh
case "$1" in
--version) echo "Cuda compilation tools, release 13.0, V13.0.88"; exit ;;
--list-gpu-arch) printf 'compute_75\ncompute_80\ncompute_90\n'; exit ;;
esac
echo "$* ccbin=$NVCC_CCBIN flags=$NVCC_PREPEND_FLAGS$NVCC_APPEND_FLAGS" >>"$LOG"
while [ $# -gt 1 ]; do
  [ "$1" = -o ] && output=$2
  shift
done
printf '.version 9.0\n.target sm_75\n.address_size 64\n' >"$output"
"#;

/// A build machine without a GPU, and a compiler that only pretends: what it compiles for
/// is the list or the documented one, what is wrong is named, its host compiler is the
/// one that is set, and no variable changes an object behind the back of the cache.
#[test]
#[cfg(unix)]
fn device_code_is_compiled_for_what_is_asked() {
    use std::os::unix::fs::PermissionsExt;
    const JOIN: &str = "#!/bin/sh\nfor argument; do\n  case \"$argument\" in\n  \
                        -o=*|--create=*) echo joined >\"${argument#*=}\" ;;\n  esac\ndone\n";
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    for name in ["bin", "crate", "crate/programs"] {
        fs::create_dir(path(name)).unwrap();
    }
    let none = "#!/bin/sh\necho 'no devices were found'\nexit 6\n";
    for (name, text) in
        [("nvcc", NVCC), ("nvlink", JOIN), ("fatbinary", JOIN), ("nvidia-smi", none)]
    {
        let path = path("bin").join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("trace-plans/fibonacci.json");
    fs::copy(own, path("crate/programs/fib.json")).unwrap();
    fs::write(path("crate/Cargo.toml"), "").unwrap();
    let compile = |variables: &str| {
        let _ = fs::remove_file(path("log"));
        let line = format!(
            "unset NVCC CUDA_HOME CUDA_PATH TRACELOOM_CUDA TRACELOOM_CUDA_ARCHS \
             TRACELOOM_CUDA_CACHE; export PATH=$PWD/bin:$PATH LOG=$PWD/log {variables}; \
             $T codegen --crate crate --device out"
        );
        let (code, text) = shell(folder.path(), &line);
        (code, text, fs::read_to_string(path("log")).unwrap_or_default())
    };
    let (code, text, log) = compile("");
    assert_eq!(code, Some(0), "{text}");
    let of = |log: &str, part: &str| log.lines().filter(|line| line.contains(part)).count();
    let num_files = log.lines().count() / 2;
    assert!(num_files >= 2, "{log}");
    assert_eq!([of(&log, "-cubin -arch=sm_90"), of(&log, "-ptx -arch=compute_75")], [num_files; 2]);
    assert!(!log.contains("native"), "{log}");
    let (_, _, log) = compile("");
    assert_eq!(log, "", "all of it is there already");
    // Flags that nvcc would read by itself are not in the key, so it does not see them.
    let (_, _, log) = compile("NVCC_APPEND_FLAGS=-G NVCC_PREPEND_FLAGS=-lineinfo");
    assert_eq!(log, "");
    let (code, text, log) =
        compile("TRACELOOM_CUDA_ARCHS='80;compute_80' NVCC_CCBIN=/opt/g++ NVCC_APPEND_FLAGS=-G");
    assert_eq!(code, Some(0), "{text}");
    assert_eq!([of(&log, "-arch=sm_80"), of(&log, "-arch=compute_80")], [num_files; 2], "{log}");
    assert_eq!(of(&log, " ccbin=/opt/g++ flags="), 2 * num_files, "{log}");
    assert_eq!(of(&log, "-G"), 0, "{log}");
    let (code, text, log) = compile("TRACELOOM_CUDA_ARCHS=banana");
    assert_eq!((code, &*log), (Some(1), ""), "{text}");
    for part in ["`banana`", "TRACELOOM_CUDA_ARCHS", "sm_90"] {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!(text.lines().count(), 1, "{text}");
    // Who requires device code is told that there is no compiler.
    let (code, text, _) = compile("TRACELOOM_CUDA=require PATH=/nonexistent");
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("NVCC"), "{text}");
}
