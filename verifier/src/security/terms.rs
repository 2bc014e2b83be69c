//! The terms of the parent's header, from counts of a batch.

use traceloom_air::field::MODULUS;

use super::{BelowFloor, Regime, SecurityFigures, SecurityTerm};
use crate::key::VerifyingKey;
use crate::params::Params;
use crate::shape::ShardShape;

/// Bits of collision resistance of the hash.
const HASH_BITS: f64 = 128.0;
/// Points at which a column is opened, at most.
const POINTS: f64 = 2.0;
/// Largest proximity parameter that is tried.
pub(super) const MAX_M: usize = 1000;
/// Orders of subgroups whose attacks are tried.
const SUBGROUPS: [usize; 3] = [8, 16, 32];

/// All counts that the terms depend on.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Instance {
    /// log2 |E|.
    pub(super) log_field: f64,
    pub(super) messages: f64,
    pub(super) max_message: usize,
    pub(super) num_shards: usize,
    /// Shards that differ in what terms combine: each term is that of its worst shard.
    pub(super) shards: Vec<Shard>,
}

/// The counts of one shard.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Shard {
    pub(super) log_height: usize,
    pub(super) num_constraints: usize,
    /// The maximum in the zeta term.
    pub(super) zeta_factor: f64,
    pub(super) num_openings: usize,
    /// Whether there are traces of different heights.
    pub(super) heights_join: bool,
}

impl Instance {
    pub(super) fn new(key: &VerifyingKey, shapes: &[ShardShape], num_claims: usize) -> Self {
        let degree = key.params().extension_degree as f64;
        let entries = key.system().entries.iter();
        let claims = entries.map(|entry| 3 + entry.num_inputs + entry.num_outputs);
        let mut instance = Self {
            log_field: degree * (MODULUS as f64).log2(),
            messages: num_claims as f64,
            max_message: claims.max().unwrap_or(0),
            num_shards: shapes.len(),
            shards: Vec::new(),
        };
        for shape in shapes {
            instance.add_shard(key, shape);
        }
        instance
    }

    fn add_shard(&mut self, key: &VerifyingKey, shape: &ShardShape) {
        let matrices = shape.rounds.iter().flat_map(|round| &round.matrices);
        let heights: Vec<usize> = shape.active.iter().map(|active| active.log_height).collect();
        let mut shard = Shard {
            log_height: shape.max_log_height(),
            num_openings: matrices.map(|m| m.width * m.num_points()).sum(),
            heights_join: heights.windows(2).any(|pair| pair[0] != pair[1]),
            ..Shard::default()
        };
        for active in &shape.active {
            let layout = &key.layouts()[active.circuit];
            let circuit = &key.system().circuits[active.circuit];
            let rows = (active.log_height as f64).exp2();
            self.messages += rows * circuit.lookups.len() as f64;
            self.max_message = self.max_message.max(layout.max_message);
            let constraints = layout.num_constraints(circuit.constraints.len());
            shard.num_constraints = shard.num_constraints.max(constraints);
            let factor = zeta_factor(rows, layout.max_degree, layout.num_slices);
            shard.zeta_factor = shard.zeta_factor.max(factor);
        }
        self.add(shard);
    }

    /// Adds the counts of a shard to those of one with which it shares what terms combine:
    /// each of the other counts enters one term only, where the largest is the worst.
    pub(super) fn add(&mut self, shard: Shard) {
        let combined = |of: &Shard| (of.log_height, of.heights_join);
        match self.shards.iter_mut().find(|other| combined(other) == combined(&shard)) {
            None => self.shards.push(shard),
            Some(other) => {
                other.num_constraints = other.num_constraints.max(shard.num_constraints);
                other.zeta_factor = other.zeta_factor.max(shard.zeta_factor);
                other.num_openings = other.num_openings.max(shard.num_openings);
            }
        }
    }

    pub(super) fn figures(&self, params: &Params) -> SecurityFigures {
        let (heuristic_regime, heuristic) = self.heuristic(params);
        let (provable_regime, provable) = self.provable(params);
        let terms = heuristic.iter().zip(&provable).map(|(heuristic, provable)| SecurityTerm {
            name: heuristic.name,
            heuristic: heuristic.bits,
            provable: provable.bits,
        });
        let terms = terms.filter(|term| term.name != "bind" || self.num_shards > 1);
        SecurityFigures {
            heuristic: least(&heuristic).bits,
            provable: least(&provable).bits,
            heuristic_regime,
            provable_regime,
            terms: terms.collect(),
        }
    }

