//! The command line of traceloom, in which the programs of this project have their names.

use std::process::ExitCode;

use own_program::units;

fn main() -> ExitCode {
    traceloom::cli::main(units::SOURCES, units::PROGRAMS, units::IMAGES)
}
