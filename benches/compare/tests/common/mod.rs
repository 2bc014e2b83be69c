//! Runs the tool in a folder of its own.

// Every test binary includes this module, and none uses all of it.
#![allow(dead_code)]

use std::path::PathBuf;
use std::process::{Command, Output};

use tempfile::TempDir;

/// A folder in which the tool runs.
pub struct Place(TempDir);

/// Exit code, standard output and standard error.
pub struct Ended {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Place {
    pub fn new() -> Self {
        Place(TempDir::new().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn json(&self, name: &str) -> serde_json::Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// Lines of a table below its header, split at commas.
    pub fn table(&self, name: &str) -> Vec<Vec<String>> {
        let cells = |line: &str| line.split(',').map(str::to_owned).collect();
        self.read(name).lines().skip(1).map(cells).collect()
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_traceloom-bench"));
        command.args(arguments).current_dir(self.0.path());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ended {
        Ended::from(self.command(arguments).output().unwrap())
    }
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        Ended {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}
