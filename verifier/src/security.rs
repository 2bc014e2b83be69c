//! What a proof is worth, computed by the verifier from its actual heights.
//!
//! Both figures hold in the random-oracle model: BLAKE3 answers like a random function,
//! in the transcript and in trees. Soundness is counted round by round, so a figure is
//! the least of the terms below, in bits, and grinding adds its bits to the challenge
//! that follows it. Forks of the transcript are rounds of their own: a term is that of
//! the worst shard, each with its own tallest trace, n rows; N = n·blowup, rate ρ = n/N.
//!
//! ```text
//! |E|      p^DEGREE                     L  list size of a shard, see below
//! lookup   L^K·M·(W + 1) / |E|          K shards, M messages of all shards and claims,
//!                                       W the longest; or, of several shards,
//!          M·(W + 1) / |E|              with
//! bind     L·(L - 1)/2·n / |E|          pairs of candidates, see below
//! alpha    L·C / |E|                    C constraints of one circuit, stage 2 included
//! zeta     L·max(d·(r + 1) + r - 1, (s + 1)·r + 1) / |E|
//!                                       of a circuit: r rows, degree d, s slices
//! batch    (B - 1)·X / |E|              B opened (column, point) pairs of the shard,
//!                                       X exceptional challenges of a line, see below
//! fold     f·X / |E|                    f = arity - 1, or arity where heights join
//! query    α^queries                    α the agreement of words that matter, see below
//! hash     2^-128                       collisions of BLAKE3
//! ```
//!
//! Sources: lookup is 2022/1530 (LogUp) with denominators that vanish; alpha and zeta are
//! 2021/582 (ethSTARK), section 5, with p3's own split of the quotient; the rounds of FRI are
//! counted as in 2024/1553, theorems 2 and 3. The terms are those of `p3-security`
//! 0.8.0, or lower; a test compares them.
//!
//! **Provable**: no conjecture on proximity gaps. The better of
//! - *unique decoding*: L = 1, α = (1 + (n + 2)/N)/2, X = N, or N + 1 in fold (2020/654,
//!   theorem 1.2);
//! - *Johnson, m*: α = (1 + 1/(2m))·sqrt(ρ), L = (m + 1/2)/sqrt(ρ) (2025/2055, theorem
//!   4.2), X = 8·N·(m + 1/2)^3·N / (3·(n - 1)) (2026/2056, theorem 5.12 and appendix B for
//!   lines; `p3-security`, `proximity.rs`, derives the same per degree of a curve). fold is also at
//!   most arity·(N + 1)·(2m + 1) / (sqrt(ρ)·|E|) (2024/1553). m is the best from 3
//!   to 1000, one for all shards, with m < 1/(2·(sqrt((n + 2)/n) - 1)) for each (2021/582,
//!   theorem 1). A shard whose tallest trace has one row has no provable figure.
//!
//! *Several heights.* Take a query index as a letter: all rows that it opens, of every
//! height. A candidate is one polynomial of degree at most n_h per column of height h
//! (dividing by X - zeta and back costs one degree). Two candidates that differ at
//! some height share at most n_h of its N_h points, so at most ρ·N letters. Hence
//! Johnson's count of words that agree on α·N letters, at most
//! (α - ρ)/(α^2 - ρ) <= (m + 1/2)/sqrt(ρ) = L, holds for whole shards; likewise uniqueness
//! where 2α - 1 > ρ. Lines at height h are lines over a code of the same rate, on the
//! image of the letters, which is at least as dense: X at the tallest height is the
//! largest, and over heights the (B_h - 1) sum to less than B.
//!
//! *Several shards.* beta and gamma are drawn for all shards, before zeta has chosen
//! one candidate in any: each of the up to L^K choices may balance by chance. This is what one
//! shard counts, with K = 1. Of several, each is bound before: its main columns are opened
//! at a point that is drawn behind its main root, and the values there are absorbed before
//! beta. Two candidates of main columns (L counts them too) that differ do so in a column, by
//! a polynomial of degree at most n, so they agree in all columns at no more than n points.
//! Unless the point is one of those for one of the L·(L - 1)/2 pairs, which is `bind`, the
//! values leave one candidate a shard, and a batch has one choice. The point needs to be
//! unknown to whoever fixes this shard's candidates, and to nobody else: it depends on no
//! other shard. Whoever dislikes a point or what the values select commits again, or
//! binds other values: that is a query to the random oracle, as in every round, so bind counts
//! with its worst shard and not with the sum of all. Both ways of counting hold, so
//! the better one counts. One more point per column changes no degree: each point is divided
//! out alone.
//!
//! **Heuristic**: no better attack is known. No proximity gap up to capacity is assumed:
//! that is refuted (2025/2010, 2025/2046). Over this field's own subgroups
//! explicit words do better than random ones, and the figure is what they leave. With m a
//! power of two, k = ρ·m, d = N/m: a product of k + 1 cosets of d points is
//! X^(d·(k + 1)) - z·X^(d·k) + lower, so the line of the first two words has an exceptional z
//! for every sum of k + 1 of the m-th roots of unity, with agreement ρ + 1/m. A common
//! factor of degree d - 1, which is zero at points of one coset, brings agreement up to
//! ρ + 2/m - 1/N at hardly fewer z. And the word X^(d·(k + 1)) alone agrees as much with
//! as many polynomials of degree n, which is what an opening allows. So: above
//! α = ρ + 1/m, X = max(N, C(m, k + 1)) and L = C(m/2, k/2 + 1); the best m of 8, 16, 32
//! with k >= 2. m = 64 is left out: its α is about that of random words over the base field,
//! ρ + log2(e/ρ)·ρ/64. `subgroups` has the experiment.
//!
//! Not claimed: zero knowledge; security against quantum computers; that BLAKE3 is a
//! random oracle; anything about several proofs at once; that the union over rounds
//! costs nothing (an attacker of 2^b hashes has a chance below 2^b times the sum of the
//! errors, and only the largest is printed).

