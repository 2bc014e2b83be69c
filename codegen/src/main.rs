//! Writes or compares units, as `traceloom codegen` does. If the registry of the workspace is
//! stale, nothing that depends on it builds. This program does not depend on it.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[cfg(feature = "abi-header")]
use traceloom_codegen::abi_header;
use traceloom_codegen::units::{USUAL_OUTPUT, Units};

const USAGE: &str = "\
usage: traceloom-codegen [--check] [--crate DIR] [--programs DIR] [--units DIR]
       traceloom-codegen --device DIR [--crate DIR] [--programs DIR] [--units DIR]
       traceloom-codegen --abi-header DIR [--check]

--device compiles device code into DIR and prints registers, stack and spills of
every kernel; --abi-header makes src/device_abi.rs of cuda/device_abi.h in DIR, and
is there with the feature abi-header.";

/// What the command line says.
#[derive(Default)]
struct Args {
    check: bool,
    root: Option<PathBuf>,
    programs: Option<PathBuf>,
    output: Option<PathBuf>,
    device: Option<PathBuf>,
    abi_header: Option<PathBuf>,
}

fn main() -> ExitCode {
    let Some(args) = Args::parse() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match args.run() {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(1)
        }
    }
}

impl Args {
    fn parse() -> Option<Self> {
        let mut args = std::env::args_os().skip(1);
        let mut parsed = Self::default();
        while let Some(arg) = args.next() {
            let target = match arg.to_str()? {
                "--check" => {
                    parsed.check = true;
                    continue;
                }
                "--crate" => &mut parsed.root,
                "--programs" => &mut parsed.programs,
                "--units" => &mut parsed.output,
                "--device" => &mut parsed.device,
                "--abi-header" => &mut parsed.abi_header,
                _ => return None,
            };
            *target = Some(PathBuf::from(args.next()?));
        }
        Some(parsed)
    }

    fn run(&self) -> Result<String, Box<dyn Error>> {
        if let Some(folder) = &self.abi_header {
            return abi_header(folder, self.check);
        }
        let units = self.units();
        match &self.device {
            Some(folder) => {
                let outcome = units.compile_device(folder, &|line| eprintln!("{line}"))?;
                Ok(outcome.to_string())
            }
            None => Ok(units.run(self.check)?),
        }
    }

    fn units(&self) -> Units {
        let root = self.root.clone().unwrap_or_else(|| PathBuf::from("generated"));
        let programs = self.programs.clone();
        let programs = programs.unwrap_or_else(|| Units::usual_programs(&root).into());
        let output = self.output.clone().unwrap_or_else(|| USUAL_OUTPUT.into());
        Units::new(programs, output)
            .in_crate(root)
            .command("cargo run --package traceloom-codegen --")
    }
}

#[cfg(feature = "abi-header")]
fn abi_header(folder: &Path, check: bool) -> Result<String, Box<dyn Error>> {
    Ok(abi_header::run(folder, check)?)
}

#[cfg(not(feature = "abi-header"))]
fn abi_header(_: &Path, _: bool) -> Result<String, Box<dyn Error>> {
    Err("this was built without bindgen: cargo run --package traceloom-codegen --features \
         abi-header -- --abi-header abi"
        .into())
}
