//! The `traceloom` command; see [`traceloom::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    traceloom::cli::main(&[], &[], &[])
}
