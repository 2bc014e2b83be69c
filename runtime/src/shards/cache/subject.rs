//! What a proof is about, as far as its shards depend on it.

use serde_json::{Value, json};
use traceloom_abi::io::Io;
use traceloom_abi::registry::{ABI_VERSION, GENERATOR_VERSION};
use traceloom_air::claim::RankedClaim;
use traceloom_air::field::word;
use traceloom_verifier::VerifyingKey;
use traceloom_verifier::codec;

use crate::bind::hex;
use crate::shards::BatchPlan;

/// Of everything that is hashed here; another one gives other addresses.
const TAG: &[u8] = b"traceloom-shards-1\0";

/// Everything that the shards of a proof depend on, and words for readers.
///
/// Two runs with one address write the same rows. A claim alone does not say that: a program may
/// read advice, so its io is in the address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// Name of the program, for readers.
    pub program: String,
    /// Name of the profile, for readers.
    pub profile: String,
    /// The claims, for readers.
    pub claim: String,
    /// Version of traceloom, and those of the parts that rows and proofs depend on.
    pub version: String,
    /// Of the program.
    pub fingerprint: [u8; 32],
    /// Digest of its system.
    pub system: [u8; 32],
    /// Of the proof.
    pub parameters: [u64; 12],
    /// Digest of the claims, with their ranks.
    pub claims: [u8; 32],
    /// Digest of io, as it was at the end of the execution.
    pub io: [u8; 32],
    /// Digest of the shard plan.
    pub plan: [u8; 32],
    /// Number of shards.
    pub shards: usize,
}

/// The version that files of this build have.
#[must_use]
pub fn version() -> String {
    let (package, proof) = (env!("CARGO_PKG_VERSION"), codec::VERSION);
    format!("{package}, proof {proof}, abi {ABI_VERSION}, generator {GENERATOR_VERSION}")
}

impl Subject {
    /// Of an execution and a plan. `claim` and the two names are for readers.
    #[must_use]
    pub fn new(
        key: &VerifyingKey,
        [program, profile, claim]: [String; 3],
        claims: &[RankedClaim],
        io: &Io,
        plan: &BatchPlan,
    ) -> Self {
        Self {
            program,
            profile,
            claim,
            version: version(),
            fingerprint: key.system().fingerprint,
            system: *key.digest(),
            parameters: key.params().words(),
            claims: claims_digest(claims),
            io: io_digest(io),
            plan: plan_digest(plan),
            shards: plan.shards.len(),
        }
    }

    /// The digest of everything but the words for readers.
    #[must_use]
    pub fn address(&self) -> [u8; 32] {
        let mut hash = Hash::new();
        hash.bytes(self.version.as_bytes());
        hash.digest(&self.fingerprint);
        hash.digest(&self.system);
        self.parameters.iter().for_each(|&word| hash.number(word));
        [&self.claims, &self.io, &self.plan].into_iter().for_each(|of| hash.digest(of));
        hash.number(self.shards as u64);
        hash.finish()
    }

    /// Name of its folder in a cache.
    #[must_use]
    pub fn folder(&self) -> String {
        hex(&self.address())
    }

    /// As the header of a file has it.
    pub(super) fn json(&self) -> Value {
        json!({
            "program": self.program,
            "profile": self.profile,
            "claim": self.claim,
            "version": self.version,
            "fingerprint": hex(&self.fingerprint),
            "system": hex(&self.system),
            "parameters": self.parameters,
            "claims": hex(&self.claims),
            "io": hex(&self.io),
            "plan": hex(&self.plan),
            "shards": self.shards,
        })
    }

    /// Reads a header.
    pub(super) fn of_json(json: &Value) -> Option<Self> {
        let text = |name: &str| Some(json.get(name)?.as_str()?.to_owned());
        let digest = |name: &str| digest_of(json.get(name)?.as_str()?);
        let parameters = json.get("parameters")?.as_array()?;
        let parameters: Option<Vec<u64>> = parameters.iter().map(Value::as_u64).collect();
        Some(Self {
            program: text("program")?,
            profile: text("profile")?,
            claim: text("claim")?,
            version: text("version")?,
            fingerprint: digest("fingerprint")?,
            system: digest("system")?,
            parameters: parameters?.try_into().ok()?,
            claims: digest("claims")?,
            io: digest("io")?,
            plan: digest("plan")?,
            shards: usize::try_from(json.get("shards")?.as_u64()?).ok()?,
        })
    }
}

/// 32 bytes from lower-case hexadecimal.
pub(super) fn digest_of(text: &str) -> Option<[u8; 32]> {
    let is_hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c);
    if text.len() != 64 || !text.chars().all(is_hex) {
        return None;
    }
    let mut digest = [0; 32];
    for (at, byte) in digest.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(digest)
}

/// Numbers and lists, so that no two values give the same bytes.
struct Hash(blake3::Hasher);

impl Hash {
    fn new() -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(TAG);
        Self(hasher)
    }

    fn number(&mut self, number: u64) {
        self.0.update(&number.to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.update(bytes);
    }

    fn digest(&mut self, digest: &[u8; 32]) {
        self.0.update(digest);
    }

    fn words(&mut self, words: impl ExactSizeIterator<Item = u64>) {
        self.number(words.len() as u64);
        words.for_each(|word| self.number(word));
    }

    fn finish(self) -> [u8; 32] {
        *self.0.finalize().as_bytes()
    }
}

fn claims_digest(claims: &[RankedClaim]) -> [u8; 32] {
    let mut hash = Hash::new();
    hash.number(claims.len() as u64);
    for RankedClaim { rank, claim } in claims {
        hash.number(claim.function.into());
        hash.number(rank.map_or(0, |rank| 1 + u64::from(rank)));
        hash.words(claim.inputs.iter().map(|&x| word(x)));
        hash.words(claim.outputs.iter().map(|&x| word(x)));
    }
    hash.finish()
}

fn io_digest(io: &Io) -> [u8; 32] {
    let mut hash = Hash::new();
    let channels: Vec<(u64, &[u64])> = io.channels().collect();
    hash.number(channels.len() as u64);
    for (channel, words) in channels {
        hash.number(channel);
        hash.words(words.iter().copied());
    }
    let keys = io.keys();
    hash.number(keys.len() as u64);
    for (channel, key, index, len) in keys {
        [channel, index, len].into_iter().for_each(|number| hash.number(number));
        hash.words(key.iter().copied());
    }
    hash.finish()
}

fn plan_digest(plan: &BatchPlan) -> [u8; 32] {
    let mut hash = Hash::new();
    hash.number(plan.shards.len() as u64);
    for shard in &plan.shards {
        hash.number(shard.pieces.len() as u64);
        for piece in &shard.pieces {
            hash.number(piece.is_some().into());
            if let Some(piece) = piece {
                let numbers = [piece.rows.start, piece.rows.end, piece.log_height];
                numbers.into_iter().for_each(|number| hash.number(number as u64));
            }
        }
    }
    hash.finish()
}
