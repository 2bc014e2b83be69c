//! Files that state what a verifier expects of a proof; docs/json.md describes them.

use serde::Deserialize;
use traceloom_air::field::{MODULUS, is_canonical};
use traceloom_verifier::Profile;
use traceloom_verifier::security::SecurityFigures;

/// Names the format of the file.
const FORMAT: &str = "traceloom-expect/1";

/// Why a proof is not what is expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpectError {
    /// The file is no expectation, or program or proof cannot be read.
    #[error("{0}")]
    Malformed(String),
    /// The proof is refused.
    #[error("{0}")]
    Refused(String),
}

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
#[derive(Clone, Debug, PartialEq)]
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
    /// Reads the bytes of a file; `place` is what errors call it.
    ///
    /// # Errors
    /// [`ExpectError::Malformed`]: what is wrong with which key.
    pub fn parse(place: &str, bytes: &[u8]) -> Result<Self, ExpectError> {
        let wrong = |what: String| ExpectError::Malformed(format!("{place}: {what}"));
        let file: File = serde_json::from_slice(bytes)
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
        let profile = |name: &String| profile(name).map_err(&wrong);
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
            place: place.to_owned(),
        })
    }

    /// Compares the program.
    ///
    /// # Errors
    /// [`ExpectError::Refused`]: it is another one.
    pub fn check_fingerprint(&self, found: &[u8; 32]) -> Result<(), ExpectError> {
        let message = "the fingerprint of the program";
        self.check_digest(message, found, &self.fingerprint)
    }

    /// Compares the constraints and lookups that a proof is verified against.
    ///
    /// # Errors
    /// [`ExpectError::Refused`]: there are others.
    pub fn check_system(&self, found: &[u8; 32]) -> Result<(), ExpectError> {
        let expected = self.system_digest.as_ref();
        expected.map_or(Ok(()), |digest| self.check_digest("the system digest", found, digest))
    }

    fn check_digest(
        &self,
        what: &str,
        found: &[u8; 32],
        expected: &[u8; 32],
    ) -> Result<(), ExpectError> {
        if found == expected {
            return Ok(());
        }
        let (found, expected, place) = (hex(found), hex(expected), &self.place);
        Err(ExpectError::Refused(format!("{what} is {found}, {place} expects {expected}")))
    }

    /// Compares the figures of a proof that is valid.
    ///
    /// # Errors
    /// [`ExpectError::Refused`]: it has fewer bits than expected.
    pub fn check_bits(&self, figures: &SecurityFigures) -> Result<(), ExpectError> {
        for (what, found, least) in [
            ("provable", figures.provable, self.least_provable),
            ("heuristic", figures.heuristic, self.least_heuristic),
        ] {
            // Also where a figure is not a number.
            if found.is_nan() || found < least {
                let place = &self.place;
                return Err(ExpectError::Refused(format!(
                    "{what} security is {found:.1} bits, {place} expects at least {least}"
                )));
            }
        }
        Ok(())
    }

    /// The names of everything that is compared besides profile and claim.
    #[must_use]
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

/// The profile with this name.
///
/// # Errors
/// What there is instead.
pub fn profile(name: &str) -> Result<Profile, String> {
    Profile::from_name(name).ok_or_else(|| {
        let names = Profile::ALL.map(Profile::name);
        format!("{name:?} is not a profile; choose one of {}", names.join(", "))
    })
}

/// The bytes of an even number of hexadecimal digits.
#[must_use]
pub fn bytes_of_hex(digits: &str) -> Option<Vec<u8>> {
    let nibble = |digit: &u8| Some(char::from(*digit).to_digit(16)? as u8);
    let pairs = digits.as_bytes().chunks(2);
    pairs
        .map(|pair| match pair {
            [high, low] => Some(nibble(high)? << 4 | nibble(low)?),
            _ => None,
        })
        .collect()
}

/// Lower-case hexadecimal.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
