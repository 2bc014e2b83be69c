//! Programs that were made to test RV64IM, and the sources of the guests.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use traceloom_riscv::{Execution, Limits, Program, Stored, execute, record};

use crate::support::ledger::imbalance;
use crate::{folder, no_command};

fn data() -> PathBuf {
    folder("../../shared/data/riscv")
}

/// Why there are no programs, if so.
pub fn missing() -> Option<String> {
    let absent = !data().join("README.md").is_file();
    absent.then(|| format!("{} is not there", data().display()))
}

/// Name, file, and the number of instructions that the table of README.md states.
fn programs() -> Vec<(String, Vec<u8>, u64)> {
    let table = fs::read_to_string(data().join("README.md")).unwrap();
    let mut all = Vec::new();
    for sub in ["isa_own", "guests"] {
        for entry in fs::read_dir(data().join(sub)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "elf") {
                continue;
            }
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let row = table.lines().find(|line| line.starts_with(&format!("| {name} |")));
            let cells: Vec<&str> = row.unwrap().split('|').map(str::trim).collect();
            let instructions = cells[cells.len() - 3].parse().unwrap();
            all.push((name, fs::read(&path).unwrap(), instructions));
        }
    }
    assert_eq!(all.len(), 76, "72 files of isa_own and 4 guests");
    all
}

pub fn exit_with_0() {
    let limits = Limits::default();
    let strict = Limits { unaligned: false, ..Limits::default() };
    for (name, elf, instructions) in programs() {
        let program =
            Program::load(&elf, &limits).unwrap_or_else(|error| panic!("{name}: {error}"));
        let ran = execute(&program, &[], &limits).unwrap_or_else(|trap| panic!("{name}: {trap}"));
        let expected = Execution { exit_code: 0, cycles: instructions, ..ran.clone() };
        assert_eq!(ran, expected, "{name}");
        let is_refused = execute(&program, &[], &strict).is_err();
        assert_eq!(is_refused, name.starts_with("unaligned_"), "{name}");
    }
}

pub fn balance() {
    let limits = Limits::default();
    for (name, elf, instructions) in programs() {
        if instructions > 50_000 {
            continue;
        }
        let program = Program::load(&elf, &limits).unwrap();
        let mut records = Stored::default();
        record(&program, &[], &limits, &mut records).unwrap();
        assert_eq!(imbalance(&program, &records), None, "{name}");
    }
}

/// Why guests cannot be built, if so: another version of the compiler gives other files.
pub fn no_compiler() -> Option<String> {
    let name = "riscv64-unknown-elf-gcc";
    no_command(name).or_else(|| {
        let version = Command::new(name).arg("-dumpfullversion").output().unwrap().stdout;
        let version = String::from_utf8_lossy(&version).trim().to_owned();
        (version != "12.2.0").then(|| format!("{name} is {version}, and guests need 12.2.0"))
    })
}

pub fn guests_rebuild() {
    let built = tempfile::tempdir().unwrap();
    let script = folder("guests/build.sh");
    let status = Command::new("sh").arg(script).arg(built.path()).status().unwrap();
    assert!(status.success());
    let sums = |folder: PathBuf| fs::read_to_string(folder.join("SHA256SUMS")).unwrap();
    assert_eq!(sums(built.path().to_owned()), sums(folder("guests")));
}
