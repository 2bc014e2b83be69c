//! `traceloom codegen`.

use std::path::{Path, PathBuf};

use serde_json::json;
use similar::TextDiff;
use traceloom_codegen::units::{Contents, USUAL_OUTPUT, Units};

use super::output::{result, say};
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
    let mut units = Units::new(programs, output).in_crate(root);
    if !crate::sources().is_empty() {
        // The command line of a project has no name outside of it.
        units = units.command("cargo run -- codegen");
    }
    if let Some(folder) = &args.device {
        let outcome = units.compile_device(folder, &|line| eprintln!("{line}"));
        let outcome = outcome.map_err(|problems| Failure::Refused(problems.to_string()))?;
        say!("{}", outcome.to_string().trim_end());
        result(json!({ "lines": outcome.to_string().lines().collect::<Vec<_>>() }));
        return Ok(());
    }
    if args.diff {
        differences(&units)?;
    }
    let done = units.run(args.check).map_err(|problems| Failure::Refused(problems.to_string()))?;
    say!("{}", done.trim_end());
    result(json!({ "lines": done.lines().collect::<Vec<_>>() }));
    Ok(())
}

/// Prints what differs, file by file.
fn differences(units: &Units) -> Result<(), Failure> {
    let contents = units.contents().map_err(|problems| Failure::Refused(problems.to_string()))?;
    let mut files = Vec::new();
    for Contents { file, expected, found } in contents {
        let text = |content: &Option<String>| content.clone().unwrap_or_default();
        let (old, new) = (text(&found), text(&expected));
        let diff = TextDiff::from_lines(&old, &new);
        let diff = diff.unified_diff().header(&file, &format!("{file}, expected")).to_string();
        // Any bytes may be in a file; of them only line ends reach a terminal as they are.
        diff.lines().for_each(|line| say!("{}", shown(line)));
        files.push(json!({ "file": file, "diff": diff }));
    }
    result(json!({ "differences": files }));
    Ok(())
}

fn shown(line: &str) -> String {
    let hidden = |c: char| c.is_control() && c != '\t';
    line.chars()
        .flat_map(|c| {
            let escaped = hidden(c).then(|| c.escape_default());
            let plain = (!hidden(c)).then_some(c);
            escaped.into_iter().flatten().chain(plain)
        })
        .collect()
}
