//! Writes whole files: each is written beside its place, flushed to the disk, and renamed.
//!
//! A reader of `path` sees the old content or the new one, whenever a process or the power
//! ends. After an error it sees the old content, and nothing is left beside it; only if flushing
//! the folder failed may it see the new one. A process that is killed may leave its draft, whose
//! name begins with `.traceloom-` and which nobody reads.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Writes `bytes` to `path`; the draft is in the same folder.
///
/// # Errors
/// Of the file system; `path` is what it was, unless its folder alone failed.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_beside(path, folder(path), bytes)
}

/// The same with the draft in `beside`, a folder of the same file system.
///
/// # Errors
/// As [`write()`].
pub fn write_beside(path: &Path, beside: &Path, bytes: &[u8]) -> io::Result<()> {
    let (draft, mut file) = create(beside)?;
    // Without this a file may have its name before its bytes.
    let done = file.write_all(bytes).and_then(|()| file.sync_all());
    drop(file);
    let renamed = done.and_then(|()| fs::rename(&draft, path));
    renamed.inspect_err(|_| drop(fs::remove_file(&draft)))?;
    sync(folder(path))
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A new file. Another process may have our number, in a container or before us.
fn create(folder: &Path) -> io::Result<(PathBuf, File)> {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let draft = folder.join(format!(".traceloom-{}-{number}.draft", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&draft) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            opened => return opened.map(|file| (draft, file)),
        }
    }
}

/// A rename is part of its folder. Some file systems cannot be asked for that.
#[cfg(unix)]
fn sync(folder: &Path) -> io::Result<()> {
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        // Some folders can be written and not be opened.
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::InvalidInput | ErrorKind::Unsupported | ErrorKind::PermissionDenied
            ) =>
        {
            Ok(())
        }
        done => done,
    }
}

#[cfg(not(unix))]
fn sync(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        entries.map(|name| name.into_string().unwrap()).collect()
    }

    #[test]
    fn a_file_is_replaced_and_a_failure_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write(&path, b"before").unwrap();
        write(&path, b"after").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"after");
        assert_eq!(names(folder.path()), ["file"]);
        // A folder is not a place for a file: the draft could be written, and not renamed.
        fs::create_dir_all(folder.path().join("taken/full")).unwrap();
        write(&folder.path().join("taken"), b"x").unwrap_err();
        assert_eq!(names(folder.path()).len(), 2);
    }

    #[test]
    fn a_draft_of_somebody_else_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (first, _) = create(folder.path()).unwrap();
        let number: usize = {
            let name = first.file_stem().unwrap().to_str().unwrap().to_owned();
            name.rsplit('-').next().unwrap().parse().unwrap()
        };
        let others: Vec<PathBuf> = (1..50)
            .map(|i| format!(".traceloom-{}-{}.draft", std::process::id(), number + i))
            .map(|name| folder.path().join(name))
            .collect();
        others.iter().for_each(|path| fs::write(path, "other").unwrap());
        write(&folder.path().join("file"), b"x").unwrap();
        assert!(others.iter().all(|path| fs::read(path).unwrap() == b"other"));
    }
}
