//! What a whole cache has, and what of it is of no use.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use traceloom_prover::Part;
use traceloom_verifier::proof::Shards;

use super::file::{self, FileError, Header};
use super::kept::{describe, read};
use super::subject::{digest_of, version};
use super::{CacheError, DRAFT, LOCK};

/// Everything in a cache, by path.
#[derive(Debug, Default)]
pub struct Inventory {
    /// Its files, but for locks.
    pub entries: Vec<Entry>,
}

/// A file of a cache.
#[derive(Debug)]
pub struct Entry {
    /// Where it is.
    pub path: PathBuf,
    /// Its size in bytes.
    pub size: u64,
    /// Time since it was written, by the clock of this machine; zero if that has gone back.
    pub age: Duration,
    /// What it is about, or why it cannot be used.
    pub content: Result<Box<Header>, Unusable>,
}

/// Why a file is of no use to this version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// A process was killed while it wrote.
    #[error("it is a draft of a process that was killed")]
    Draft,
    /// As its reader says.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Unusable {
    /// Whether it is a file of a cache, of this version or another one. Nothing is said of a file
    /// in a place where a cache has none: it is foreign.
    const fn is_ours(&self) -> bool {
        !matches!(self, Self::File(FileError::Foreign | FileError::Unreadable(_)))
    }
}

impl Entry {
    /// What it is about, or what is wrong with it.
    #[must_use]
    pub fn describe(&self) -> String {
        match &self.content {
            Ok(header) => describe(header),
            Err(unusable) => unusable.to_string(),
        }
    }
}

/// Files of one proof.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Number of roots.
    pub roots: usize,
    /// Number of proofs of shards.
    pub proofs: usize,
    /// Bytes of all of them.
    pub size: u64,
    /// Age of the youngest.
    pub age: Duration,
}

/// What is to be removed from a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Removal {
    /// Files that can be used, too.
    pub all: bool,
    /// Files that can be used, if they are at least as old.
    pub older_than: Option<Duration>,
}

/// What was removed.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// Files.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
    /// What could not be removed, and why.
    pub left: Vec<String>,
}

impl Inventory {
    /// Reads every file of a cache and checks its length and its digest.
    ///
    /// # Errors
    /// [`CacheError`] if `folder` is not one, or cannot be read.
    pub fn read(folder: &Path) -> Result<Self, CacheError> {
        if folder.exists() && !folder.is_dir() {
            return Err(CacheError::NotAFolder { path: folder.to_owned() });
        }
        let not_readable = |error| CacheError::NotReadable { path: folder.to_owned(), error };
        let mut entries = Vec::new();
        for path in sorted(folder).map_err(not_readable)? {
            if !path.is_dir() {
                entries.push(Entry::read(path, SystemTime::now()));
                continue;
            }
            if !is_address(&name_of(&path)) {
                entries.push(Entry::read(path, SystemTime::now()));
                continue;
            }
            let inside = sorted(&path).map_err(not_readable)?;
            let inside = inside.into_iter().filter(|path| name_of(path) != LOCK);
            entries.extend(inside.map(|path| Entry::read(path, SystemTime::now())));
        }
        Ok(Self { entries })
    }

    /// What can be used, by proof: one file of each, with sums.
    #[must_use]
    pub fn by_proof(&self) -> Vec<(&Header, Kept)> {
        let mut proofs: BTreeMap<[u8; 32], (&Header, Kept)> = BTreeMap::new();
        for entry in &self.entries {
            let Ok(header) = &entry.content else { continue };
            let new = || (&**header, Kept { age: entry.age, ..Kept::default() });
            let (_, kept) = proofs.entry(header.subject.address()).or_insert_with(new);
            match header.part {
                Part::Root => kept.roots += 1,
                Part::Proof => kept.proofs += 1,
            }
            kept.size += entry.size;
            kept.age = kept.age.min(entry.age);
        }
        proofs.into_values().collect()
    }

    /// Files that this version cannot use.
    pub fn unusable(&self) -> impl Iterator<Item = (&Entry, &Unusable)> {
        self.entries.iter().filter_map(|entry| Some((entry, entry.content.as_ref().err()?)))
    }

