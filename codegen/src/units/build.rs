//! Units in a build script.

use std::env;
use std::path::{Path, PathBuf};
use std::process::exit;
use std::time::Duration;

use super::found::{self, Found};
use super::{Change, Expected, Problems, Units, compare};
use crate::device::{Environment, Failures, Job, MODE, Outcome, Triggers};

/// Set to anything but nothing, `0` or `false`: no build writes units.
const FROZEN: [&str; 2] = ["CI", "TRACELOOM_FROZEN"];

/// Builds that spend longer than this on device code say so.
const LONG: Duration = Duration::from_secs(20);

impl Units {
    /// For build scripts: regenerates the units of new and changed programs in place,
    /// writing only files whose content changes, and removes those of removed ones.
    /// Then compiles their device code where nvcc is found, as [`crate::device`] has
    /// it, and lists the images in `OUT_DIR`.
    ///
    /// Ends the process with an error if a person is needed: a program is wrong; a generated
    /// file was edited; with `CI` or `TRACELOOM_FROZEN` set, a unit differs from its program;
    /// or device code does not compile. Output inside of `OUT_DIR` is always written, because
    /// nobody edits it.
    pub fn build(&self) {
        self.print_triggers();
        let frozen = FROZEN.iter().any(|name| is_set(name));
        // Messages are read in other folders than the one that scripts run in.
        let folder = env::var_os("CARGO_MANIFEST_DIR").map_or(self.root.clone(), PathBuf::from);
        let units = self.clone().in_crate(folder);
        let expected = units.follow(frozen).map(|(expected, _)| expected);
        let expected = expected.unwrap_or_else(|problems| fail(&problems.to_string()));
        for line in units.notes(&expected).lines() {
            println!("cargo::warning={line}");
        }
        let Some(out) = env::var_os("OUT_DIR") else {
            fail("OUT_DIR is not set: this is for build scripts, which cargo runs");
        };
        if let Err(failures) = units.build_device(&expected, Path::new(&out)) {
            fail(&failures.to_string());
        }
    }

    fn print_triggers(&self) {
        // A folder stands for everything in it, new files included. One that is not there would
        // make every build run the script; a crate may have op tables alone.
        if self.tables.is_empty() || self.programs.exists() {
            println!("cargo::rerun-if-changed={}", self.programs.display());
        }
        if !self.is_build_output() {
            println!("cargo::rerun-if-changed={}", self.output.display());
        }
        for name in FROZEN {
            println!("cargo::rerun-if-env-changed={name}");
        }
        let Triggers { variables, paths } = Triggers::of(&Environment::of_process());
        for name in variables {
            println!("cargo::rerun-if-env-changed={name}");
        }
        for path in paths {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }

    /// Compiles device code and prints one line if the result may surprise the user.
    fn build_device(&self, expected: &Expected, out: &Path) -> Result<(), Failures> {
        let environment = Environment::of_process();
        let progress = |line: &str| println!("{line}");
        let job = Job { environment: &environment, folder: out, progress: &progress };
        let outcome = job.run(&self.device_programs(expected))?;
        println!("{outcome}");
        match outcome {
            Outcome::Off => {}
            Outcome::NoCompiler => println!(
                "cargo::warning=no nvcc (NVCC, CUDA_HOME, CUDA_PATH, PATH): device code is not \
                 compiled in; {MODE}=off says that this is meant"
            ),
            Outcome::Compiled(report) if report.duration >= LONG => println!(
                "cargo::warning=device code: {}; unchanged functions are not compiled again, \
                 {MODE}=off builds without",
                report.summary()
            ),
            Outcome::Compiled(_) => {}
        }
        Ok(())
    }

    /// The part of [`Units::build`] about units. It does not end the process. Returns what was
    /// changed.
    ///
    /// # Errors
    /// [`Problems`] that need a person; then nothing was changed.
    pub fn regenerate(&self, frozen: bool) -> Result<Vec<Change>, Problems> {
        self.follow(frozen).map(|(_, changes)| changes)
    }

    /// The expected set, which is there afterwards, and what was changed for it.
    fn follow(&self, frozen: bool) -> Result<(Expected, Vec<Change>), Problems> {
        let expected = self.expected()?;
        let found = Found::read(self, &expected)?;
        if self.is_build_output() {
            let (changes, _) = compare::all_changes(&expected, &found);
            return found::apply(self, &changes).map(|()| (expected, changes));
        }
        if frozen {
            self.report(compare::summed_up(&expected, &found))?;
            return Ok((expected, Vec::new()));
        }
        let (changes, refused) = compare::build_changes(&expected, &found);
        self.report(refused)?;
        if !changes.is_empty() {
            found::apply(self, &changes)?;
            found::set_times(self, &changes);
        }
        Ok((expected, changes))
    }
}

/// Ends this process; cargo shows the lines and nothing else of the script's.
fn fail(text: &str) -> ! {
    for line in text.lines() {
        println!("cargo::error={line}");
    }
    exit(1)
}

fn is_set(name: &str) -> bool {
    env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0" && value != "false")
}
