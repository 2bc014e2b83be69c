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
    /// A proof whose heuristic figure is lower is refused, bits.
    pub min_heuristic_bits: usize,
    /// A proof whose provable figure is lower is refused, bits.
    pub min_provable_bits: usize,
}

/// Parameter sets with a name. Searched at equal bits for small proofs and quick provers:
/// docs/measurements.md has the search and what it compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Profile {
    /// For tests: quick and, at about 18 bits, worth nothing.
    Fast,
    /// At least 100 bits provable, without a conjecture on proximity gaps; the default.
    Standard,
    /// At least 128 bits provable. The hash caps the figure at exactly 128.
    Strong,
    /// Small and fast: at least 100 bits against the best attack that is known, and no
    /// proof that there is no better one.
    Heuristic,
}

/// How large a proof of a profile may be: up to here its floors are reached, which tests
/// assert, as they assert that more is refused. They assume messages of at most 127
/// elements, 2048 opened values per row, 4096 constraints of degree 5 per circuit and
/// traces that are padded to [`least height`](crate::security::padding). The verifier
/// computes with what a proof has, so more of one thing is accepted where there is less
/// of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Log height of a trace.
    pub log_height: usize,
    /// Log of the messages and claims of a batch of one shard.
    pub log_messages: usize,
    /// The same of all shards of a batch of two to
    /// [`MAX_SHARDS`](crate::shape::MAX_SHARDS); `None` if two shards with
    /// `2^32` messages miss a floor.
    pub log_batch_messages: Option<usize>,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Self; 4] = [Self::Fast, Self::Standard, Self::Strong, Self::Heuristic];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fast => "fast",
            Self::Standard => "standard",
            Self::Strong => "strong",
            Self::Heuristic => "heuristic",
        }
    }

    /// The profile with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.name() == name)
    }

    /// How large its proofs may be.
    #[must_use]
    pub const fn caps(self) -> Caps {
        let (log_messages, log_batch_messages) = match self {
            Self::Fast => (63, Some(63)),
            Self::Standard => (63, Some(63)),
            Self::Strong => (49, Some(56)),
            Self::Heuristic => (34, None),
        };
        Caps { log_height: 26, log_messages, log_batch_messages }
    }

    /// Its parameters.
    #[must_use]
    pub const fn params(self) -> Params {
        match self {
            Self::Fast => Params {
                num_queries: 10,
                lookup_pow_bits: 0,
                zeta_pow_bits: 0,
                batch_pow_bits: 0,
                commit_pow_bits: 0,
                query_pow_bits: 0,
                min_heuristic_bits: 15,
                ..QUADRATIC
            },
            Self::Standard => Params { num_queries: 83, ..CUBIC },
            Self::Strong => Params {
                num_queries: 111,
                min_heuristic_bits: 128,
                min_provable_bits: 128,
                ..CUBIC
            },
            Self::Heuristic => QUADRATIC,
        }
    }
}

/// A field of about 2^128, which leaves some terms to grinding.
const QUADRATIC: Params = Params {
    extension_degree: 2,
    log_blowup: 2,
    max_log_arity: 3,
    num_queries: 49,
    lookup_pow_bits: 19,
    zeta_pow_bits: 7,
    batch_pow_bits: 12,
    commit_pow_bits: 4,
    query_pow_bits: 18,
    max_log_height: 26,
    min_heuristic_bits: 100,
    min_provable_bits: 0,
};

/// A field of about 2^192: only the queries have to be paid for.
const CUBIC: Params = Params {
    extension_degree: 3,
    log_blowup: 2,
    max_log_arity: 3,
    num_queries: 83,
    lookup_pow_bits: 0,
    zeta_pow_bits: 0,
    batch_pow_bits: 0,
    commit_pow_bits: 0,
    query_pow_bits: 18,
    max_log_height: 26,
    min_heuristic_bits: 100,
    min_provable_bits: 100,
};

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
            ("min_heuristic_bits", self.min_heuristic_bits, 0, 128),
            ("min_provable_bits", self.min_provable_bits, 0, 128),
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
            self.min_heuristic_bits,
            self.min_provable_bits,
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
            min_heuristic_bits,
            min_provable_bits,
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
            min_heuristic_bits,
            min_provable_bits,
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
