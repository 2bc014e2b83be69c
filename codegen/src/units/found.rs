//! The set of files that is there, and changes of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::source::PLAN;
use super::{Change, Problem, Problems, Units};
use crate::whole;

/// All files that belong to the generator, by path relative to the crate.
#[derive(Debug)]
pub(super) struct Found {
    pub files: BTreeMap<String, Vec<u8>>,
}

impl Found {
    /// Reads the units folder and the plans beside the programs.
    pub fn read(units: &Units) -> Result<Self, Problems> {
        let mut files = BTreeMap::new();
        let mut folders = vec![units.output.clone()];
        while let Some(folder) = folders.pop() {
            for (name, path, is_folder) in list(&units.root.join(&folder))? {
                match is_folder {
                    true => folders.push(folder.join(name)),
                    false => drop(files.insert(units.file(&folder, &name), content(&path)?)),
                }
            }
        }
        if !units.is_build_output() {
            for (name, path, is_folder) in list(&units.root.join(&units.programs))? {
                if name.ends_with(PLAN) && !is_folder {
                    files.insert(units.file(&units.programs, &name), content(&path)?);
                }
            }
        }
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

fn content(path: &Path) -> Result<Vec<u8>, Problem> {
    fs::read(path).map_err(|error| Problem::unreadable(path, &error.to_string()))
}

/// Makes all changes, in order.
pub(super) fn apply(units: &Units, changes: &[Change]) -> Result<(), Problems> {
    for change in changes {
        let path = units.path(change.file());
        let done = match change {
            Change::Write { text, .. } => replace(units, &path, text),
            Change::Remove { .. } => fs::remove_file(&path).map(|()| remove_empty(units, &path)),
        };
        done.map_err(|error| Problem::unwritable(&path, &error.to_string()))?;
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
    let is_program = |name: &str| name.ends_with(".json") && !name.ends_with(PLAN);
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
