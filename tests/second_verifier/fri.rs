//! The opening proof, section 6, apart from its seeds.

use std::collections::BTreeMap;

use crate::decode::{Digest, Malformed, Opening};
use crate::field::{Ext, SHIFT, mul, pow, reverse_bits, root_of_unity, sub};
use crate::merkle::authenticate;
use crate::params::Params;
use crate::seed::{folding_seed, openings_seed};
use crate::transcript::Transcript;

/// A committed matrix.
#[derive(Clone, Copy, Debug)]
pub struct Matrix {
    /// Circuit that it belongs to.
    pub circuit: usize,
    /// Log height of the committed domain.
    pub log_height: usize,
    /// Number of columns.
    pub width: usize,
    /// Whether it is opened at zeta·g as well.
    pub opens_next: bool,
    /// Whether it is opened, last, where its shard is bound.
    pub opens_bound: bool,
}

impl Matrix {
    /// Number of points at which it is opened.
    pub fn num_points(&self) -> usize {
        1 + usize::from(self.opens_next) + usize::from(self.opens_bound)
    }
}

/// A commitment.
#[derive(Clone, Debug)]
pub struct Round {
    /// Its matrices in commit order.
    pub matrices: Vec<Matrix>,
    /// Its root.
    pub root: Digest,
}

impl Round {
    fn log_heights(&self) -> Vec<usize> {
        self.matrices.iter().map(|matrix| matrix.log_height).collect()
    }

    fn tallest(&self) -> usize {
        self.matrices.iter().map(|matrix| matrix.log_height).max().unwrap_or(0)
    }
}

/// Opened values by round, matrix, point, column.
pub type Opened<const D: usize> = Vec<Vec<Vec<Vec<Ext<D>>>>>;

/// What folding follows from.
pub struct Schedule {
    /// Distinct log heights of the domains, falling.
    heights: Vec<usize>,
    /// Log arity of every fold.
    arities: Vec<usize>,
}

impl Schedule {
    /// The schedule for these rounds.
    pub fn new(params: &Params, rounds: &[Round]) -> Self {
        let mut heights: Vec<usize> = rounds.iter().flat_map(Round::log_heights).collect();
        heights.sort_unstable_by(|a, b| b.cmp(a));
        heights.dedup();
        let mut arities = Vec::new();
        let mut height = heights[0];
        while height > params.log_blowup() {
            let next = heights.iter().find(|&&next| next < height);
            let to_next = next.map_or(usize::MAX, |next| height - next);
            let arity = params.max_log_arity().min(height - params.log_blowup()).min(to_next);
            arities.push(arity);
            height -= arity;
        }
        Self { heights, arities }
    }
}

fn ensure(holds: bool, what: &'static str) -> Result<(), Malformed> {
    if holds { Ok(()) } else { Err(Malformed(what)) }
}

/// Checks the lengths of all lists of a shard's opening.
pub fn check_shape<const D: usize>(
    params: &Params,
    rounds: &[Round],
    opened: &Opened<D>,
    opening: &Opening<D>,
) -> Result<(), Malformed> {
    let queries = params.num_queries();
    let arities = Schedule::new(params, rounds).arities;
    ensure(opened.len() == rounds.len() && opening.rounds.len() == rounds.len(), "rounds")?;
    for ((round, opened), (rows, _)) in rounds.iter().zip(opened).zip(&opening.rounds) {
        ensure(opened.len() == round.matrices.len(), "matrices opened")?;
        for (matrix, points) in round.matrices.iter().zip(opened) {
            ensure(points.len() == matrix.num_points(), "points")?;
            ensure(points.iter().all(|values| values.len() == matrix.width), "values opened")?;
        }
        ensure(rows.len() == queries, "queries of a round")?;
        let widths = || round.matrices.iter().map(|matrix| matrix.width);
        ensure(rows.iter().all(|row| row.iter().map(Vec::len).eq(widths())), "rows")?;
    }
    let folds = arities.len();
    ensure(opening.fold_roots.len() == folds, "fold roots")?;
    ensure(opening.fold_witnesses.len() == folds && opening.folds.len() == folds, "folds")?;
    for (arity, (siblings, _)) in arities.iter().zip(&opening.folds) {
        ensure(siblings.len() == queries, "queries of a fold")?;
        ensure(siblings.iter().all(|list| list.len() == (1 << arity) - 1), "siblings")?;
    }
    ensure(opening.final_poly.len() == 1, "final polynomial")
}

