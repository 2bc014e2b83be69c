//! Differences between the two sets, and what may be done about them.

use std::collections::{BTreeMap, BTreeSet};

use traceloom_plan::json::FORMAT;

use super::found::Found;
use super::{Expected, ExpectedUnit, FirstLine, Kind, MARK, Why};

/// A file that is not as expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its path, relative to the crate.
    pub file: String,
    /// What is wrong.
    pub kind: Kind,
}

/// Both contents of a file that is not as expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// Its path.
    pub file: String,
    /// What it should be; none of an orphaned file.
    pub expected: Option<String>,
    /// What it is; none of a missing file.
    pub found: Option<String>,
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

/// Differences as a person reads them: the stale files of a unit are one, with the reason, and so
/// are the files of a unit that is not there.
pub(super) fn summed_up(expected: &Expected, found: &Found) -> Vec<Difference> {
    let mut single = differences(expected, found);
    let mut units = Vec::new();
    for unit in expected.units.iter().filter(|unit| unit.program.is_some()) {
        let is_own = |difference: &Difference| unit.files.contains_key(&difference.file);
        let is_stale = |difference: &Difference| matches!(difference.kind, Kind::Stale(_));
        let count = |is: &dyn Fn(&Difference) -> bool| single.iter().filter(|d| is(d)).count();
        let of = unit.files.len();
        let file = folder(&unit.main).to_owned();
        let missing = count(&|difference| is_own(difference) && difference.kind == Kind::Missing);
        if missing == of {
            single.retain(|difference| !is_own(difference));
            units.push(Difference { file, kind: Kind::Absent(of) });
            continue;
        }
        let files = count(&|difference| is_own(difference) && is_stale(difference));
        if files > 0 {
            single.retain(|difference| !is_own(difference) || !is_stale(difference));
            units.push(Difference { file, kind: Kind::Unit { files, of, why: why(unit, found) } });
        }
    }
    units.extend(single);
    units
}

/// What has changed since the files of `unit` were written, as its registry states it.
fn why(unit: &ExpectedUnit, found: &Found) -> Why {
    let text = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).into_owned();
    let (Some(now), Some(before)) =
        (unit.files.get(&unit.main), found.files.get(&unit.main).map(text))
    else {
        return Why::Interrupted;
    };
    let version = |text: &str, name: &str| {
        let (_, rest) = text.split_once(name)?;
        rest.split(',').next().map(|number| number.trim().to_owned())
    };
    let versions = ["abi_version:", "generator_version:"];
    if versions.iter().any(|name| version(now, name) != version(&before, name)) {
        return Why::Generator;
    }
    match (fingerprint(now), fingerprint(&before)) {
        (Some(now), Some(before)) if now != before => {
            Why::Program { before: before.to_owned(), now: now.to_owned() }
        }
        _ => Why::Names,
    }
}

/// Both contents of every file that differs.
pub(super) fn contents(expected: &Expected, found: &Found) -> Vec<Contents> {
    let texts: BTreeMap<&str, &str> =
        expected.files().map(|(_, file, text)| (file, text)).collect();
    let both = |Difference { file, .. }: Difference| {
        let found = found.files.get(&file).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        let expected = texts.get(&file[..]).map(|text| (*text).to_owned());
        Contents { file, expected, found }
    };
    differences(expected, found).into_iter().map(both).collect()
}

/// The changes that make `found` the expected set, and orphans that no generator wrote and that
/// are therefore not removed.
pub(super) fn all_changes(expected: &Expected, found: &Found) -> (Vec<Change>, Vec<Difference>) {
    let changes = expected.units.iter().flat_map(|unit| writes(unit, found)).collect();
    let (mut removed, mut foreign) = (Vec::new(), Vec::new());
    for file in orphans(expected, found).into_iter().map(str::to_owned) {
        match is_ours(&found.files[&file]) {
            true => removed.push(Change::Remove { file }),
            false => foreign.push(Difference { file, kind: Kind::Orphaned { ours: false } }),
        }
    }
    (in_order(expected, changes, removed), foreign)
}

/// Writes and removals in an order in which another process may look at any time: the file that
/// states the digest of a unit is written when everything else of it is as it should be.
fn in_order(expected: &Expected, writes: Vec<Change>, removed: Vec<Change>) -> Vec<Change> {
    let mains: BTreeSet<&str> = expected.units.iter().map(|unit| &unit.main[..]).collect();
    let (last, first): (Vec<_>, Vec<_>) =
        writes.into_iter().partition(|change| mains.contains(change.file()));
    first.into_iter().chain(removed).chain(last).collect()
}

/// The changes that a build makes by itself: units of new and changed programs are
/// written, those of removed programs removed. Everything else is for a person.
pub(super) fn build_changes(expected: &Expected, found: &Found) -> (Vec<Change>, Vec<Difference>) {
    let is_current = |unit: &&ExpectedUnit| recorded(unit, found) == Some(unit.input.clone());
    let (current, old): (Vec<_>, Vec<_>) = expected.units.iter().partition(is_current);
    let changes: Vec<Change> = old.iter().flat_map(|unit| writes(unit, found)).collect();
    let folders: BTreeSet<&str> = current.iter().map(|unit| folder(&unit.main)).collect();
    let (mut removed, mut refused) = (Vec::new(), Vec::new());
    for difference in differences(expected, found) {
        let file = &difference.file;
        match difference.kind {
            Kind::Orphaned { ours: true } if !folders.contains(folder(file)) => {
                removed.push(Change::Remove { file: file.clone() });
            }
            Kind::Orphaned { .. } => refused.push(difference),
            _ if current.iter().any(|unit| unit.files.contains_key(file)) => {
                refused.push(difference);
            }
            _ => {}
        }
    }
    (in_order(expected, changes, removed), refused)
}

/// The part of a path before its last `/`.
fn folder(file: &str) -> &str {
    file.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Files of `unit` that differ.
fn writes(unit: &ExpectedUnit, found: &Found) -> Vec<Change> {
    let differs = |(file, text): &(&String, &String)| {
        found.files.get(*file).is_none_or(|bytes| bytes != text.as_bytes())
    };
    let files = unit.files.iter().filter(differs);
    files.map(|(file, text)| Change::Write { file: file.clone(), text: text.clone() }).collect()
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
