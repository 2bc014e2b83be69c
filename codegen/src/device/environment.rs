//! The variables that say what to do about device code.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use super::{ARCHITECTURES, Failure, toolkit};

/// The variable that says whether device code is compiled.
pub const MODE: &str = "TRACELOOM_CUDA";

/// The variable that names the folder of compiled objects.
pub const CACHE: &str = "TRACELOOM_CUDA_CACHE";

/// Threads of a build, as cargo tells its scripts.
const THREADS: &str = "NUM_JOBS";

/// Whether device code is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Never.
    Off,
    /// Where a compiler is found.
    Auto,
    /// Always: without a compiler there is an error.
    Require,
}

/// Variables by name, of this process or any others.
#[derive(Clone, Debug, Default)]
pub struct Environment(BTreeMap<String, OsString>);

impl Environment {
    /// These variables only.
    pub fn of(variables: impl IntoIterator<Item = (String, OsString)>) -> Self {
        Self(variables.into_iter().collect())
    }

    /// Those of this process.
    #[must_use]
    pub fn of_process() -> Self {
        let names = [MODE, ARCHITECTURES, CACHE, THREADS, "PATH"];
        let names = names.into_iter().chain(toolkit::VARIABLES);
        Self::of(names.filter_map(|name| Some((name.to_owned(), std::env::var_os(name)?))))
    }

    /// The same with another value of one variable.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    /// The value of a variable; none if it is empty.
    pub(super) fn get(&self, name: &str) -> Option<OsString> {
        self.0.get(name).filter(|value| !value.is_empty()).cloned()
    }

    pub(super) fn text(&self, name: &str) -> Option<String> {
        self.get(name).map(|value| value.to_string_lossy().into_owned())
    }

    /// Whether device code is compiled. If the variable is not set, it is compiled if a compiler
    /// is found.
    ///
    /// # Errors
    /// [`Failure::Mode`] if the variable says anything else.
    pub fn mode(&self) -> Result<Mode, Failure> {
        match self.text(MODE).as_deref() {
            None | Some("auto") => Ok(Mode::Auto),
            Some("off") => Ok(Mode::Off),
            Some("require") => Ok(Mode::Require),
            Some(value) => Err(Failure::Mode(value.to_owned())),
        }
    }

    /// The folder of the cache, where `folder` is that of device code.
    pub(super) fn cache(&self, folder: &Path) -> PathBuf {
        self.get(CACHE).map_or_else(|| folder.join("cache"), PathBuf::from)
    }

    pub(super) fn threads(&self) -> usize {
        let told = self.text(THREADS).and_then(|text| text.parse().ok());
        told.unwrap_or_else(|| available_parallelism().map_or(1, usize::from)).max(1)
    }
}
