//! `traceloom-soak --minutes M --seed S [--corpus DIR]`: everything that the tests
//! try, with fresh seeds until the time is over.
//!
//! The last line is a summary; the exit code is 1 after any difference, whose
//! smallest program or input is printed.
//!
//! `traceloom-soak --target NAME --file FILE` feeds one file to one target, and says
//! whether it was accepted; a panic is not caught.
//!
//! `--plant` adds a target that fails on every input with a brace, for the test of
//! what a soak says then.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use traceloom_harness::inputs::{TARGETS, Target};
use traceloom_harness::soak::{Soak, read_corpus};

struct Options {
    time: Duration,
    seed: u64,
    corpus: PathBuf,
    /// A target and its one input.
    single: Option<(Target, PathBuf)>,
    plant: bool,
}

fn options(args: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut options = Options {
        time: Duration::from_secs(60),
        seed: 0,
        corpus: "tests/fuzz/corpus".into(),
        single: None,
        plant: false,
    };
    let (mut target, mut file) = (None, None);
    let mut args = args.skip(1);
    while let Some(name) = args.next() {
        if name == "--plant" {
            options.plant = true;
            continue;
        }
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
                target = Some(found.ok_or_else(|| format!("{value:?} is no target"))?);
            }
            "--file" => file = Some(value.into()),
            _ => return Err(format!("{name} is no option; see the head of this program")),
        }
    }
    options.single = match (target, file) {
        (Some(target), Some(file)) => Some((target, file)),
        (None, None) => None,
        (Some(_), None) => return Err("--target needs --file".into()),
        (None, Some(_)) => return Err("--file needs --target".into()),
    };
    Ok(options)
}

fn fail(error: &str) -> ExitCode {
    eprintln!("error: {error}");
    ExitCode::from(2)
}

fn main() -> ExitCode {
    let options = match options(std::env::args()) {
        Ok(options) => options,
        Err(error) => return fail(&error),
    };
    if let Some((target, file)) = options.single {
        return match std::fs::read(&file) {
            Ok(bytes) => {
                let verdict = if (target.run)(&bytes) { "accepted" } else { "refused" };
                println!("{verdict}");
                ExitCode::SUCCESS
            }
            Err(error) => fail(&format!("{}: {error}", file.display())),
        };
    }
    let corpus = match read_corpus(&options.corpus) {
        Ok(corpus) => corpus,
        Err(error) => return fail(&error),
    };
    // Panics are caught, shrunk and reported once.
    std::panic::set_hook(Box::new(|_| {}));
    let start = Instant::now();
    let mut soak = Soak::new(options.seed, corpus);
    if options.plant {
        soak.plant();
    }
    // At least one round, so that a short time tries something.
    while soak.rounds == 0 || start.elapsed() < options.time {
        soak.round();
    }
    println!("{}", soak.details());
    println!("{}", soak.summary());
    if soak.differences == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
