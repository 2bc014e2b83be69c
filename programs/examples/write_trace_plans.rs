//! Writes the files under `trace-plans/` of this repository.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../trace-plans");
    let files = match traceloom_programs::trace_plans::files() {
        Ok(files) => files,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    for (name, content) in files {
        if let Err(error) = std::fs::write(folder.join(&name), content) {
            eprintln!("cannot write {}: {error}", folder.join(&name).display());
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
