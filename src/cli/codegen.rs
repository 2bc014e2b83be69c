//! `traceloom codegen`.

use std::path::{Path, PathBuf};

use traceloom_codegen::units::{USUAL_OUTPUT, Units};

use super::output::say;
use super::{CodegenArgs, Failure};

/// Writes the units of a crate, compares them with what its programs say, or compiles
/// their device code.
pub fn run(args: &CodegenArgs) -> Result<(), Failure> {
    let root = args.root.clone().unwrap_or_else(|| {
        // This repository keeps its registry in a crate of its own.
        let own = Path::new("generated");
        PathBuf::from(if own.join("Cargo.toml").exists() { "generated" } else { "." })
    });
    if !root.join("Cargo.toml").exists() {
        let root = root.display();
        return Err(Failure::Malformed(format!("{root} is not a crate: it has no Cargo.toml")));
    }
    let usual = || Units::usual_programs(&root).into();
    let programs: PathBuf = args.programs.clone().unwrap_or_else(usual);
    let output = args.units.clone().unwrap_or_else(|| USUAL_OUTPUT.into());
    let units = Units::new(programs, output).in_crate(root);
    if let Some(folder) = &args.device {
        let outcome = units.compile_device(folder, &|line| eprintln!("{line}"));
        let outcome = outcome.map_err(|problems| Failure::Refused(problems.to_string()))?;
        say!("{}", outcome.to_string().trim_end());
        return Ok(());
    }
    let done = units.run(args.check).map_err(|problems| Failure::Refused(problems.to_string()))?;
    say!("{}", done.trim_end());
    Ok(())
}
