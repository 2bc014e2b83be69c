//! `traceloom programs`.

use traceloom_programs as programs;

use super::Failure;
use super::output::{hex, say};
use super::source::{load, usage};

/// Lists the built-in programs.
pub fn run() -> Result<(), Failure> {
    for builtin in &programs::ALL {
        let program = load(builtin.name)?;
        let data = program.program();
        say!("{:<12} {}", builtin.name, builtin.about);
        say!("{:<12} {}", "", usage(builtin));
        say!(
            "{:<12} {} functions, memory widths {:?}, fingerprint {}",
            "",
            data.functions.len(),
            data.memory_sizes,
            hex(&program.fingerprint())
        );
    }
    Ok(())
}
