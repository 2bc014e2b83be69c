//! A group of processes with a cap on their memory, of version 2 or of version 1.
//!
//! The job enters its group by a shell that writes its own number into it and then becomes the
//! job, so nothing of the job ever runs outside. A cap nests: the group lies under that of this
//! process, whose cap holds as well.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::Error;
use crate::command::Command;

/// Where a kernel has groups.
const ROOT: &str = "/sys/fs/cgroup";

/// The files of one version.
#[derive(Clone, Copy)]
struct Files {
    cap: &'static str,
    now: &'static str,
    peak: &'static str,
    events: &'static str,
}

const SECOND: Files = Files {
    cap: "memory.max",
    now: "memory.current",
    peak: "memory.peak",
    events: "memory.events",
};

const FIRST: Files = Files {
    cap: "memory.limit_in_bytes",
    now: "memory.usage_in_bytes",
    peak: "memory.max_usage_in_bytes",
    events: "memory.oom_control",
};

/// A group that exists until this value is dropped.
pub struct Group {
    folder: PathBuf,
    files: Files,
}

impl Group {
    /// A group with this cap under `parent`, or under the group of this process.
    pub fn new(parent: Option<&Path>, most: u64) -> Result<Self, Error> {
        let fault = |path: &Path, source| Error::Cap { path: path.to_owned(), source };
        let parent = match parent {
            Some(parent) => parent.to_owned(),
            None => own().map_err(|source| fault(Path::new(ROOT), source))?,
        };
        let files = match parent.join("cgroup.controllers").exists() {
            true => SECOND,
            false => FIRST,
        };
        let folder = parent.join(format!("traceloom-bench-{}", std::process::id()));
        fs::create_dir(&folder).map_err(|source| fault(&folder, source))?;
        let group = Self { folder, files };
        let cap = group.folder.join(files.cap);
        fs::write(&cap, most.to_string()).map_err(|source| fault(&cap, source))?;
        // Where there is swap, it would be memory beyond the cap. Not every kernel counts it.
        let _ = fs::write(group.folder.join("memory.swap.max"), "0");
        Ok(group)
    }

    /// The command inside the group.
    pub fn enters(&self, command: &Command) -> Command {
        let script = "echo $$ > \"$1\" && shift && exec \"$@\"";
        let procs = self.folder.join("cgroup.procs").display().to_string();
        let program = command.program.display().to_string();
        let mut words: Vec<String> =
            ["sh", "-c", script, "sh", &procs, &program].map(str::to_owned).into();
        words.extend(command.words.iter().skip(1).cloned());
        let environment = command.environment.clone();
        Command { environment, words, program: "/bin/sh".into() }
    }

    /// Bytes of all its processes now.
    pub fn file_of_now(&self) -> PathBuf {
        self.folder.join(self.files.now)
    }

    /// Most bytes of all its processes, if the kernel states them.
    pub fn peak(&self) -> Option<u64> {
        number(&self.folder.join(self.files.peak))
    }

    /// Processes that were killed because of the cap.
    pub fn killed(&self) -> u64 {
        let events = fs::read_to_string(self.folder.join(self.files.events)).unwrap_or_default();
        let line = events.lines().find_map(|line| line.strip_prefix("oom_kill "));
        line.and_then(|number| number.trim().parse().ok()).unwrap_or(0)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // A group with processes cannot be removed; then it stays, with its name.
        let _ = fs::remove_dir(&self.folder);
    }
}

/// The number in a file.
pub fn number(path: &Path) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// The group of this process that counts memory.
fn own() -> io::Result<PathBuf> {
    let groups = fs::read_to_string("/proc/self/cgroup")?;
    place(&groups, Path::new(ROOT)).ok_or_else(|| {
        io::Error::other("this kernel has no group that counts memory; leave out --memory-max")
    })
}

fn place(groups: &str, root: &Path) -> Option<PathBuf> {
    let mut lines = groups.lines().filter_map(|line| {
        let (_, rest) = line.split_once(':')?;
        rest.split_once(':')
    });
    let has = |names: &str| names.split(',').any(|name| name == "memory");
    let of_first = lines.clone().find(|(names, _)| has(names));
    match of_first {
        Some((_, path)) => Some(root.join("memory").join(path.trim_start_matches('/'))),
        None => {
            let (_, path) = lines.find(|(names, _)| names.is_empty())?;
            Some(root.join(path.trim_start_matches('/')))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_both_versions_are_found() {
        let root = Path::new("/r");
        let first = "4:memory:/a/b\n1:cpu:/\n0::/\n";
        assert_eq!(place(first, root), Some("/r/memory/a/b".into()));
        assert_eq!(place("0::/user.slice\n", root), Some("/r/user.slice".into()));
        assert_eq!(place("1:cpu:/\n", root), None);
    }
}
