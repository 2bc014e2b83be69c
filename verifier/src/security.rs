//! What a proof is worth, computed by the verifier from its actual heights.
//!
//! Soundness is counted round by round: the figure is the least of the terms below,
//! in bits. Per term, the counts are those of the worst shard or circuit; heights
//! enter as the tallest trace of the batch, n rows, N = n·blowup, rate ρ = n/N.
//!
//! ```text
//! |E|      p^DEGREE                     L  list size: 1 | 1 | (m + 1/2)/sqrt(ρ)
//! lookup   L·M·(W + 1) / |E|            M messages of all shards and claims, W the longest
//! alpha    L·C / |E|                    C constraints of one circuit, stage 2 included
//! zeta     L·max(d·(n + 1) + n - 1, (s + 1)·n + 1) / |E|
//!                                       d degree, s slices; two points per column
//! batch    (B - 1)·N / |E|              B opened (column, point) pairs of one shard
//! fold     f·(N + 1) / |E|              f = arity - 1, or arity where heights join
//! query    α^queries                    α = (1 + (n + 2)/N)/2, or conjectured below
//! hash     2^-128                       collisions of BLAKE3
//! ```
//!
//! Grinding adds its bits to lookup, zeta, batch, fold and query. Three regimes:
//! - *conjectured*: α = ρ + η, η = log2(e/ρ)·ρ / log2|E| (2025/2010, section 1.5);
//! - *unique decoding*: as above;
//! - *Johnson, m*: α = (1 + 1/(2m))·sqrt(ρ), and in batch and fold a line has
//!   8·N·(m + 1/2)^3·N / (3·(n - 1)) exceptional challenges (2025/2055, 2026/2056);
//!   fold is also at most arity·(N + 1)·(2m + 1) / (sqrt(ρ)·|E|) (2024/1553).
//!
//! The proven figure is the better of unique decoding and the best m from 3 to 1000
//! with m < 1/(2·(sqrt((n + 2)/n) - 1)). The terms are those of `p3-security`; a test
//! compares them.

use std::fmt;

use traceloom_air::field::MODULUS;

use crate::key::VerifyingKey;
use crate::params::Params;
use crate::shape::ShardShape;
use crate::verify::VerifyError;

/// Bits of collision resistance of the hash.
const HASH_BITS: f64 = 128.0;
/// Points at which a column is opened, at most.
const POINTS: f64 = 2.0;
/// Largest proximity parameter that is tried.
const MAX_M: usize = 1000;

/// The two figures of a proof, in bits.
#[derive(Clone, Debug, PartialEq)]
pub struct SecurityFigures {
    /// Under the random-words conjecture.
    pub conjectured: f64,
    /// Proven, in the better regime.
    pub proven: f64,
    /// The regime behind `proven`.
    pub proven_regime: Regime,
    /// What the figures consist of.
    pub terms: Vec<SecurityTerm>,
}

/// One source of error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SecurityTerm {
    /// Name, as in the module header.
    pub name: &'static str,
    /// Bits under the conjecture.
    pub conjectured: f64,
    /// Bits in the proven regime.
    pub proven: f64,
}

/// How far from a codeword a committed word may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Regime {
    /// Up to the random-words conjecture.
    Conjectured,
    /// Within the unique decoding radius.
    Unique,
    /// Within the Johnson radius, with this proximity parameter.
    Johnson(usize),
}

impl SecurityFigures {
    /// Compares with what the parameters promise.
    ///
    /// # Errors
    /// [`VerifyError::Security`] with the figure that is too low.
    pub fn check_floor(&self, params: &Params) -> Result<(), VerifyError> {
        let figures = [
            ("conjectured", params.min_conjectured_bits, self.conjectured),
            ("proven", params.min_proven_bits, self.proven),
        ];
        for (kind, floor, got) in figures {
            if got < floor as f64 {
                return Err(VerifyError::Security { kind, floor, got });
            }
        }
        Ok(())
    }
}

