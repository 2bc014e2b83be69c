//! LogUp, sections 3 and 5: groups of lookups, their constraints, the final sum.

use traceloom::air::system::{Circuit, Direction, ExprId, Node};

use crate::decode::{Malformed, ProofClaim};
use crate::field::Ext;
use crate::params::Params;

/// Challenges shared by all shards.
#[derive(Clone, Copy, Debug)]
pub struct Challenges<const D: usize> {
    /// Added to every fingerprint.
    pub beta: Ext<D>,
    /// Combines the elements of a message.
    pub gamma: Ext<D>,
}

impl<const D: usize> Challenges<D> {
    /// `beta + sum_i gamma^i·a_i`.
    pub fn denominator(&self, message: impl DoubleEndedIterator<Item = Ext<D>>) -> Ext<D> {
        self.beta + message.rev().fold(Ext::ZERO, |sum, element| sum * self.gamma + element)
    }

    /// What a claim adds to the sum of the terminals.
    pub fn claim(&self, claim: &ProofClaim) -> Result<Ext<D>, Malformed> {
        let head = [1, claim.function];
        let message =
            head.iter().chain(&claim.rank).chain(&claim.inputs).chain(&claim.outputs).copied();
        let message: Vec<Ext<D>> = message.map(Ext::base).collect();
        let denominator = self.denominator(message.into_iter());
        denominator.inverse().ok_or(Malformed("denominator of a claim"))
    }
}

/// What follows from a circuit's lookups and degrees.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Number of lookups in each column of stage 2.
    pub groups: Vec<usize>,
    /// Number of quotient slices.
    pub num_slices: usize,
    /// Largest degree of a folded constraint.
    pub max_degree: usize,
    /// Whether a used expression reads the next row.
    pub reads_next: bool,
    /// Degree of every node.
    pub degrees: Vec<Degree>,
}

/// Degree of an expression, and its transition selectors, counted apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Degree {
    /// Columns and first-row selectors.
    pub columns: usize,
    transitions: usize,
}

impl Degree {
    fn max(self, other: Self) -> Self {
        Self {
            columns: self.columns.max(other.columns),
            transitions: self.transitions.max(other.transitions),
        }
    }

    fn times(self, other: Self) -> Self {
        Self {
            columns: self.columns + other.columns,
            transitions: self.transitions + other.transitions,
        }
    }
}

impl Layout {
    /// The layout of a circuit.
    pub fn new(circuit: &Circuit, params: &Params) -> Self {
        let degrees = degrees(circuit.arena.nodes());
        let used = used(circuit);
        let singles = (0..circuit.lookups.len()).map(|i| group_degree(circuit, &degrees, i, 1));
        let constraints = circuit.constraints.iter().map(|c| degrees[c.expr.0 as usize]);
        let start = if circuit.lookups.is_empty() { 0 } else { 2 };
        let least = singles.chain(constraints).fold(start, |most, d| most.max(d.columns));
        let nodes = used.iter().filter(|&&used| used).count();
        let mut best: Option<(usize, usize, Vec<usize>)> = None;
        for log_slices in 0..=params.log_blowup() {
            let slices = 1 << log_slices;
            if slices + 1 < least {
                continue;
            }
            let groups = greedy(circuit, &degrees, slices + 1);
            let cost = 64 * params.extension_degree() * (groups.len() + slices) + slices * nodes;
            if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
                best = Some((cost, slices, groups));
            }
        }
        let (_, num_slices, groups) = best.expect("the degree fits the blowup");
        let mut first = 0;
        let mut max_degree = least;
        for &len in &groups {
            max_degree = max_degree.max(group_degree(circuit, &degrees, first, len).columns);
            first += len;
        }
        let mut nodes = circuit.arena.nodes().iter().zip(used);
        let reads_next = nodes.any(|(node, used)| used && matches!(node, Node::MainNext(_)));
        Self { groups, num_slices, max_degree, reads_next, degrees }
    }
}

fn greedy(circuit: &Circuit, degrees: &[Degree], most: usize) -> Vec<usize> {
    let mut groups: Vec<usize> = Vec::new();
    for index in 0..circuit.lookups.len() {
        if let Some(len) = groups.last_mut() {
            let degree = group_degree(circuit, degrees, index - *len, *len + 1);
            let transitions = degree.columns.saturating_sub(1).max(1);
            if degree.columns <= most && degree.transitions <= transitions {
                *len += 1;
                continue;
            }
        }
        groups.push(1);
    }
    groups
}

