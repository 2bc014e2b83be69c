//! Figures that are stored, so that a later job can be compared with them.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Ending, Outcome};
use crate::Error;
use crate::provenance::{Job, Provenance};

/// Name and version of the form.
const FORMAT: &str = "traceloom-baseline/1";

/// The figures of one job, with what has to be the same for a comparison.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Baseline {
    format: String,
    /// The job as one line.
    command: String,
    /// The processor.
    processor: Option<String>,
    /// The devices with driver.
    devices: Vec<String>,
    /// The commit and the digest of the program that was measured; these may differ.
    commit: Option<String>,
    program_blake3: String,
    /// When it was measured.
    date: String,
    wall_seconds: f64,
    processor_seconds: f64,
    peak_bytes: u64,
}

/// A figure beside the stored one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Its name.
    pub name: &'static str,
    /// What was stored.
    pub stored: f64,
    /// What was measured.
    pub found: f64,
    /// By how many percent it is above the stored one.
    pub percent: f64,
    /// Whether that is allowed.
    pub passes: bool,
}

/// The comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Gated {
    /// By how many percent a figure may be above.
    pub gate_percent: f64,
    /// When the stored figures were measured.
    pub date: String,
    /// The figures.
    pub figures: Vec<Figure>,
    /// Whether all pass, and the job succeeded.
    pub passes: bool,
}

impl Baseline {
    /// Reads a file.
    ///
    /// # Errors
    /// It cannot be read, or is no baseline.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let fault = |source| Error::Read { what: "the baseline", path: path.to_owned(), source };
        let text = std::fs::read(path).map_err(fault)?;
        let baseline: Self = serde_json::from_slice(&text).map_err(|error| fault(error.into()))?;
        match baseline.format.as_str() {
            FORMAT => Ok(baseline),
            other => Err(fault(std::io::Error::other(format!(
                "format is {other:?}, and {FORMAT:?} is read"
            )))),
        }
    }

    /// The figures of a job.
    #[must_use]
    pub fn of(provenance: &Provenance<Job>, outcome: &Outcome) -> Self {
        let program = &provenance.programs.program;
        Self {
            format: FORMAT.into(),
            command: program.line.clone(),
            processor: provenance.machine.processor.clone(),
            devices: provenance.machine.devices.clone(),
            commit: program.checkout.as_ref().map(|checkout| checkout.commit.clone()),
            program_blake3: program.file.blake3.clone(),
            date: provenance.started.clone(),
            wall_seconds: outcome.measured.wall,
            processor_seconds: outcome.measured.processor(),
            peak_bytes: outcome.measured.peak_bytes,
        }
    }

    /// Whether a job can be compared with it.
    ///
    /// # Errors
    /// It is another command, or another machine.
    pub fn check_same(&self, provenance: &Provenance<Job>) -> Result<(), Error> {
        let machine = &provenance.machine;
        let list = |devices: &[String]| match devices.is_empty() {
            true => "none".to_owned(),
            false => devices.join("; "),
        };
        let unknown = || "unknown".to_owned();
        for (what, stored, found) in [
            ("command", self.command.clone(), provenance.programs.program.line.clone()),
            (
                "processor",
                self.processor.clone().unwrap_or_else(unknown),
                machine.processor.clone().unwrap_or_else(unknown),
            ),
            ("list of devices", list(&self.devices), list(&machine.devices)),
        ] {
            if stored != found {
                return Err(Error::OtherBaseline { what, stored, found });
            }
        }
        Ok(())
    }

    /// Compares the figures of a job.
    #[must_use]
    pub fn compare(&self, outcome: &Outcome, gate_percent: f64) -> Gated {
        let figure = |name, stored: f64, found: f64| {
            let percent = if stored > 0.0 { 100.0 * (found / stored - 1.0) } else { 0.0 };
            Figure { name, stored, found, percent, passes: percent <= gate_percent }
        };
        let measured = &outcome.measured;
        let figures = vec![
            figure("wall seconds", self.wall_seconds, measured.wall),
            figure("processor seconds", self.processor_seconds, measured.processor()),
            figure("peak bytes", self.peak_bytes as f64, measured.peak_bytes as f64),
        ];
        let passes = outcome.ending == Ending::Done && figures.iter().all(|figure| figure.passes);
        Gated { gate_percent, date: self.date.clone(), figures, passes }
    }
}
