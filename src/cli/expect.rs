//! Files that state what a verifier expects of a proof; docs/json.md describes them.

use std::path::Path;

use serde::Deserialize;
use traceloom_air::field::{MODULUS, is_canonical};
use traceloom_runtime::session::{Expected, read_program};
use traceloom_verifier::Profile;
use traceloom_verifier::security::SecurityFigures;

use super::Failure;
use super::output::hex;
use super::verify::bytes_of_hex;

/// Names the format of the file.
const FORMAT: &str = "traceloom-expect/1";

/// What a file states. Everything but the format and the fingerprint may be left out, and is then
/// not compared.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    fingerprint: String,
    system_digest: Option<String>,
    profile: Option<String>,
    entry: Option<String>,
    inputs: Option<Words>,
    outputs: Option<Words>,
    least_provable_bits: Option<f64>,
    least_heuristic_bits: Option<f64>,
}

/// Numbers, or bytes in hexadecimal after `0x`.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Words {
    Numbers(Vec<u64>),
    Bytes(String),
}

/// An expectation.
pub struct Expectation {
    place: String,
    /// The program.
    pub fingerprint: [u8; 32],
    system_digest: Option<[u8; 32]>,
    /// The profile.
    pub profile: Option<Profile>,
    /// The entry function.
    pub entry: Option<String>,
    /// The claimed inputs.
    pub inputs: Option<Vec<u64>>,
    /// The claimed outputs.
    pub outputs: Option<Vec<u64>>,
    least_provable: f64,
    least_heuristic: f64,
}

impl Expectation {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let place = path.display().to_string();
        let bytes = read_program(path)?;
        let wrong = |what: String| Failure::Malformed(format!("{place}: {what}"));
        let file: File = serde_json::from_slice(&bytes)
            .map_err(|error| wrong(format!("is no expectation: {error}")))?;
        if file.format != FORMAT {
            return Err(wrong(format!("format: found {:?}, expected {FORMAT:?}", file.format)));
        }
        let digest = |key: &str, digits: &str| {
            let bytes = bytes_of_hex(digits).and_then(|bytes| bytes.try_into().ok());
            bytes.ok_or_else(|| wrong(format!("{key}: expected 64 hexadecimal digits")))
        };
        let words = |key: &str, words: Option<Words>| {
            words.map(|words| words.read(key)).transpose().map_err(&wrong)
        };
        let profile = |name: &String| super::source::profile(name).map_err(&wrong);
        Ok(Self {
            fingerprint: digest("fingerprint", &file.fingerprint)?,
            system_digest: match &file.system_digest {
                Some(digits) => Some(digest("system_digest", digits)?),
                None => None,
            },
            profile: file.profile.as_ref().map(profile).transpose()?,
            entry: file.entry,
            inputs: words("inputs", file.inputs)?,
            outputs: words("outputs", file.outputs)?,
            least_provable: file.least_provable_bits.unwrap_or(0.0),
            least_heuristic: file.least_heuristic_bits.unwrap_or(0.0),
            place,
        })
    }

    /// What is expected of the claim.
    pub fn expected(&self) -> Expected {
        let mut expected = Expected::any();
        if let Some(name) = &self.entry {
            expected = expected.entry(name);
        }
        if let Some(inputs) = &self.inputs {
            expected = expected.inputs(inputs.clone());
        }
        if let Some(outputs) = &self.outputs {
            expected = expected.outputs(outputs.clone());
        }
        expected
    }

    /// Compares the program.
    pub fn check_fingerprint(&self, found: &[u8; 32]) -> Result<(), Failure> {
        let message = "the fingerprint of the program";
        self.check_digest(message, found, &self.fingerprint)
    }

    /// Compares the constraints and lookups that a proof is verified against.
    pub fn check_system(&self, found: &[u8; 32]) -> Result<(), Failure> {
        let expected = self.system_digest.as_ref();
        expected.map_or(Ok(()), |digest| self.check_digest("the system digest", found, digest))
    }

    fn check_digest(
        &self,
        what: &str,
        found: &[u8; 32],
        expected: &[u8; 32],
    ) -> Result<(), Failure> {
        if found == expected {
            return Ok(());
        }
        let (found, expected, place) = (hex(found), hex(expected), &self.place);
        Err(Failure::Refused(format!("{what} is {found}, {place} expects {expected}")))
    }

    /// Compares the figures of a proof that is valid.
    pub fn check_bits(&self, figures: &SecurityFigures) -> Result<(), Failure> {
        for (what, found, least) in [
            ("provable", figures.provable, self.least_provable),
            ("heuristic", figures.heuristic, self.least_heuristic),
        ] {
            // Also where a figure is not a number.
            if found.is_nan() || found < least {
                let place = &self.place;
                return Err(Failure::Refused(format!(
                    "{what} security is {found:.1} bits, {place} expects at least {least}"
                )));
            }
        }
        Ok(())
    }

    /// The names of everything that is compared.
    pub fn compared(&self) -> Vec<&'static str> {
        let parts = [
            ("fingerprint", true),
            ("system digest", self.system_digest.is_some()),
            ("least provable bits", self.least_provable > 0.0),
            ("least heuristic bits", self.least_heuristic > 0.0),
        ];
        parts.into_iter().filter(|(_, is)| *is).map(|(name, _)| name).collect()
    }
}

impl Words {
    fn read(self, key: &str) -> Result<Vec<u64>, String> {
        match self {
            Self::Bytes(text) => {
                let bytes = text.strip_prefix("0x").and_then(bytes_of_hex);
                let words = bytes.map(|bytes| bytes.into_iter().map(u64::from).collect());
                words.ok_or_else(|| format!("{key}: expected pairs of hex digits after 0x"))
            }
            Self::Numbers(words) => match words.iter().find(|&&word| !is_canonical(word)) {
                Some(word) => {
                    Err(format!("{key}: {word} is not a number from 0 to {}", MODULUS - 1))
                }
                None => Ok(words),
            },
        }
    }
}
