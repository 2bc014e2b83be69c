//! What is kept of a proof on disk while it is made, so that a later run goes on from there.
//!
//! Layout (owned here). A cache is a folder. Each proof has a folder in it, whose name is the
//! address of what is proven, see [`Subject::address`]:
//!
//! ```text
//! DIR/ADDRESS/lock             held by the process that works on this proof
//! DIR/ADDRESS/root-00003       root and binding values of shard 3
//! DIR/ADDRESS/proof-00003      finished proof of shard 3
//! DIR/ADDRESS/.traceloom-*     drafts of processes that were killed
//! ```
//!
//! A file is written beside its place, flushed and renamed. [`mod@file`] has its format, with a
//! length and a digest that are checked whenever it is read. What cannot be used is named and
//! ignored. Nothing here is trusted: the prover compares roots and verifies proofs.
//!
//! - [`subject`]: what is proven, and its address;
//! - [`mod@file`]: one file; [`disk`]: how files are written;
//! - [`kept`]: the folder of one proof, as the prover's store;
//! - [`inventory`]: what a whole cache has, and what of it is of no use.

pub mod disk;
pub mod file;
pub mod inventory;
pub mod kept;
pub mod subject;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

pub use file::{FileError, Header};
pub use inventory::{Inventory, Removal};
pub use kept::{CacheReport, KeptShards};
pub use subject::Subject;

/// Name of the lock in the folder of a proof.
const LOCK: &str = "lock";
/// How the names of drafts begin.
const DRAFT: &str = ".traceloom-";

/// Why a folder is no cache.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// It is something else.
    #[error("cache {path}: it is not a folder; name a folder, which may be new")]
    NotAFolder {
        /// The path.
        path: PathBuf,
    },
    /// Nothing can be written there.
    #[error("cache {path}: cannot write there: {error}; name another folder")]
    NotWritable {
        /// The path.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// It cannot be read.
    #[error("cache {path}: cannot read it: {error}")]
    NotReadable {
        /// The path.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
}

/// A folder that can be written.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// Opens `folder`, which is made if it is not there, and tries whether it can be written.
    ///
    /// # Errors
    /// [`CacheError`].
    pub fn open(folder: &Path) -> Result<Self, CacheError> {
        let not_writable = |error| CacheError::NotWritable { path: folder.to_owned(), error };
        if folder.exists() && !folder.is_dir() {
            return Err(CacheError::NotAFolder { path: folder.to_owned() });
        }
        fs::create_dir_all(folder).map_err(not_writable)?;
        // A file without a name, where there are such files: nothing is left of it.
        tempfile::tempfile_in(folder).map_err(not_writable)?;
        Ok(Self { folder: folder.to_owned() })
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}