mod padding;
#[cfg(test)]
mod subgroups;
mod terms;
#[cfg(test)]
mod tests;

use std::fmt;

pub use padding::{Padding, padding};

use crate::key::VerifyingKey;
use crate::shape::ShardShape;
use terms::Instance;

/// The two figures of a proof, in bits.
#[derive(Clone, Debug, PartialEq)]
pub struct SecurityFigures {
    /// Against the best attack that is known.
    pub heuristic: f64,
    /// Provable in the random-oracle model, in the better regime.
    pub provable: f64,
    /// The regime behind `heuristic`.
    pub heuristic_regime: Regime,
    /// The regime behind `provable`.
    pub provable_regime: Regime,
    /// What the figures consist of.
    pub terms: Vec<SecurityTerm>,
}

/// One source of error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SecurityTerm {
    /// Name, as in the module header.
    pub name: &'static str,
    /// Bits against the best attack that is known.
    pub heuristic: f64,
    /// Bits in the provable regime.
    pub provable: f64,
}

/// How far from a codeword a committed word may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Regime {
    /// Beyond what explicit words over the subgroup of this order reach.
    Subgroup(usize),
    /// Within the unique decoding radius.
    Unique,
    /// Within the Johnson radius, with this proximity parameter.
    Johnson(usize),
}

impl fmt::Display for SecurityFigures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { heuristic, provable, heuristic_regime, provable_regime, .. } = self;
        writeln!(f, "security {provable:.1} bits provable if BLAKE3 is a random oracle:")?;
        writeln!(f, "         {provable_regime}")?;
        writeln!(f, "         {heuristic:.1} bits heuristic, no better attack known:")?;
        write!(f, "         {heuristic_regime}")
    }
}

impl SecurityFigures {
    /// The terms, one per line: the least of a column is the figure.
    #[must_use]
    pub fn table(&self) -> String {
        let lines = self.terms.iter().map(|SecurityTerm { name, heuristic, provable }| {
            format!("  {name:<8} {provable:>7.1} provable  {heuristic:>7.1} heuristic")
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

impl fmt::Display for Regime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Subgroup(m) => write!(
                f,
                "words over subgroups up to order {m} (no gap to capacity: 2025/2010, 2025/2046)"
            ),
            Self::Unique => write!(f, "unique decoding (ePrint 2020/654, theorem 1.2)"),
            Self::Johnson(m) => write!(
                f,
                "Johnson radius, m = {m} (ePrint 2026/2056, theorem 5.12; 2025/2055, theorem 4.2)"
            ),
        }
    }
}

/// Figures of a batch with these shapes, compared with what the parameters promise.
///
/// # Errors
/// [`BelowFloor`] with the figure that is too low, and what would help.
pub fn check_floors(
    key: &VerifyingKey,
    shapes: &[ShardShape],
    num_claims: usize,
) -> Result<SecurityFigures, BelowFloor> {
    Instance::new(key, shapes, num_claims).check_floors(key.params())
}

/// A figure is lower than the parameters promise.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "{kind} security is {got:.1} bits by its {term} term, the profile promises {floor}; {remedy}"
)]
pub struct BelowFloor {
    /// `heuristic` or `provable`.
    pub kind: &'static str,
    /// What the profile promises.
    pub floor: usize,
    /// The computed figure.
    pub got: f64,
    /// The term that it comes from.
    pub term: &'static str,
    /// What would help.
    pub remedy: Remedy,
}

/// What lifts a figure to its floor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// More rows: the log height that the tallest trace of every shard needs.
    Pad(usize),
    /// Fewer messages or shards, or lower traces.
    Less,
    /// Only other parameters.
    Profile,
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pad(log_height) => {
                write!(f, "pad the tallest trace of every shard to 2^{log_height} rows at least")
            }
            Self::Less => write!(
                f,
                "prove less at once (fewer messages or shards, lower traces) or take another profile"
            ),
            Self::Profile => write!(f, "no size of the batch reaches it; take another profile"),
        }
    }
}
