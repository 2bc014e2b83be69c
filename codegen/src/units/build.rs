//! Units in a build script.

use std::env;
use std::path::PathBuf;
use std::process::exit;

use super::found::{self, Found};
use super::{Change, Problems, Units, compare};

/// Set to anything but nothing, `0` or `false`: no build writes units.
const FROZEN: [&str; 2] = ["CI", "TRACELOOM_FROZEN"];

impl Units {
    /// For build scripts: regenerates the units of new and changed programs in place,
    /// writing only files whose content changes, and removes those of removed ones.
    ///
    /// Ends the process with an error where a person is needed: a program is at
    /// fault; a generated file was edited; or, with `CI` or `TRACELOOM_FROZEN` set,
    /// anything is not as the programs say. Output inside of `OUT_DIR` is nobody's to
    /// edit and simply written.
    pub fn build(&self) {
        self.print_triggers();
        let frozen = FROZEN.iter().any(|name| is_set(name));
        // Messages are read in other folders than the one that scripts run in.
        let folder = env::var_os("CARGO_MANIFEST_DIR").map_or(self.root.clone(), PathBuf::from);
        if let Err(problems) = self.clone().in_crate(folder).regenerate(frozen) {
            for line in problems.to_string().lines() {
                // The last text of cargo about this script.
                println!("cargo::error={line}");
            }
            exit(1);
        }
    }

    fn print_triggers(&self) {
        // A folder stands for everything in it, new files included.
        println!("cargo::rerun-if-changed={}", self.programs.display());
        if !self.is_build_output() {
            println!("cargo::rerun-if-changed={}", self.output.display());
        }
        for name in FROZEN {
            println!("cargo::rerun-if-env-changed={name}");
        }
    }

    /// What [`Units::build`] does, without an end of the process; what was changed.
    ///
    /// # Errors
    /// [`Problems`] that need a person; then nothing was changed.
    pub fn regenerate(&self, frozen: bool) -> Result<Vec<Change>, Problems> {
        let expected = self.expected()?;
        let found = Found::read(self)?;
        if self.is_build_output() {
            let (changes, _) = compare::all_changes(&expected, &found);
            return found::apply(self, &changes).map(|()| changes);
        }
        if frozen {
            return self.report(compare::differences(&expected, &found)).map(|()| Vec::new());
        }
        let (changes, refused) = compare::build_changes(&expected, &found);
        self.report(refused)?;
        if !changes.is_empty() {
            found::apply(self, &changes)?;
            found::set_times(self, &changes);
        }
        Ok(changes)
    }
}

fn is_set(name: &str) -> bool {
    env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0" && value != "false")
}