impl fmt::Display for SecurityFigures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "security  {:.1} bits conjectured, {:.1} bits proven",
            self.conjectured, self.proven
        )?;
        write!(f, " ({}); the least of these terms:", self.proven_regime)?;
        for term in &self.terms {
            let SecurityTerm { name, conjectured, proven } = term;
            write!(f, "\n  {name:<8} {conjectured:>7.1} conjectured  {proven:>7.1} proven")?;
        }
        Ok(())
    }
}

impl fmt::Display for Regime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Conjectured => write!(f, "under the random-words conjecture"),
            Self::Unique => write!(f, "within the unique decoding radius"),
            Self::Johnson(m) => write!(f, "within the Johnson radius, m = {m}"),
        }
    }
}

/// Figures of a batch with these shapes.
#[must_use]
pub fn security(key: &VerifyingKey, shapes: &[ShardShape], num_claims: usize) -> SecurityFigures {
    Instance::new(key, shapes, num_claims).figures(key.params())
}

/// All counts that the terms depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Instance {
    /// log2 |E|.
    log_field: f64,
    log_height: usize,
    messages: f64,
    max_message: usize,
    num_constraints: usize,
    /// The maximum in the zeta term.
    zeta_factor: f64,
    num_openings: usize,
    /// Whether a shard has traces of different heights.
    heights_join: bool,
}

impl Instance {
    fn new(key: &VerifyingKey, shapes: &[ShardShape], num_claims: usize) -> Self {
        let degree = key.params().extension_degree as f64;
        let entries = key.system().entries.iter();
        let claims = entries.map(|entry| 3 + entry.num_inputs + entry.num_outputs);
        let mut instance = Self {
            log_field: degree * (MODULUS as f64).log2(),
            messages: num_claims as f64,
            max_message: claims.max().unwrap_or(0),
            ..Self::default()
        };
        for shape in shapes {
            let matrices = shape.rounds.iter().flat_map(|round| &round.matrices);
            let openings = matrices.map(|m| m.width * (1 + usize::from(m.opens_next))).sum();
            instance.num_openings = instance.num_openings.max(openings);
            instance.log_height = instance.log_height.max(shape.max_log_height());
            let heights = shape.active.windows(2);
            instance.heights_join |=
                heights.into_iter().any(|pair| pair[0].log_height != pair[1].log_height);
            for active in &shape.active {
                instance.add_circuit(key, active.circuit, active.log_height);
            }
        }
        instance
    }

    fn add_circuit(&mut self, key: &VerifyingKey, circuit: usize, log_height: usize) {
        let layout = &key.layouts()[circuit];
        let circuit = &key.system().circuits[circuit];
        let rows = (log_height as f64).exp2();
        self.messages += rows * circuit.lookups.len() as f64;
        self.max_message = self.max_message.max(layout.max_message);
        let constraints = layout.num_constraints(circuit.constraints.len());
        self.num_constraints = self.num_constraints.max(constraints);
        self.zeta_factor =
            self.zeta_factor.max(zeta_factor(rows, layout.max_degree, layout.num_slices));
    }

    fn figures(&self, params: &Params) -> SecurityFigures {
        let least = |terms: &[Term]| terms.iter().map(|term| term.bits).fold(HASH_BITS, f64::min);
        let conjectured = self.terms(params, Regime::Conjectured);
        let mut regime = Regime::Unique;
        let mut proven = self.terms(params, regime);
        for m in 3..=max_m(self.log_height) {
            let terms = self.terms(params, Regime::Johnson(m));
            if least(&terms) > least(&proven) {
                (regime, proven) = (Regime::Johnson(m), terms);
            }
        }
        let terms = conjectured.iter().zip(&proven).map(|(conjectured, proven)| SecurityTerm {
            name: conjectured.name,
            conjectured: conjectured.bits,
            proven: proven.bits,
        });
        SecurityFigures {
            conjectured: least(&conjectured),
            proven: least(&proven),
            proven_regime: regime,
            terms: terms.collect(),
        }
    }

