//! What was measured: files by digest, commits, the machine, the date, the load.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::Error;
use crate::command::Command;
use crate::machine::{self, Machine};

/// A file and what was in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Digest {
    /// Where it is.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// BLAKE3 of its bytes, in hexadecimal.
    pub blake3: String,
}

/// The state of a git checkout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Checkout {
    /// Hash of the commit.
    pub commit: String,
    /// Whether files differ from it, or are there that it does not know. `None` if git
    /// does not say.
    pub dirty: Option<bool>,
}

/// A program of one side.
#[derive(Clone, Debug, Serialize)]
pub struct Program {
    /// The command as one line.
    pub line: String,
    /// The file that runs.
    pub file: Digest,
    /// The checkout that the file lies in.
    pub checkout: Option<Checkout>,
}

/// The programs of a comparison.
#[derive(Clone, Debug, Serialize)]
pub struct Sides {
    /// Side A.
    pub a: Program,
    /// Side B.
    pub b: Program,
}

/// The program of a job.
#[derive(Clone, Debug, Serialize)]
pub struct Job {
    /// The program.
    pub program: Program,
    /// Variables that change what such programs do, as they were.
    pub environment: BTreeMap<String, String>,
}

/// Begins of the names of such variables.
const VARIABLES: [&str; 5] = ["TRACELOOM_", "RAYON_", "CUDA_", "NVIDIA_", "RUST"];

/// The files that ran.
pub trait Programs {
    /// All of them.
    fn files(&self) -> Vec<&Digest>;
}

impl Programs for Sides {
    fn files(&self) -> Vec<&Digest> {
        vec![&self.a.file, &self.b.file]
    }
}

impl Programs for Job {
    fn files(&self) -> Vec<&Digest> {
        vec![&self.program.file]
    }
}

/// Everything that says what was measured.
#[derive(Clone, Debug, Serialize)]
pub struct Provenance<P = Sides> {
    /// Version of this tool.
    pub tool: &'static str,
    /// When the first run began, UTC.
    pub started: String,
    /// When the last run had ended, UTC. `None` while the benchmark runs.
    pub ended: Option<String>,
    /// What ran.
    #[serde(flatten)]
    pub programs: P,
    /// Files that were named as inputs.
    pub inputs: Vec<Digest>,
    /// Files among the arguments, as they were before the first run.
    pub arguments: Vec<Digest>,
    /// Those of them that had changed after the last run, as outputs do.
    pub changed_arguments: Vec<PathBuf>,
    /// The folder in which the commands run.
    pub folder: PathBuf,
    /// The checkout of that folder.
    pub checkout: Option<Checkout>,
    /// The machine.
    pub machine: Machine,
    /// Load averages before the first run.
    pub load_before: Option<[f64; 3]>,
    /// Load averages after the last run.
    pub load_after: Option<[f64; 3]>,
}

impl Provenance {
    /// Takes it all down before the first run.
    ///
    /// # Errors
    /// A program or a named input cannot be read.
    pub fn before(a: &Command, b: &Command, inputs: &[PathBuf]) -> Result<Self, Error> {
        let sides =
            Sides { a: program("the program of A", a)?, b: program("the program of B", b)? };
        Self::of(sides, &[a, b], inputs)
    }
}

impl Provenance<Job> {
    /// Takes it all down before a job.
    ///
    /// # Errors
    /// The program or a named input cannot be read.
    pub fn of_job(command: &Command, inputs: &[PathBuf]) -> Result<Self, Error> {
        let is_told = |name: &str| VARIABLES.iter().any(|begin| name.starts_with(begin));
        let environment = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .filter(|(name, _)| is_told(name))
            .chain(command.environment.iter().cloned())
            .collect();
        let job = Job { program: program("the program", command)?, environment };
        Self::of(job, &[command], inputs)
    }
}

impl<P: Programs> Provenance<P> {
    fn of(programs: P, commands: &[&Command], inputs: &[PathBuf]) -> Result<Self, Error> {
        let folder = std::env::current_dir().unwrap_or_default();
        let named = inputs.iter().map(|path| digest("the input file", path));
        let arguments = commands.iter().flat_map(|command| files_among(command));
        let distinct: BTreeMap<PathBuf, Digest> =
            arguments.map(|file| (file.path.clone(), file)).collect();
        Ok(Provenance {
            tool: concat!("traceloom-bench ", env!("CARGO_PKG_VERSION")),
            programs,
            inputs: named.collect::<Result<_, _>>()?,
            arguments: distinct.into_values().collect(),
            changed_arguments: Vec::new(),
            checkout: checkout(&folder),
            folder,
            machine: Machine::ask(),
            started: now(),
            ended: None,
            load_before: machine::load(),
            load_after: None,
        })
    }

    /// Completes it after the last run.
    ///
    /// # Errors
    /// A program or a named input is not what it was, or is gone.
    pub fn after(&mut self) -> Result<(), Error> {
        self.load_after = machine::load();
        self.ended = Some(now());
        let changed = |file: &Digest| digest("the file", &file.path).ok().as_ref() != Some(file);
        let gone = self.arguments.iter().filter(|file| changed(file));
        self.changed_arguments = gone.map(|file| file.path.clone()).collect();
        let fixed = self.programs.files().into_iter().chain(&self.inputs);
        match fixed.into_iter().find(|file| changed(file)) {
            Some(file) => Err(Error::Changed { path: file.path.clone() }),
            None => Ok(()),
        }
    }
}

fn now() -> String {
    let now = jiff::Timestamp::now();
    jiff::Timestamp::from_second(now.as_second()).unwrap_or(now).to_string()
}

fn program(what: &'static str, command: &Command) -> Result<Program, Error> {
    // Links are followed: the checkout is the one of the file itself.
    let real = command.program.canonicalize().unwrap_or_else(|_| command.program.clone());
    Ok(Program {
        line: command.line(),
        file: digest(what, &command.program)?,
        checkout: real.parent().and_then(checkout),
    })
}

fn digest(what: &'static str, path: &Path) -> Result<Digest, Error> {
    let read = |source| Error::Read { what, path: path.to_owned(), source };
    // Devices and pipes would be read for ever, or take from the command what it reads.
    if !path.metadata().map_err(read)?.is_file() {
        return Err(read(std::io::Error::other("it is not a regular file")));
    }
    // Read in pieces: a mapped file would count as memory of this process, and what it has
    // is the least that the system reports for the processes that it starts.
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path).map_err(read)?).map_err(read)?;
    Ok(Digest {
        path: path.to_owned(),
        bytes: hasher.count(),
        blake3: hasher.finalize().to_hex().to_string(),
    })
}

/// Regular files among the arguments, also those after the `=` of an option. What cannot
/// be read is left out: an argument that is not a file at all is nothing special.
fn files_among(command: &Command) -> Vec<Digest> {
    let arguments = command.words.iter().skip(1);
    let candidates =
        arguments.flat_map(|word| [Some(word.as_str()), word.split_once('=').map(|(_, v)| v)]);
    candidates.flatten().filter_map(|word| digest("the argument", Path::new(word)).ok()).collect()
}

fn checkout(folder: &Path) -> Option<Checkout> {
    let git = |arguments: &[&str]| {
        let folder = folder.to_str()?;
        machine::output("git", &[&["--no-optional-locks", "-C", folder], arguments].concat())
    };
    let commit = git(&["rev-parse", "--verify", "HEAD"])?;
    let dirty = git(&["status", "--porcelain"]).map(|changes| !changes.is_empty());
    Some(Checkout { commit, dirty })
}
