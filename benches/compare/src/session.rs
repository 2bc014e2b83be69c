//! One benchmark from its first output file to its results.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::Error;
use crate::compare::{Comparison, SideSummary, compare};
use crate::document::{Document, FORMAT, Progress};
use crate::machine;
use crate::pairs::{Plan, Run, Table, measure, quantity};
use crate::provenance::Provenance;
use crate::run::{Measured, Running};

/// What was asked for.
#[derive(Clone, Debug, Serialize)]
pub struct Settings {
    /// What to run, and how.
    #[serde(flatten)]
    pub plan: Plan,
    /// Confidence of all intervals, in percent; a test shows a difference if its p value
    /// is at most what is missing to 100.
    pub confidence_percent: f64,
    /// Files whose digests are taken as well.
    pub inputs: Vec<PathBuf>,
    /// Where the table of runs goes.
    pub csv: Option<PathBuf>,
    /// Where the summary goes.
    pub json: Option<PathBuf>,
}

/// What the runs show.
#[derive(Clone, Debug, Serialize)]
pub struct Results {
    /// Seconds from start to end.
    pub wall_seconds: Comparison,
    /// Seconds of processor time, user and system.
    pub processor_seconds: Comparison,
    /// Greatest resident set of any one process.
    pub peak_bytes: Peak,
}

/// Peak memory. It is summed up and not tested.
#[derive(Clone, Debug, Serialize)]
pub struct Peak {
    /// Side A.
    pub a: SideSummary,
    /// Side B.
    pub b: SideSummary,
    /// Median of B divided by the median of A.
    pub ratio_of_medians: Option<f64>,
    /// The peak of this process itself: no smaller one can be measured, since a new
    /// process starts as a copy of it.
    pub least_measurable: Option<u64>,
}

/// A complete benchmark.
#[derive(Debug)]
pub struct Outcome {
    /// What was measured.
    pub provenance: Provenance,
    /// Every run, in order.
    pub runs: Vec<Run>,
    /// What they show.
    pub results: Results,
}

/// Runs a benchmark. All outputs are tried before the first run, and the files have what
/// was measured until then if an error ends it.
///
/// # Errors
/// Any [`Error`] but those about the text of commands.
pub fn session(
    settings: &Settings,
    running: &Running,
    progress: &mut dyn FnMut(&[Run]),
) -> Result<Outcome, Error> {
    let mut runs = Vec::new();
    let mut provenance = None;
    let mut table = open_outputs(settings)?;
    let results = work(settings, running, &mut table, &mut runs, &mut provenance, progress);
    let document = Document {
        format: FORMAT,
        state: if results.is_ok() { Progress::Done } else { Progress::Failed },
        error: results.as_ref().err().map(Error::to_string),
        settings,
        provenance: provenance.as_ref(),
        runs: &runs,
        results: results.as_ref().ok(),
    };
    let written = settings.json.as_ref().map_or(Ok(()), |path| document.write(path));
    // The first error is the one to tell.
    let results = results?;
    written?;
    let provenance = provenance.ok_or(Error::Clock { quantity: "dates" })?;
    Ok(Outcome { provenance, runs, results })
}

fn work(
    settings: &Settings,
    running: &Running,
    table: &mut Option<Table>,
    runs: &mut Vec<Run>,
    provenance: &mut Option<Provenance>,
    progress: &mut dyn FnMut(&[Run]),
) -> Result<Results, Error> {
    let plan = &settings.plan;
    let before = Provenance::before(&plan.a, &plan.b, &settings.inputs)?;
    let provenance = provenance.insert(before);
    let measured = measure(plan, running, table, runs, progress);
    let unchanged = provenance.after();
    // A command that fails because its files changed is told by how it failed.
    measured?;
    unchanged?;
    Results::of(runs, settings.confidence_percent)
}

impl Results {
    fn of(runs: &[Run], percent: f64) -> Result<Self, Error> {
        let tested = |what, of: fn(&Measured) -> f64| {
            compare(&quantity(runs, of), percent).ok_or(Error::Clock { quantity: what })
        };
        let peak = tested("bytes", |run| run.peak_bytes as f64)?;
        Ok(Results {
            wall_seconds: tested("wall seconds", |run| run.wall)?,
            processor_seconds: tested("processor seconds", Measured::processor)?,
            peak_bytes: Peak {
                a: peak.a,
                b: peak.b,
                ratio_of_medians: peak.ratio_of_medians,
                least_measurable: machine::own_peak(),
            },
        })
    }
}

/// Creates every output, so that one that cannot be written costs no run.
fn open_outputs(settings: &Settings) -> Result<Option<Table>, Error> {
    if let (Some(csv), Some(json)) = (&settings.csv, &settings.json)
        && csv == json
    {
        return Err(Error::SameOutput { path: csv.clone() });
    }
    if let Some(folder) = &settings.plan.keep {
        open_folder(folder)?;
    }
    if let Some(path) = &settings.json {
        let document = Document {
            format: FORMAT,
            state: Progress::Running,
            error: None,
            settings,
            provenance: None,
            runs: &[],
            results: None,
        };
        document.write(path)?;
    }
    settings.csv.as_deref().map(Table::create).transpose()
}

fn open_folder(folder: &Path) -> Result<(), Error> {
    let opened = fs::create_dir_all(folder).and_then(|()| tempfile::tempfile_in(folder));
    opened.map(drop).map_err(|source| Error::Write {
        what: "outputs of commands",
        path: folder.to_owned(),
        source,
    })
}
