//! Compiles the files of all programs, side by side.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use traceloom_abi::cuda::HEADERS;

use super::cache::{self, Cache, Object};
use super::failure::first_error;
use super::{Architecture, DeviceProgram, Failure, Failures, Toolkit, source, write};

/// One run of the compiler over everything.
pub(super) struct Compilation<'a> {
    pub toolkit: &'a Toolkit,
    pub cache: &'a Cache,
    /// The folder of device code.
    pub folder: &'a Path,
    pub threads: usize,
    pub progress: &'a (dyn Fn(&str) + Sync),
}

/// Objects of all files, by program, architecture and file.
#[derive(Debug, Default)]
pub(super) struct Objects {
    objects: BTreeMap<(String, Architecture), BTreeMap<String, Object>>,
    compiled: usize,
    cached: usize,
}

impl Objects {
    pub(super) fn num_compiled(&self) -> usize {
        self.compiled
    }

    pub(super) fn num_cached(&self) -> usize {
        self.cached
    }

    /// Of a program: per architecture the object of each file.
    pub(super) fn of<'a>(
        &'a self,
        program: &'a str,
    ) -> impl Iterator<Item = (Architecture, &'a BTreeMap<String, Object>)> {
        let objects = self.objects.iter().filter(move |((name, _), _)| name == program);
        objects.map(|(&(_, architecture), objects)| (architecture, objects))
    }
}

/// A file and what to compile it for.
struct Task<'a> {
    program: &'a DeviceProgram,
    file: &'a str,
    architecture: Architecture,
    key: String,
    /// Bytes of text that are the file's own: what takes the time.
    size: usize,
}

impl Compilation<'_> {
    /// Compiles every file for every architecture, or finds it in the cache.
    ///
    /// # Errors
    /// [`Failures`] of files; after the first no other is begun.
    pub(super) fn run(
        &self,
        programs: &[DeviceProgram],
        architectures: &[Architecture],
    ) -> Result<Objects, Failures> {
        let mut objects = Objects::default();
        let mut tasks = Vec::new();
        for program in programs {
            for file in program.sources() {
                let read = source::closure(program, file)?;
                let size = read.values().map(|text| text.len()).sum();
                for &architecture in architectures {
                    let args = arguments(architecture);
                    let key = cache::key(&self.toolkit.banner, &args, file, &read);
                    let task = Task { program, file, architecture, key, size };
                    match self.cache.get(&task.key) {
                        Some(object) => {
                            objects.cached += 1;
                            objects.insert(&task, object);
                        }
                        None => tasks.push(task),
                    }
                }
            }
        }
        // None of the slow ones starts last.
        tasks.sort_by_key(|task| std::cmp::Reverse(task.size));
        for program in programs {
            if tasks.iter().any(|task| task.program.name == program.name) {
                self.write_sources(program)?;
            }
        }
        self.run_tasks(&tasks, &mut objects)?;
        Ok(objects)
    }

    fn run_tasks(&self, tasks: &[Task], objects: &mut Objects) -> Result<(), Failures> {
        let (next, has_failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let done = Mutex::new(Vec::new());
        let work = || {
            while !has_failed.load(Ordering::Relaxed) {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(task) = tasks.get(index) else { break };
                let start = Instant::now();
                let result = self.compile(task);
                has_failed.fetch_or(result.is_err(), Ordering::Relaxed);
                let mut done = done.lock().expect("no thread panics");
                done.push((index, result));
                let (count, seconds) = (done.len(), start.elapsed().as_secs_f64());
                let (file, architecture) = (task.file, task.architecture);
                (self.progress)(&format!(
                    "{count}/{} {file} for {architecture}, {seconds:.1} s",
                    tasks.len()
                ));
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..self.threads.min(tasks.len()) {
                scope.spawn(work);
            }
        });
        let mut done = done.into_inner().expect("no thread panics");
        done.sort_by_key(|&(index, _)| index);
        let mut failures = Vec::new();
        for (index, result) in done {
            match result {
                Ok(object) => {
                    objects.compiled += 1;
                    objects.insert(&tasks[index], object);
                }
                Err(failure) => failures.push(failure),
            }
        }
        if failures.is_empty() { Ok(()) } else { Err(Failures(failures)) }
    }

    /// Runs the compiler in the folder of the sources, so that no path of this machine
    /// reaches an object.
    fn compile(&self, task: &Task) -> Result<Object, Failure> {
        let folder = self.folder.join(&task.program.name);
        let stem = task.file.trim_end_matches(".cu");
        let output = format!("{stem}.{}.part", task.architecture);
        let run = Command::new(&self.toolkit.nvcc)
            .current_dir(&folder)
            // No object has another meaning than its key says.
            .env_remove("NVCC_PREPEND_FLAGS")
            .env_remove("NVCC_APPEND_FLAGS")
            .args(arguments(task.architecture))
            .args(["-o", &output, task.file])
            .output();
        let failure = |said: &str, log: PathBuf| Failure::Compile {
            program: task.program.name.clone(),
            file: format!("{}/{}", task.program.folder, task.file),
            architecture: task.architecture.to_string(),
            line: first_error(said),
            log,
        };
        let log_file = folder.join(format!("{stem}.{}.log", task.architecture));
        let run = run.map_err(|error| failure(&error.to_string(), log_file.clone()))?;
        let said = [&run.stdout[..], &run.stderr].concat();
        let log = String::from_utf8_lossy(&said).into_owned();
        if !run.status.success() {
            write(&log_file, log.as_bytes())?;
            return Err(failure(&log, log_file));
        }
        let output = folder.join(output);
        let bytes = fs::read(&output).map_err(|error| Failure::Folder {
            path: output.clone(),
            why: format!("nvcc ended well, but: {error}"),
        })?;
        let object = Object { log, bytes };
        self.cache.put(&task.key, &object)?;
        // What is left here is written again by the next run.
        let _ = fs::remove_file(&output);
        Ok(object)
    }

    fn write_sources(&self, program: &DeviceProgram) -> Result<(), Failure> {
        let folder = self.folder.join(&program.name);
        let files = program.files.iter().map(|(name, text)| (&**name, &**text));
        for (name, text) in files.chain(HEADERS) {
            write(&folder.join(name), text.as_bytes())?;
        }
        Ok(())
    }
}

impl Objects {
    fn insert(&mut self, task: &Task, object: Object) {
        let program = (task.program.name.clone(), task.architecture);
        self.objects.entry(program).or_default().insert(task.file.to_owned(), object);
    }
}

/// Arguments of the compiler, but for the names of files.
fn arguments(architecture: Architecture) -> Vec<String> {
    let kind = if architecture.is_text() { "-ptx" } else { "-cubin" };
    let architecture = format!("-arch={architecture}");
    ["-std=c++17", "-rdc=true", "-Xptxas", "-v", kind, &architecture].map(str::to_owned).to_vec()
}
