//! The verifier's side of the constraints: System, evaluated node by node at one
//! out-of-domain point.

use traceloom_air::system::{Circuit, Direction, ExprId, Node};

use crate::challenges::LookupChallenges;
use crate::domain::Selectors;
use crate::layout::{CircuitLayout, signed};
use crate::scheme::{Extension, F};

/// The opened values of one circuit.
#[derive(Clone, Debug)]
pub struct OpenedRow<'a, E> {
    /// Main columns at zeta.
    pub main: &'a [E],
    /// Main columns at zeta·g; empty if no expression reads them.
    pub next: &'a [E],
    /// Fixed columns at zeta.
    pub fixed: &'a [E],
    /// Public values.
    pub publics: &'a [F],
    /// Stage 2 columns at zeta, combined to extension elements.
    pub stage_two: Vec<E>,
    /// The first of them at zeta·g.
    pub stage_two_next: Option<E>,
    /// The circuit's terminal.
    pub terminal: E,
}

/// All constraints of a circuit at zeta, folded with powers of alpha.
pub fn folded_constraints<E: Extension>(
    circuit: &Circuit,
    layout: &CircuitLayout,
    row: &OpenedRow<'_, E>,
    selectors: &Selectors<E>,
    challenges: &LookupChallenges<E>,
    alpha: E,
) -> E {
    let values = node_values(circuit, row, selectors);
    let of = |expr: ExprId| values[expr.0 as usize];
    let mut folded = E::ZERO;
    let mut power = E::ONE;
    let mut fold = |value: E| {
        folded += power * value;
        power *= alpha;
    };
    circuit.constraints.iter().for_each(|constraint| fold(of(constraint.expr)));
    let Some(next_first) = row.stage_two_next else {
        return folded;
    };
    fold(selectors.first * row.stage_two[0]);
    for (index, group) in layout.groups.iter().enumerate() {
        let lookups = &circuit.lookups[group.clone()];
        let denominators: Vec<E> = lookups
            .iter()
            .map(|lookup| {
                let arguments = lookup.arguments.iter().rev();
                challenges.beta + arguments.fold(E::ZERO, |sum, &a| sum * challenges.gamma + of(a))
            })
            .collect();
        let mut numerator = E::ZERO;
        for (i, lookup) in lookups.iter().enumerate() {
            let others = denominators.iter().enumerate().filter(|&(j, _)| j != i);
            let others: E = others.map(|(_, &denominator)| denominator).product();
            let pull = lookup.direction == Direction::Pull;
            numerator += signed(of(lookup.multiplicity), pull) * others;
        }
        let all: E = denominators.into_iter().product();
        let next = match row.stage_two.get(index + 1) {
            Some(&next) => next,
            None => next_first + selectors.last * row.terminal,
        };
        fold(all * (next - row.stage_two[index]) - numerator);
    }
    folded
}

fn node_values<E: Extension>(
    circuit: &Circuit,
    row: &OpenedRow<'_, E>,
    selectors: &Selectors<E>,
) -> Vec<E> {
    let nodes = circuit.arena.nodes();
    let mut values: Vec<E> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let of = |expr: ExprId| values[expr.0 as usize];
        let value = match *node {
            Node::Constant(value) => E::from(value),
            Node::Main(column) => row.main[column as usize],
            // An unread node may name the next row of a circuit that does not open it.
            Node::MainNext(column) => row.next.get(column as usize).copied().unwrap_or(E::ZERO),
            Node::Preprocessed(column) => row.fixed[column as usize],
            Node::Public(column) => E::from(row.publics[column as usize]),
            Node::IsFirstRow => selectors.first,
            Node::IsTransition => selectors.transition,
            Node::Add(a, b) => of(a) + of(b),
            Node::Sub(a, b) => of(a) - of(b),
            Node::Mul(a, b) => of(a) * of(b),
        };
        values.push(value);
    }
    values
}

/// The quotient at zeta from its opened slices: `sum_j zeta^(j·height)·slice_j`.
pub fn quotient_at<E: Extension>(slices: &[E], zeta: E, log_height: usize) -> E {
    let step = zeta.exp_power_of_2(log_height);
    let slices = slices.chunks(E::DEGREE).map(E::combine);
    slices.rev().fold(E::ZERO, |sum, slice| sum * step + slice)
}