    fn terms(&self, params: &Params, regime: Regime) -> [Term; 7] {
        let log_rate = -(params.log_blowup as f64);
        let log_list = match regime {
            Regime::Conjectured | Regime::Unique => 0.0,
            Regime::Johnson(m) => (m as f64 + 0.5).log2() - log_rate / 2.0,
        };
        let challenge = |log_error: f64, grinding: usize| {
            (self.log_field - log_error).max(0.0) + grinding as f64
        };
        let lookup = self.messages.log2() + (self.max_message as f64 + 1.0).log2();
        let alpha = (self.num_constraints.max(1) as f64).log2();
        let batch = match self.num_openings {
            0 | 1 => f64::NEG_INFINITY,
            openings => (openings as f64 - 1.0).log2() + self.log_line(params, regime),
        };
        [
            ("lookup", challenge(log_list + lookup, params.lookup_pow_bits)),
            ("alpha", challenge(log_list + alpha, 0)),
            ("zeta", challenge(log_list + self.zeta_factor.log2(), params.zeta_pow_bits)),
            ("batch", challenge(batch, params.batch_pow_bits)),
            ("fold", challenge(self.log_fold(params, regime), params.commit_pow_bits)),
            ("query", self.query_bits(params, regime)),
            ("hash", HASH_BITS),
        ]
        .map(|(name, bits)| Term { name, bits })
    }

    /// log2 of the number of exceptional challenges on a line of words.
    fn log_line(&self, params: &Params, regime: Regime) -> f64 {
        let log_domain = (self.log_height + params.log_blowup) as f64;
        let Regime::Johnson(m) = regime else { return log_domain };
        if self.log_height == 0 {
            return 2.0 * log_domain - 1.0;
        }
        let log_rate = ((self.log_height as f64).exp2() - 1.0).log2() - log_domain;
        3.0 + log_domain + 3.0 * (m as f64 + 0.5).log2() - 3f64.log2() - log_rate
    }

    fn log_fold(&self, params: &Params, regime: Regime) -> f64 {
        if self.log_height == 0 {
            return f64::NEG_INFINITY;
        }
        let arity = (params.max_log_arity as f64).exp2();
        let curve = if self.heights_join { arity } else { arity - 1.0 };
        let domain = ((self.log_height + params.log_blowup) as f64).exp2() + 1.0;
        let Regime::Johnson(m) = regime else { return (curve * domain).log2() };
        let other = (arity * domain * (2.0 * m as f64 + 1.0)).log2();
        let other = other + params.log_blowup as f64 / 2.0;
        other.max(curve.log2() + self.log_line(params, regime))
    }

    fn query_bits(&self, params: &Params, regime: Regime) -> f64 {
        let rate = (-(params.log_blowup as f64)).exp2();
        let height = (self.log_height as f64).exp2();
        let agreement = match regime {
            Regime::Conjectured => {
                let log_e_over_rate = std::f64::consts::LOG2_E + params.log_blowup as f64;
                rate + log_e_over_rate * rate / self.log_field
            }
            Regime::Unique => f64::midpoint(1.0, (height + POINTS) / height * rate),
            Regime::Johnson(m) => (1.0 + 0.5 / m as f64) * rate.sqrt(),
        };
        let fits = height + POINTS < agreement * height / rate;
        let bits = if agreement < 1.0 && (fits || regime == Regime::Conjectured) {
            -agreement.log2() * params.num_queries as f64
        } else {
            return 0.0;
        };
        bits + params.query_pow_bits as f64
    }
}

#[derive(Clone, Copy, Debug)]
struct Term {
    name: &'static str,
    bits: f64,
}

fn zeta_factor(rows: f64, degree: usize, slices: usize) -> f64 {
    let identity = degree.max(1) as f64 * (rows + POINTS - 1.0) + rows - 1.0;
    let sliced = (slices as f64 + 1.0) * rows + POINTS - 1.0;
    identity.max(sliced).max(1.0)
}

/// The largest admissible proximity parameter, at most [`MAX_M`].
fn max_m(log_height: usize) -> usize {
    let height = (log_height as f64).exp2();
    let bound = 1.0 / (2.0 * (((height + POINTS) / height).sqrt() - 1.0));
    let below = if bound.fract() == 0.0 { bound - 1.0 } else { bound.floor() };
    (below as usize).min(MAX_M)
}