/// Checks an opening whose shape was checked; `points` are those of each matrix. What is
/// said of one row is left out only to see that it is needed.
#[allow(clippy::too_many_arguments)]
pub fn verify<const D: usize>(
    params: &Params,
    transcript: &mut Transcript,
    rounds: &[Round],
    points: impl Fn(&Matrix) -> Vec<Ext<D>>,
    opened: &Opened<D>,
    opening: &Opening<D>,
    omits_one_row: bool,
) -> Result<(), Malformed> {
    let schedule = Schedule::new(params, rounds);
    let tallest = schedule.heights[0];
    openings_seed::<D>(params, rounds).iter().for_each(|&word| transcript.word(word));
    opened.iter().flatten().flatten().flatten().for_each(|value| transcript.ext(value));
    transcript.grind(params.batch_pow_bits(), opening.batch_witness)?;
    let batching: Ext<D> = transcript.draw();

    let seed = folding_seed::<D>(params, &schedule.arities, tallest);
    seed.iter().for_each(|&word| transcript.word(word));
    let mut challenges: Vec<Ext<D>> = Vec::new();
    for (root, &witness) in opening.fold_roots.iter().zip(&opening.fold_witnesses) {
        transcript.root(root);
        transcript.grind(params.commit_pow_bits(), witness)?;
        challenges.push(transcript.draw());
    }
    transcript.ext(&opening.final_poly[0]);
    transcript.grind(params.query_pow_bits(), opening.query_witness)?;
    let indices: Vec<usize> =
        (0..params.num_queries()).map(|_| transcript.draw_bits(tallest) as usize).collect();

    for (round, (rows, path)) in rounds.iter().zip(&opening.rounds) {
        let shift = tallest - round.tallest();
        let leaves: Vec<usize> = indices.iter().map(|index| index >> shift).collect();
        authenticate(&round.root, &round.log_heights(), &leaves, rows, path)?;
    }
    let points: Vec<Vec<Vec<Ext<D>>>> =
        rounds.iter().map(|round| round.matrices.iter().map(&points).collect()).collect();
    let mut groups: Vec<Vec<Vec<Ext<D>>>> = vec![Vec::new(); challenges.len()];
    for (query, &index) in indices.iter().enumerate() {
        let reduced =
            reduced_openings(rounds, &points, opened, opening, query, index, tallest, batching)?;
        // A trace of one row is a constant: its quotients vanish.
        let lowest = reduced.get(&params.log_blowup()).copied().unwrap_or(Ext::ZERO);
        ensure(lowest == Ext::ZERO || omits_one_row, "reduced opening of one row")?;
        let folded = fold(&schedule, &challenges, opening, query, index, &reduced, &mut groups);
        ensure(folded == opening.final_poly[0], "final coefficient")?;
    }
    let mut height = tallest;
    for (fold, groups) in groups.iter().enumerate() {
        height -= schedule.arities[fold];
        let leaves: Vec<usize> = indices.iter().map(|index| index >> (tallest - height)).collect();
        let words = |group: &Vec<Ext<D>>| vec![group.iter().flat_map(|value| value.0).collect()];
        let rows: Vec<Vec<Vec<u64>>> = groups.iter().map(words).collect();
        let path = &opening.folds[fold].1;
        authenticate(&opening.fold_roots[fold], &[height], &leaves, &rows, path)?;
    }
    Ok(())
}

