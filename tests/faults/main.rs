//! Known faults of systems like this one, tried on the command line: full disks and
//! torn writes, small stacks, processes that differ, hostile files.
//! docs/reliability.md says which test stands for which fault.

mod deep;
mod device;
mod disk;
mod hostile;
mod processes;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const BINARY: &str = env!("CARGO_BIN_EXE_traceloom");

const PROVE: &str = "prove fibonacci --args 20 --profile fast --out p.proof";
const VERIFY: &str = "verify p.proof --profile fast";

/// What a shell line did, run in `folder` with `$T` for the program.
fn shell(folder: &Path, line: &str) -> (Option<i32>, String) {
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(folder).env("T", BINARY);
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned();
    assert!(!text.contains("panicked") && !text.contains("overflow"), "{line}: {text}");
    (status.code(), text)
}

/// A command that nobody listens to.
fn quiet(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(BINARY);
    command.args(line.split(' ')).current_dir(folder);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// All files under a folder, by path in it.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let (mut files, mut folders) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(inner) = folders.pop() {
        for path in fs::read_dir(inner).unwrap().map(|entry| entry.unwrap().path()) {
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                    files.insert(name, fs::read(path).unwrap());
                }
            }
        }
    }
    files
}

/// A crate with the program fibonacci and no units.
fn crate_folder(root: &Path) {
    fs::create_dir_all(root.join("programs")).unwrap();
    fs::write(root.join("Cargo.toml"), "").unwrap();
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("trace-plans/fibonacci.json");
    fs::copy(own, root.join("programs/fib.json")).unwrap();
}
