//! Device code with a compiler that only pretends: what is compiled when, and how a
//! failure reads. `.ci/run` compiles with the real one.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use traceloom_codegen::device::{DeviceProgram, Environment, Job, Outcome, Report};

/// Copies its input; fails where that says so; notes every input.
const NVCC: &str = r##"#!/bin/sh
case "$1" in
--version) echo "Cuda compilation tools, release 13.0, V13.0.88"; exit ;;
--list-gpu-arch) printf 'compute_75\ncompute_90\n'; exit ;;
esac
arguments="$*"
while [ $# -gt 1 ]; do
  [ "$1" = -o ] && output=$2
  shift
done
echo "$1" >>"$(dirname "$0")/compiled"
if grep -q BROKEN "$1"; then
  printf 'a warning\n%s(2): error: identifier "BROKEN" is undefined\nmore\n' "$1"
  exit 2
fi
case "$arguments" in
*-ptx*) printf '.version 9.0\n.target sm_75\n.address_size 64\n' >"$output" ;;
*) : >"$output" ;;
esac
cat "$1" >>"$output"
"##;

/// Writes the file that an argument `KEY=FILE` names.
const JOIN: &str = "#!/bin/sh\nfor argument; do\n  case \"$argument\" in\n  \
                    -o=*|--create=*) echo joined >\"${argument#*=}\" ;;\n  esac\ndone\n";

struct Machine {
    folder: TempDir,
    program: DeviceProgram,
}

impl Machine {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        for (name, text) in [("nvcc", NVCC), ("nvlink", JOIN), ("fatbinary", JOIN)] {
            let path = folder.path().join(name);
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let files = [
            ("a.cu", "#include \"a.cuh\"\n"),
            ("a.cuh", "#include \"bytes.cuh\"\n"),
            ("b.cu", "#include \"b.cuh\"\n"),
            ("b.cuh", "// nothing\n"),
        ];
        let program = DeviceProgram {
            name: "fib".into(),
            digest: "ab".repeat(32),
            folder: "src/units/fib".into(),
            files: files.map(|(name, text)| (name.to_owned(), text.to_owned())).into(),
        };
        Self { folder, program }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, architectures: &str) -> Result<Report, String> {
        let nvcc = self.path("nvcc").into_os_string();
        let path = std::env::var_os("PATH").unwrap();
        let environment = Environment::of([("NVCC".to_owned(), nvcc), ("PATH".to_owned(), path)])
            .with("TRACELOOM_CUDA_ARCHS", architectures);
        let out = self.path("out");
        let job = Job { environment: &environment, folder: &out, progress: &|_| {} };
        match job.run(std::slice::from_ref(&self.program)) {
            Ok(Outcome::Compiled(report)) => Ok(report),
            Ok(outcome) => panic!("{outcome:?}"),
            Err(failures) => Err(failures.to_string()),
        }
    }

    /// What was compiled since the last question.
    fn compiled(&self) -> Vec<String> {
        let notes = self.path("compiled");
        let text = fs::read_to_string(&notes).unwrap_or_default();
        let _ = fs::remove_file(notes);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    }
}

#[test]
fn only_what_has_changed_is_compiled() {
    let mut machine = Machine::new();
    let report = machine.run("sm_90").unwrap();
    assert_eq!((report.num_compiled, report.num_cached), (2, 0));
    assert_eq!(machine.compiled(), ["a.cu", "b.cu"]);
    let report = machine.run("sm_90").unwrap();
    assert_eq!((report.num_compiled, report.num_cached), (0, 2));
    assert!(machine.compiled().is_empty());

    machine.program.files.insert("b.cuh".into(), "// something\n".into());
    machine.run("sm_90").unwrap();
    assert_eq!(machine.compiled(), ["b.cu"]);
    // Another architecture is another object; the first one's stay.
    machine.run("sm_90,compute_75").unwrap();
    assert_eq!(machine.compiled(), ["a.cu", "b.cu"]);

    // A damaged object is compiled again.
    let cache = machine.path("out/device/cache");
    for entry in fs::read_dir(cache).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        fs::write(path, &bytes[..bytes.len() - 1]).unwrap();
    }
    machine.run("sm_90").unwrap();
    assert_eq!(machine.compiled(), ["a.cu", "b.cu"]);
}

#[test]
fn images_are_listed_and_text_is_joined() {
    let machine = Machine::new();
    machine.run("compute_75,90").unwrap();
    let read = |name: &str| fs::read_to_string(machine.path("out").join(name)).unwrap();
    let list: String = read("device_images.rs").split_whitespace().collect();
    for part in ["program:\"fib\"", "\"/device/fib.fatbin\"", "&[\"sm_90\",\"compute_75\"]"] {
        assert!(list.contains(part), "{list}");
    }
    assert!(Path::new(&machine.path("out/device/fib.fatbin")).is_file());
    assert_eq!(
        read("device/fib/fib.compute_75.ptx"),
        ".version 9.0\n.target sm_75\n.address_size 64\n#include \"a.cuh\"\n#include \"b.cuh\"\n"
    );
    assert!(read("device_report.txt").starts_with("nvcc 13.0.88 for sm_90 compute_75: 4 objects"));
}

#[test]
fn a_failure_names_program_file_line_and_remedy() {
    let mut machine = Machine::new();
    machine.program.files.insert("b.cu".into(), "BROKEN\n".into());
    let error = machine.run("sm_90").unwrap_err();
    for part in [
        "program fib, src/units/fib/b.cu: nvcc for sm_90 says: \
         b.cu(2): error: identifier \"BROKEN\" is undefined",
        "out/device/fib/b.sm_90.log",
        "TRACELOOM_CUDA=off builds without device code",
    ] {
        assert!(error.contains(part), "{error}");
    }
    let log = fs::read_to_string(machine.path("out/device/fib/b.sm_90.log")).unwrap();
    assert!(log.starts_with("a warning") && log.ends_with("more\n"));
}
