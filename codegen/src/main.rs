//! Writes or compares units, as `traceloom codegen` does. In a workspace whose own
//! registry is stale nothing that depends on it builds; this depends on none.

use std::path::PathBuf;
use std::process::ExitCode;

use traceloom_codegen::units::{USUAL_OUTPUT, Units};

const USAGE: &str =
    "usage: traceloom-codegen [--check] [--crate DIR] [--programs DIR] [--units DIR]";

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    let mut check = false;
    let (mut root, mut programs, mut output) = (None, None, None);
    while let Some(arg) = args.next() {
        let target = match arg.to_str() {
            Some("--check") => {
                check = true;
                continue;
            }
            Some("--crate") => &mut root,
            Some("--programs") => &mut programs,
            Some("--units") => &mut output,
            _ => return usage(),
        };
        match args.next() {
            Some(folder) => *target = Some(PathBuf::from(folder)),
            None => return usage(),
        }
    }
    let root = root.unwrap_or_else(|| PathBuf::from("generated"));
    let programs = programs.unwrap_or_else(|| Units::usual_programs(&root).into());
    let output = output.unwrap_or_else(|| USUAL_OUTPUT.into());
    let units = Units::new(programs, output)
        .in_crate(root)
        .command("cargo run --package traceloom-codegen --");
    match units.run(check) {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(problems) => {
            eprintln!("{problems}");
            ExitCode::from(1)
        }
    }
}

fn usage() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::from(2)
}
