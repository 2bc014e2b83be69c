//! Compiled objects by the digest of everything that they were made from.
//!
//! An entry is a file whose name is its key. It has three lines (format, key, digest of the
//! rest), a line with the length of the compiler's messages, the messages, and the object. A
//! file of any other content is not an entry, and its object is compiled again. Entries that are
//! no longer needed stay; the folder may be removed at any time.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use traceloom_plan::hex;

use super::{Failure, write};

const FORMAT: &str = "traceloom device cache 1";

/// What the compiler made of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Object {
    /// Its messages.
    pub log: String,
    /// Machine code or text.
    pub bytes: Vec<u8>,
}

/// A folder of objects.
#[derive(Debug)]
pub(super) struct Cache {
    folder: PathBuf,
}

/// Digest of a compiler's version, its arguments, and names and text of all that it
/// reads, the file that it is given first.
pub(super) fn key(
    banner: &str,
    args: &[String],
    file: &str,
    read: &BTreeMap<&str, &str>,
) -> String {
    let mut hasher = blake3::Hasher::new_derive_key(FORMAT);
    let mut part = |text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    part(banner);
    part(&args.len().to_string());
    args.iter().for_each(|arg| part(arg));
    part(file);
    for (name, text) in read {
        part(name);
        part(text);
    }
    hex(hasher.finalize().as_bytes())
}

impl Cache {
    pub(super) const fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The object with this key, if it is there and whole.
    pub(super) fn get(&self, key: &str) -> Option<Object> {
        let bytes = fs::read(self.folder.join(key)).ok()?;
        let (format, rest) = line(&bytes)?;
        let (stated, rest) = line(rest)?;
        let (digest, rest) = line(rest)?;
        if format != FORMAT || stated != key || digest != hex(blake3::hash(rest).as_bytes()) {
            return None;
        }
        let (length, rest) = line(rest)?;
        let (log, bytes) = rest.split_at_checked(length.parse().ok()?)?;
        Some(Object { log: String::from_utf8(log.to_vec()).ok()?, bytes: bytes.to_vec() })
    }

    pub(super) fn put(&self, key: &str, object: &Object) -> Result<(), Failure> {
        let length = format!("{}\n", object.log.len());
        let rest = [length.as_bytes(), object.log.as_bytes(), &object.bytes].concat();
        let digest = hex(blake3::hash(&rest).as_bytes());
        let head = format!("{FORMAT}\n{key}\n{digest}\n");
        write(&self.folder.join(key), &[head.as_bytes(), &rest].concat())
    }
}

/// The first line, and what follows it.
fn line(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let end = bytes.iter().position(|&byte| byte == b'\n')?;
    Some((std::str::from_utf8(&bytes[..end]).ok()?, &bytes[end + 1..]))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use super::{Cache, Object, key};

    #[test]
    fn only_whole_entries_of_the_key_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().join("cache"));
        let object = Object { log: "ptxas\ninfo".into(), bytes: vec![0, 10, 255, 10] };
        assert_eq!(cache.get("k"), None);
        cache.put("k", &object).unwrap();
        assert_eq!(cache.get("k"), Some(object));
        // Another name, a changed byte and a cut file are not entries.
        let path = folder.path().join("cache/k");
        fs::copy(&path, folder.path().join("cache/other")).unwrap();
        assert_eq!(cache.get("other"), None);
        let whole = fs::read(&path).unwrap();
        for index in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[index] ^= 1;
            fs::write(&path, &damaged).unwrap();
            assert_eq!(cache.get("k"), None, "byte {index}");
            fs::write(&path, &whole[..index]).unwrap();
            assert_eq!(cache.get("k"), None, "cut at {index}");
        }
    }

    #[test]
    fn everything_that_decides_is_in_the_key() {
        let args = |args: &[&str]| args.iter().map(|&arg| arg.to_owned()).collect::<Vec<_>>();
        let read = BTreeMap::from([("a.cu", "x"), ("b.cuh", "y")]);
        let other = BTreeMap::from([("a.cu", "x"), ("b.cuh", "z")]);
        let keys = [
            key("13.0", &args(&["-a", "-b"]), "a.cu", &read),
            key("13.1", &args(&["-a", "-b"]), "a.cu", &read),
            key("13.0", &args(&["-a"]), "-b", &read),
            key("13.0", &args(&["-a", "-b"]), "b.cuh", &read),
            key("13.0", &args(&["-a", "-b"]), "a.cu", &other),
        ];
        let distinct: std::collections::BTreeSet<_> = keys.iter().collect();
        assert_eq!(distinct.len(), keys.len());
    }
}
