//! What can go wrong with device code, as text.

use std::fmt;
use std::path::PathBuf;

use super::{ARCHITECTURES, MODE};

/// How to build without device code.
const WITHOUT: &str = "TRACELOOM_CUDA=off builds without device code";

/// Why device code was not compiled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The mode is unknown.
    #[error("{MODE} is `{0}`; it must be off, auto or require")]
    Mode(String),
    /// An entry of the list of architectures is at fault.
    #[error("{ARCHITECTURES}: `{entry}` {why}")]
    Architecture {
        /// The entry.
        entry: String,
        /// What is wrong with it.
        why: String,
    },
    /// There is no compiler, and one is wanted.
    #[error(
        "{MODE}=require, but nvcc is not in NVCC, CUDA_HOME, CUDA_PATH or PATH; install a CUDA \
         toolkit and name it in one of these, or set {MODE}=auto"
    )]
    NoCompiler,
    /// A compiler does not work.
    #[error("{}: {why}; {WITHOUT}", tool.display())]
    Toolkit {
        /// The compiler.
        tool: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A file includes a file that does not belong to it.
    #[error(
        "program {program}, {file}: includes \"{name}\", which is neither beside it nor a support \
         header"
    )]
    Include {
        /// The program.
        program: String,
        /// The file.
        file: String,
        /// What it includes.
        name: String,
    },
    /// A file does not compile.
    #[error(
        "program {program}, {file}: nvcc for {architecture} says: {line}\n  {} has all that it \
         said; code that does not compile is a fault of the generator or of this toolkit: \
         {WITHOUT}",
        log.display()
    )]
    Compile {
        /// The program.
        program: String,
        /// The file.
        file: String,
        /// What it was compiled for.
        architecture: String,
        /// The first line of an error.
        line: String,
        /// The file with all lines.
        log: PathBuf,
    },
    /// The objects of a program cannot be joined.
    #[error("program {program}: {tool} says: {line}; {WITHOUT}")]
    Join {
        /// The program.
        program: String,
        /// What failed.
        tool: String,
        /// The first line of an error.
        line: String,
    },
    /// A file cannot be written or read.
    #[error("{}: {why}", path.display())]
    Folder {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
}

/// Everything that went wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failures(pub Vec<Failure>);

impl From<Failure> for Failures {
    fn from(failure: Failure) -> Self {
        Self(vec![failure])
    }
}

impl fmt::Display for Failures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for Failures {}

/// The line of a compiler's output that says what is wrong.
pub(super) fn first_error(output: &str) -> String {
    let lines = || output.lines().map(str::trim).filter(|line| !line.is_empty());
    let is_error = |line: &&str| line.contains("error") || line.contains("fatal");
    let line = lines().find(is_error).or_else(|| lines().next());
    line.unwrap_or("nothing").to_owned()
}
