//! The command line.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

use crate::Error;
use crate::command::{Command, Side};
use crate::job::cli::JobArguments;
use crate::pairs::{Plan, Run};
use crate::report;
use crate::run::Running;
use crate::session::{Settings, session};

/// Most pairs of one benchmark: the exact test takes time with the cube of their number.
pub const MOST_PAIRS: usize = 1000;

/// Compare two commands in pairs of runs, in the order A B B A.
///
/// Give two commands, or two settings for the {} of a template behind `--`. Wall seconds,
/// processor seconds and peak memory of every run are measured. A verdict is given where a
/// paired t interval and an exact Wilcoxon test agree.
///
/// Commands are split into words as a shell does it, but no shell runs them: for pipes and
/// variables write sh -c '...'. Leading words NAME=VALUE set variables. A run ends when its
/// first process ends; what that one left running is killed.
///
/// Exit codes: 0 done, whatever the verdict; 1 a command failed, was interrupted, or
/// changed while the benchmark ran; 2 usage, or a file that cannot be read or written.
#[derive(Debug, Parser)]
#[command(
    name = "traceloom-bench",
    version,
    after_help = "\
Examples:
  traceloom-bench --a 'old/prover x.json' --b 'new/prover x.json' --csv pairs.csv
  traceloom-bench --a 1 --b 2 -- RAYON_NUM_THREADS={} traceloom prove blake3 --input x.json --out p.proof
  traceloom-bench --a ./prover --b ./prover    (calibration: A against A)
  traceloom-bench run --out job --memory-max 64GiB -- traceloom prove blake3 --input x --out p.proof"
)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
struct Arguments {
    #[command(subcommand)]
    job: Option<Job>,
    #[command(flatten)]
    pairs: Option<Pairs>,
    /// No progress on standard error
    #[arg(short, long, global = true)]
    quiet: bool,
}

#[derive(Debug, Subcommand)]
enum Job {
    Run(JobArguments),
}

/// The options of a comparison.
#[derive(Debug, Args)]
struct Pairs {
    /// Command A, or its setting for the template
    #[arg(long, value_name = "COMMAND|SETTING", allow_hyphen_values = true)]
    a: String,
    /// Command B, or its setting for the template
    #[arg(long, value_name = "COMMAND|SETTING", allow_hyphen_values = true)]
    b: String,
    /// Program and arguments with {} where the setting goes; an argument that is nothing
    /// but {} becomes all words of the setting
    #[arg(last = true, value_name = "TEMPLATE")]
    template: Vec<String>,
    /// Number of pairs: even, from 2 to 1000
    #[arg(short = 'n', long, default_value = "10", value_parser = parse_pairs,
        allow_negative_numbers = true)]
    pairs: usize,
    /// Runs of each command before the first pair; they are not measured
    #[arg(long, default_value_t = 1, value_name = "N")]
    warmup: usize,
    /// Kill a run, with all of its process group, after so many seconds, and fail
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds,
        allow_negative_numbers = true)]
    timeout: Option<Duration>,
    /// Confidence of the intervals in percent; tests are made at what is missing to 100
    #[arg(long, default_value = "95", value_name = "PERCENT", value_parser = parse_percent,
        allow_negative_numbers = true)]
    confidence: f64,
    /// Record the digest of this file, too; may be given several times. Files among the
    /// arguments are recorded without it
    #[arg(long, value_name = "FILE")]
    input_file: Vec<PathBuf>,
    /// Write every run as a line of CSV as soon as it has ended
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write the summary with provenance and runs as JSON (traceloom-bench/1)
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Keep what the commands print in this folder, as pair-N-SIDE.stdout and .stderr
    #[arg(long, value_name = "DIR")]
    keep_output: Option<PathBuf>,
}

/// Parses the command line, runs the benchmark, prints its report.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody is left to tell if standard error is closed.
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}

fn run(arguments: Arguments) -> Result<(), Error> {
    let quiet = arguments.quiet;
    let running = Arc::new(Running::default());
    let pairs = match (arguments.job, arguments.pairs) {
        (Some(Job::Run(job)), _) => {
            watch_signals(&running);
            return crate::job::cli::run(job, &running);
        }
        (None, Some(pairs)) => pairs,
        // clap asks for one of them.
        (None, None) => return Err(Error::EmptyCommand { side: Side::A.into() }),
    };
    let settings = settings(pairs)?;
    watch_signals(&running);
    let pairs = settings.plan.pairs;
    let mut progress = |pair: &[Run]| {
        if !quiet {
            let _ = writeln!(std::io::stderr(), "{}", report::progress(pair, pairs));
        }
    };
    let outcome = session(&settings, &running, &mut progress)?;
    print(&report::text(&settings, &outcome))
}

/// Prints a report.
pub(crate) fn print(text: &str) -> Result<(), Error> {
    let mut stdout = std::io::stdout().lock();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    written.map_err(|source| Error::Write {
        what: "the report",
        path: "standard output".into(),
        source,
    })
}

fn settings(arguments: Pairs) -> Result<Settings, Error> {
    let command = |side, text: &str| {
        if arguments.template.is_empty() {
            Command::parse(side, text)
        } else {
            Command::from_template(side, &arguments.template, text)
        }
    };
    Ok(Settings {
        plan: Plan {
            a: command(Side::A, &arguments.a)?,
            b: command(Side::B, &arguments.b)?,
            pairs: arguments.pairs,
            warmups: arguments.warmup,
            timeout: arguments.timeout,
            keep: arguments.keep_output,
        },
        confidence_percent: arguments.confidence,
        inputs: arguments.input_file,
        csv: arguments.csv,
        json: arguments.json,
    })
}

/// The first signal ends the run and then the benchmark, with its files in order. A second
/// one ends the process at once.
fn watch_signals(running: &Arc<Running>) {
    let running = Arc::clone(running);
    // Without a handler a signal ends this process and leaves the command running, which
    // is not a reason to refuse a benchmark.
    let _ = ctrlc::set_handler(move || {
        if running.interrupt() {
            std::process::exit(1);
        }
    });
}

fn parse_pairs(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(pairs) if (2..=MOST_PAIRS).contains(&pairs) && pairs % 2 == 0 => Ok(pairs),
        _ => Err(format!(
            "give an even number from 2 to {MOST_PAIRS}: the order A B B A takes two pairs"
        )),
    }
}

pub(crate) fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0);
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .filter(|duration| !duration.is_zero())
        .ok_or_else(|| "give a number of seconds above zero, such as 0.5 or 600".to_owned())
}

fn parse_percent(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(percent) if (50.0..=99.999).contains(&percent) => Ok(percent),
        _ => Err("give a number of percent from 50 to 99.999, such as 95".to_owned()),
    }
}
