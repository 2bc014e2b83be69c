//! One file of a cache.
//!
//! Layout (owned here). A number is eight little-endian bytes.
//!
//! ```text
//! MAGIC (8 bytes) | VERSION | length of the header | length of the payload
//! | header, JSON | payload | BLAKE3 of everything before (32 bytes)
//! ```
//!
//! The header says what the file is about, in a form that people can read too. The payload of a
//! root is its 32 bytes and a word per binding value, that of a proof is
//! [`traceloom_verifier::proof::Shards::encode`] of a list of one.

use serde_json::{Value, json};
use traceloom_air::field::{element, is_canonical, word};
use traceloom_prover::{Committed, Part};
use traceloom_verifier::codec::MAX_BYTES;

use super::subject::{Subject, digest_of};
use crate::bind::hex;

/// First bytes of a file.
const MAGIC: &[u8; 8] = b"trloomSK";
/// Version of the format.
const VERSION: u64 = 1;
const START: usize = 32;
const DIGEST: usize = 32;
/// No file is longer: readers refuse it unread.
pub const MAX_FILE: u64 = MAX_BYTES as u64 + (1 << 20);

/// What a file is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The proof.
    pub subject: Subject,
    /// Which shard of it.
    pub shard: usize,
    /// Which part of the shard.
    pub part: Part,
    /// Of a proof: digest of all statements of its batch.
    pub about: Option<[u8; 32]>,
}

/// Why a file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// Something else.
    #[error("it is not a file of a cache")]
    Foreign,
    /// Of another version.
    #[error("it has format {0}, this version has format {VERSION}")]
    Format(u64),
    /// Not whole.
    #[error("it is torn: it has {got} bytes and should have {expected}")]
    Torn {
        /// Bytes that it should have.
        expected: u64,
        /// Bytes that it has.
        got: u64,
    },
    /// Bytes have changed.
    #[error("it is damaged: its digest differs")]
    Digest,
    /// The header is whole and says nothing.
    #[error("its header cannot be understood")]
    Header,
    /// The payload is whole and is not what the header says.
    #[error("its content is not a {0}")]
    Payload(&'static str),
    /// It was made by another version of traceloom.
    #[error("it was made by traceloom {found}, this is {expected}")]
    Version {
        /// Its version.
        found: String,
        /// Of this build.
        expected: String,
    },
    /// It is about something else than its place says.
    #[error("it is about {0}")]
    Other(String),
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
}

impl Header {
    /// Name of the file.
    #[must_use]
    pub fn name(&self) -> String {
        name(self.part, self.shard)
    }

    fn json(&self) -> Value {
        let mut json = self.subject.json();
        json["shard"] = json!(self.shard);
        json["part"] = json!(self.part.name());
        json["about"] = json!(self.about.as_ref().map(|digest| hex(digest)));
        json
    }

    fn of_json(bytes: &[u8]) -> Option<Self> {
        let json: Value = serde_json::from_slice(bytes).ok()?;
        let part = json.get("part")?.as_str()?;
        let part = [Part::Root, Part::Proof].into_iter().find(|known| known.name() == part)?;
        let about = match json.get("about")? {
            Value::Null => None,
            about => Some(digest_of(about.as_str()?)?),
        };
        let shard = usize::try_from(json.get("shard")?.as_u64()?).ok()?;
        Some(Self { subject: Subject::of_json(&json)?, shard, part, about })
    }
}

/// Name of the file of a part of a shard.
#[must_use]
pub fn name(part: Part, shard: usize) -> String {
    format!("{}-{shard:05}", part.name())
}

/// The part and the shard whose file has this name.
#[must_use]
pub fn parse(text: &str) -> Option<(Part, usize)> {
    let numbered = [Part::Root, Part::Proof].into_iter().find_map(|part| {
        let number = text.strip_prefix(part.name())?.strip_prefix('-')?;
        Some((part, number.parse().ok()?))
    });
    numbered.filter(|&(part, shard)| name(part, shard) == text)
}

/// A whole file.
#[must_use]
pub fn encode(header: &Header, payload: &[u8]) -> Vec<u8> {
    let header = header.json().to_string();
    let mut bytes = MAGIC.to_vec();
    for number in [VERSION, header.len() as u64, payload.len() as u64] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    bytes.extend_from_slice(header.as_bytes());
    bytes.extend_from_slice(payload);
    let digest = blake3::hash(&bytes);
    bytes.extend_from_slice(digest.as_bytes());
    bytes
}

/// Header and payload of a file that is whole.
///
/// # Errors
/// [`FileError`]; whether the payload is what the header says is left to its reader.
pub fn decode(bytes: &[u8]) -> Result<(Header, &[u8]), FileError> {
    let got = bytes.len() as u64;
    if !bytes.starts_with(MAGIC) {
        // A beginning of the magic is a torn file.
        let is_torn = MAGIC.starts_with(bytes);
        let torn = FileError::Torn { expected: (START + DIGEST) as u64, got };
        return Err(if is_torn { torn } else { FileError::Foreign });
    }
    let number = |at: usize| bytes.get(8 * at..8 * at + 8)?.try_into().ok().map(u64::from_le_bytes);
    let least = (START + DIGEST) as u64;
    let (Some(version), Some(header), Some(payload)) = (number(1), number(2), number(3)) else {
        return Err(FileError::Torn { expected: least, got });
    };
    if version != VERSION {
        return Err(FileError::Format(version));
    }
    let expected = least.saturating_add(header).saturating_add(payload);
    if expected != got {
        return Err(FileError::Torn { expected, got });
    }
    // Both fit, since the file has them.
    let (content, digest) = bytes.split_at(bytes.len() - DIGEST);
    if blake3::hash(content).as_bytes() != digest {
        return Err(FileError::Digest);
    }
    let (header, payload) = content[START..].split_at(header as usize);
    Ok((Header::of_json(header).ok_or(FileError::Header)?, payload))
}

/// The payload of a root.
#[must_use]
pub fn encode_root(committed: &Committed) -> Vec<u8> {
    let mut bytes = committed.root.to_vec();
    let words = committed.bound.iter().map(|&value| word(value));
    bytes.extend(words.flat_map(u64::to_le_bytes));
    bytes
}

/// Reads the payload of a root.
///
/// # Errors
/// [`FileError::Payload`].
pub fn decode_root(bytes: &[u8]) -> Result<Committed, FileError> {
    let bad = || FileError::Payload(Part::Root.name());
    let (root, bound) = bytes.split_first_chunk::<32>().ok_or_else(bad)?;
    let (words, rest) = bound.as_chunks::<8>();
    let words = words.iter().map(|word| u64::from_le_bytes(*word));
    let bound = words.map(|word| is_canonical(word).then(|| element(word)));
    match (rest, bound.collect()) {
        ([], Some(bound)) => Ok(Committed { root: *root, bound }),
        _ => Err(bad()),
    }
}
