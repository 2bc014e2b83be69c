//! The summary as JSON, for other programs.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use serde::Serialize;

use crate::Error;
use crate::pairs::Run;
use crate::provenance::Provenance;
use crate::session::{Results, Settings};

/// Name and version of the format. Fields may be added within a version; a changed meaning
/// is a new version.
pub const FORMAT: &str = "traceloom-bench/1";

/// How far a benchmark is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// It has not ended, or was ended from outside.
    Running,
    /// All runs succeeded.
    Done,
    /// It ended early, with an error.
    Failed,
}

/// The whole document.
#[derive(Debug, Serialize)]
pub struct Document<'a> {
    /// [`FORMAT`].
    pub format: &'static str,
    /// How far the benchmark is.
    pub state: Progress,
    /// Why it failed.
    pub error: Option<String>,
    /// What was asked for.
    pub settings: &'a Settings,
    /// What was measured. Absent until it is known.
    pub provenance: Option<&'a Provenance>,
    /// Every run that ended, in order, warm-ups left out. Seconds and bytes.
    pub runs: &'a [Run],
    /// What the runs show. Absent unless all of them succeeded.
    pub results: Option<&'a Results>,
}

impl Document<'_> {
    /// Writes the document over whatever is at `path`.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let text = serde_json::to_string_pretty(self).map_err(std::io::Error::from);
        let write = |text: String| File::create(path)?.write_all(format!("{text}\n").as_bytes());
        text.and_then(write).map_err(|source| Error::Write {
            what: "the summary",
            path: path.to_owned(),
            source,
        })
    }
}
