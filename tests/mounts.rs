//! Disks that are full, and that even root cannot write: tried where something can be
//! mounted, and counted as ignored elsewhere.

#[path = "faults/tools.rs"]
mod tools;

use std::fs;
use std::path::Path;

use libtest_mimic::{Arguments, Completion, Failed, Trial};
use tempfile::TempDir;

use tools::{COMPILER, PROVE, REPORT, crate_folder, long_name, pretended_compiler, shell};

fn main() {
    let args = Arguments::from_args();
    let options = TempDir::new().ok().and_then(|folder| options(folder.path()));
    let trial = |name: &str, test: fn(&str)| {
        Trial::ignorable_test(name, move || -> Result<Completion, Failed> {
            let Some(options) = options else {
                return Ok(Completion::ignored_with("because nothing can be mounted here"));
            };
            test(options);
            Ok(Completion::Completed)
        })
    };
    let trials = vec![
        trial(
            "a_disk_that_is_full_is_named_and_used_again",
            a_disk_that_is_full_is_named_and_used_again,
        ),
        trial(
            "a_read_only_folder_is_named_and_can_be_checked",
            a_read_only_folder_is_named_and_can_be_checked,
        ),
    ];
    libtest_mimic::run(&args, trials).exit();
}

/// How a shell has mounts of its own, if the system lets it.
fn options(folder: &Path) -> Option<&'static str> {
    let may = |options: &str| {
        let command = format!("unshare {options} sh -c 'mount -t tmpfs none .' 2>&1");
        shell(folder, &command).0 == Some(0)
    };
    ["-m", "-rm"].into_iter().find(|options| may(options))
}

/// Runs a script that mounts, in mounts of its own.
fn with_mounts(options: &str, folder: &Path, script: &str) -> (Option<i32>, String) {
    fs::write(folder.join("script"), script).unwrap();
    shell(folder, &format!("unshare {options} sh -e script"))
}

/// A disk with 16 KiB for proofs of 40: the error says so, the old file stays, what is there
/// is whole, and the proof is written when there is room. The same with reports, units and
/// device code.
fn a_disk_that_is_full_is_named_and_used_again(options: &str) {
    let folder = TempDir::new().unwrap();
    pretended_compiler(folder.path());
    crate_folder(&folder.path().join("crate"));
    long_name(folder.path());
    let prove = PROVE.replace("p.proof", "full/p.proof");
    let report = REPORT.replace("--report report", "--report full");
    for (command, most, code, old) in [
        (prove.as_str(), "16k", 2, "p.proof"),
        (&report, "16k", 2, "report.json"),
        ("codegen --crate crate --units ../full/units", "16k", 1, "none"),
        ("codegen --crate crate --device full", "4k", 1, "none"),
    ] {
        let script = format!(
            "{COMPILER}
            mkdir -p full
            mount -t tmpfs -o size={most} none full
            [ {old} = none ] || echo old > full/{old}
            c=0; $T {command} || c=$?; echo code $c
            rm -rf left
            cp -r full left
            [ {old} = none ] || [ \"$(cat left/{old})\" = old ] || echo LEFT {old}
            rm -f left/{old}
            mount -o remount,size=64M full
            $T {command}
            cd left
            find . -type f | while read -r file; do
              cmp \"$file\" \"../full/$file\" || echo LEFT \"$file\"
            done"
        );
        let (done, text) = with_mounts(options, folder.path(), &script);
        assert_eq!(done, Some(0), "{command}: {text}");
        assert!(text.lines().any(|line| line == format!("code {code}")), "{command}: {text}");
        assert!(text.contains("No space left on device"), "{command}: {text}");
        assert!(!text.contains("LEFT"), "{command}: files that are not whole: {text}");
    }
}

/// Nothing can be written, not even by root: every command that writes says where, and
/// those that only read work.
fn a_read_only_folder_is_named_and_can_be_checked(options: &str) {
    let folder = TempDir::new().unwrap();
    pretended_compiler(folder.path());
    crate_folder(&folder.path().join("crate"));
    long_name(folder.path());
    let script = format!(
        "{COMPILER}
        $T codegen --crate crate
        $T {PROVE} 2> /dev/null
        mkdir disk
        mount -t tmpfs none disk
        cp -r bin crate long.tla p.proof disk
        mount -o remount,ro disk
        cd disk
        try() {{ c=0; $T \"$@\" 2>&1 || c=$?; echo code $c of $1 $2; }}
        try codegen --check --crate crate
        try verify p.proof --profile fast
        try codegen --crate crate --units new
        try codegen --crate crate --device out
        try {PROVE}
        try {REPORT}
        cd ..
        try {PROVE} --cache disk
        try {PROVE} --cache disk/new"
    );
    let (_, text) = with_mounts(options, folder.path(), &script);
    for line in [
        "code 0 of codegen --check",
        "code 0 of verify p.proof",
        "code 1 of codegen --crate",
        "code 2 of prove fibonacci",
        "code 2 of prove long.tla",
        "cannot write p.proof: Read-only file system",
        "cannot make report: Read-only file system",
        "cache disk: cannot write there: Read-only file system",
        "cache disk/new: cannot write there: Read-only file system",
    ] {
        assert!(text.contains(line), "no {line:?} in {text}");
    }
    assert_eq!(text.matches("code 1 of codegen --crate").count(), 2, "{text}");
    assert!(text.matches("Read-only file system").count() >= 4, "{text}");
}
