//! `traceloom-soak --minutes M --seed S [--corpus DIR]`: everything that the tests
//! try, with fresh seeds until the time is over.
//!
//! The last line is a summary; the exit code is 1 after any difference, whose
//! smallest program or input is printed.
//!
//! `traceloom-soak --target NAME --file FILE` feeds one file to one target, and says
//! whether it was accepted; a panic is not caught.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use traceloom_harness::inputs::{TARGETS, Target};
use traceloom_harness::soak::{Soak, corpus};

struct Options {
    time: Duration,
    seed: u64,
    corpus: PathBuf,
    target: Option<Target>,
    file: Option<PathBuf>,
}

fn options(args: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options {
        time: Duration::from_secs(60),
        seed: 0,
        corpus: "fuzz/corpus".into(),
        target: None,
        file: None,
    };
    let mut args = args.skip(1);
    while let Some(name) = args.next() {
        let value = args.next().ok_or_else(|| format!("{name} needs a value"))?;
        let wrong = || format!("{name}: {value:?} is no number that fits");
        match name.as_str() {
            "--minutes" => {
                let minutes: f64 = value.parse().map_err(|_| wrong())?;
                options.time = Duration::try_from_secs_f64(60.0 * minutes).map_err(|_| wrong())?;
            }
            "--seed" => options.seed = value.parse().map_err(|_| wrong())?,
            "--corpus" => options.corpus = value.into(),
            "--target" => {
                let found = TARGETS.into_iter().find(|target| target.name == value);
                options.target = Some(found.ok_or_else(|| format!("{value:?} is no target"))?);
            }
            "--file" => options.file = Some(value.into()),
            _ => return Err(format!("{name} is no option; see the head of this program")),
        }
    }
    Ok(options)
}

fn main() -> ExitCode {
    let options = match options(std::env::args()) {
        Ok(options) => options,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    if let (Some(target), Some(file)) = (options.target, &options.file) {
        return match std::fs::read(file) {
            Ok(bytes) => {
                let verdict = if (target.run)(&bytes) { "accepted" } else { "refused" };
                println!("{verdict}");
                ExitCode::SUCCESS
            }
            Err(error) => {
                eprintln!("error: {}: {error}", file.display());
                ExitCode::from(2)
            }
        };
    }
    // Panics are caught, shrunk and reported once.
    std::panic::set_hook(Box::new(|_| {}));
    let start = Instant::now();
    let mut soak = Soak::new(options.seed, corpus(&options.corpus));
    // At least one round, so that a short time tries something.
    while soak.rounds == 0 || start.elapsed() < options.time {
        soak.round();
    }
    println!("{}", soak.details());
    println!("{}", soak.summary());
    if soak.differences == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
