//! One complete job under one command, with everything that says what was measured.
//!
//! - `cli`: its options; `folder`: the files that it leaves;
//! - `cgroup`: the cap on its memory; `devices`, `host`: samples while it runs;
//! - `baseline`: figures that are stored, and the gate; `page`: the report for a browser.
//!
//! Layout of the folder (owned here): `provenance.json` before the job begins; `stdout`, `stderr`,
//! `host.csv` and `devices.csv` while it runs; `result.json` and `report.html` when it has ended,
//! however it ended.

pub mod baseline;
mod cgroup;
pub mod cli;
mod devices;
mod host;
mod page;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::Error;
use crate::command::Command;
use crate::provenance::{Job, Provenance};
use crate::run::{Measured, Running, State, run};
use baseline::{Baseline, Gated};
use cgroup::Group;
use devices::{DeviceSample, Devices};
use host::{Host, HostSample};

/// Name and version of the form of the result and of the provenance.
pub const FORMAT: &str = "traceloom-job/1";

/// What was asked for.
#[derive(Clone, Debug, Serialize)]
pub struct Settings {
    /// What runs.
    pub command: Command,
    /// Where everything about it goes.
    pub out: PathBuf,
    /// Most time that it may take.
    #[serde(rename = "timeout_seconds", serialize_with = "crate::pairs::seconds")]
    pub timeout: Option<Duration>,
    /// Most bytes of memory that all its processes together may have.
    pub memory_max: Option<u64>,
    /// The group under which the capped one is made; by default that of this process.
    pub cgroup: Option<PathBuf>,
    /// Time between samples.
    #[serde(rename = "sample_seconds", serialize_with = "crate::pairs::some_seconds")]
    pub sample_every: Duration,
    /// What the machine costs, in any currency.
    pub price_per_hour: Option<f64>,
    /// Files whose digests are taken as well.
    pub inputs: Vec<PathBuf>,
    /// Stored figures to compare with.
    pub baseline: Option<PathBuf>,
    /// By how many percent a figure may be above the stored one.
    pub gate_percent: f64,
    /// Where the figures are stored for later.
    pub save_baseline: Option<PathBuf>,
}

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// Exit status 0.
    Done,
    /// Another exit status.
    Failed,
    /// A signal that was not ours.
    Signalled,
    /// It took too long.
    TimedOut,
    /// It was killed because it had more memory than the cap.
    OutOfMemory,
    /// Somebody stopped it.
    Interrupted,
}

/// What a job took.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// Times, peak of the largest process, and exit status.
    #[serde(flatten)]
    pub measured: Measured,
    /// Most bytes of all its processes together: of the capped group, else of the samples.
    pub peak_together: Option<u64>,
    /// Processes that the cap ended.
    pub killed_by_cap: u64,
    /// Wall time at the price per hour.
    pub price: Option<f64>,
    /// By device: extremes of what was sampled.
    pub devices: Vec<devices::Summary>,
    /// The comparison with the stored figures.
    pub gate: Option<Gated>,
    /// What a reader has to know.
    pub notes: Vec<String>,
}

/// Everything that was measured.
pub struct Finished {
    /// What was measured.
    pub provenance: Provenance<Job>,
    /// What it took.
    pub outcome: Outcome,
    host: Vec<HostSample>,
    devices: Vec<DeviceSample>,
}

