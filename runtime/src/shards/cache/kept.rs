//! The folder of one proof, as the prover's store.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use traceloom_prover::{Committed, Part, ShardStore};
use traceloom_verifier::proof::Shards;

use super::disk::{Disk, FileSystem};
use super::file::{self, FileError, Header};
use super::subject::Subject;
use super::{Cache, CacheError, DRAFT, LOCK};

type Notices<'a> = &'a (dyn Fn(&str) + Sync);

/// What a cache was good for in one proof.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CacheReport {
    /// The folder of the proof.
    pub folder: PathBuf,
    /// Roots that were reused.
    pub reused_roots: usize,
    /// Proofs of shards that were reused.
    pub reused_proofs: usize,
    /// Files that were ignored, and why.
    pub ignored: Vec<String>,
    /// Why something could not be kept, if that happened; the first reason.
    pub failure: Option<String>,
}

/// What is kept of one proof. Others wait for it, or for the process to end.
pub struct KeptShards<'a> {
    folder: PathBuf,
    subject: Subject,
    disk: &'a dyn Disk,
    notices: Notices<'a>,
    state: Mutex<State>,
    /// Held for as long as this is there; absent where a file system has no locks.
    lock: Option<File>,
}

#[derive(Default)]
struct State {
    ignored: Vec<String>,
    failure: Option<String>,
}

impl<'a> KeptShards<'a> {
    /// Takes the folder of `subject` for this process. Where another process has it, this waits
    /// until that one ends, and `notices` says so.
    ///
    /// # Errors
    /// [`CacheError::NotWritable`].
    pub fn open(cache: &Cache, subject: Subject, notices: Notices<'a>) -> Result<Self, CacheError> {
        Self::with_disk(cache, subject, notices, &FileSystem)
    }

    /// The same with files written by `disk`.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn with_disk(
        cache: &Cache,
        subject: Subject,
        notices: Notices<'a>,
        disk: &'a dyn Disk,
    ) -> Result<Self, CacheError> {
        let folder = cache.folder.join(subject.folder());
        let not_writable = |error| CacheError::NotWritable { path: folder.clone(), error };
        let lock = lock(&folder, notices).map_err(not_writable)?;
        let kept = Self { folder, subject, disk, notices, state: Mutex::default(), lock };
        kept.look_around();
        Ok(kept)
    }

    /// What it was good for so far.
    #[must_use]
    pub fn report(&self, reused_roots: usize, reused_proofs: usize) -> CacheReport {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        CacheReport {
            folder: self.folder.clone(),
            reused_roots,
            reused_proofs,
            ignored: state.ignored.clone(),
            failure: state.failure.clone(),
        }
    }

    /// Removes drafts of killed processes, and names what nobody can read.
    fn look_around(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else { return };
        let names = entries.flatten().map(|entry| entry.file_name());
        let mut names: Vec<String> =
            names.map(|name| name.to_string_lossy().into_owned()).collect();
        names.sort();
        let is_ours =
            |name: &str| file::parse(name).is_some_and(|(_, shard)| shard < self.subject.shards);
        for name in names.iter().filter(|name| *name != LOCK && !is_ours(name)) {
            let path = self.folder.join(name);
            // The lock is ours, so whoever wrote it is gone.
            match name.starts_with(DRAFT) && self.lock.is_some() {
                true => drop(fs::remove_file(path)),
                false => self.ignore(&path, &FileError::Foreign.to_string()),
            }
        }
    }

    fn ignore(&self, path: &Path, reason: &str) {
        let line = format!("{} is ignored: {reason}", path.display());
        (self.notices)(&line);
        self.state.lock().unwrap_or_else(PoisonError::into_inner).ignored.push(line);
    }

    /// The payload of a file that is there and of use.
    fn read(&self, part: Part, shard: usize, about: Option<&[u8; 32]>) -> Option<Vec<u8>> {
        let path = self.folder.join(file::name(part, shard));
        let bytes = match read(&path) {
            Ok(bytes) => bytes?,
            Err(error) => {
                self.ignore(&path, &error.to_string());
                return None;
            }
        };
        let payload = file::decode(&bytes).and_then(|(header, payload)| {
            self.compare(&header, part, shard)?;
            Ok((header.about, payload.to_vec()))
        });
        match payload {
            Ok((of, payload)) if of.as_ref() == about => Some(payload),
            Ok(_) => {
                self.ignore(&path, "it was made under other roots than those of this run");
                None
            }
            Err(error) => {
                self.ignore(&path, &error.to_string());
                None
            }
        }
    }

    /// A file that was moved here is about something else.
    fn compare(&self, header: &Header, part: Part, shard: usize) -> Result<(), FileError> {
        let (found, expected) = (&header.subject.version, &self.subject.version);
        if found != expected {
            let (found, expected) = (found.clone(), expected.clone());
            return Err(FileError::Version { found, expected });
        }
        let is_other = header.subject.address() != self.subject.address();
        if is_other || (header.part, header.shard) != (part, shard) {
            return Err(FileError::Other(describe(header)));
        }
        Ok(())
    }

    fn write(&self, part: Part, shard: usize, about: Option<[u8; 32]>, payload: &[u8]) {
        let header = Header { subject: self.subject.clone(), shard, part, about };
        let (name, bytes) = (header.name(), file::encode(&header, payload));
        let Err(error) = self.disk.write(&self.folder, &name, &bytes) else { return };
        let path = self.folder.join(name);
        let line = format!("cannot keep {}: {error}; the proof goes on without", path.display());
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = state.failure.is_none();
        state.failure.get_or_insert(line.clone());
        drop(state);
        // A disk that is full stays full for every later shard.
        if is_first {
            (self.notices)(&line);
        }
    }
}

