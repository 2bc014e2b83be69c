//! Differences between the two sets, and what may be done about them.

use std::collections::{BTreeMap, BTreeSet};

use traceloom_plan::json::FORMAT;

use super::found::Found;
use super::{Expected, ExpectedUnit, FirstLine, Kind, MARK};

/// A file that is not as expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its path, relative to the crate.
    pub file: String,
    /// What is wrong.
    pub kind: Kind,
}

/// A change of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Written.
    Write {
        /// Its path, relative to the crate.
        file: String,
        /// Its new content.
        text: String,
    },
    /// Removed.
    Remove {
        /// Its path, relative to the crate.
        file: String,
    },
}

impl Change {
    /// Path of the file, relative to the crate.
    #[must_use]
    pub fn file(&self) -> &str {
        match self {
            Self::Write { file, .. } | Self::Remove { file } => file,
        }
    }
}

/// Everything that is not as expected, by path.
pub(super) fn differences(expected: &Expected, found: &Found) -> Vec<Difference> {
    let mut differences = BTreeMap::new();
    for unit in &expected.units {
        let recorded = recorded(unit, found);
        let recorded = recorded.as_deref();
        for (file, text) in &unit.files {
            if let Some(kind) = difference(unit, recorded, file, text, found) {
                differences.insert(file.clone(), kind);
            }
        }
    }
    for file in orphans(expected, found) {
        let ours = is_ours(&found.files[file]);
        differences.insert(file.to_owned(), Kind::Orphaned { ours });
    }
    differences.into_iter().map(|(file, kind)| Difference { file, kind }).collect()
}

/// The changes that make `found` the expected set, and orphans that no generator wrote and that
/// are therefore not removed.
pub(super) fn all_changes(expected: &Expected, found: &Found) -> (Vec<Change>, Vec<Difference>) {
    let mut changes: Vec<Change> =
        expected.units.iter().flat_map(|unit| writes(unit, found)).collect();
    let mut foreign = Vec::new();
    for file in orphans(expected, found).into_iter().map(str::to_owned) {
        match is_ours(&found.files[&file]) {
            true => changes.push(Change::Remove { file }),
            false => foreign.push(Difference { file, kind: Kind::Orphaned { ours: false } }),
        }
    }
    (changes, foreign)
}

/// The changes that a build makes by itself: units of new and changed programs are
/// written, those of removed programs removed. Everything else is for a person.
pub(super) fn build_changes(expected: &Expected, found: &Found) -> (Vec<Change>, Vec<Difference>) {
    let is_current = |unit: &&ExpectedUnit| recorded(unit, found) == Some(unit.input.clone());
    let (current, old): (Vec<_>, Vec<_>) = expected.units.iter().partition(is_current);
    let mut changes: Vec<Change> = old.iter().flat_map(|unit| writes(unit, found)).collect();
    let folders: BTreeSet<&str> = current.iter().map(|unit| folder(&unit.main)).collect();
    let mut refused = Vec::new();
    for difference in differences(expected, found) {
        let file = &difference.file;
        match difference.kind {
            Kind::Orphaned { ours: true } if !folders.contains(folder(file)) => {
                changes.push(Change::Remove { file: file.clone() });
            }
            Kind::Orphaned { .. } => refused.push(difference),
            _ if current.iter().any(|unit| unit.files.contains_key(file)) => {
                refused.push(difference);
            }
            _ => {}
        }
    }
    (changes, refused)
}

/// The part of a path before its last `/`.
fn folder(file: &str) -> &str {
    file.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Files of `unit` that differ, the one that states the digest last: a unit that
/// was written in part is not current.
fn writes(unit: &ExpectedUnit, found: &Found) -> Vec<Change> {
    let differs = |(file, text): &(&String, &String)| {
        found.files.get(*file).is_none_or(|bytes| bytes != text.as_bytes())
    };
    let mut files: Vec<_> = unit.files.iter().filter(differs).collect();
    files.sort_by_key(|(file, _)| **file == unit.main);
    files
        .into_iter()
        .map(|(file, text)| Change::Write { file: file.clone(), text: text.clone() })
        .collect()
}

/// The input digest that the files of `unit` state.
fn recorded(unit: &ExpectedUnit, found: &Found) -> Option<String> {
    let text = String::from_utf8_lossy(found.files.get(&unit.main)?);
    text.lines().find_map(|line| line.strip_prefix("// Input ")).map(str::to_owned)
}

fn difference(
    unit: &ExpectedUnit,
    recorded: Option<&str>,
    file: &str,
    text: &str,
    found: &Found,
) -> Option<Kind> {
    let Some(bytes) = found.files.get(file) else { return Some(Kind::Missing) };
    if bytes == text.as_bytes() {
        return None;
    }
    let found = String::from_utf8_lossy(bytes);
    if recorded != Some(&unit.input) {
        return Some(Kind::Stale(FirstLine::of(text, &found)));
    }
    match (fingerprint(text), fingerprint(&found)) {
        (Some(expected), Some(found)) if expected != found && file == unit.main => {
            Some(Kind::Fingerprint { expected: expected.into(), found: found.into() })
        }
        _ => Some(Kind::Edited(FirstLine::of(text, &found))),
    }
}

/// The fingerprint that a registry states: the first string after the field's name.
fn fingerprint(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("fingerprint:")?;
    rest.split('"').nth(1)
}

/// Files that no program has.
fn orphans<'a>(expected: &Expected, found: &'a Found) -> Vec<&'a str> {
    let known: BTreeSet<&str> = expected.files().map(|(_, file, _)| file).collect();
    found.files.keys().map(String::as_str).filter(|file| !known.contains(file)).collect()
}

/// Whether a generator wrote this file, so that it may be removed.
fn is_ours(bytes: &[u8]) -> bool {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(200)]);
    start.starts_with(MARK) || start.contains(&format!("\"format\": \"{FORMAT}\""))
}