/// Runs a job and writes its folder. A job that does not succeed has a folder all the same.
///
/// # Errors
/// [`Error`]: something cannot be read, written, started or capped. That a job fails is no error of
/// this function; [`Outcome::ending`] says it.
pub fn measure(settings: &Settings, running: &Arc<Running>) -> Result<Finished, Error> {
    let baseline = settings.baseline.as_deref().map(Baseline::read).transpose()?;
    open(&settings.out)?;
    let mut provenance = Provenance::of_job(&settings.command, &settings.inputs)?;
    if let Some(baseline) = &baseline {
        baseline.check_same(&provenance)?;
    }
    let place = |name: &str| settings.out.join(name);
    write_json(&place("provenance.json"), &document(settings, &provenance, None))?;
    let group = settings.memory_max.map(|most| Group::new(settings.cgroup.as_deref(), most));
    let group = group.transpose()?;
    let command = match &group {
        Some(group) => group.enters(&settings.command),
        None => settings.command.clone(),
    };
    let began = Instant::now();
    let devices = Devices::start(began, settings.sample_every, &place("devices.csv"))?;
    let host = Host::start(began, settings, group.as_ref(), running, &place("host.csv"))?;
    let create = |name: &str| {
        let path = place(name);
        File::create(&path).map_err(|source| Error::Write { what: "an output", path, source })
    };
    let (stdout, stderr) = (create("stdout")?, create("stderr")?);
    let measured = run(&command, Some(stdout), stderr, settings.timeout, running);
    let (host, devices) = (host.stop(), devices.stop());
    let unchanged = provenance.after();
    let measured = measured.map_err(|source| Error::Start {
        place: "the job".into(),
        program: settings.command.program.clone(),
        source,
    })?;
    let mut outcome = outcome(settings, measured, group, (&host, &devices), running);
    if let Err(error) = unchanged {
        outcome.notes.push(error.to_string());
    }
    outcome.gate = baseline.map(|baseline| baseline.compare(&outcome, settings.gate_percent));
    if let (Some(path), Ending::Done) = (&settings.save_baseline, outcome.ending) {
        write_json(path, &Baseline::of(&provenance, &outcome))?;
    }
    let finished = Finished { provenance, outcome, host, devices };
    let result = document(settings, &finished.provenance, Some(&finished.outcome));
    write_json(&place("result.json"), &result)?;
    let text = page::page(settings, &finished);
    write(&place("report.html"), text.as_bytes())?;
    Ok(finished)
}

fn outcome(
    settings: &Settings,
    measured: Measured,
    group: Option<Group>,
    (host, devices): (&[HostSample], &[DeviceSample]),
    running: &Running,
) -> Outcome {
    let sampled = host.iter().filter_map(|sample| sample.bytes).max();
    let (peak, killed) = group.as_ref().map_or((None, 0), |group| (group.peak(), group.killed()));
    let ending = match measured.state {
        _ if running.is_interrupted() => Ending::Interrupted,
        State::Done => Ending::Done,
        State::TimedOut => Ending::TimedOut,
        _ if killed > 0 => Ending::OutOfMemory,
        State::Exit(_) => Ending::Failed,
        State::Signal(_) => Ending::Signalled,
    };
    let mut notes = Vec::new();
    if devices.is_empty() {
        notes.push("no samples of devices: nvidia-smi is not there or knows none".to_owned());
    }
    if measured.left_behind {
        notes.push("processes of the job ran on after it and were killed".to_owned());
    }
    if ending == Ending::Done && killed > 0 {
        notes.push(format!("the cap on memory ended {killed} processes of the job"));
    }
    Outcome {
        ending,
        peak_together: peak.or(sampled),
        killed_by_cap: killed,
        price: settings.price_per_hour.map(|price| price * measured.wall / 3600.0),
        measured,
        devices: devices::summaries(devices),
        gate: None,
        notes,
    }
}

/// The form of both documents.
#[derive(Serialize)]
struct Document<'a> {
    format: &'static str,
    settings: &'a Settings,
    provenance: &'a Provenance<Job>,
    outcome: Option<&'a Outcome>,
}

const fn document<'a>(
    settings: &'a Settings,
    provenance: &'a Provenance<Job>,
    outcome: Option<&'a Outcome>,
) -> Document<'a> {
    Document { format: FORMAT, settings, provenance, outcome }
}

/// Makes the folder, which has to be empty: a job never writes over another one.
fn open(folder: &Path) -> Result<(), Error> {
    let fault = |source| Error::Write { what: "the job", path: folder.to_owned(), source };
    fs::create_dir_all(folder).map_err(fault)?;
    match fs::read_dir(folder).map_err(fault)?.next() {
        None => Ok(()),
        Some(_) => Err(Error::NotEmpty { path: folder.to_owned() }),
    }
}

fn write_json(path: &Path, value: &impl Serialize) -> Result<(), Error> {
    let text = serde_json::to_string_pretty(value).map_err(std::io::Error::from);
    let text =
        text.map_err(|source| Error::Write { what: "JSON", path: path.to_owned(), source })?;
    write(path, format!("{text}\n").as_bytes())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    fs::write(path, bytes).map_err(|source| Error::Write {
        what: "a file of the job",
        path: path.to_owned(),
        source,
    })
}