    /// Removes files that this version cannot use, and those that `removal` names. What is not a
    /// file of a cache stays, and so does the folder of a proof that a process works on.
    #[must_use]
    pub fn prune(&self, removal: Removal) -> Removed {
        let mut by_folder: BTreeMap<&Path, Vec<&Entry>> = BTreeMap::new();
        for entry in self.entries.iter().filter(|entry| removal.includes(entry)) {
            let folder = entry.path.parent().unwrap_or(Path::new("."));
            by_folder.entry(folder).or_default().push(entry);
        }
        let mut removed = Removed::default();
        for (folder, entries) in by_folder {
            removed.folder(folder, &entries);
        }
        removed
    }
}

impl Removal {
    fn includes(self, entry: &Entry) -> bool {
        match &entry.content {
            Ok(_) => self.all || self.older_than.is_some_and(|age| entry.age >= age),
            Err(unusable) => unusable.is_ours(),
        }
    }
}

impl Removed {
    /// Removes files of one folder, and the folder if nothing is left.
    fn folder(&mut self, folder: &Path, entries: &[&Entry]) {
        let path = folder.join(LOCK);
        let lock = OpenOptions::new().write(true).open(&path).ok();
        if let Some(Err(TryLockError::WouldBlock)) = lock.as_ref().map(|lock| lock.try_lock()) {
            let folder = folder.display();
            self.left.push(format!("{folder}: a process works on this proof"));
            return;
        }
        for entry in entries {
            match fs::remove_file(&entry.path) {
                Ok(()) => {
                    self.files += 1;
                    self.bytes += entry.size;
                }
                Err(error) => self.left.push(format!("{}: {error}", entry.path.display())),
            }
        }
        let has_lock_only = sorted(folder).is_ok_and(|left| left == [path.clone()]);
        if lock.is_some() && has_lock_only {
            // Whoever waits for the lock sees that it is gone.
            let _ = fs::remove_file(&path).and_then(|()| fs::remove_dir(folder));
        }
    }
}

impl Entry {
    fn read(path: PathBuf, now: SystemTime) -> Self {
        let metadata = fs::symlink_metadata(&path).ok();
        let size = metadata.as_ref().map_or(0, fs::Metadata::len);
        let written = metadata.and_then(|metadata| metadata.modified().ok());
        let content = content(&path).map(Box::new);
        Self { path, size, age: age(written, now), content }
    }
}

/// Never negative: a clock may go back, and files may come from a machine with another one.
fn age(written: Option<SystemTime>, now: SystemTime) -> Duration {
    written.and_then(|written| now.duration_since(written).ok()).unwrap_or_default()
}

/// What a file is about, if all of it is as it should be.
fn content(path: &Path) -> Result<Header, Unusable> {
    let (name, folder) = (name_of(path), path.parent().map(name_of).unwrap_or_default());
    if !is_address(&folder) || !is_name(&name) {
        return Err(FileError::Foreign.into());
    }
    if name.starts_with(DRAFT) {
        return Err(Unusable::Draft);
    }
    let bytes = read(path)?.ok_or_else(|| FileError::Unreadable("it is gone".into()))?;
    let (header, payload) = file::decode(&bytes)?;
    let expected = version();
    if header.subject.version != expected {
        let found = header.subject.version;
        return Err(FileError::Version { found, expected }.into());
    }
    match header.part {
        Part::Root => drop(file::decode_root(payload)?),
        Part::Proof => {
            let shards = Shards::decode(payload).ok().filter(|shards| shards.len() == 1);
            shards.ok_or(FileError::Payload(Part::Proof.name()))?;
        }
    }
    match folder == header.subject.folder() && name == header.name() {
        true => Ok(header),
        false => Err(FileError::Other(describe(&header)).into()),
    }
}

/// Whether a folder of this name is one of a proof.
fn is_address(folder: &str) -> bool {
    digest_of(folder).is_some()
}

/// Whether a file of this name is one of a shard, or a draft of one.
fn is_name(name: &str) -> bool {
    file::parse(name).is_some() || name.starts_with(DRAFT)
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = entries.collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_never_negative() {
        let (now, second) = (SystemTime::now(), Duration::from_secs(1));
        assert_eq!(age(Some(now - second), now), second);
        assert_eq!(age(Some(now + second), now), Duration::ZERO);
        assert_eq!(age(None, now), Duration::ZERO);
    }
}
