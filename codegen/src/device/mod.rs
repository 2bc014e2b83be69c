//! Device code of a crate's programs, compiled with nvcc where there is one.
//!
//! In reading order:
//! - `environment`: the variables that say what to do;
//! - `toolkit`: the compiler of this machine;
//! - `architecture`: what it compiles for;
//! - `source`: which files an object is made from;
//! - `cache`: objects that were compiled before;
//! - `compile`: the other objects, in parallel;
//! - `join`: the objects of a program as one fatbin;
//! - `report`: registers, stack and spills of every kernel;
//! - `failure`: what can go wrong.
//!
//! Every file of a unit is compiled alone, as relocatable code, and the objects are linked. So
//! files compile in parallel, and a changed function compiles alone. Row writers of paths need no
//! more registers for that (`docs/measurements.md` compares), because no function calls a
//! function of another file.
//!
//! Layout (owned here) of the folder that everything is written to, `OUT_DIR` in
//! build scripts:
//!
//! | file | content |
//! | --- | --- |
//! | `device_images.rs` | the list of images, an expression |
//! | `device_report.txt` | what was compiled for what, and the table of kernels |
//! | `device/NAME.fatbin` | the image of a program |
//! | `device/NAME/` | its sources, objects and, where nvcc failed, what it said |
//! | `device/cache/` | objects by digest; `TRACELOOM_CUDA_CACHE` names another folder |

mod architecture;
mod cache;
mod compile;
mod environment;
mod failure;
mod join;
mod report;
mod source;
mod toolkit;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

pub use architecture::{Architecture, VARIABLE as ARCHITECTURES};
pub use environment::{CACHE, Environment, MODE, Mode};
pub use failure::{Failure, Failures};
pub use report::{Kernel, Report};
pub use toolkit::Toolkit;

use cache::Cache;

use crate::whole;

/// Device code of one program, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceProgram {
    /// Its name; also that of its image.
    pub name: String,
    /// Unit digest, in hexadecimal.
    pub digest: String,
    /// The folder of its files as people know it, for messages.
    pub folder: String,
    /// Text by file name: `.cu` is compiled, `.cuh` included by name.
    pub files: BTreeMap<String, String>,
}

impl DeviceProgram {
    /// The files that are compiled.
    fn sources(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str).filter(|name| name.ends_with(".cu"))
    }
}

/// What was done about device code.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Nothing: it is turned off.
    Off,
    /// Nothing: no compiler was found.
    NoCompiler,
    /// All of it was compiled, or had been.
    Compiled(Report),
}

/// Where device code is written to, and who hears about it.
pub struct Job<'a> {
    /// What the variables say.
    pub environment: &'a Environment,
    /// See the layout above.
    pub folder: &'a Path,
    /// Called with a line about every compiled file.
    pub progress: &'a (dyn Fn(&str) + Sync),
}

impl Job<'_> {
    /// Compiles `programs` if the variables say so and there is a compiler. In every case it
    /// writes all files of the layout, so that they state what was compiled.
    ///
    /// # Errors
    /// [`Failures`]: of the variables, of the compiler, or of every file that failed
    /// before the others were given up.
    pub fn run(&self, programs: &[DeviceProgram]) -> Result<Outcome, Failures> {
        let outcome = self.outcome(programs)?;
        let images = match &outcome {
            Outcome::Compiled(report) => join::list(programs, &report.architectures),
            Outcome::Off | Outcome::NoCompiler => join::list(&[], &[]),
        };
        write(&self.folder.join("device_images.rs"), images.as_bytes())?;
        write(&self.folder.join("device_report.txt"), outcome.to_string().as_bytes())?;
        Ok(outcome)
    }

    fn outcome(&self, programs: &[DeviceProgram]) -> Result<Outcome, Failures> {
        let mode = self.environment.mode()?;
        if mode == Mode::Off {
            return Ok(Outcome::Off);
        }
        match toolkit::find(self.environment)? {
            Some(nvcc) => self.compile(programs, nvcc).map(Outcome::Compiled),
            None if mode == Mode::Require => Err(Failure::NoCompiler.into()),
            None => Ok(Outcome::NoCompiler),
        }
    }

    fn compile(&self, programs: &[DeviceProgram], nvcc: PathBuf) -> Result<Report, Failures> {
        let start = Instant::now();
        let toolkit = Toolkit::of(nvcc, self.environment)?;
        let list = self.environment.text(ARCHITECTURES);
        let architectures =
            architecture::choose(list.as_deref(), &toolkit.known, architecture::local)?;
        let folder = self.folder.join("device");
        let cache = Cache::new(self.environment.cache(&folder));
        let objects = compile::Compilation {
            toolkit: &toolkit,
            cache: &cache,
            folder: &folder,
            threads: self.environment.threads(),
            progress: self.progress,
        }
        .run(programs, &architectures)?;
        let (mut kernels, mut images) = (Vec::new(), Vec::new());
        for program in programs.iter().filter(|program| program.sources().next().is_some()) {
            let (bytes, of_program) = join::program(&toolkit, &folder, program, &objects)?;
            kernels.extend(of_program);
            images.push((program.name.clone(), bytes));
        }
        report::sort(&mut kernels);
        Ok(Report {
            compiler: format!("nvcc {}", toolkit.version),
            architectures,
            kernels,
            images,
            num_compiled: objects.num_compiled(),
            num_cached: objects.num_cached(),
            duration: start.elapsed(),
        })
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Off => writeln!(f, "no device code is compiled: {MODE}=off"),
            Self::NoCompiler => writeln!(
                f,
                "no device code is compiled: nvcc is not in NVCC, CUDA_HOME, CUDA_PATH or PATH"
            ),
            Self::Compiled(report) => report.fmt(f),
        }
    }
}

