//! The programs of a crate: text or flat JSON, one file each.

use std::collections::BTreeMap;
use std::path::Path;

use traceloom_bytecode::advice::{Report, analyse};
use traceloom_bytecode::{CheckedProgram, json, text};
use traceloom_plan::hex;

use super::{Kind, Problem, Problems, Units};

/// Ending of the files of plans, which stand beside the programs.
pub(super) const PLAN: &str = ".plan.json";

/// The programs of a crate, and what stands beside them.
pub(super) struct Sources {
    /// By module name.
    pub programs: BTreeMap<String, Source>,
    /// Names of the files that are not read as programs.
    pub ignored: Vec<String>,
}

/// A program and the file that it was read from.
pub(super) struct Source {
    pub program: CheckedProgram,
    /// Name of the file in the folder of the programs.
    pub file: String,
    /// Its advice that nothing ties.
    pub advice: Report,
}

/// The forms of a program. If a program has both, units are made from the first one.
#[derive(Clone, Copy)]
enum Form {
    Text,
    Json,
}

impl Form {
    const ALL: [Self; 2] = [Self::Text, Self::Json];

    const fn ending(self) -> &'static str {
        match self {
            Self::Text => ".tla",
            Self::Json => ".json",
        }
    }
}

/// Whether a file with this name is a program.
pub(super) fn is_program(name: &str) -> bool {
    stem_and_form(name).is_some()
}

fn stem_and_form(name: &str) -> Option<(&str, Form)> {
    if name.ends_with(PLAN) {
        return None;
    }
    Form::ALL.into_iter().find_map(|form| Some((name.strip_suffix(form.ending())?, form)))
}

/// All programs; all problems at once.
pub(super) fn read(units: &Units) -> Result<Sources, Problems> {
    let folder = units.root.join(&units.programs);
    let has_tables = !units.tables.is_empty();
    // A crate may have op tables alone.
    let (mut names, ignored) = match has_tables && !folder.exists() {
        true => Default::default(),
        false => names(&folder)?,
    };
    let mut problems = Vec::new();
    if names.is_empty() && !has_tables {
        problems.push(nothing(&folder, &ignored));
    }
    // Text comes first where a program has both forms.
    names.sort_by_key(|name| stem_and_form(name).map(|(stem, form)| (stem.to_owned(), form as u8)));
    let mut programs: BTreeMap<String, Source> = BTreeMap::new();
    for name in names {
        let Some((stem, form)) = stem_and_form(&name) else { continue };
        let file = units.file(&units.programs, &name);
        let read = program(stem, form, &folder.join(&name));
        match (read, programs.get(stem)) {
            (Err(kind), _) => problems.push(Problem { file, kind }),
            (Ok((program, advice)), None) => {
                programs.insert(stem.to_owned(), Source { program, file: name, advice });
            }
            (Ok((program, _)), Some(first)) => {
                let [other, own] = [&first.program, &program].map(CheckedProgram::fingerprint);
                if other != own {
                    let (other, own, name) = (hex(&other), hex(&own), first.file.clone());
                    problems.push(Problem { file, kind: Kind::Forms { name, other, own } });
                }
            }
        }
    }
    problems.sort_by(|a, b| a.file.cmp(&b.file));
    match problems.is_empty() {
        true => Ok(Sources { programs, ignored }),
        false => Err(Problems::new(problems)),
    }
}

/// Names of the programs in a folder, and of what is ignored there. Plans belong to the generator,
/// and hidden files and notes (`.md`) to people, who know that they are no programs.
fn names(folder: &Path) -> Result<(Vec<String>, Vec<String>), Problem> {
    let failure = |error: std::io::Error| Problem::unreadable(folder, &error.to_string());
    let (mut names, mut ignored) = (Vec::new(), Vec::new());
    for entry in std::fs::read_dir(folder).map_err(failure)? {
        let name = entry.map_err(failure)?.file_name().to_string_lossy().into_owned();
        if is_program(&name) {
            names.push(name);
        } else if !name.ends_with(PLAN) && !name.starts_with('.') && !name.ends_with(".md") {
            ignored.push(name);
        }
    }
    // Folders list their files in any order.
    ignored.sort();
    Ok((names, ignored))
}

/// The problem of a folder without a program.
fn nothing(folder: &Path, ignored: &[String]) -> Problem {
    let beside = match ignored {
        [] => String::new(),
        ignored => format!("; what is there is ignored: {}", ignored.join(", ")),
    };
    Problem::unreadable(folder, &format!("it has no program NAME.tla or NAME.json{beside}"))
}

fn program(stem: &str, form: Form, path: &Path) -> Result<(CheckedProgram, Report), Kind> {
    if !is_module(stem) {
        return Err(Kind::Name);
    }
    let bytes = std::fs::read(path).map_err(|error| Kind::Unreadable(error.to_string()))?;
    let program = match form {
        Form::Text => text::parse(&bytes),
        Form::Json => json::parse(&bytes),
    };
    let program = program.map_err(|error| Kind::Malformed(error.to_string()))?;
    let program = CheckedProgram::new(program).map_err(|error| {
        Kind::Invalid(match form {
            Form::Text => error.in_text(&bytes).to_string(),
            Form::Json => error.to_string(),
        })
    })?;
    let advice = match form {
        Form::Text => analyse(&program).in_text(&bytes),
        Form::Json => analyse(&program),
    };
    Ok((program, advice))
}

/// Names that are modules for `syn`, and still no names of programs: keywords of the edition that
/// emitted text is compiled in, crates that it uses, and names of devices, which are no files on
/// Windows.
const RESERVED: [&str; 9] =
    ["gen", "std", "core", "alloc", "traceloom_abi", "con", "prn", "aux", "nul"];

/// Whether a name is a module of Rust that needs no escape on any file system.
pub(super) fn is_module(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_lowercase())
        && bytes.all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        && !name.contains("__")
        && !name.ends_with('_')
        && name.len() <= 64
        && syn::parse_str::<syn::Ident>(name).is_ok()
        && !RESERVED.contains(&name)
        && !is_numbered_device(name)
}

/// `com1` to `com9` and `lpt1` to `lpt9`, which are no files on Windows.
fn is_numbered_device(name: &str) -> bool {
    let number = name.strip_prefix("com").or_else(|| name.strip_prefix("lpt"));
    number.is_some_and(|number| number.len() == 1 && number.as_bytes()[0].is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::is_module;

    #[test]
    fn module_names_are_plain() {
        for good in ["fib", "a", "sha256", "merge_sort", "com", "com10", "console", "generate"] {
            assert!(is_module(good), "{good}");
        }
        let long = "a".repeat(65);
        for bad in ["", "fn", "self", "crate", "Fib", "1a", "a-b", "a.b", "a__b", "_a", &long] {
            assert!(!is_module(bad), "{bad}");
        }
    }

    /// Each is a module for a parser of an older edition, or a file elsewhere only.
    #[test]
    fn names_that_later_tools_refuse_are_refused() {
        for bad in ["gen", "con", "nul", "aux", "prn", "com1", "lpt9", "core", "traceloom_abi"] {
            assert!(!is_module(bad), "{bad}");
        }
    }
}
