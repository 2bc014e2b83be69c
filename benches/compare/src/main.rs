//! The command `traceloom-bench`.

use std::process::ExitCode;

fn main() -> ExitCode {
    traceloom_bench::cli::main()
}
