//! The set of files that the units of a crate must be.

use std::collections::BTreeMap;

use traceloom_plan::{PlanFaults, hex};

use super::source::{self, PLAN, Source, Sources};
use super::{Kind, MARK, Problem, Problems, Units};
use crate::compile::{Unit, compile, compile_tables};
use crate::digest::list_digest;
use crate::rust;

/// Files that are written together: the unit of one program, or the list of all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedUnit {
    /// Name of the program; none for the list.
    pub program: Option<String>,
    /// Digest of what the files are made from, in hexadecimal.
    pub input: String,
    /// The file that states the digest. Written last.
    pub main: String,
    /// Text by path, relative to the crate.
    pub files: BTreeMap<String, String>,
    /// Unit digest in hexadecimal; empty for the list.
    pub digest: String,
}

/// The units of a crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// By program, and the list of all last.
    pub units: Vec<ExpectedUnit>,
    /// Names of the files beside the programs that are not read as programs.
    pub ignored: Vec<String>,
    /// What is to be said of the programs: advice that nothing ties.
    pub warnings: Vec<String>,
}

impl Expected {
    /// All paths.
    pub fn files(&self) -> impl Iterator<Item = (&ExpectedUnit, &str, &str)> {
        self.units.iter().flat_map(|unit| {
            unit.files.iter().map(move |(file, text)| (unit, &file[..], &text[..]))
        })
    }
}

/// See [`Units::expected`].
pub(super) fn of(units: &Units) -> Result<Expected, Problems> {
    let Sources { programs, ignored } = source::read(units)?;
    let mut expected = Vec::new();
    let mut problems = Vec::new();
    let mut compiled: BTreeMap<&str, (String, Result<Unit, PlanFaults>)> = BTreeMap::new();
    let mut warnings = Vec::new();
    for (name, Source { program, file, advice }) in &programs {
        let file = units.file(&units.programs, file);
        let shown = units.shown(&file);
        warnings.extend(advice.lines().map(|line| format!("warning: {shown}: {line}")));
        compiled.insert(name, (file, compile(program)));
    }
    for tables in &units.tables {
        let name = tables.name();
        let file = units.file(&units.output, name);
        let is_new = source::is_module(name) && !compiled.contains_key(name);
        if !is_new {
            problems.push(Problem { file: file.clone(), kind: Kind::TableName });
        }
        compiled.insert(name, (file, compile_tables(tables)));
    }
    let names: Vec<&str> = compiled.keys().copied().collect();
    for (name, (source, unit)) in compiled {
        let unit = match unit {
            Ok(unit) => unit,
            Err(faults) => {
                problems.push(Problem { file: source, kind: Kind::Invalid(faults.to_string()) });
                continue;
            }
        };
        let path = |file: &str| match file {
            // Beside its program, where people review it.
            "plan.json" if !units.is_build_output() => {
                units.file(&units.programs, &format!("{name}{PLAN}"))
            }
            file => units.file(&units.output, &format!("{name}/{file}")),
        };
        expected.push(ExpectedUnit {
            program: Some(name.to_owned()),
            input: hex(&unit.input),
            main: path("mod.rs"),
            digest: hex(&unit.digest),
            files: unit.files.into_iter().map(|(file, text)| (path(&file), text)).collect(),
        });
    }
    if !problems.is_empty() {
        return Err(Problems::new(problems));
    }
    // Op tables are written in Rust: no file is their source.
    let file = |name: &str| programs.get(name).map(|of| units.file(&units.programs, &of.file));
    let files: Vec<Option<String>> = names.iter().map(|name| file(name)).collect();
    let listed = names.iter().copied().zip(files.iter().map(Option::as_deref));
    expected.push(list(units, &listed.collect::<Vec<_>>()));
    Ok(Expected { units: expected, ignored, warnings })
}

/// The file that lists all programs, each with its file, if it has one.
fn list(units: &Units, programs: &[(&str, Option<&str>)]) -> ExpectedUnit {
    let input = hex(&list_digest(programs));
    let main = units.file(&units.output, "mod.rs");
    let text =
        format!("{MARK}; do not edit.\n// Input {input}\n\n{}", rust::program_list(programs));
    let files = BTreeMap::from([(main.clone(), text)]);
    ExpectedUnit { program: None, input, main, files, digest: String::new() }
}
