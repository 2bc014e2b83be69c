//! The files that `prove` writes. They are checked before the work begins, so that an hour of
//! proving does not fail because a folder does not exist.
//!
//! The check leaves nothing behind, even if the process is killed: it makes a file without a
//! name, on systems that have such files.

use std::io;
use std::path::{Path, PathBuf};

use super::Failure;
use super::output::{check_place, is_stdout};

/// The files of a proof.
pub struct Outputs<'a> {
    report: Option<&'a Path>,
}

impl<'a> Outputs<'a> {
    /// Checks that `out`, the folder of a report and its page can be written.
    pub fn tried(
        out: &Path,
        report: Option<&'a Path>,
        page: Option<&Path>,
    ) -> Result<Self, Failure> {
        let outputs = Self { report };
        if let (Some(folder), Some(path)) = (report, outputs.report()) {
            let failure = |error: io::Error| Failure::file("make", folder, &error);
            try_folder(nearest(folder)).map_err(failure)?;
            check_place(&path)?;
        }
        for file in [Some(out), page].into_iter().flatten() {
            outputs.try_file(file)?;
        }
        Ok(outputs)
    }

    /// Checks that a file can be written.
    fn try_file(&self, out: &Path) -> Result<(), Failure> {
        if is_stdout(out) {
            return Ok(());
        }
        let folder = folder_of(out);
        // The folder of the report will be there, and those above it.
        let will_be_made = self.report.is_some_and(|report| report.starts_with(folder));
        if folder.exists() || !will_be_made {
            try_folder(folder).map_err(|error| Failure::file("write", out, &error))?;
        }
        check_place(out)
    }

    /// Makes the folder of the report.
    pub fn make_folder(&self) -> Result<(), Failure> {
        let Some(folder) = self.report else { return Ok(()) };
        std::fs::create_dir_all(folder).map_err(|error| Failure::file("make", folder, &error))
    }

    /// The file of the report.
    pub fn report(&self) -> Option<PathBuf> {
        self.report.map(|folder| folder.join("report.json"))
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The folder, or the nearest one above it that is there.
fn nearest(folder: &Path) -> &Path {
    let is_there = |path: &&Path| !path.as_os_str().is_empty() && path.exists();
    folder.ancestors().find(is_there).unwrap_or(Path::new("."))
}

fn try_folder(folder: &Path) -> io::Result<()> {
    tempfile::tempfile_in(folder).map(drop)
}
