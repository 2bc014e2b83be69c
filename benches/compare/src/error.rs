//! Everything that can end a benchmark early.

use std::io;
use std::path::PathBuf;

use crate::command::Owner;
use crate::run::State;

/// Why no result came out. [`Error::exit_code`] says whose fault it is.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A command without a program.
    #[error("command {side} is empty; give a program and its arguments")]
    EmptyCommand {
        /// Whose command.
        side: Owner,
    },
    /// Quotes that do not close.
    #[error("command {side} has a quote or a backslash without an end: {text}")]
    Quotes {
        /// Whose command.
        side: Owner,
        /// The text that was given.
        text: String,
    },
    /// A byte that no argument of a program can hold.
    #[error("command {side} has a NUL character, which no program can be given")]
    Nul {
        /// Whose command.
        side: Owner,
    },
    /// A template that gives the same command for every setting.
    #[error(
        "the template has no {{}} for the settings of --a and --b: {template}; \
         to compare a command with itself, give it to --a and to --b"
    )]
    NoPlace {
        /// The template.
        template: String,
    },
    /// A program that is not there or may not be run.
    #[error(
        "command {side}: no program {program:?}, neither as a path nor in PATH; commands are \
         not read by a shell, write sh -c '...' for one"
    )]
    NoProgram {
        /// Whose command.
        side: Owner,
        /// Its first word.
        program: String,
    },
    /// Two outputs of one path.
    #[error("--csv and --json both name {}; give two paths", path.display())]
    SameOutput {
        /// The path.
        path: PathBuf,
    },
    /// A folder of a job that has files.
    #[error("{} is not empty, and a job writes over nothing; name another --out", path.display())]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// A cap on memory that this system does not give.
    #[error(
        "cannot cap the memory of the job, at {}: {source}; give a group that you may write with \
         --cgroup, or leave out --memory-max",
        path.display()
    )]
    Cap {
        /// Where.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Stored figures of something else.
    #[error(
        "the baseline is of another {what}, so nothing can be compared:\n  stored {stored}\n  \
         now    {found}"
    )]
    OtherBaseline {
        /// What differs.
        what: &'static str,
        /// What the baseline has.
        stored: String,
        /// What is there now.
        found: String,
    },
    /// A job that did not succeed.
    #[error("the job {state}{}\nits folder is {}", quoted(stderr), folder.display())]
    Job {
        /// How it ended.
        state: String,
        /// Last lines of its standard error.
        stderr: String,
        /// Where all about it is.
        folder: PathBuf,
    },
    /// A job above its gate.
    #[error("the job is above its gate: {what}\nits folder is {}", folder.display())]
    Gate {
        /// The figures.
        what: String,
        /// Where all about it is.
        folder: PathBuf,
    },
    /// An output that cannot be written.
    #[error("cannot write {what} to {}: {source}", path.display())]
    Write {
        /// What was to be written.
        what: &'static str,
        /// Where.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A file that cannot be read.
    #[error("cannot read {what} {}: {source}", path.display())]
    Read {
        /// What was to be read.
        what: &'static str,
        /// Where.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The system refused to start or to wait for a program that was found.
    #[error("{place}: cannot run {}: {source}", program.display())]
    Start {
        /// Side and pair.
        place: String,
        /// The file.
        program: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A run that did not succeed.
    #[error("{place}: the command {state}\n  {line}{}", quoted(stderr))]
    Failed {
        /// Side and pair.
        place: String,
        /// How it ended.
        state: State,
        /// The command.
        line: String,
        /// Last lines of its standard error.
        stderr: String,
    },
    /// A program or named input that is not what the first runs used.
    #[error(
        "{} changed while the benchmark ran, so its runs are not of one thing; \
         compare files that nothing rewrites",
        path.display()
    )]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// A signal.
    #[error("interrupted after {runs} runs")]
    Interrupted {
        /// Runs that are complete.
        runs: usize,
    },
    /// Measurements that the statistics refuse; no clock gives such.
    #[error("the measured {quantity} are not finite numbers above or equal to zero")]
    Clock {
        /// Which measurements.
        quantity: &'static str,
    },
}

impl Error {
    /// 1 if the commands are to blame (or somebody stopped them), 2 for usage and for files.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Start { .. }
            | Error::Failed { .. }
            | Error::Changed { .. }
            | Error::Job { .. }
            | Error::Gate { .. }
            | Error::Interrupted { .. }
            | Error::Clock { .. } => 1,
            _ => 2,
        }
    }
}

fn quoted(stderr: &str) -> String {
    if stderr.is_empty() {
        return "\nit wrote nothing to standard error".to_owned();
    }
    let lines: Vec<String> = stderr.lines().map(|line| format!("  | {line}")).collect();
    format!("\nlast lines of its standard error:\n{}", lines.join("\n"))
}
