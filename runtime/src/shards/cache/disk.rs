//! How files of a cache are written.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use super::DRAFT;

/// Writes whole files. A test may put something between that fails.
pub trait Disk: Sync {
    /// Writes `bytes` to the file `name` of `folder`, so that at any time there is the file that
    /// was there before, or the whole new one.
    ///
    /// # Errors
    /// Of the file system. Nothing is left of the new file then.
    fn write(&self, folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()>;
}

/// The file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileSystem;

impl Disk for FileSystem {
    fn write(&self, folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
        // It is removed if anything fails, unless the process ends first.
        let mut draft = tempfile::Builder::new().prefix(DRAFT).tempfile_in(folder)?;
        draft.write_all(bytes)?;
        // Without this a file may have its name before its bytes.
        draft.as_file().sync_all()?;
        draft.persist(folder.join(name)).map_err(|error| error.error)?;
        sync(folder)
    }
}

/// A rename is part of its folder. Some file systems cannot be asked for that.
fn sync(folder: &Path) -> io::Result<()> {
    use io::ErrorKind::{InvalidInput, PermissionDenied, Unsupported};
    if cfg!(not(unix)) {
        return Ok(());
    }
    match fs::File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(error) if matches!(error.kind(), InvalidInput | Unsupported | PermissionDenied) => {
            Ok(())
        }
        done => done,
    }
}