/// By domain log height, the combination of all quotients at the queried point.
#[allow(clippy::too_many_arguments)]
fn reduced_openings<const D: usize>(
    rounds: &[Round],
    points: &[Vec<Vec<Ext<D>>>],
    opened: &Opened<D>,
    opening: &Opening<D>,
    query: usize,
    index: usize,
    tallest: usize,
    batching: Ext<D>,
) -> Result<BTreeMap<usize, Ext<D>>, Malformed> {
    // By height: the next power of the batching challenge, and the sum so far.
    let mut sums: BTreeMap<usize, (Ext<D>, Ext<D>)> = BTreeMap::new();
    let mut inverses: Vec<(usize, Ext<D>, Ext<D>)> = Vec::new();
    for (position, round) in rounds.iter().enumerate() {
        for (number, matrix) in round.matrices.iter().enumerate() {
            let height = matrix.log_height;
            let row = index >> (tallest - height);
            let x = mul(SHIFT, power_of_root(height, reverse_bits(row, height)));
            let values = &opening.rounds[position].0[query][number];
            let (power, sum) = sums.entry(height).or_insert((Ext::one(), Ext::ZERO));
            for (point, claimed) in points[position][number].iter().zip(&opened[position][number]) {
                let known = inverses.iter().find(|(h, z, _)| (h, z) == (&height, point));
                let inverse = match known {
                    Some((_, _, inverse)) => *inverse,
                    None => {
                        let inverse = (*point - Ext::base(x)).inverse();
                        let inverse = inverse.ok_or(Malformed("point in the domain"))?;
                        inverses.push((height, *point, inverse));
                        inverse
                    }
                };
                let mut terms = Ext::ZERO;
                for (claimed, &value) in claimed.iter().zip(values) {
                    terms += *power * (*claimed - Ext::base(value));
                    *power = *power * batching;
                }
                *sum += terms * inverse;
            }
        }
    }
    Ok(sums.into_iter().map(|(height, (_, sum))| (height, sum)).collect())
}

/// Follows one query down to the final coefficient; adds its groups to `groups`.
fn fold<const D: usize>(
    schedule: &Schedule,
    challenges: &[Ext<D>],
    opening: &Opening<D>,
    query: usize,
    index: usize,
    reduced: &BTreeMap<usize, Ext<D>>,
    groups: &mut [Vec<Vec<Ext<D>>>],
) -> Ext<D> {
    let mut height = schedule.heights[0];
    let (mut value, mut index) = (reduced[&height], index);
    for (position, &arity) in schedule.arities.iter().enumerate() {
        let mut group = opening.folds[position].0[query].clone();
        group.insert(index & ((1 << arity) - 1), value);
        index >>= arity;
        let challenge = challenges[position];
        let start = power_of_root(height, reverse_bits(index, height - arity));
        let member = |e| mul(start, power_of_root(arity, reverse_bits(e, arity)));
        let nodes: Vec<u64> = (0..group.len()).map(member).collect();
        value = interpolate(&nodes, &group, challenge);
        height -= arity;
        if let Some(&joining) = reduced.get(&height) {
            value += challenge.pow(1 << arity) * joining;
        }
        groups[position].push(group);
    }
    value
}

fn power_of_root(log_order: usize, exponent: usize) -> u64 {
    pow(root_of_unity(log_order), exponent as u64)
}

/// The value at `at` of the polynomial of least degree with these values at `nodes`.
fn interpolate<const D: usize>(nodes: &[u64], values: &[Ext<D>], at: Ext<D>) -> Ext<D> {
    let mut sum = Ext::ZERO;
    for (i, (&node, &value)) in nodes.iter().zip(values).enumerate() {
        let (mut numerator, mut denominator) = (value, 1);
        for (j, &other) in nodes.iter().enumerate() {
            if i != j {
                numerator = numerator * (at - Ext::base(other));
                denominator = mul(denominator, sub(node, other));
            }
        }
        sum += numerator.scale(crate::field::inverse(denominator));
    }
    sum
}