    fn heuristic(&self, params: &Params) -> (Regime, Terms) {
        let fits = |m: &usize| *m >> params.log_blowup >= 2;
        let regimes = SUBGROUPS.into_iter().filter(fits).map(Regime::Subgroup);
        let all = regimes.map(|regime| (regime, self.terms(params, regime)));
        all.reduce(|a, b| if least(&b.1).bits > least(&a.1).bits { b } else { a })
            .expect("every blowup has a subgroup")
    }

    fn provable(&self, params: &Params) -> (Regime, Terms) {
        let mut regime = Regime::Unique;
        let mut best = self.terms(params, regime);
        let max_m = self.shards.iter().map(|shard| max_m(shard.log_height)).min().unwrap_or(0);
        for m in 3..=max_m {
            let terms = self.terms(params, Regime::Johnson(m));
            // These never grow with m: no larger one is better.
            if least(&terms[..2]).bits <= least(&best).bits {
                break;
            }
            if least(&terms).bits > least(&best).bits {
                (regime, best) = (Regime::Johnson(m), terms);
            }
        }
        (regime, best)
    }

    pub(super) fn check_floors(&self, params: &Params) -> Result<SecurityFigures, BelowFloor> {
        let figures = self.figures(params);
        let heuristic = figures.terms.iter().map(|term| (term.name, term.heuristic));
        let provable = figures.terms.iter().map(|term| (term.name, term.provable));
        let least = |a: (&'static str, f64), b: (&'static str, f64)| if b.1 < a.1 { b } else { a };
        let kinds = [
            ("heuristic", params.min_heuristic_bits, heuristic.reduce(least)),
            ("provable", params.min_provable_bits, provable.reduce(least)),
        ];
        for (kind, floor, term) in kinds {
            let (term, got) = term.expect("there are terms");
            if got < floor as f64 {
                return Err(BelowFloor { kind, floor, got, term, remedy: self.remedy(params) });
            }
        }
        Ok(figures)
    }

    /// The bits of every term at its worst shard: of one shard, or of several in the better
    /// way to count their candidates, which enters the first two terms only.
    pub(super) fn terms(&self, params: &Params, regime: Regime) -> Terms {
        let lists = self.terms_counted(params, regime, Counted::Lists);
        if self.num_shards == 1 {
            return lists;
        }
        let bound = self.terms_counted(params, regime, Counted::Bound);
        if least(&lists[..2]).bits > least(&bound[..2]).bits { lists } else { bound }
    }

    fn terms_counted(&self, params: &Params, regime: Regime, counted: Counted) -> Terms {
        let log_list = log_list(params, regime);
        let messages = self.messages.log2() + (self.max_message as f64 + 1.0).log2();
        let lookup = match counted {
            Counted::Lists => self.num_shards as f64 * log_list + messages,
            Counted::Bound => messages,
        };
        let worst = |bits: &dyn Fn(&Shard) -> f64| {
            self.shards.iter().map(bits).fold(f64::INFINITY, f64::min)
        };
        let challenge = |log_error: f64, grinding: usize| {
            (self.log_field - log_error).max(0.0) + grinding as f64
        };
        let bind = match counted {
            Counted::Lists => f64::INFINITY,
            Counted::Bound => worst(&|shard| challenge(shard.log_bind(log_list), 0)),
        };
        let alpha =
            |shard: &Shard| challenge(log_list + (shard.num_constraints.max(1) as f64).log2(), 0);
        let zeta =
            |shard: &Shard| challenge(log_list + shard.zeta_factor.log2(), params.zeta_pow_bits);
        let batch =
            |shard: &Shard| challenge(shard.log_batch(params, regime), params.batch_pow_bits);
        let fold =
            |shard: &Shard| challenge(shard.log_fold(params, regime), params.commit_pow_bits);
        let terms = [
            ("lookup", challenge(lookup, params.lookup_pow_bits)),
            ("bind", bind),
            ("alpha", worst(&alpha)),
            ("zeta", worst(&zeta)),
            ("batch", worst(&batch)),
            ("fold", worst(&fold)),
            ("query", worst(&|shard| shard.query_bits(params, regime))),
            ("hash", HASH_BITS),
        ];
        terms.map(|(name, bits)| Term { name, bits })
    }
}