/// What a file is about, in words.
pub(super) fn describe(header: &Header) -> String {
    let Header { subject, shard, part, .. } = header;
    let Subject { program, profile, claim, shards, .. } = subject;
    let part = part.name();
    format!("the {part} of shard {shard} of {shards} of {program:?} ({profile}): {claim}")
}

/// The bytes of a file, if it is there.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, FileError> {
    let unreadable = |error: io::Error| FileError::Unreadable(error.to_string());
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    let metadata = file.metadata().map_err(unreadable)?;
    if !metadata.is_file() || metadata.len() > file::MAX_FILE {
        return Err(FileError::Foreign);
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(Some(bytes))
}

/// Takes the lock of a folder, which is made. It ends with the file, so with the process too.
fn lock(folder: &Path, notices: Notices<'_>) -> io::Result<Option<File>> {
    let path = folder.join(LOCK);
    let mut has_waited = false;
    loop {
        fs::create_dir_all(folder)?;
        let file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                if !std::mem::replace(&mut has_waited, true) {
                    notices(&format!(
                        "another process works on this proof in {}; this one waits for it",
                        folder.display()
                    ));
                }
                file.lock()?;
            }
            Err(TryLockError::Error(error)) => {
                let folder = folder.display();
                notices(&format!("{folder} cannot be locked ({error}); it is used without"));
                return Ok(None);
            }
        }
        // Whoever prunes removes a lock that it holds: then ours is one of a file that is gone.
        if is_at(&file, &path)? {
            return Ok(Some(file));
        }
    }
}

/// Whether `file` is the one of this path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let ours = file.metadata()?;
    match fs::metadata(path) {
        Ok(found) => Ok((found.dev(), found.ino()) == (ours.dev(), ours.ino())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Elsewhere a file that is open cannot be removed.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

impl ShardStore for KeptShards<'_> {
    fn root(&self, shard: usize) -> Option<Committed> {
        let payload = self.read(Part::Root, shard, None)?;
        match file::decode_root(&payload) {
            Ok(committed) => Some(committed),
            Err(error) => {
                self.discard(shard, Part::Root, &error.to_string());
                None
            }
        }
    }

    fn proof(&self, shard: usize, about: &[u8; 32]) -> Option<Shards> {
        let payload = self.read(Part::Proof, shard, Some(about))?;
        match Shards::decode(&payload) {
            Ok(shards) => Some(shards),
            Err(error) => {
                self.discard(shard, Part::Proof, &error.to_string());
                None
            }
        }
    }

    fn keep_root(&self, shard: usize, committed: &Committed) {
        self.write(Part::Root, shard, None, &file::encode_root(committed));
    }

    fn keep_proof(&self, shard: usize, about: &[u8; 32], proof: &Shards) {
        self.write(Part::Proof, shard, Some(*about), &proof.encode());
    }

    fn discard(&self, shard: usize, part: Part, reason: &str) {
        let path = self.folder.join(file::name(part, shard));
        self.ignore(&path, reason);
        // It is written anew when its shard is done. If it stays, it is ignored again.
        let _ = fs::remove_file(path);
    }
}
