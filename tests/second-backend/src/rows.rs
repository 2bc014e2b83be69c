//! The expressions of a circuit at one point, straight from its arena.

use traceloom_air::system::{Circuit, Direction, ExprId, Node};
use traceloom_verifier::LookupChallenges;
use traceloom_verifier::layout::CircuitLayout;
use traceloom_verifier::scheme::{Extension, F};

/// What expressions read: columns at two indices, and the selectors there.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    pub main: &'a [Vec<F>],
    pub fixed: &'a [Vec<F>],
    pub publics: &'a [F],
    pub at: usize,
    pub next: usize,
    pub first: F,
    pub transition: F,
}

impl Row<'_> {
    /// Values of all nodes.
    pub fn nodes(&self, circuit: &Circuit, values: &mut Vec<F>) {
        values.clear();
        for node in circuit.arena.nodes() {
            let value = match *node {
                Node::Constant(value) => value,
                Node::Main(column) => self.main[column as usize][self.at],
                Node::MainNext(column) => self.main[column as usize][self.next],
                Node::Preprocessed(column) => self.fixed[column as usize][self.at],
                Node::Public(index) => self.publics[index as usize],
                Node::IsFirstRow => self.first,
                Node::IsTransition => self.transition,
                Node::Add(a, b) => of(values, a) + of(values, b),
                Node::Sub(a, b) => of(values, a) - of(values, b),
                Node::Mul(a, b) => of(values, a) * of(values, b),
            };
            values.push(value);
        }
    }
}

/// The value of one node.
pub fn of(values: &[F], expr: ExprId) -> F {
    values[expr.0 as usize]
}

/// Numerator and denominator of each group's fraction, from the values of all nodes.
pub fn fractions<E: Extension>(
    circuit: &Circuit,
    layout: &CircuitLayout,
    challenges: &LookupChallenges<E>,
    values: &[F],
) -> impl Iterator<Item = (E, E)> {
    layout.groups.iter().map(move |group| {
        let mut sum = (E::ZERO, E::ONE);
        for lookup in &circuit.lookups[group.clone()] {
            let message = lookup.arguments.iter().rev();
            let fingerprint =
                message.fold(E::ZERO, |sum, &id| sum * challenges.gamma + of(values, id));
            let denominator = challenges.beta + fingerprint;
            let count = of(values, lookup.multiplicity);
            let count = if lookup.direction == Direction::Pull { -count } else { count };
            sum = (sum.0 * denominator + sum.1 * count, sum.1 * denominator);
        }
        sum
    })
}
