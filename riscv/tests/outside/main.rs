//! Comparisons with what was made elsewhere: programs for tests, an emulator, a disassembler, a
//! compiler. What this machine lacks is shown as ignored, with the reason.

#[path = "../support/mod.rs"]
mod support;

mod objdump;
mod programs;
mod qemu;

use std::path::PathBuf;
use std::process::{Command, Stdio};

use libtest_mimic::{Arguments, Completion, Failed, Trial};

/// A test and what it needs: a command, or a folder.
type Test = (&'static str, Option<String>, fn());

fn main() {
    let args = Arguments::from_args();
    let objdump = "riscv64-unknown-elf-objdump";
    let tests: [Test; 6] = [
        ("programs_for_tests_exit_with_0", programs::missing(), programs::exit_with_0),
        ("records_of_programs_for_tests_balance", programs::missing(), programs::balance),
        ("random_programs_agree_with_qemu", no_command("qemu-riscv64"), qemu::streams_agree),
        ("guests_agree_with_qemu", no_command("qemu-riscv64"), qemu::guests_agree),
        ("disassembly_agrees_with_objdump", no_command(objdump), objdump::words_agree),
        ("guests_are_what_their_sources_say", programs::no_compiler(), programs::guests_rebuild),
    ];
    let trials = tests.into_iter().map(|(name, missing, test)| {
        Trial::ignorable_test(name, move || -> Result<Completion, Failed> {
            if let Some(missing) = missing {
                return Ok(Completion::ignored_with(format!("SKIPPED: {missing}")));
            }
            test();
            Ok(Completion::Completed)
        })
    });
    libtest_mimic::run(&args, trials.collect()).exit();
}

/// Why a command cannot be used, if so.
fn no_command(name: &str) -> Option<String> {
    let mut command = Command::new(name);
    let ran = command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    match ran {
        Ok(status) if status.success() => None,
        _ => Some(format!("{name} is not installed")),
    }
}

/// A folder of this crate's checkout.
fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}