/// The paths and variables that decide what [`Job::run`] does: a change of any is a
/// reason to run again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Triggers {
    /// Names of variables.
    pub variables: Vec<&'static str>,
    /// The compiler, if there is one.
    pub paths: Vec<PathBuf>,
}

impl Triggers {
    /// Those of this environment: the compiler that was found, and the variables that name one.
    /// `PATH` is not among them: it differs from terminal to terminal, and cargo watches a
    /// folder with everything below. Who installs a compiler sets `CUDA_HOME`, or changes
    /// [`MODE`] once.
    #[must_use]
    pub fn of(environment: &Environment) -> Self {
        let mut variables = vec![MODE];
        if environment.mode() == Ok(Mode::Off) {
            return Self { variables, paths: Vec::new() };
        }
        variables.extend([ARCHITECTURES, CACHE]);
        variables.extend(toolkit::VARIABLES);
        let found = toolkit::find(environment).ok().flatten();
        Self { variables, paths: found.into_iter().collect() }
    }
}

/// Writes a whole file, and the folders that it is in.
fn write(path: &Path, content: &[u8]) -> Result<(), Failure> {
    let folders = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    folders
        .and_then(|()| whole::write(path, content))
        .map_err(|error| Failure::Folder { path: path.to_owned(), why: error.to_string() })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Environment, Job, Outcome, Triggers};

    fn environment(variables: &[(&str, &str)]) -> Environment {
        let owned = variables.iter().map(|&(name, value)| (name.to_owned(), value.into()));
        Environment::of(owned)
    }

    fn run(variables: &[(&str, &str)]) -> Result<(Outcome, String), String> {
        let folder = tempfile::tempdir().unwrap();
        let job =
            Job { environment: &environment(variables), folder: folder.path(), progress: &|_| {} };
        let outcome = job.run(&[]).map_err(|failures| failures.to_string())?;
        let images = fs::read_to_string(folder.path().join("device_images.rs")).unwrap();
        let report = fs::read_to_string(folder.path().join("device_report.txt")).unwrap();
        assert_eq!(report, outcome.to_string());
        Ok((outcome, images))
    }

    #[test]
    fn without_a_compiler_the_list_is_empty() {
        let (outcome, images) = run(&[("PATH", "")]).unwrap();
        assert!(matches!(outcome, Outcome::NoCompiler));
        assert_eq!(images.split_whitespace().collect::<String>(), "&[]");
        let (outcome, _) = run(&[("TRACELOOM_CUDA", "off"), ("NVCC", "/gone")]).unwrap();
        assert!(matches!(outcome, Outcome::Off));
    }

    #[test]
    fn who_requires_device_code_gets_an_error() {
        let error = run(&[("TRACELOOM_CUDA", "require")]).unwrap_err();
        for part in ["TRACELOOM_CUDA=require", "NVCC, CUDA_HOME, CUDA_PATH", "PATH"] {
            assert!(error.contains(part), "{error}");
        }
        let error = run(&[("TRACELOOM_CUDA", "yes")]).unwrap_err();
        assert!(error.contains("`yes`") && error.contains("off, auto or require"), "{error}");
    }

    /// A folder of `PATH` may have anything in it, such as a target folder.
    #[test]
    fn path_is_no_trigger_and_the_compiler_in_it_is() {
        let variables = |set: &[(&str, &str)]| Triggers::of(&environment(set)).variables;
        assert_eq!(variables(&[("TRACELOOM_CUDA", "off")]), ["TRACELOOM_CUDA"]);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().display().to_string();
        fs::write(folder.path().join("cargo"), "").unwrap();
        let without = Triggers::of(&environment(&[("PATH", &path)]));
        assert!(!without.variables.contains(&"PATH") && without.paths.is_empty(), "{without:?}");
        let nvcc = folder.path().join(format!("nvcc{}", std::env::consts::EXE_SUFFIX));
        fs::write(&nvcc, "").unwrap();
        let with = Triggers::of(&environment(&[("PATH", &path)]));
        assert!(!with.variables.contains(&"PATH") && with.paths == [nvcc], "{with:?}");
    }
}
