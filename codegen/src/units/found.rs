//! The set of files that is there, and changes of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::source::{PLAN, is_program};
use super::{Change, Expected, Problem, Problems, Units};
use crate::whole;

/// All files that belong to the generator, by path relative to the crate.
#[derive(Debug)]
pub(super) struct Found {
    pub files: BTreeMap<String, Vec<u8>>,
}

impl Found {
    /// Reads the units folder and the plans beside the programs. Another build may write them at
    /// the same time. It writes the file that states the digest of a unit last, so these files are
    /// read first: if one is new, then so is everything that is read after it.
    pub fn read(units: &Units, expected: &Expected) -> Result<Self, Problems> {
        let mut mains = BTreeMap::new();
        for unit in &expected.units {
            if let Some(bytes) = content(&units.path(&unit.main))? {
                mains.insert(unit.main.clone(), bytes);
            }
        }
        let mut files = BTreeMap::new();
        let mut folders = vec![units.output.clone()];
        while let Some(folder) = folders.pop() {
            for (name, path, is_folder) in list(&units.root.join(&folder))? {
                match is_folder {
                    true => folders.push(folder.join(name)),
                    false => {
                        let bytes = content(&path)?;
                        files.extend(bytes.map(|bytes| (units.file(&folder, &name), bytes)));
                    }
                }
            }
        }
        if !units.is_build_output() {
            for (name, path, is_folder) in list(&units.root.join(&units.programs))? {
                if name.ends_with(PLAN) && !is_folder {
                    let bytes = content(&path)?;
                    files.extend(bytes.map(|bytes| (units.file(&units.programs, &name), bytes)));
                }
            }
        }
        // One that appeared since then belongs to files that were read too early.
        for unit in expected.units.iter().filter(|unit| !mains.contains_key(&unit.main)) {
            files.remove(&unit.main);
        }
        files.extend(mains);
        Ok(Self { files })
    }
}

/// The entries of a folder, each with name, path and whether it is a folder; empty if there is
/// no such folder.
fn list(folder: &Path) -> Result<Vec<(String, PathBuf, bool)>, Problem> {
    let failure = |error: io::Error| Problem::unreadable(folder, &error.to_string());
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(failure)?,
    };
    let entry = |entry: io::Result<fs::DirEntry>| {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        Ok((name, entry.path(), entry.file_type()?.is_dir()))
    };
    entries.map(|found| entry(found).map_err(failure)).collect()
}

/// The content of a file; none if another process has removed it. A version control may have
/// changed all line ends of a file, and that is no difference.
fn content(path: &Path) -> Result<Option<Vec<u8>>, Problem> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(with_unix_lines(bytes))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Problem::unreadable(path, &error.to_string())),
    }
}

/// The same text with `\n` at its line ends, if all of them are `\r\n`.
fn with_unix_lines(bytes: Vec<u8>) -> Vec<u8> {
    let ends = |end: &[u8]| bytes.windows(end.len()).filter(|part| *part == end).count();
    let num_lines = ends(b"\n");
    if num_lines == 0 || ends(b"\r") != num_lines || ends(b"\r\n") != num_lines {
        return bytes;
    }
    bytes.into_iter().filter(|&byte| byte != b'\r').collect()
}

/// Makes all changes, in order.
pub(super) fn apply(units: &Units, changes: &[Change]) -> Result<(), Problems> {
    for change in changes {
        let path = units.path(change.file());
        let done = match change {
            Change::Write { text, .. } => write(units, &path, text),
            Change::Remove { .. } => remove(units, &path),
        };
        done.map_err(|error| Problem::unwritable(&path, &error.to_string()))?;
    }
    Ok(())
}

/// Attempts at a write whose folder is removed by another build in between.
const ATTEMPTS: usize = 100;

/// Writes a file. Another build removes folders that are empty, and this one may have made one
/// just now.
fn write(units: &Units, path: &Path, text: &str) -> io::Result<()> {
    for _ in 1..ATTEMPTS {
        match replace(units, path, text) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            done => return done,
        }
    }
    replace(units, path, text)
}

/// Removes a file, if another build has not done so.
fn remove(units: &Units, path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => remove_empty(units, path),
    }
    Ok(())
}

/// Writes a whole file. The draft of a unit is beside the units folder, so that a process which
/// reads that folder at the same time finds only files of the generator. The draft of a plan is
/// beside the plan, which may be on another disk than the units; its folder may have other files.
fn replace(units: &Units, path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let output = units.root.join(&units.output);
    if !path.starts_with(&output) {
        return whole::write(path, text.as_bytes());
    }
    let beside = output.parent().unwrap_or(&output);
    match whole::write_beside(path, beside, text.as_bytes()) {
        // The units folder is itself a link, or a mount.
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            whole::write(path, text.as_bytes())
        }
        done => done,
    }
}

/// Removes the folder of a removed file, if it was the last one.
fn remove_empty(units: &Units, path: &Path) {
    let output = units.root.join(&units.output);
    if let Some(folder) = path.parent().filter(|&folder| folder != output) {
        // Fails where files are left, as it should.
        let _ = fs::remove_dir(folder);
    }
}

/// Gives changed files and their folders the time of the newest program, so that
/// cargo does not run a build script again because of what it wrote itself. Where
/// that is not possible, one idle run follows.
pub(super) fn set_times(units: &Units, changes: &[Change]) {
    let programs = list(&units.root.join(&units.programs)).unwrap_or_default();
    let time = |path: &PathBuf| fs::metadata(path).and_then(|data| data.modified()).ok();
    let inputs = programs.iter().filter(|(name, ..)| is_program(name));
    let Some(newest) = inputs.filter_map(|(_, path, _)| time(path)).max() else { return };
    let mut folders = BTreeSet::new();
    for change in changes {
        let path = units.path(change.file());
        folders.extend(path.parent().map(Path::to_path_buf));
        set_time(&path, newest);
    }
    folders.insert(units.root.join(&units.output));
    folders.iter().for_each(|folder| set_time(folder, newest));
}

fn set_time(path: &Path, time: SystemTime) {
    let _ = File::open(path).and_then(|file| file.set_modified(time));
}

#[cfg(test)]
mod tests {
    use super::with_unix_lines;

    #[test]
    fn line_ends_of_a_version_control_are_no_difference() {
        let lines = |text: &str| String::from_utf8(with_unix_lines(text.into())).unwrap();
        assert_eq!(lines("a\r\nb\r\n"), "a\nb\n");
        // An edit is left as it is.
        for text in ["", "a", "a\nb\n", "a\r\nb\n", "a\rb\r\n", "\r"] {
            assert_eq!(lines(text), text);
        }
    }
}
