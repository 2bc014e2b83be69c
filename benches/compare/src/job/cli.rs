//! The options of a job.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::{Ending, Finished, Settings, measure};
use crate::Error;
use crate::cli::{parse_seconds, print};
use crate::command::Command;
use crate::pairs::last_lines;
use crate::run::Running;

/// Run one complete job and keep everything that says what was measured.
///
/// The folder of --out gets the provenance before the job begins, its output and samples of host and
/// devices while it runs, and the result and a page with plots when it has ended, however it ended.
///
/// Exit codes: 0 done, and within its gate; 1 the job failed, was interrupted, ran out of memory or
/// time, or is above its gate; 2 usage, or a file that cannot be read or written.
#[derive(Debug, Args)]
pub struct JobArguments {
    /// Folder for all files; it has to be empty or not there
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The program and its arguments; leading words NAME=VALUE set variables
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
    /// Kill the job, with all of its process group, after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    timeout: Option<Duration>,
    /// Most memory of all its processes together: bytes, or a number with KiB, MiB or GiB.
    /// A group of the kernel (cgroup) enforces it
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    memory_max: Option<u64>,
    /// The group under which the capped one is made [default: that of this process]
    #[arg(long, value_name = "DIR", requires = "memory_max")]
    cgroup: Option<PathBuf>,
    /// Seconds between samples
    #[arg(long, default_value = "0.5", value_name = "SECONDS", value_parser = parse_seconds)]
    sample_every: Duration,
    /// What the machine costs per hour; the result has the price of the job
    #[arg(long, value_name = "PRICE", value_parser = parse_price)]
    price_per_hour: Option<f64>,
    /// Record the digest of this file, too; may be given several times. Files among the arguments
    /// are recorded without it
    #[arg(long, value_name = "FILE")]
    input_file: Vec<PathBuf>,
    /// Compare with the figures of this file, of the same command and machine
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// By how many percent wall time, processor time and peak memory may be above the baseline
    #[arg(long, default_value = "10", value_name = "PERCENT", value_parser = parse_price,
        requires = "baseline")]
    gate: f64,
    /// Store the figures of a job that succeeds in this file
    #[arg(long, value_name = "FILE")]
    save_baseline: Option<PathBuf>,
}

/// Runs the job and prints what it took.
pub fn run(arguments: JobArguments, running: &Arc<Running>) -> Result<(), Error> {
    let settings = Settings {
        command: Command::of_job(&arguments.command)?,
        out: arguments.out,
        timeout: arguments.timeout,
        memory_max: arguments.memory_max,
        cgroup: arguments.cgroup,
        sample_every: arguments.sample_every,
        price_per_hour: arguments.price_per_hour,
        inputs: arguments.input_file,
        baseline: arguments.baseline,
        gate_percent: arguments.gate,
        save_baseline: arguments.save_baseline,
    };
    let finished = measure(&settings, running)?;
    print(&text(&settings, &finished))?;
    let outcome = &finished.outcome;
    let folder = settings.out.clone();
    if outcome.ending != Ending::Done {
        let stderr = File::open(settings.out.join("stderr")).map(|file| last_lines(&file));
        let stderr = stderr.unwrap_or_default();
        return Err(Error::Job { state: said(&finished), stderr, folder });
    }
    match &outcome.gate {
        Some(gate) if !gate.passes => {
            let above = gate.figures.iter().filter(|figure| !figure.passes);
            let above: Vec<String> = above
                .map(|figure| {
                    format!(
                        "{} {:+.1} %, of {} allowed",
                        figure.name, figure.percent, gate.gate_percent
                    )
                })
                .collect();
            Err(Error::Gate { what: above.join("; "), folder })
        }
        _ => Ok(()),
    }
}

/// How it ended, as a sentence.
fn said(finished: &Finished) -> String {
    let outcome = &finished.outcome;
    match outcome.ending {
        Ending::OutOfMemory => "was killed by its cap on memory".into(),
        Ending::Interrupted => "was interrupted".into(),
        Ending::Done | Ending::Failed | Ending::Signalled | Ending::TimedOut => {
            outcome.measured.state.to_string()
        }
    }
}

fn text(settings: &Settings, finished: &Finished) -> String {
    let (outcome, measured) = (&finished.outcome, &finished.outcome.measured);
    let mebibytes = |bytes: u64| format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20));
    let mut lines = vec![
        format!("job        {}", settings.command.line()),
        format!("ended      {}", said(finished)),
        format!("wall       {:.3} s", measured.wall),
        format!("processor  {:.3} s", measured.processor()),
        format!("peak       {} of the largest process", mebibytes(measured.peak_bytes)),
    ];
    if let Some(bytes) = outcome.peak_together {
        lines.push(format!("           {} of all together", mebibytes(bytes)));
    }
    if let Some(price) = outcome.price {
        lines.push(format!("price      {price:.6}"));
    }
    for device in &outcome.devices {
        lines.push(format!("device {}   {} samples", device.device, device.samples));
        for (name, least, mean, greatest) in &device.values {
            lines.push(format!("           {name}: {least} to {greatest}, mean {mean:.1}"));
        }
    }
    if let Some(gate) = &outcome.gate {
        lines.push(format!("baseline   of {}, gate {} %", gate.date, gate.gate_percent));
        for figure in &gate.figures {
            let verdict = if figure.passes { "passes" } else { "ABOVE THE GATE" };
            lines.push(format!("           {}: {:+.1} %, {verdict}", figure.name, figure.percent));
        }
    }
    lines.extend(outcome.notes.iter().map(|note| format!("note       {note}")));
    lines.push(format!("report     {}", settings.out.join("report.html").display()));
    lines.join("\n") + "\n"
}

fn parse_size(text: &str) -> Result<u64, String> {
    let units = [("KiB", 10), ("MiB", 20), ("GiB", 30), ("TiB", 40)];
    let unit = units.iter().find_map(|(name, power)| Some((text.strip_suffix(name)?, *power)));
    let (number, power) = unit.unwrap_or((text, 0));
    let bytes = number.trim().parse::<u64>().ok().and_then(|of| of.checked_mul(1 << power));
    bytes.filter(|bytes| *bytes > 0).ok_or_else(|| {
        "give a number of bytes above zero, or one with KiB, MiB, GiB or TiB, such as 920GiB".into()
    })
}

fn parse_price(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "give a number that is zero or above, such as 3.5".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse_size("920GiB"), Ok(920 << 30));
        assert_eq!(parse_size("5"), Ok(5));
        for wrong in ["0", "-1", "5GB", "99999999999TiB", ""] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
        assert!(parse_price("-1").is_err() && parse_price("nan").is_err());
    }
}
