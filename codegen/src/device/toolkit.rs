//! The CUDA compiler of this machine, if there is one.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Environment, Failure};

/// Variables that say where the compiler is, in order; `PATH` is asked last.
pub(super) const VARIABLES: [&str; 3] = ["NVCC", "CUDA_HOME", "CUDA_PATH"];

/// A compiler, asked what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolkit {
    /// nvcc.
    pub nvcc: PathBuf,
    /// All that it says about its version; part of the cache key.
    pub banner: String,
    /// `13.0.88`
    pub version: String,
    /// The instruction sets that it knows: `compute_90`.
    pub known: Vec<String>,
    /// Joins machine code.
    pub(super) nvlink: PathBuf,
    /// Joins architectures.
    pub(super) fatbinary: PathBuf,
}

impl Toolkit {
    /// The first compiler of `NVCC`, `CUDA_HOME`, `CUDA_PATH` and `PATH`, if there is one.
    ///
    /// # Errors
    /// [`Failure::Toolkit`] if the one that `NVCC` names is not there, or if what is there
    /// does not answer.
    pub fn find(environment: &Environment) -> Result<Option<Self>, Failure> {
        find(environment)?.map(|nvcc| Self::of(nvcc, environment)).transpose()
    }

    /// Asks the compiler that [`find`] has found.
    ///
    /// # Errors
    /// [`Failure::Toolkit`] if it does not answer, or a tool beside it is missing.
    pub(super) fn of(nvcc: PathBuf, environment: &Environment) -> Result<Self, Failure> {
        // It runs in other folders than this one.
        let nvcc = std::path::absolute(&nvcc).unwrap_or(nvcc);
        let banner = ask(&nvcc, "--version")?;
        let version = version(&banner).ok_or_else(|| Failure::Toolkit {
            tool: nvcc.clone(),
            why: "it does not say its version".into(),
        })?;
        let known = ask(&nvcc, "--list-gpu-arch")?.split_whitespace().map(str::to_owned).collect();
        let tool = |name| companion(&nvcc, name, environment);
        let (nvlink, fatbinary) = (tool("nvlink")?, tool("fatbinary")?);
        Ok(Self { nvcc, banner, version, known, nvlink, fatbinary })
    }
}

/// The first compiler of `NVCC`, `CUDA_HOME`, `CUDA_PATH` and `PATH`; none if there is
/// none.
///
/// # Errors
/// [`Failure::Toolkit`] if `NVCC` names something that does not exist. A user who names a
/// compiler wants neither another one nor none.
pub(super) fn find(environment: &Environment) -> Result<Option<PathBuf>, Failure> {
    if let Some(named) = environment.get("NVCC") {
        let path = PathBuf::from(&named);
        let found = match path.components().count() {
            1 => in_path(&named.to_string_lossy(), environment),
            _ => Some(path.clone()).filter(|path| path.is_file()),
        };
        let why = || "NVCC names it, and it is not there".to_owned();
        return found.ok_or_else(|| Failure::Toolkit { tool: path, why: why() }).map(Some);
    }
    let homes = VARIABLES[1..].iter().filter_map(|name| environment.get(name));
    let mut in_homes = homes.map(|home| tool_in(&Path::new(&home).join("bin"), "nvcc"));
    Ok(in_homes.find(|nvcc| nvcc.is_file()).or_else(|| in_path("nvcc", environment)))
}

fn in_path(name: &str, environment: &Environment) -> Option<PathBuf> {
    let path = environment.get("PATH")?;
    env::split_paths(&path).map(|folder| tool_in(&folder, name)).find(|tool| tool.is_file())
}

fn tool_in(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}{}", env::consts::EXE_SUFFIX))
}

/// A tool of the same toolkit: beside the compiler, beside what it is a link to, or in
/// `PATH`.
fn companion(nvcc: &Path, name: &str, environment: &Environment) -> Result<PathBuf, Failure> {
    let resolved = nvcc.canonicalize().ok();
    let folders = [Some(nvcc), resolved.as_deref()].into_iter().flatten().filter_map(Path::parent);
    let mut beside = folders.map(|folder| tool_in(folder, name));
    let found = beside.find(|tool| tool.is_file()).or_else(|| in_path(name, environment));
    found.ok_or_else(|| Failure::Toolkit {
        tool: nvcc.to_owned(),
        why: format!("{name} of the same toolkit is neither beside it nor in PATH"),
    })
}

fn ask(nvcc: &Path, question: &str) -> Result<String, Failure> {
    let failure = |why: String| Failure::Toolkit { tool: nvcc.to_owned(), why };
    let output =
        Command::new(nvcc).arg(question).output().map_err(|error| failure(error.to_string()))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.lines().next().unwrap_or_default().to_owned();
        return Err(failure(format!("{question} ended with {}: {said}", output.status)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// `13.0.88` of `…, release 13.0, V13.0.88`
fn version(banner: &str) -> Option<String> {
    let (_, rest) = banner.split_once(", V")?;
    Some(rest.split_whitespace().next()?.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{Environment, find, version};

    /// A machine with these files, each an empty nvcc, and these variables.
    fn found(root: &Path, files: &[&str], variables: &[(&str, &str)]) -> Result<String, String> {
        for file in files {
            fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            fs::write(root.join(file), "").unwrap();
        }
        let value = |value: &str| root.join(value).into_os_string();
        let variables = variables.iter().map(|(name, to)| ((*name).to_owned(), value(to)));
        let environment = Environment::of(variables);
        let nvcc = find(&environment).map_err(|failure| failure.to_string())?;
        let shown = nvcc.map(|nvcc| nvcc.strip_prefix(root).unwrap().display().to_string());
        Ok(shown.unwrap_or_default())
    }

    #[test]
    #[cfg(unix)]
    fn the_compiler_is_looked_for_in_order() {
        let root = tempfile::tempdir().unwrap();
        let find = |files: &[&str], variables: &[(&str, &str)]| {
            found(root.path(), files, variables).unwrap()
        };
        assert_eq!(find(&[], &[]), "");
        assert_eq!(find(&[], &[("CUDA_HOME", "home"), ("PATH", "bin")]), "");
        let all = ["home/bin/nvcc", "path/bin/nvcc", "bin/nvcc", "my-nvcc"];
        let variables =
            [("PATH", "bin"), ("CUDA_PATH", "path"), ("CUDA_HOME", "home"), ("NVCC", "my-nvcc")];
        for (count, expected) in (1..).zip(["bin/nvcc", "path/bin/nvcc", "home/bin/nvcc"]) {
            assert_eq!(find(&all, &variables[..count]), expected);
        }
        assert_eq!(find(&all, &variables), "my-nvcc");
    }

    #[test]
    fn a_named_compiler_must_be_there() {
        let root = tempfile::tempdir().unwrap();
        let error = found(root.path(), &[], &[("NVCC", "gone/nvcc")]).unwrap_err();
        assert!(error.contains("gone/nvcc") && error.contains("NVCC names it"), "{error}");
        assert!(error.contains("TRACELOOM_CUDA=off"), "{error}");
    }

    #[test]
    fn versions_are_read() {
        let banner = "Cuda compilation tools, release 13.0, V13.0.88\nBuild cuda_13.0\n";
        assert_eq!(version(banner).as_deref(), Some("13.0.88"));
        assert_eq!(version("bash: no\n"), None);
    }
}