#[cfg(test)]
mod tests {
    use p3_security::fri::FriRegime;
    use p3_security::logup::{LogUpAir, fingerprint_error};
    use p3_security::stark::{conjectured_security_report, proven_security_report};
    use p3_security::{ErrorBits, GrindingSites, InstanceShape, SecurityTerm, StarkAirParams};

    use super::*;
    use crate::params::Profile;

    /// A program like BLAKE3: 190 lookups of up to 100 elements per row.
    fn wide(log_height: usize, params: &Params) -> Instance {
        let rows = (log_height as f64).exp2();
        Instance {
            log_field: params.extension_degree as f64 * (MODULUS as f64).log2(),
            log_height,
            messages: 190.0 * rows,
            max_message: 100,
            num_constraints: 1000,
            zeta_factor: zeta_factor(rows, 5, 4),
            num_openings: 1300,
            heights_join: false,
        }
    }

    fn p3_figures(log_height: usize, params: &Params) -> (f64, f64) {
        let regime = FriRegime {
            log_blowup: params.log_blowup,
            num_queries: params.num_queries,
            log_final_poly_len: 0,
            max_log_arity: params.max_log_arity,
            commit_pow_bits: params.commit_pow_bits,
            query_pow_bits: params.query_pow_bits,
        };
        let air = StarkAirParams {
            num_constraints: 1000,
            max_constraint_degree: 5,
            num_quotient_chunks: 4,
            max_combo: 2,
        };
        let shape = InstanceShape {
            log_trace_length: log_height,
            modulus_bits: 64 * params.extension_degree,
            collision_resistance: 128,
            num_batched_functions: 1300,
        };
        let grinding = GrindingSites {
            out_of_domain: params.zeta_pow_bits,
            batch_combination: params.batch_pow_bits,
            lookup_challenge: params.lookup_pow_bits,
        };
        // Their payload leaves out the channel.
        let lookups = LogUpAir { num_interactions: 190, max_message_width: 99 };
        let bits = fingerprint_error(&lookups, &shape).bits() + params.lookup_pow_bits as f64;
        let extras = [SecurityTerm::new("lookup", ErrorBits::from_log2(bits))];
        let proven = proven_security_report(&regime, &air, &shape, &extras, &grinding);
        let conjectured = conjectured_security_report(&regime, &air, &shape, &extras, &grinding);
        (conjectured.security_bits(), proven.security_bits())
    }

    #[test]
    fn the_figures_are_those_of_p3_security() {
        for profile in Profile::ALL {
            let params = profile.params();
            for log_height in [1, 3, 6, 8, 16, 22, 26] {
                let figures = wide(log_height, &params).figures(&params);
                let (conjectured, proven) = p3_figures(log_height, &params);
                let difference = (figures.conjectured - conjectured).abs();
                assert!(difference < 0.01, "{profile:?} 2^{log_height}: {difference}");
                let difference = proven - figures.proven;
                // Ours counts the list in the lookup term too.
                assert!(
                    (-0.01..2.0).contains(&difference),
                    "{profile:?} 2^{log_height}: {difference}"
                );
                if params.extension_degree == 3 {
                    assert!(difference < 0.01, "{profile:?} 2^{log_height}: {difference}");
                }
            }
        }
    }

    #[test]
    fn the_largest_admitted_shapes_keep_their_promise() {
        for profile in Profile::ALL {
            let params = profile.params();
            for log_height in [6, 8, 12, 17, 22, params.max_log_height] {
                let figures = wide(log_height, &params).figures(&params);
                figures.check_floor(&params).unwrap_or_else(|error| {
                    panic!("{profile:?} 2^{log_height}: {error}, {figures:?}");
                });
            }
        }
    }

    #[test]
    fn a_batch_that_is_too_large_falls_below_the_floor() {
        let params = Profile::Standard.params();
        let mut instance = wide(26, &params);
        instance.messages *= 1024.0;
        let refused = instance.figures(&params).check_floor(&params);
        assert!(matches!(refused, Err(VerifyError::Security { kind: "conjectured", .. })));
    }
}
