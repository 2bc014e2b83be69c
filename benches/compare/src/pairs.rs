//! The order of the runs, the runs themselves, and their table.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::Error;
use crate::command::{Command, Side};
use crate::compare::Pair;
use crate::run::{Measured, Running, State, run};

/// What to run, and how.
#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    /// Side A.
    pub a: Command,
    /// Side B.
    pub b: Command,
    /// Number of pairs, even.
    pub pairs: usize,
    /// Runs of each side before the first pair.
    pub warmups: usize,
    /// Most time that one run may take.
    #[serde(rename = "timeout_seconds", serialize_with = "seconds")]
    pub timeout: Option<Duration>,
    /// Folder that keeps the outputs of the commands.
    pub keep: Option<PathBuf>,
}

/// One run of a pair.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// Its pair, from 1.
    pub pair: usize,
    /// Which side.
    pub side: Side,
    /// Seconds from the start of the first run to its own.
    pub start: f64,
    /// What it took.
    #[serde(flatten)]
    pub measured: Measured,
}

/// The table of runs, a line as soon as a run has ended.
pub struct Table {
    path: PathBuf,
    writer: csv::Writer<File>,
}

const COLUMNS: [&str; 11] = [
    "run",
    "pair",
    "side",
    "start_s",
    "wall_s",
    "user_s",
    "system_s",
    "processor_s",
    "peak_bytes",
    "state",
    "left_behind",
];

impl Table {
    /// Creates the file and writes the header.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn create(path: &Path) -> Result<Self, Error> {
        let fault = |source| Error::Write { what: "the table", path: path.to_owned(), source };
        let writer = csv::Writer::from_writer(File::create(path).map_err(fault)?);
        let mut table = Table { path: path.to_owned(), writer };
        table.line(COLUMNS.map(str::to_owned))?;
        Ok(table)
    }

    fn add(&mut self, number: usize, run: &Run) -> Result<(), Error> {
        let Measured { wall, user, system, peak_bytes, state, left_behind } = run.measured;
        self.line([
            number.to_string(),
            run.pair.to_string(),
            run.side.to_string(),
            format!("{:.6}", run.start),
            format!("{wall:.9}"),
            format!("{user:.6}"),
            format!("{system:.6}"),
            format!("{:.6}", run.measured.processor()),
            peak_bytes.to_string(),
            state.word(),
            left_behind.to_string(),
        ])
    }

    fn line(&mut self, cells: [String; COLUMNS.len()]) -> Result<(), Error> {
        let result = self.writer.write_record(cells).map_err(std::io::Error::from);
        let result = result.and_then(|()| self.writer.flush());
        result.map_err(|source| Error::Write { what: "the table", path: self.path.clone(), source })
    }
}

/// The sides of a pair in the order in which they run: A B for odd pairs, B A for even
/// ones, so that two pairs run A B B A and a steady drift cancels.
pub fn order(pair: usize) -> [Side; 2] {
    if pair % 2 == 1 { [Side::A, Side::B] } else { [Side::B, Side::A] }
}

/// Runs all pairs. `runs` has every run that ended, also where an error is returned;
/// `progress` is told of each complete pair.
///
/// # Errors
/// A command fails, cannot be run or is interrupted; the table cannot be written.
pub fn measure(
    plan: &Plan,
    running: &Running,
    table: &mut Option<Table>,
    runs: &mut Vec<Run>,
    progress: &mut dyn FnMut(&[Run]),
) -> Result<(), Error> {
    for warmup in 1..=plan.warmups {
        for side in order(warmup) {
            let name = format!("warmup-{warmup}");
            let ended = one(plan, side, &name, running, runs.len())?;
            check(plan, side, &name, &ended)?;
        }
    }
    let began = Instant::now();
    for pair in 1..=plan.pairs {
        for side in order(pair) {
            let name = format!("pair-{pair}");
            let start = began.elapsed().as_secs_f64();
            let ended = one(plan, side, &name, running, runs.len())?;
            let run = Run { pair, side, start, measured: ended.measured };
            runs.push(run.clone());
            if let Some(table) = table {
                table.add(runs.len(), &run)?;
            }
            check(plan, side, &name, &ended)?;
        }
        progress(&runs[runs.len() - 2..]);
    }
    Ok(())
}

/// One quantity of complete pairs.
pub fn quantity(runs: &[Run], of: impl Fn(&Measured) -> f64) -> Vec<Pair> {
    runs.chunks_exact(2)
        .map(|pair| {
            let (first, second) = (of(&pair[0].measured), of(&pair[1].measured));
            let b_first = pair[0].side == Side::B;
            let (a, b) = if b_first { (second, first) } else { (first, second) };
            Pair { a, b, b_first }
        })
        .collect()
}

pub(crate) fn seconds<S: serde::Serializer>(
    duration: &Option<Duration>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    duration.map(|duration| duration.as_secs_f64()).serialize(serializer)
}

/// The same of one that is always there.
pub(crate) fn some_seconds<S: serde::Serializer>(
    duration: &Duration,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    duration.as_secs_f64().serialize(serializer)
}

struct Ended {
    measured: Measured,
    stderr: File,
}

fn one(
    plan: &Plan,
    side: Side,
    name: &str,
    running: &Running,
    complete: usize,
) -> Result<Ended, Error> {
    let command = plan.command(side);
    let (stdout, stderr) = match &plan.keep {
        Some(folder) => {
            let file = |kind| create(&folder.join(format!("{name}-{side}.{kind}")));
            (Some(file("stdout")?), file("stderr")?)
        }
        None => (None, tempfile::tempfile().map_err(temporary)?),
    };
    let for_child = stderr.try_clone().map_err(temporary)?;
    let result = run(command, stdout, for_child, plan.timeout, running);
    if running.is_interrupted() {
        return Err(Error::Interrupted { runs: complete });
    }
    let measured = result.map_err(|source| Error::Start {
        place: place(side, name),
        program: command.program.clone(),
        source,
    })?;
    Ok(Ended { measured, stderr })
}

fn check(plan: &Plan, side: Side, name: &str, ended: &Ended) -> Result<(), Error> {
    let state = ended.measured.state;
    if state == State::Done {
        return Ok(());
    }
    Err(Error::Failed {
        place: place(side, name),
        state,
        line: plan.command(side).line(),
        stderr: last_lines(&ended.stderr),
    })
}

impl Plan {
    fn command(&self, side: Side) -> &Command {
        match side {
            Side::A => &self.a,
            Side::B => &self.b,
        }
    }
}

fn place(side: Side, name: &str) -> String {
    format!("side {side}, {}", name.replace('-', " "))
}

fn create(path: &Path) -> Result<File, Error> {
    let options = File::options().read(true).write(true).create(true).truncate(true).open(path);
    options.map_err(|source| Error::Write {
        what: "the output of a command",
        path: path.to_owned(),
        source,
    })
}

fn temporary(source: std::io::Error) -> Error {
    Error::Write { what: "standard error of a command", path: std::env::temp_dir(), source }
}

/// At most ten lines and 4 KiB from the end of a file; what cannot be read is said.
pub(crate) fn last_lines(mut file: &File) -> String {
    let mut read = || -> std::io::Result<Vec<u8>> {
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(4096)))?;
        let mut bytes = Vec::new();
        file.take(4096).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    match read() {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&bytes);
            let lines: Vec<&str> = text.lines().collect();
            lines[lines.len().saturating_sub(10)..].join("\n")
        }
        Err(error) => format!("(it cannot be read: {error})"),
    }
}
