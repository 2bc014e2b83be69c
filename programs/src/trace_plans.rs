//! The files under `trace-plans/`: every example program as text and as JSON.
//!
//! They are checked in, so that a change of a program is reviewed as text; a test
//! compares them, and `cargo run --example write_trace_plans` writes them.

use traceloom_bytecode::{json, text};

use crate::catalog::ALL;

/// Names and contents of all files, in order.
///
/// # Errors
/// None, unless a program is edited wrongly; the message names it.
pub fn files() -> Result<Vec<(String, String)>, String> {
    let mut files = Vec::new();
    for example in &ALL {
        let name = example.name;
        let program = example.build().map_err(|error| format!("{name}: {error}"))?;
        let text = text::print(&program).map_err(|error| format!("{name}: {error}"))?;
        files.push((format!("{name}.json"), json::print(&program)));
        files.push((format!("{name}.tla"), text));
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn checked_in_files_are_current() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../trace-plans");
        for (name, expected) in files().unwrap() {
            let found = std::fs::read_to_string(folder.join(&name)).unwrap_or_default();
            let differs = expected.lines().zip(found.lines()).position(|(a, b)| a != b);
            assert!(
                expected == found,
                "trace-plans/{name} is stale from line {}; run cargo run --package \
                 traceloom-programs --example write_trace_plans",
                differs.map_or(found.lines().count(), |line| line) + 1
            );
        }
    }

    #[test]
    fn both_forms_give_the_program_back() {
        for example in &ALL {
            let program = example.build().unwrap();
            assert_eq!(text::parse(text::print(&program).unwrap()).unwrap(), program);
            assert_eq!(json::parse(json::print(&program)).unwrap(), program);
        }
    }
}