fn group_degree(circuit: &Circuit, degrees: &[Degree], first: usize, len: usize) -> Degree {
    let lookups = &circuit.lookups[first..first + len];
    let of = |expr: ExprId| degrees[expr.0 as usize];
    let message = |index: usize| {
        lookups[index].arguments.iter().fold(Degree::default(), |most, &a| most.max(of(a)))
    };
    let product = |skipped: Option<usize>| {
        let kept = (0..len).filter(|&index| Some(index) != skipped);
        kept.fold(Degree::default(), |product, index| product.times(message(index)))
    };
    let column = Degree { columns: 1, transitions: 0 };
    (0..len).fold(product(None).times(column), |most, index| {
        most.max(of(lookups[index].multiplicity).times(product(Some(index))))
    })
}

fn degrees(nodes: &[Node]) -> Vec<Degree> {
    let mut degrees: Vec<Degree> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let of = |expr: &ExprId| degrees[expr.0 as usize];
        degrees.push(match node {
            Node::Constant(_) | Node::Public(_) => Degree::default(),
            Node::IsTransition => Degree { columns: 0, transitions: 1 },
            Node::Main(_) | Node::MainNext(_) | Node::Preprocessed(_) | Node::IsFirstRow => {
                Degree { columns: 1, transitions: 0 }
            }
            Node::Add(a, b) | Node::Sub(a, b) => of(a).max(of(b)),
            Node::Mul(a, b) => of(a).times(of(b)),
        });
    }
    degrees
}

/// By node: whether a constraint or lookup reaches it.
fn used(circuit: &Circuit) -> Vec<bool> {
    let nodes = circuit.arena.nodes();
    let mut used = vec![false; nodes.len()];
    circuit.constraints.iter().for_each(|c| used[c.expr.0 as usize] = true);
    for lookup in &circuit.lookups {
        used[lookup.multiplicity.0 as usize] = true;
        lookup.arguments.iter().for_each(|a| used[a.0 as usize] = true);
    }
    for index in (0..nodes.len()).rev() {
        if let (true, Node::Add(a, b) | Node::Sub(a, b) | Node::Mul(a, b)) =
            (used[index], nodes[index])
        {
            used[a.0 as usize] = true;
            used[b.0 as usize] = true;
        }
    }
    used
}

/// A check of the accumulators that is left out, to see what it is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Omitted {
    /// `first·A_0`, in all circuits.
    First,
    /// The steps over this group, in all circuits.
    Group(usize),
    /// What the last group says about the last row, where the terminal comes in.
    Last,
    /// Terminals and claims cancel.
    Sum,
    /// A circuit without lookups has terminal 0.
    Idle,
}

/// Values at zeta that the stage 2 constraints of one circuit need.
pub struct StageTwo<'a, const D: usize> {
    /// Stage 2 columns at zeta.
    pub local: &'a [Ext<D>],
    /// Stage 2 columns at zeta·g.
    pub next: &'a [Ext<D>],
    /// Selector of the first row.
    pub first: Ext<D>,
    /// Selector of all rows but the last.
    pub transition: Ext<D>,
    /// Normalised selector of the last row.
    pub last: Ext<D>,
    /// What the column sums to.
    pub terminal: Ext<D>,
}

/// The constraints of stage 2, given the values of all nodes; what is omitted is zero.
pub fn constraints<const D: usize>(
    circuit: &Circuit,
    layout: &Layout,
    challenges: &Challenges<D>,
    nodes: &[Ext<D>],
    stage: &StageTwo<'_, D>,
    omitted: Option<Omitted>,
) -> Vec<Ext<D>> {
    if layout.groups.is_empty() {
        return Vec::new();
    }
    let value = |expr: ExprId| nodes[expr.0 as usize];
    let start = stage.first * stage.local[0];
    let mut folded = vec![if omitted == Some(Omitted::First) { Ext::ZERO } else { start }];
    let mut lookups = circuit.lookups.iter();
    for (k, &len) in layout.groups.iter().enumerate() {
        // sum_i ±m_i·prod_{j≠i} den_j over prod_i den_i, lookup by lookup.
        let (mut numerator, mut denominator) = (Ext::ZERO, Ext::one());
        for lookup in lookups.by_ref().take(len) {
            let den = challenges.denominator(lookup.arguments.iter().map(|&a| value(a)));
            let multiplicity = value(lookup.multiplicity);
            let multiplicity = match lookup.direction {
                Direction::Push => multiplicity,
                Direction::Pull => Ext::ZERO - multiplicity,
            };
            numerator = numerator * den + multiplicity * denominator;
            denominator = denominator * den;
        }
        let next = match stage.local.get(k + 1) {
            Some(&next) => next,
            None => stage.next[0] + stage.last * stage.terminal,
        };
        let step = denominator * (next - stage.local[k]) - numerator;
        folded.push(match omitted {
            Some(Omitted::Group(group)) if group == k => Ext::ZERO,
            Some(Omitted::Last) if k + 1 == layout.groups.len() => step * stage.transition,
            _ => step,
        });
    }
    folded
}
