//! The programs of a crate: flat JSON, one file each.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use traceloom_bytecode::{CheckedProgram, json};

use super::{Kind, Problem, Problems, Units};

/// Ending of the files of plans, which stand beside the programs.
pub(super) const PLAN: &str = ".plan.json";

/// All programs, by module name; all problems at once.
pub(super) fn read(units: &Units) -> Result<BTreeMap<String, CheckedProgram>, Problems> {
    let folder = units.root.join(&units.programs);
    let mut programs = BTreeMap::new();
    let mut problems = Vec::new();
    let has_tables = !units.tables.is_empty();
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        // A crate may have op tables alone.
        Err(error) if has_tables && error.kind() == ErrorKind::NotFound => return Ok(programs),
        Err(error) => return Err(Problem::unreadable(&folder, &error.to_string()).into()),
    };
    for entry in entries {
        let entry = entry.map_err(|error| Problem::unreadable(&folder, &error.to_string()))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(stem) = name.strip_suffix(".json").filter(|_| !name.ends_with(PLAN)) else {
            continue;
        };
        let file = units.file(&units.programs, &name);
        match program(stem, &file, &entry.path()) {
            Ok(program) => drop(programs.insert(stem.to_owned(), program)),
            Err(problem) => problems.push(problem),
        }
    }
    if programs.is_empty() && problems.is_empty() && !has_tables {
        problems.push(Problem::unreadable(&folder, "it has no program NAME.json"));
    }
    // Folders list their files in any order.
    problems.sort_by(|a, b| a.file.cmp(&b.file));
    if problems.is_empty() { Ok(programs) } else { Err(Problems::new(problems)) }
}

fn program(stem: &str, file: &str, path: &Path) -> Result<CheckedProgram, Problem> {
    let problem = |kind| Problem { file: file.to_owned(), kind };
    if !is_module(stem) {
        return Err(problem(Kind::Name));
    }
    let bytes =
        std::fs::read(path).map_err(|error| problem(Kind::Unreadable(error.to_string())))?;
    let program =
        json::parse(bytes).map_err(|error| problem(Kind::Malformed(error.to_string())))?;
    CheckedProgram::new(program).map_err(|error| problem(Kind::Invalid(error.to_string())))
}

/// Whether a name is a module of Rust that needs no escape on any file system.
pub(super) fn is_module(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_lowercase())
        && bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        && !name.contains("__")
        && !name.ends_with('_')
        && name.len() <= 64
        && syn::parse_str::<syn::Ident>(name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::is_module;

    #[test]
    fn module_names_are_plain() {
        for good in ["fib", "a", "sha256", "merge_sort"] {
            assert!(is_module(good), "{good}");
        }
        let long = "a".repeat(65);
        for bad in ["", "fn", "self", "crate", "Fib", "1a", "a-b", "a.b", "a__b", "_a", &long] {
            assert!(!is_module(bad), "{bad}");
        }
    }
}