impl Shard {
    fn log_domain(&self, params: &Params) -> f64 {
        (self.log_height + params.log_blowup) as f64
    }

    /// log2 of the number of exceptional challenges on a line of words; in fold with
    /// one more point, as the source counts.
    pub(super) fn log_line(&self, params: &Params, regime: Regime, more: f64) -> f64 {
        let log_domain = self.log_domain(params);
        let points = (log_domain.exp2() + more).log2();
        match regime {
            Regime::Subgroup(m) => points.max(log_sums(m, m >> params.log_blowup)),
            Regime::Unique => points,
            Regime::Johnson(_) if self.log_height == 0 => f64::INFINITY,
            Regime::Johnson(m) => {
                let log_rate = ((self.log_height as f64).exp2() - 1.0).log2() - log_domain;
                3.0 + log_domain + 3.0 * (m as f64 + 0.5).log2() - 3f64.log2() - log_rate
            }
        }
    }

    /// log2 of the number of points, for all pairs of candidates, where the two agree in
    /// every column: where one differs, it is by a polynomial of degree n at most.
    fn log_bind(&self, log_list: f64) -> f64 {
        let list = log_list.exp2();
        (list * (list - 1.0) / 2.0).log2() + self.log_height as f64
    }

    fn log_batch(&self, params: &Params, regime: Regime) -> f64 {
        match self.num_openings {
            0 | 1 => f64::NEG_INFINITY,
            openings => (openings as f64 - 1.0).log2() + self.log_line(params, regime, 0.0),
        }
    }

    fn log_fold(&self, params: &Params, regime: Regime) -> f64 {
        if self.log_height == 0 {
            return f64::NEG_INFINITY;
        }
        let arity = (params.max_log_arity as f64).exp2();
        let curve = if self.heights_join { arity } else { arity - 1.0 };
        let line = curve.log2() + self.log_line(params, regime, 1.0);
        let Regime::Johnson(m) = regime else { return line };
        let other =
            (arity * (self.log_domain(params).exp2() + 1.0) * (2.0 * m as f64 + 1.0)).log2();
        line.max(other + params.log_blowup as f64 / 2.0)
    }

    pub(super) fn query_bits(&self, params: &Params, regime: Regime) -> f64 {
        let rate = (-(params.log_blowup as f64)).exp2();
        let height = (self.log_height as f64).exp2();
        let agreement = match regime {
            Regime::Subgroup(m) => rate + 1.0 / m as f64,
            Regime::Unique => f64::midpoint(1.0, (height + POINTS) / height * rate),
            Regime::Johnson(m) => (1.0 + 0.5 / m as f64) * rate.sqrt(),
        };
        let fits = self.log_height > 0 && height + POINTS < agreement * height / rate;
        if agreement < 1.0 && (fits || matches!(regime, Regime::Subgroup(_))) {
            -agreement.log2() * params.num_queries as f64 + params.query_pow_bits as f64
        } else {
            0.0
        }
    }
}

/// log2 of the number of candidates of one shard.
pub(super) fn log_list(params: &Params, regime: Regime) -> f64 {
    match regime {
        Regime::Subgroup(m) => log_sums(m / 2, (m / 2) >> params.log_blowup),
        Regime::Unique => 0.0,
        Regime::Johnson(m) => (m as f64 + 0.5).log2() + params.log_blowup as f64 / 2.0,
    }
}

/// log2 of the number of sets of `k + 1` out of `m` roots of unity.
pub(super) fn log_sums(m: usize, k: usize) -> f64 {
    (0..=k).map(|i| ((m - i) as f64 / (i + 1) as f64).log2()).sum()
}

/// How the candidates of several shards are counted in the lookup term. Both ways hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counted {
    /// Freely combined: a list per shard.
    Lists,
    /// One per shard, but for what `bind` says.
    Bound,
}

/// Names and bits of the terms, in the order of the module header.
pub(super) type Terms = [Term; 8];

#[derive(Clone, Copy, Debug)]
pub(super) struct Term {
    pub(super) name: &'static str,
    pub(super) bits: f64,
}

fn least(terms: &[Term]) -> Term {
    let none = Term { name: "none", bits: f64::INFINITY };
    terms.iter().fold(none, |least, term| if term.bits < least.bits { *term } else { least })
}

pub(super) fn zeta_factor(rows: f64, degree: usize, slices: usize) -> f64 {
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
