//! What the experiments share: shells, folders, a compiler that only pretends.
#![allow(dead_code, reason = "every test uses some of it")]

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Output, Stdio};

pub const BINARY: &str = env!("CARGO_BIN_EXE_traceloom");

pub const PROVE: &str = "prove fibonacci --args 20 --profile fast --out p.proof";
pub const VERIFY: &str = "verify p.proof --profile fast";

/// What a shell line did, run in `folder` with `$T` for the program.
pub fn shell(folder: &Path, line: &str) -> (Option<i32>, String) {
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(folder).env("T", BINARY);
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned();
    assert!(!text.contains("panicked") && !text.contains("overflow"), "{line}: {text}");
    (status.code(), text)
}

/// A command that nobody listens to.
pub fn quiet(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(BINARY);
    command.args(line.split(' ')).current_dir(folder);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// All files under a folder, by path in it. Another process may write there: what is renamed or
/// removed between listing and reading is left out.
pub fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let (mut files, mut folders) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(inner) = folders.pop() {
        for path in fs::read_dir(inner).unwrap().map(|entry| entry.unwrap().path()) {
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                    match fs::read(path) {
                        Err(error) if error.kind() == ErrorKind::NotFound => {}
                        content => drop(files.insert(name, content.unwrap())),
                    }
                }
            }
        }
    }
    files
}

/// A crate with the program fibonacci and no units.
pub fn crate_folder(root: &Path) {
    fs::create_dir_all(root.join("programs")).unwrap();
    fs::write(root.join("Cargo.toml"), "").unwrap();
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("trace-plans/fibonacci.json");
    fs::copy(own, root.join("programs/fib.json")).unwrap();
}

/// A program whose report is longer than its proof: reports have its name.
pub fn long_name(folder: &Path) {
    let name = "n".repeat(20_000);
    let text = format!("program \"{name}\"\nfn f(x) -> 1 entry {{ return x }}\nend\n");
    fs::write(folder.join("long.tla"), text).unwrap();
}

pub const REPORT: &str = "prove long.tla --args 7 --profile fast --out p.proof --report report";

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

const JOIN: &str = "#!/bin/sh\nfor argument; do\n  case \"$argument\" in\n  \
                    -o=*|--create=*) echo joined >\"${argument#*=}\" ;;\n  esac\ndone\n";

/// A machine of which nothing is known but the compiler in `bin`.
pub const COMPILER: &str = "unset NVCC CUDA_HOME CUDA_PATH TRACELOOM_CUDA TRACELOOM_CUDA_ARCHS \
                            TRACELOOM_CUDA_CACHE; export PATH=$PWD/bin:$PATH LOG=/dev/null";

/// Writes it, and a tool that says that there is no GPU.
#[cfg(unix)]
pub fn pretended_compiler(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let none = "#!/bin/sh\necho 'no devices were found'\nexit 6\n";
    let bin = folder.join("bin");
    fs::create_dir(&bin).unwrap();
    for (name, text) in
        [("nvcc", NVCC), ("nvlink", JOIN), ("fatbinary", JOIN), ("nvidia-smi", none)]
    {
        fs::write(bin.join(name), text).unwrap();
        fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
}
