//! `traceloom programs`.

use traceloom_programs as programs;

use super::Failure;
use super::output::{hex, say};
use super::source::load;

/// Lists the built-in programs.
pub fn run() -> Result<(), Failure> {
    for builtin in programs::ALL {
        let source = load(builtin.name)?;
        let data = source.program.program();
        say!("{:<12} {}", builtin.name, builtin.description);
        say!("{:<12} {}", "", builtin.usage);
        say!(
            "{:<12} {} functions, memory widths {:?}, fingerprint {}",
            "",
            data.functions.len(),
            data.memory_sizes,
            hex(&source.program.fingerprint())
        );
    }
    Ok(())
}
