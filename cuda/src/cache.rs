//! The folder of compiled kernels.
//!
//! Layout (owned here): a file is `HEX.kernel`, where HEX is the key of [`crate::compile`]. It
//! has the line `traceloom-kernel/1`, the BLAKE3 hash of the code, and the code. A file is
//! written beside its place and renamed, so it is complete or absent. If its hash differs, its
//! kernel is compiled again.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

const MAGIC: &[u8] = b"traceloom-kernel/1\n";

/// A folder of compiled kernels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelCache {
    folder: PathBuf,
}

impl KernelCache {
    /// In a folder, which is made when something is written.
    #[must_use]
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// In the folder that `TRACELOOM_CACHE_DIR` names, else in `traceloom` in the user's
    /// folder of caches; `None` where there is neither.
    #[must_use]
    pub fn of_user() -> Option<Self> {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let folder = set("TRACELOOM_CACHE_DIR").map(PathBuf::from).or_else(|| {
            let caches = set("XDG_CACHE_HOME").map(PathBuf::from);
            let caches = caches.or_else(|| set("HOME").map(|home| Path::new(&home).join(".cache")));
            caches.map(|caches| caches.join("traceloom"))
        });
        folder.map(Self::new)
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn path(&self, key: &[u8; 32]) -> PathBuf {
        self.folder.join(format!("{}.kernel", blake3::Hash::from_bytes(*key).to_hex()))
    }

    /// The code under a key, if it is there and whole.
    #[must_use]
    pub fn read(&self, key: &[u8; 32]) -> Option<Vec<u8>> {
        let bytes = fs::read(self.path(key)).ok()?;
        let (hash, code) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<32>()?;
        (blake3::hash(code) == *hash).then(|| code.to_vec())
    }

    /// Keeps code. If the folder cannot be written, later proofs find nothing there and compile
    /// again, so this is not an error; `doctor` reports it.
    pub fn write(&self, key: &[u8; 32], code: &[u8]) {
        let _ = self.try_write(key, code);
    }

    fn try_write(&self, key: &[u8; 32], code: &[u8]) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let mut file = tempfile::Builder::new().prefix(".kernel-").tempfile_in(&self.folder)?;
        for part in [MAGIC, blake3::hash(code).as_bytes(), code] {
            file.write_all(part)?;
        }
        file.as_file().sync_all()?;
        file.persist(self.path(key)).map(drop).map_err(|error| error.error)
    }

    /// Whether something can be kept.
    ///
    /// # Errors
    /// Why not.
    pub fn check_writable(&self) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        tempfile::tempfile_in(&self.folder).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_and_what_was_damaged_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let cache = KernelCache::new(folder.path().join("made/when/needed"));
        let (key, other) = ([7; 32], [8; 32]);
        assert_eq!(cache.read(&key), None);
        cache.write(&key, b"code");
        assert_eq!((cache.read(&key).as_deref(), cache.read(&other)), (Some(&b"code"[..]), None));
        let path = cache.path(&key);
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(&path, &damaged).unwrap();
            assert_eq!(cache.read(&key), None, "byte {at}");
            fs::write(&path, &whole[..at]).unwrap();
            assert_eq!(cache.read(&key), None, "cut at {at}");
        }
        cache.write(&key, b"again");
        assert_eq!(cache.read(&key).as_deref(), Some(&b"again"[..]));
        let names = fs::read_dir(&cache.folder).unwrap();
        assert_eq!(names.count(), 1, "nothing is left beside it");
    }

    #[test]
    fn a_folder_that_cannot_be_written_holds_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let cache = KernelCache::new(file.join("below"));
        cache.write(&[7; 32], b"code");
        assert_eq!(cache.read(&[7; 32]), None);
        assert!(cache.check_writable().is_err());
    }
}
