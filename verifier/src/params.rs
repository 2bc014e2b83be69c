//! Protocol parameters and the named profiles.

use thiserror::Error;

/// Two-adicity of the base field: no evaluation domain is larger.
pub const MAX_LOG_DOMAIN: usize = 32;

/// Everything that both sides must agree on besides the system. Part of the
/// transcript; a verifier takes it from its caller, never from a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Params {
    /// Degree of the challenge field over Goldilocks, 2 or 3.
    pub extension_degree: usize,
    /// Log of the ratio of committed domain to trace domain, 1 to 4.
    pub log_blowup: usize,
    /// Log of the largest folding arity, 1 to 4.
    pub max_log_arity: usize,
    /// Number of positions at which committed values are checked, 1 to 1024.
    pub num_queries: usize,
    /// Grinding before the lookup challenges beta, gamma.
    pub lookup_pow_bits: usize,
    /// Grinding before the out-of-domain point zeta.
    pub zeta_pow_bits: usize,
    /// Grinding before the challenge that batches openings.
    pub batch_pow_bits: usize,
    /// Grinding before each folding challenge.
    pub commit_pow_bits: usize,
    /// Grinding before the query positions.
    pub query_pow_bits: usize,
    /// No trace is taller than `2^max_log_height`.
    pub max_log_height: usize,
    /// A proof whose conjectured figure is lower is refused, bits.
    pub min_conjectured_bits: usize,
    /// A proof whose proven figure is lower is refused, bits.
    pub min_proven_bits: usize,
}

/// Parameter sets with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Profile {
    /// For tests: quick and, at about 20 bits, worth nothing.
    Fast,
    /// At least 100 bits under the usual conjectures; the default.
    Standard,
    /// At least 100 bits proven, in the cubic extension.
    Proven,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Self; 3] = [Self::Fast, Self::Standard, Self::Proven];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Standard => "standard",
            Self::Proven => "proven",
        }
    }

    /// The profile with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.name() == name)
    }

    /// Its parameters.
    #[must_use]
    pub const fn params(self) -> Params {
        match self {
            Self::Fast => Params {
                extension_degree: 2,
                log_blowup: 2,
                max_log_arity: 3,
                num_queries: 10,
                lookup_pow_bits: 0,
                zeta_pow_bits: 0,
                batch_pow_bits: 0,
                commit_pow_bits: 0,
                query_pow_bits: 0,
                max_log_height: 26,
                min_conjectured_bits: 15,
                min_proven_bits: 0,
            },
            Self::Standard => Params {
                extension_degree: 2,
                log_blowup: 2,
                max_log_arity: 3,
                num_queries: 46,
                lookup_pow_bits: 16,
                zeta_pow_bits: 4,
                batch_pow_bits: 14,
                commit_pow_bits: 4,
                query_pow_bits: 16,
                max_log_height: 26,
                min_conjectured_bits: 100,
                min_proven_bits: 0,
            },
            Self::Proven => Params {
                extension_degree: 3,
                log_blowup: 2,
                max_log_arity: 3,
                num_queries: 86,
                lookup_pow_bits: 0,
                zeta_pow_bits: 0,
                batch_pow_bits: 0,
                commit_pow_bits: 0,
                query_pow_bits: 16,
                max_log_height: 26,
                min_conjectured_bits: 100,
                min_proven_bits: 100,
            },
        }
    }
}

impl Params {
    /// Checks every range that the protocol code relies on.
    ///
    /// # Errors
    /// Names the first parameter that is out of range.
    pub fn check(&self) -> Result<(), ParamsError> {
        let ranges = [
            ("extension_degree", self.extension_degree, 2, 3),
            ("log_blowup", self.log_blowup, 1, 4),
            ("max_log_arity", self.max_log_arity, 1, 4),
            ("num_queries", self.num_queries, 1, 1024),
            ("lookup_pow_bits", self.lookup_pow_bits, 0, 32),
            ("zeta_pow_bits", self.zeta_pow_bits, 0, 32),
            ("batch_pow_bits", self.batch_pow_bits, 0, 32),
            ("commit_pow_bits", self.commit_pow_bits, 0, 32),
            ("query_pow_bits", self.query_pow_bits, 0, 32),
            ("max_log_height", self.max_log_height, 0, MAX_LOG_DOMAIN - self.log_blowup.min(4)),
            ("min_conjectured_bits", self.min_conjectured_bits, 0, 128),
            ("min_proven_bits", self.min_proven_bits, 0, 128),
        ];
        for (name, got, min, max) in ranges {
            if got < min || got > max {
                return Err(ParamsError { name, min, max, got });
            }
        }
        Ok(())
    }

    /// The parameters as words, in transcript and file order.
    #[must_use]
    pub fn words(&self) -> [u64; 12] {
        [
            self.extension_degree,
            self.log_blowup,
            self.max_log_arity,
            self.num_queries,
            self.lookup_pow_bits,
            self.zeta_pow_bits,
            self.batch_pow_bits,
            self.commit_pow_bits,
            self.query_pow_bits,
            self.max_log_height,
            self.min_conjectured_bits,
            self.min_proven_bits,
        ]
        .map(|value| value as u64)
    }

    /// The inverse of [`Self::words`]; `None` if a word exceeds `u32`.
    pub(crate) fn from_words(words: [u64; 12]) -> Option<Self> {
        let mut values = [0; 12];
        for (value, word) in values.iter_mut().zip(words) {
            *value = u32::try_from(word).ok()? as usize;
        }
        let [
            extension_degree,
            log_blowup,
            max_log_arity,
            num_queries,
            lookup_pow_bits,
            zeta_pow_bits,
            batch_pow_bits,
            commit_pow_bits,
            query_pow_bits,
            max_log_height,
            min_conjectured_bits,
            min_proven_bits,
        ] = values;
        Some(Self {
            extension_degree,
            log_blowup,
            max_log_arity,
            num_queries,
            lookup_pow_bits,
            zeta_pow_bits,
            batch_pow_bits,
            commit_pow_bits,
            query_pow_bits,
            max_log_height,
            min_conjectured_bits,
            min_proven_bits,
        })
    }
}

/// A parameter is out of its range.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("parameter {name} must be between {min} and {max}, got {got}")]
pub struct ParamsError {
    /// Name of the parameter.
    pub name: &'static str,
    /// Smallest legal value.
    pub min: usize,
    /// Largest legal value.
    pub max: usize,
    /// The value.
    pub got: usize,
}
